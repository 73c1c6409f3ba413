"""Plan to one SQL statement: a sqlglot tree, with a common table expression for each step that needs a name.

Idea: filters and projections merge into the SELECT below them; joins, aggregates and unions read named steps.
A node that stands in several places is written once. The same tree is printed for Spark and shown by EXPLAIN.
Invariant: output names and order are the node's. Every generated identifier is quoted.
Complexity: linear in the size of the plan.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import singledispatchmethod

from sqlglot import exp

from headwater.algebra.expressions import cast, column, columns_of, substitute
from headwater.algebra.nodes import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    Join,
    Node,
    Project,
    Relation,
    Repeat,
    Scan,
    Single,
    TopK,
    Unfold,
    Union,
    Window,
)
from headwater.errors import Unsupported
from headwater.lake.changes import WEIGHT

LeafName = Callable[[Scan | Relation], str]
_PLACE = "_hw_place"
_JOIN_SQL = {
    "inner": ("", "INNER"),
    "left": ("LEFT", "OUTER"),
    "right": ("RIGHT", "OUTER"),
    "full": ("FULL", "OUTER"),
    "semi": ("LEFT", "SEMI"),
    "anti": ("LEFT", "ANTI"),
}


def _entries(value: exp.Expr) -> exp.Expr:
    """What tells maps apart: their entries in the order of their keys. To Spark itself, maps are not comparable."""
    return exp.Anonymous(this="ARRAY_SORT", expressions=[exp.Anonymous(this="MAP_ENTRIES", expressions=[value])])


@dataclass(frozen=True)
class Block:
    """A SELECT in the making: where rows come from, what must hold, and each output as an expression over that."""

    source: exp.Select  # SELECT with FROM/JOIN only
    outputs: dict[str, exp.Expr]
    where: tuple[exp.Expr, ...] = ()
    small: bool = False

    def select(self) -> exp.Select:
        made = self.source.copy()
        listed = [_as(expression, name) for name, expression in self.outputs.items()]
        made.set("expressions", listed or [exp.alias_(exp.Literal.number(1), "_hw_one", quoted=True)])
        for condition in self.where:
            made = made.where(condition.copy(), copy=False)
        return made


def _as(expression: exp.Expr, name: str) -> exp.Expr:
    if isinstance(expression, exp.Column) and expression.name == name:
        return expression.copy()
    return exp.alias_(expression.copy(), name, quoted=True)


def from_(name: str) -> exp.Select:
    return exp.Select().from_(exp.Table(this=exp.to_identifier(name, quoted=True)))


def compile_plan(node: Node, leaf_name: LeafName, hints: bool = True) -> exp.Select:
    """The statement that evaluates a plan; `leaf_name` says under which name the engine holds each leaf."""
    return Compiler(leaf_name, hints).statement(node)


def compile_inline(node: Node, leaf_name: LeafName, hints: bool = True) -> exp.Expr:
    """The same statement with its steps as derived tables: Spark finds the cached result of such a one again."""
    compiler = Compiler(leaf_name, hints)
    select = compiler.block_of(node).select()

    def inline(part: exp.Expr) -> exp.Expr:
        if isinstance(part, exp.Table) and part.name in compiler.steps:
            step = compiler.steps[part.name].copy().transform(inline)
            return exp.Subquery(this=step, alias=exp.TableAlias(this=part.this.copy()))
        return part

    return select.transform(inline)


def pretty(plan: Node) -> str:
    """A plan's statement for people: leaves under their own names."""
    return compile_plan(plan, lambda leaf: leaf.table if isinstance(leaf, Scan) else leaf.name).sql(
        dialect="spark", pretty=True
    )


@dataclass
class Compiler:
    """Writes one statement; holds the steps written so far."""

    leaf_name: LeafName
    hints: bool = True
    steps: dict[str, exp.Expr] = field(default_factory=dict)
    blocks: dict[Node, Block] = field(default_factory=dict)
    small: dict[str, bool] = field(default_factory=dict)

    def statement(self, node: Node) -> exp.Select:
        made = self.block_of(node).select()
        for name, step in self.steps.items():
            made = made.with_(exp.to_identifier(name, quoted=True), as_=step, copy=False)
        return made

    def block_of(self, node: Node) -> Block:
        if node not in self.blocks:
            self.blocks[node] = self.block(node)
        return self.blocks[node]

    def named(self, node: Node) -> tuple[str, bool]:
        """A name under which the node's rows can be read, and whether they are few."""
        if isinstance(node, Relation):
            return self.leaf_name(node), node.small
        block = self.block_of(node)
        for name, step in self.steps.items():
            if self.blocks.get(node) is block and step.meta.get("node") == node.fingerprint:
                return name, block.small
        name = f"{type(node).__name__.lower()}_{len(self.steps) + 1}"
        step = block.select()
        step.meta["node"] = node.fingerprint
        self.steps[name] = step
        return name, block.small

    def read(self, node: Node) -> Block:
        """The node as a named step, read by plain column names."""
        name, small = self.named(node)
        return Block(from_(name), {each: column(each) for each in node.names}, small=small)

    def gathered(self, node: Node) -> Block:
        """The input of a grouping. Few rows are brought into one task, so that none are exchanged between tasks."""
        below = self.block_of(node)
        if not (self.hints and below.small):
            return below
        select = below.select()
        hint = select.args.get("hint") or exp.Hint(expressions=[])
        hint.append("expressions", exp.Anonymous(this="COALESCE", expressions=[exp.Literal.number(1)]))
        select.set("hint", hint)
        name = f"gathered_{len(self.steps) + 1}"
        self.steps[name] = select
        return Block(from_(name), {each: column(each) for each in node.names}, small=True)

    @singledispatchmethod
    def block(self, node: Node) -> Block:
        raise Unsupported("unsupported.node", node=node.label)

    @block.register
    def _(self, node: Scan) -> Block:
        outputs = {item.name: column(source) for item, source in zip(node.columns, node.sources, strict=True)}
        return Block(from_(self.leaf_name(node)), dict(outputs))

    @block.register
    def _(self, node: Relation) -> Block:
        return Block(from_(self.leaf_name(node)), {name: column(name) for name in node.names}, small=node.small)

    @block.register
    def _(self, node: Filter) -> Block:
        below = self.block_of(node.child)
        return replace(below, where=(*below.where, substitute(node.predicate, below.outputs)))

    @block.register
    def _(self, node: Project) -> Block:
        below = self.block_of(node.child)
        if _repeats_work(node, below):
            below = self.read(node.child)
        outputs = {out.name: substitute(out.expression, below.outputs) for out in node.outputs}
        return replace(below, outputs=outputs)

    @block.register
    def _(self, node: Join) -> Block:
        left, left_small = self.named(node.left)
        right, right_small = self.named(node.right)
        side, kind = _JOIN_SQL[node.kind]
        condition = node.condition.copy() if node.condition is not None else None
        if condition is None and node.kind in ("inner", "cross"):
            joined = exp.Join(this=exp.Table(this=exp.to_identifier(right, quoted=True)), kind="CROSS")
        else:
            on = condition if condition is not None else exp.true()
            joined = exp.Join(this=exp.Table(this=exp.to_identifier(right, quoted=True)), side=side, kind=kind, on=on)
        made = from_(left)
        made.append("joins", joined)
        wanted = self._broadcast(node.kind, (left, left_small), (right, right_small))
        if wanted:
            made.set(
                "hint",
                exp.Hint(
                    expressions=[exp.JoinHint(this="BROADCAST", expressions=[exp.to_identifier(wanted, quoted=True)])]
                ),
            )
        return Block(made, {name: column(name) for name in node.names}, small=left_small and right_small)

    def _broadcast(self, kind: str, left: tuple[str, bool], right: tuple[str, bool]) -> str | None:
        """The side to send to every task: the one that is known to be small."""
        if not self.hints:
            return None
        if right[1] and kind in ("inner", "left", "semi", "anti"):
            return right[0]
        return left[0] if left[1] and kind in ("inner", "right") else None

    @block.register
    def _(self, node: Aggregate) -> Block:
        below = self.gathered(node.child)
        if any(not isinstance(below.outputs[key], exp.Column) for key in node.keys):
            below = self.read(node.child)
        outputs = {key: below.outputs[key] for key in node.keys}
        outputs |= {call.name: substitute(call.expression, below.outputs) for call in node.calls}
        types = {item.name: item.type for item in node.child.schema}
        maps = {key for key in node.keys if types[key].startswith("map<")}
        outputs |= {key: exp.AnyValue(this=below.outputs[key].copy()) for key in maps}
        made = replace(below, outputs=outputs).select()
        for key in node.keys:
            value = below.outputs[key].copy()
            made = made.group_by(_entries(value) if key in maps else value, copy=False)
        return self._wrapped(node, made, below.small)

    @block.register
    def _(self, node: Distinct) -> Block:
        below = self.gathered(node.child)
        return self._wrapped(node, below.select().distinct(copy=False), below.small)

    @block.register
    def _(self, node: Union) -> Block:
        parts = []
        for child in node.inputs:
            block = self.block_of(child)
            renamed = dict(zip(node.names, block.outputs.values(), strict=True))
            parts.append(replace(block, outputs=renamed).select())
        made: exp.Expr = parts[0]
        for part in parts[1:]:
            made = exp.Union(this=made, expression=part, distinct=False)
        return self._wrapped(node, made, all(self.block_of(child).small for child in node.inputs))

    @block.register
    def _(self, node: Single) -> Block:
        return Block(exp.Select(), {}, small=True)

    @block.register
    def _(self, node: Window) -> Block:
        below = self.gathered(node.child)
        outputs = dict(below.outputs) | {c.name: substitute(c.expression, below.outputs) for c in node.calls}
        return self._wrapped(node, replace(below, outputs=outputs).select(), below.small)

    @block.register
    def _(self, node: TopK) -> Block:
        below = self.gathered(node.child)
        if node.keys:
            return self._first_of_each(node, below)
        if any(not isinstance(below.outputs[name], exp.Column) for term in node.order for name in columns_of(term)):
            below = self.read(node.child)  # a number would be a position
        made = below.select()
        if node.order:
            made = made.order_by(*(substitute(term, below.outputs) for term in node.order), copy=False)
        if node.limit is not None:
            made = made.limit(node.limit, copy=False)
        if node.offset:
            made = made.offset(node.offset, copy=False)
        return self._wrapped(node, made, small=True)

    def _first_of_each(self, node: TopK, below: Block) -> Block:
        """The rows whose place in their group's order is within the limit."""
        place = exp.Window(
            this=exp.RowNumber(),
            partition_by=[below.outputs[key].copy() for key in node.keys],
            order=exp.Order(expressions=[substitute(term, below.outputs) for term in node.order]),
        )
        name = f"numbered_{len(self.steps) + 1}"
        self.steps[name] = replace(below, outputs={**below.outputs, _PLACE: place}).select()
        block = Block(from_(name), {each: column(each) for each in node.names}, small=below.small)
        where: list[exp.Expr] = []
        if node.offset:
            where.append(exp.GT(this=column(_PLACE), expression=exp.Literal.number(node.offset)))
        if node.limit is not None:
            where.append(exp.LTE(this=column(_PLACE), expression=exp.Literal.number(node.offset + node.limit)))
        return replace(block, where=tuple(where))

    @block.register
    def _(self, node: Repeat) -> Block:
        times = exp.Anonymous(
            this="ARRAY_REPEAT", expressions=[exp.Literal.number(1), cast(exp.Abs(this=column(WEIGHT)), "int")]
        )
        below = self._exploded(node.child, exp.Explode(this=times), ("_hw_copy",))
        return replace(below, outputs={**below.outputs, WEIGHT: cast(exp.Sign(this=column(WEIGHT)), "bigint")})

    @block.register
    def _(self, node: Unfold) -> Block:
        numbers = exp.Array(expressions=[exp.Literal.number(number) for number in node.numbers])
        below = self._exploded(node.child, exp.Explode(this=numbers), (node.column,))
        return replace(below, outputs={**below.outputs, node.column: column(node.column)})

    @block.register
    def _(self, node: Generate) -> Block:
        names = tuple(item.name for item in node.columns)
        below = self._exploded(node.child, node.generator.copy(), names, node.outer)
        return replace(below, outputs={**below.outputs, **{name: column(name) for name in names}})

    def _exploded(self, child: Node, generator: exp.Expr, into: tuple[str, ...], outer: bool = False) -> Block:
        """The child's rows, each once for every row that a generator makes of it."""
        below = self.read(child)
        made = below.source.copy()
        lateral = exp.Lateral(
            this=generator,
            view=True,
            outer=outer,
            alias=exp.TableAlias(
                this=exp.to_identifier("_hw_copies", quoted=True),
                columns=[exp.to_identifier(name, quoted=True) for name in into],
            ),
        )
        made.append("laterals", lateral)
        return replace(below, source=made)

    def _wrapped(self, node: Node, select: exp.Expr, small: bool) -> Block:
        """The finished SELECT as a named step, read by plain column names."""
        name = f"{type(node).__name__.lower()}_{len(self.steps) + 1}"
        select.meta["node"] = node.fingerprint
        self.steps[name] = select
        return Block(from_(name), {each: column(each) for each in node.names}, small=small)


def _repeats_work(node: Project, below: Block) -> bool:
    """True when merging would evaluate a computed column of the child more than once."""
    uses: dict[str, int] = {}
    for output in node.outputs:
        for name in columns_of(output.expression):
            uses[name] = uses.get(name, 0) + 1
    return any(
        count > 1 and not isinstance(below.outputs[name], (exp.Column, exp.Literal)) for name, count in uses.items()
    )
