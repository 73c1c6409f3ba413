"""Rewrites that keep a plan's meaning and make its pasts smaller: one plain function a file, in one ordered tuple.

Order: outer joins that need not be become inner ones; then predicates go down to where they filter most, and what the
inputs of a union then share goes above it; then joins are ordered by what is left of each input, and those inputs are
grouped that thereby become small; then columns that nobody reads are dropped, so that pasts hold only what is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from headwater.algebra.nodes import Node
from headwater.algebra.rewrites.factor_unions import factor_unions
from headwater.algebra.rewrites.order_joins import order_joins
from headwater.algebra.rewrites.prune_columns import prune_columns
from headwater.algebra.rewrites.push_partial_aggregate import push_partial_aggregate
from headwater.algebra.rewrites.push_predicates import push_predicates
from headwater.algebra.rewrites.tighten_outer_joins import tighten_outer_joins
from headwater.algebra.statistics import Statistics


@dataclass(frozen=True)
class Rewrite:
    name: str
    apply: Callable[[Node, Statistics], Node]


REWRITES: tuple[Rewrite, ...] = (
    Rewrite("tighten_outer_joins", lambda plan, _: tighten_outer_joins(plan)),
    Rewrite("push_predicates", lambda plan, _: push_predicates(plan)),
    Rewrite("factor_unions", lambda plan, _: factor_unions(plan)),
    Rewrite("order_joins", order_joins),
    Rewrite("push_predicates", lambda plan, _: push_predicates(plan)),
    Rewrite("push_partial_aggregate", push_partial_aggregate),
    Rewrite("prune_columns", lambda plan, _: prune_columns(plan)),
)


def rewrite(plan: Node, statistics: Statistics) -> Node:
    """The plan after all rewrites; a rule that changes the plan's schema is named and stopped."""
    for rule in REWRITES:
        changed = rule.apply(plan, statistics)
        if changed.schema != plan.schema:
            raise ValueError(f"rewrite {rule.name} changed the schema from {plan.schema} to {changed.schema}")
        plan = changed
    return plan
