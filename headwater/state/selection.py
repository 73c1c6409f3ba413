"""Which pasts a view stores.

Idea: walk the plan and ask each stateful operator which pasts its change rule reads; a past that is not a table's own
snapshot is stored. What a linear aggregate needs is its partials; what a join needs is both inputs; any other
aggregate or window needs its input rows, and its own rows where they add up doubles: those cannot be computed again to
the bit. A top-k keeps its few rows.
Limits: everything that is needed is kept. A selection under a memory budget answers the same question with less.
"""

from __future__ import annotations

from headwater.algebra.nodes import Aggregate, Distinct, Filter, Join, Node, Project, TopK, Union, Window
from headwater.algebra.statistics import Statistics, estimate
from headwater.delta.higher_order import HigherOrder
from headwater.delta.lookups import equal_columns
from headwater.delta.partials import is_exact, recipe
from headwater.delta.pasts import PARTIALS, ROWS, Past, is_snapshot

NOTHING_KNOWN: Statistics = {}


def keep_what_is_needed(
    plan: Node, statistics: Statistics = NOTHING_KNOWN, apart: frozenset[Node] = frozenset()
) -> tuple[Past, ...]:
    """The stored pasts of a plan, inputs before what is built from them; joins `apart` are maintained otherwise."""
    needed: dict[tuple[Node, str], tuple[str, ...]] = {}
    _visit(plan, needed, apart)
    ids = {node: number for number, node in enumerate(dict.fromkeys(plan.walk()))}
    order = {node: place for place, node in enumerate(_bottom_up(plan))}
    kept = sorted(needed.items(), key=lambda item: order[item[0][0]])
    return tuple(
        Past(f"past_{type(node).__name__.lower()}_{ids[node]}", node, form, _most_telling_first(node, key, statistics))
        for (node, form), key in kept
    )


def _most_telling_first(node: Node, key: tuple[str, ...], statistics: Statistics) -> tuple[str, ...]:
    """The key's columns, the one with the most values first: a look-up by it finds the fewest rows."""
    if len(key) < 2:
        return key
    known = estimate(node, statistics)
    return tuple(sorted(key, key=lambda name: -known.values(name)))


def irreplaceable(plan: Node) -> tuple[Past, ...]:
    """The pasts that no computation gives again: those of sums of doubles, whose last bits are an accident."""
    return tuple(past for past in keep_what_is_needed(plan) if not is_exact(past.node))


def _bottom_up(plan: Node) -> list[Node]:
    found: dict[Node, None] = {}

    def visit(node: Node) -> None:
        for child in node.children:
            visit(child)
        found[node] = None

    visit(plan)
    return list(found)


def keep_higher_order_views(plan: Node, statistics: Statistics = NOTHING_KNOWN) -> tuple[Past, ...]:
    """Every higher-order view of the plan's clusters of inner joins, and what the operators around them need."""
    higher_order = HigherOrder(plan)
    views = higher_order.views
    known = {(past.node, past.form) for past in views}
    around = keep_what_is_needed(plan, statistics, higher_order.inside)
    return (*views, *(past for past in around if (past.node, past.form) not in known))


def _visit(node: Node, needed: dict[tuple[Node, str], tuple[str, ...]], apart: frozenset[Node]) -> None:
    for child in node.children:
        _visit(child, needed, apart)
    if node in apart:
        return
    if isinstance(node, Join):
        pairs = tuple(dict.fromkeys((*node.equalities, *equal_columns(node))))
        _require(node.left, tuple(pair[0] for pair in pairs), needed)
        _require(node.right, tuple(pair[1] for pair in pairs), needed)
    elif isinstance(node, Distinct):
        needed.setdefault((node, PARTIALS), node.names)
    elif isinstance(node, Aggregate) and recipe(node) is not None:
        needed.setdefault((node, PARTIALS), node.keys)
    elif isinstance(node, Aggregate):
        _require(node.child, node.keys, needed)
        if not is_exact(node):
            needed.setdefault((node, ROWS), node.keys)
    elif isinstance(node, (Window, TopK)):
        _require(node.child, node.keys, needed)
        if isinstance(node, TopK) or not is_exact(node):
            needed.setdefault((node, ROWS), node.keys)


def _require(node: Node, key: tuple[str, ...], needed: dict[tuple[Node, str], tuple[str, ...]]) -> None:
    """The node's rows must be readable at the old cursor: from partials kept anyway, or stored where rows are looked
    up by a key; without one they are read whole, and a table's own files will do."""
    if (is_snapshot(node) and not key) or _kept(node, needed):
        return
    if isinstance(node, Union):
        places = [node.names.index(name) for name in key]
        for child in node.inputs:
            _require(child, tuple(child.names[place] for place in places), needed)
        return
    if isinstance(node, (Project, Filter)) and _over_groups(node, needed):
        return
    needed.setdefault((node, ROWS), key)


def _over_groups(node: Node, needed: dict[tuple[Node, str], tuple[str, ...]]) -> bool:
    while isinstance(node, (Project, Filter)):
        node = node.child
    return isinstance(node, (Aggregate, Distinct)) and _kept(node, needed)


def _kept(node: Node, needed: dict[tuple[Node, str], tuple[str, ...]]) -> bool:
    return (node, PARTIALS) in needed or (node, ROWS) in needed
