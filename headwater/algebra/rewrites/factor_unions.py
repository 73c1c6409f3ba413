"""Factor unions: what the inputs of a union share is done once, above it.

    (A |x| D)  union all  (B |x| D)      =>   (A union all B) |x| D       also for left, semi and anti joins
    (A union all B) union all C          =>   A union all B union all C
    distinct (distinct A union all B)    =>   distinct (A union all B)
    distinct (A union all A)             =>   distinct A
    distinct (A by its groups)           =>   A by its groups

Idea: each input has names of its own for the same table, so D would be stored once for every input, and its change
computed as often. Inputs are clusters of joins under projections: what matches in two of them (see `matching`) is D,
the rest is A and B; outputs and conditions must be the same but for columns of A that stand where those of B stand.
Those places become the columns of the union.
Invariant: the same bag. A join distributes over a union on its kept side; below the join only what cannot fail is
computed (see `total`); columns of different types are never united here.
Complexity: each input is compared with each kind of join found so far, linear in their size.
Limits: filters stay on A and B, where they were pushed to, and aggregates stay in their inputs, whose groups must not
meet. Where an input joins the same table twice, the first correspondence that is found is the only one tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from headwater.algebra.expressions import column, columns_of, conjunction, conjuncts, rename, substitute
from headwater.algebra.matching import matches_in_place, matching
from headwater.algebra.nodes import Aggregate, Distinct, Filter, Join, Node, Output, Project, Union
from headwater.algebra.total import is_total

KEPT_LEFT = ("left", "semi", "anti")  # joins that keep or drop each left row by itself


def factor_unions(plan: Node) -> Node:
    return plan.transform(_factored)


def _factored(node: Node) -> Node:
    if isinstance(node, Distinct):
        return _distinct(node)
    if isinstance(node, Union):
        return _union(node.names, list(_members(node)))
    return node


# -- distinct


def _distinct(node: Distinct) -> Node:
    if _is_set(node.child):
        return node.child
    if not isinstance(node.child, Union):
        return node
    different: list[Node] = []
    for member in (each for child in node.child.inputs for each in _members(_repeating(child))):
        if not any(matches_in_place(each, member) for each in different):
            different.append(member)
    return Distinct(_union(node.names, different))


def _is_set(node: Node) -> bool:
    """True when no row is there twice: groups, with their keys."""
    below = node
    while isinstance(below, (Project, Filter)):
        below = below.child
    return isinstance(below, (Aggregate, Distinct)) and bool(node.unique_keys)


def _repeating(node: Node) -> Node:
    """The input of a distinct union without a distinct of its own."""
    if isinstance(node, (Project, Filter)):
        below = _repeating(node.child)
        return node if below is node.child else replace(node, child=below)
    return node.child if isinstance(node, Distinct) else node


# -- unions


def _members(node: Node) -> Iterator[Node]:
    """The inputs of a union, and of the unions among them, through projections."""
    if isinstance(node, Union):
        for each in node.inputs:
            yield from _members(each)
    elif isinstance(node, Project) and isinstance(node.child, Union):
        for each in node.child.inputs:
            names = dict(zip(node.child.names, each.names, strict=True))
            outputs = tuple(Output(o.name, rename(o.expression, names), o.type) for o in node.outputs)
            yield from _members(Project(each, outputs))
    else:
        yield node


def _union(names: tuple[str, ...], members: list[Node]) -> Node:
    """The union of the members under its names, those with a join in common as one."""
    merged: list[Node] = []
    for member in members:
        place, both = next(((i, m) for i, each in enumerate(merged) if (m := _merged(each, member))), (-1, member))
        if place < 0:
            merged.append(next((each for each in merged if matches_in_place(each, both)), both))
        else:
            merged[place] = both
    if merged[0].names != names:
        pairs = zip(names, merged[0].names, strict=True)
        merged[0] = Project(merged[0], tuple(Output(new, column(old)) for new, old in pairs))
    return Union(tuple(merged)) if len(merged) > 1 else merged[0]


@dataclass(frozen=True)
class Branch:
    """An input of a union that is a join: its outputs over the join's inputs, by position."""

    outputs: tuple[Output, ...]
    kind: str
    inputs: tuple[Node, ...]
    parts: tuple[exp.Expr, ...]  # of the condition

    @classmethod
    def of(cls, node: Node) -> Branch | None:
        values: dict[str, exp.Expr] = {name: column(name) for name in node.names}
        below = node
        while isinstance(below, Project):
            outputs = {output.name: output.expression for output in below.outputs}
            values = {name: substitute(value, outputs) for name, value in values.items()}
            below = below.child
        if not isinstance(below, Join) or below.kind not in ("inner", *KEPT_LEFT):
            return None
        if below != Join(below.left, below.right, below.kind, below.condition):  # it is more than these say
            return None
        inputs, parts = _cluster(below) if below.kind == "inner" else ([*below.children], [*conjuncts(below.condition)])
        names = [name for each in inputs for name in each.names]
        if len(set(names)) < len(names):
            return None
        typed = tuple(Output(item.name, values[item.name], item.type) for item in node.schema)
        return cls(typed, below.kind, tuple(inputs), tuple(parts))

    def renamed(self, names: Mapping[str, str]) -> Branch:
        """The same branch over inputs of which some have other names; the inputs themselves stay."""
        outputs = tuple(Output(o.name, rename(o.expression, names), o.type) for o in self.outputs)
        return replace(self, outputs=outputs, parts=tuple(rename(part, names) for part in self.parts))


def _cluster(node: Node) -> tuple[list[Node], list[exp.Expr]]:
    if isinstance(node, Join) and node.kind == "inner":
        left, left_parts = _cluster(node.left)
        right, right_parts = _cluster(node.right)
        return left + right, [*left_parts, *right_parts, *conjuncts(node.condition)]
    return [node], []


def _merged(one: Node, other: Node) -> Node | None:
    """One join for two; None when they have none in common."""
    first, second = Branch.of(one), Branch.of(other)
    if first is None or second is None or first.kind != second.kind:
        return None
    shared = _shared(first, second)
    if not shared:
        return None
    names = {new: old for _, _, found in shared for new, old in found.items()}
    common = [first.inputs[i] for i, _, _ in shared]
    own = [each for i, each in enumerate(first.inputs) if i not in {i for i, _, _ in shared}]
    others = [each for i, each in enumerate(second.inputs) if i not in {i for _, i, _ in shared}]
    kept = {name for each in common for name in each.names}
    if not own or not others or any(kept & set(each.names) for each in others):
        return None
    return Merge(first, second.renamed(names), own, others, common).plan()


def _shared(first: Branch, second: Branch) -> list[tuple[int, int, Mapping[str, str]]]:
    """The places of the inputs that both have, and how their names correspond."""
    found: list[tuple[int, int, Mapping[str, str]]] = []
    for i, one in enumerate(first.inputs):
        if first.kind != "inner" and i == 0:
            continue
        for j, other in enumerate(second.inputs):
            free = j not in {taken for _, taken, _ in found} and (first.kind == "inner" or j == i)
            names = matching(one, other) if free else None
            if names is not None:
                found.append((i, j, names))
                break
    return found


class Different(Exception):
    """Two expressions are not the same, whatever the union's columns are."""


@dataclass
class Merge:
    """Two branches over a common part, and the columns of the union of their own parts."""

    first: Branch
    second: Branch
    own: list[Node]
    others: list[Node]
    common: list[Node]
    places: dict[tuple[exp.Expr, exp.Expr], Output] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.kept = {name for each in self.common for name in each.names}
        self.types = [{c.name: c.type for each in side for c in each.schema} for side in (self.own, self.others)]

    def plan(self) -> Node | None:
        try:
            outputs = tuple(
                Output(x.name, self.aligned(x.expression, y.expression, (x.type, y.type)), x.type)
                for x, y in zip(self.first.outputs, self.second.outputs, strict=True)
            )
            condition = self._condition()
        except Different:
            return None
        if not self.places:
            return None
        sides = (self._side(self.own, self.first, 0), self._side(self.others, self.second, 1))
        joined: Node = Union(tuple(member for side in sides for member in _members(side)))
        for each in self.common[:-1]:
            joined = Join(joined, each, "inner")
        return Project(Join(joined, self.common[-1], self.first.kind, condition), outputs)

    def _side(self, inputs: list[Node], branch: Branch, place: int) -> Node:
        joined = inputs[0]
        for each in inputs[1:]:
            joined = Join(joined, each, "inner")
        parts = [part for part in branch.parts if self._is_own(part, branch)]
        if isinstance(joined, Join) and len(inputs) > 1:
            joined = replace(joined, condition=conjunction(parts))
        elif parts:
            joined = Filter(joined, exp.and_(*parts))
        return Project(joined, tuple(Output(o.name, pair[place], o.type) for pair, o in self.places.items()))

    def _is_own(self, part: exp.Expr, branch: Branch) -> bool:
        return branch.kind == "inner" and not columns_of(part) & self.kept

    def _condition(self) -> exp.Expr | None:
        """What joins the common part: each part of the first branch's condition is one of the second's."""
        ones, others = (
            [part for part in branch.parts if not self._is_own(part, branch)] for branch in (self.first, self.second)
        )
        if len(ones) != len(others):
            raise Different
        return conjunction([self._found(one, others) for one in ones])

    def _found(self, one: exp.Expr, others: list[exp.Expr]) -> exp.Expr:
        for i, other in enumerate(others):
            for turned in (other, _turned(other)):
                before = dict(self.places)
                try:
                    made = self.aligned(one, turned)
                except Different:
                    self.places = before
                    continue
                del others[i]
                return made
        raise Different

    def aligned(self, one: exp.Expr, other: exp.Expr, types: tuple[str, str] = ("", "")) -> exp.Expr:
        """The expression over the union's columns and the common part that is each of these in its branch."""
        if not (columns_of(one) | columns_of(other)) & self.kept:
            if one == other and not columns_of(one):
                return one.copy()
            kinds = self._kind(one, 0, types[0]), self._kind(other, 1, types[1])
            if kinds[0] and kinds[0] == kinds[1]:
                return column(self._place(one, other, kinds[0]))
        if isinstance(one, exp.Column) or type(one) is not type(other):
            if one != other or columns_of(one) - self.kept:
                raise Different
            return one.copy()
        made = one.copy()
        for key in {**one.args, **other.args}:
            made.set(key, self._aligned_value(one.args.get(key), other.args.get(key)))
        return made

    def _aligned_value(self, one: object, other: object) -> object:
        if isinstance(one, exp.Expr) and isinstance(other, exp.Expr):
            return self.aligned(one, other)
        if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
            return [self._aligned_value(a, b) for a, b in zip(one, other, strict=True)]
        if (one or None) != (other or None):
            raise Different
        return one

    def _kind(self, value: exp.Expr, side: int, known: str) -> str:
        """The type of what may become a column of the union: of a column, or of what cannot fail."""
        if isinstance(value, exp.Column):
            return self.types[side].get(value.name, "")
        constant = isinstance(value.unnest(), exp.Literal | exp.Null | exp.Boolean)
        return known if constant or is_total(value, self.types[side]) else ""

    def _place(self, one: exp.Expr, other: exp.Expr, kind: str) -> str:
        if (one, other) not in self.places:
            taken = self.kept | {output.name for output in self.places.values()}
            name = one.name if isinstance(one, exp.Column) else "place"
            while name in taken:
                name += "_"
            self.places[one, other] = Output(name, column(name), kind)
        return self.places[one, other].name


def _turned(part: exp.Expr) -> exp.Expr:
    """An equality the other way round."""
    if isinstance(part, (exp.EQ, exp.NullSafeEQ)):
        return type(part)(this=part.expression.copy(), expression=part.this.copy())
    return part
