"""All pasts that a view's change rules read: what is stored where memory does not matter.

Idea: walk the plan and ask each stateful operator which pasts its change rule reads; a past that is not a table's own
snapshot is stored. What a linear aggregate needs is its partials; what a join needs is both inputs; any other
aggregate or window needs its input rows, and its own rows where they add up doubles: those cannot be computed again to
the bit. A top-k keeps its few rows.
Invariant: a past is named by its node and form alone, whatever else is stored, so that a past that two selections of
one plan share is one past. Inputs stand before what is built from them.
Limits: everything that is needed is kept; `selection` answers the same question under a memory budget.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from headwater.algebra.nodes import Aggregate, Distinct, Filter, Join, Node, Project, TopK, Union, Window
from headwater.algebra.statistics import Statistics, estimate
from headwater.delta.higher_order import HigherOrder
from headwater.delta.lookups import equal_columns
from headwater.delta.partials import is_exact, recipe
from headwater.delta.pasts import PARTIALS, ROWS, Past, is_snapshot

NOTHING_KNOWN: Statistics = {}
Key = tuple[str, ...]
Stored = tuple[Node, str]  # a node and the form in which its past is stored


NOWHERE: frozenset[Node] = frozenset()


def keep_what_is_needed(
    plan: Node, statistics: Statistics = NOTHING_KNOWN, apart: frozenset[Node] = NOWHERE
) -> tuple[Past, ...]:
    """The stored pasts of a plan, inputs before what is built from them; joins `apart` are maintained otherwise."""
    needed: dict[Stored, Key] = {}
    _visit(plan, needed, apart)
    return pasts_of(plan, ((node, form, key) for (node, form), key in needed.items()), statistics)


def keep_higher_order_views(plan: Node, statistics: Statistics = NOTHING_KNOWN) -> tuple[Past, ...]:
    """Every higher-order view of the plan's clusters of inner joins, and what the operators around them need."""
    higher_order = HigherOrder(plan)
    views = higher_order.views
    known = {(past.node, past.form) for past in views}
    around = keep_what_is_needed(plan, statistics, higher_order.inside)
    return (*views, *(past for past in around if (past.node, past.form) not in known))


def irreplaceable(plan: Node) -> tuple[Past, ...]:
    """The pasts that no computation gives again: those of sums of doubles, whose last bits are an accident."""
    return tuple(past for past in keep_what_is_needed(plan) if not is_exact(past.node))


def possible_pasts(plan: Node, higher_order: HigherOrder | None = None) -> dict[str, Past]:
    """Every past that could be stored of a plan, by its name; higher-order views where there is a rule for them."""
    found = [Past(_name(node, ROWS, number), node, ROWS, ()) for number, node in _numbered(plan)]
    for number, node in _numbered(plan):
        if isinstance(node, Distinct) or (isinstance(node, Aggregate) and recipe(node) is not None):
            found.append(Past(_name(node, PARTIALS, number), node, PARTIALS, ()))
    return {past.name: past for past in (*found, *(higher_order.views if higher_order is not None else ()))}


def _numbered(plan: Node) -> Iterator[tuple[int, Node]]:
    return enumerate(dict.fromkeys(plan.walk()))


def pasts_of(
    plan: Node, stored: Iterable[tuple[Node, str, Key]], statistics: Statistics = NOTHING_KNOWN
) -> tuple[Past, ...]:
    """What is to be stored of a plan's nodes, named, inputs first; where one past is asked for by several keys, the
    first that has columns."""
    keys: dict[Stored, Key] = {}
    for node, form, key in stored:
        keys[node, form] = keys.get((node, form)) or key
    ids = {node: number for number, node in _numbered(plan)}
    order = {node: place for place, node in enumerate(bottom_up(plan))}
    kept = sorted(keys.items(), key=lambda item: (order[item[0][0]], item[0][1]))
    return tuple(
        Past(_name(node, form, ids[node]), node, form, most_telling_first(node, key, statistics))
        for (node, form), key in kept
    )


def _name(node: Node, form: str, number: int) -> str:
    """Rows of what could store partials say so: both can be stored."""
    both = form == ROWS and (isinstance(node, Distinct) or (isinstance(node, Aggregate) and recipe(node) is not None))
    return f"past_{type(node).__name__.lower()}_{number}{'_rows' if both else ''}"


def most_telling_first(node: Node, key: Key, statistics: Statistics) -> Key:
    """The key's columns, the one with the most values first: a look-up by it finds the fewest rows."""
    if len(key) < 2:
        return key
    known = estimate(node, statistics)
    return tuple(sorted(key, key=lambda name: -known.values(name)))


def bottom_up(plan: Node) -> list[Node]:
    """Every different node once, children first."""
    found: dict[Node, None] = {}
    waiting = [(plan, False)]
    while waiting:
        node, expanded = waiting.pop()
        if node in found:
            continue
        if expanded:
            found[node] = None
        else:
            waiting.append((node, True))
            waiting.extend((child, False) for child in reversed(node.children))
    return list(found)


def joined_by(join: Join) -> tuple[Key, Key]:
    """The columns by which a join looks up the rows of its left and of its right input."""
    pairs = tuple(dict.fromkeys((*join.equalities, *equal_columns(join))))
    return tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs)


def rows_by_key(node: Node, key: Key) -> tuple[tuple[Node, Key], ...]:
    """Whose rows must be stored, by which columns, so that a node's rows can be looked up by a key; nobody's where a
    table's own files will do."""
    if is_snapshot(node) and not key:
        return ()
    if isinstance(node, Union):
        places = [node.names.index(name) for name in key]
        found = (rows_by_key(child, tuple(child.names[place] for place in places)) for child in node.inputs)
        return tuple(each for part in found for each in part)
    return ((node, key),)


def groups_below(node: Node) -> Node | None:
    """The aggregate whose groups a node projects and filters, so that its past can be read from theirs."""
    while isinstance(node, (Project, Filter)):
        node = node.child
    return node if isinstance(node, (Aggregate, Distinct)) else None


def _visit(plan: Node, needed: dict[Stored, Key], apart: frozenset[Node]) -> None:
    for node in bottom_up(plan):
        if node in apart:
            continue
        if isinstance(node, Join):
            left, right = joined_by(node)
            _require(node.left, left, needed)
            _require(node.right, right, needed)
        elif isinstance(node, Distinct):
            needed.setdefault((node, PARTIALS), node.names)
        elif isinstance(node, Aggregate) and recipe(node) is not None:
            needed.setdefault((node, PARTIALS), node.keys)
        elif isinstance(node, (Aggregate, Window, TopK)):
            _require(node.child, node.keys, needed)
            if isinstance(node, TopK) or not is_exact(node):
                needed.setdefault((node, ROWS), node.keys)


def _require(node: Node, key: Key, needed: dict[Stored, Key]) -> None:
    """The node's rows must be readable at the old cursor: from partials kept anyway, or stored where rows are looked
    up by a key; without one they are read whole, and a table's own files will do."""
    if (is_snapshot(node) and not key) or _kept(node, needed):
        return
    if isinstance(node, Union):
        places = [node.names.index(name) for name in key]
        for child in node.inputs:
            _require(child, tuple(child.names[place] for place in places), needed)
        return
    below = groups_below(node)
    if below is None or not _kept(below, needed):
        needed.setdefault((node, ROWS), key)


def _kept(node: Node, needed: dict[Stored, Key]) -> bool:
    return (node, PARTIALS) in needed or (node, ROWS) in needed
