"""Which equalities between a subquery and the query around can be answered by groups.

    (SELECT COUNT(*) FROM b WHERE b.t = a.k)   =>   a left join (COUNT(*) by t of b) on t = k

Idea: a correlated subquery is grouped by its side of the equality, and each outer row looks up its group. That is right
where an outer value equals one group at most. Where `k` is an INT and `t` a STRING, '1' and '01' are two groups, both
equal to 1: then the query is recomputed. It is asked of the typed plan, since a side may be computed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sqlglot import exp

from headwater.algebra.exact_types import keeps_apart
from headwater.algebra.expressions import conjuncts
from headwater.algebra.nodes import Join, Node
from headwater.errors import Unsupported


def refuse_merged_groups(plan: Node, group_keys: Collection[str]) -> None:
    """Raise where several groups of a subquery may be those of one outer row; `group_keys` are the builder's."""
    for node in plan.walk():
        if isinstance(node, Join):
            for key, other in _looked_up(node, group_keys):
                if not keeps_apart(key, other):
                    what = f"A subquery that is correlated by an equality of {key} with {other or 'what has no type'}"
                    raise Unsupported("unsupported.syntax", what=what)


def _looked_up(join: Join, group_keys: Collection[str]) -> Iterator[tuple[str, str]]:
    """The types of the two sides, that of the group first."""
    types = {item.name: item.type for side in join.children for item in side.schema}
    for part in conjuncts(join.condition):
        if isinstance(part, exp.EQ):
            for key, other in ((part.this, part.expression), (part.expression, part.this)):
                if isinstance(key, exp.Column) and key.name in group_keys:
                    yield types[key.name], types[other.name] if isinstance(other, exp.Column) else ""
