"""The actions' formulas, by hand: D and F of each, with round constants, against the paper's terms."""

from __future__ import annotations

import pytest

from headwater.state import operators as op
from headwater.state.actions import Action, actions
from headwater.state.costs import Costs, PlaceCosts
from headwater.state.operators import Operator, Rows, State
from headwater.state.setting import DELTA, FULL, KEPT, Setting
from tests.state.trees import table

PLACE = PlaceCosts(scan=2.0, probe=3.0, write=5.0, insert=7.0, delete=11.0, append=0.0, density=1.0)
COSTS = Costs(
    "test", scan=1.0, pipeline=0.0, hash_build=13.0, hash_join=17.0, merge=19.0, sort=23.0, aggregate=29.0,
    compare=31.0, statement=0.0, disk=PLACE, executors=PLACE, process=PLACE,
)  # fmt: skip
SETTING = Setting(COSTS)
LEFT, RIGHT, OUT = Rows(1000.0, 10.0, 4.0), Rows(100.0, 2.0, 1.0), Rows(500.0, 6.0, 2.0)
DL, DR, DO = LEFT.change, RIGHT.change, OUT.change


def scan(name: str, rows: Rows) -> Operator:
    return Operator(op.SCAN, table(name), (), rows)


def state(name: str, rows: Rows) -> State:
    return State(table(name), "rows", ("k",), rows, 8 * rows.now)


def hash_join(left: Rows = LEFT, right: Rows = RIGHT, out: Rows = OUT, **fields) -> Operator:
    sides = scan("l", left), scan("r", right)
    inputs = ((state("l", left),), (state("r", right),))
    values = {"inputs": inputs, "in_groups": (False, False), "reads_itself": (False, False)} | fields
    return Operator(op.HASH_JOIN, table("j"), sides, out, **values)


def action(operator: Operator, name: str, setting: Setting = SETTING) -> Action:
    (found,) = [each for each in actions(operator, setting) if each.name == name]
    return found


def kept(rows: Rows) -> float:
    """Building a state and appending its change, deletes dearer than inserts."""
    return 5 * rows.now + 7 * rows.inserts + 11 * rows.deletes


def test_action_1_and_2():
    operator = Operator(op.MATERIALIZE, table("m"), (scan("l", LEFT),), LEFT, own=(state("l", LEFT),))
    no, keep = actions(operator, SETTING)
    assert (no.delta.seconds, no.delta.asks, no.full.seconds, no.full.asks) == (0, (DELTA,), 0, (FULL,))
    assert (keep.delta.seconds, keep.delta.asks) == (kept(LEFT), (DELTA,))
    assert (keep.full.seconds, keep.full.asks) == (kept(LEFT) + 2 * LEFT.now, (DELTA,))


def test_action_3_of_a_plain_sort():
    """Its change needs no past: the rows of the change are sorted and handed on."""
    operator = Operator(
        op.SORT, table("s"), (scan("l", LEFT),), LEFT, inputs=((state("l", LEFT),),), in_groups=(False,)
    )
    drop, keep = action(operator, "drop sort"), action(operator, "keep sort")
    assert (drop.delta.seconds, drop.delta.asks) == (23 * DL, (DELTA,))
    assert (drop.full.seconds, drop.full.asks) == (23 * LEFT.after, (FULL,))
    assert (keep.delta.seconds, keep.delta.asks) == (kept(LEFT) + 23 * DL, (DELTA,))
    merged = 2 * LEFT.now + 19 * LEFT.after
    assert (keep.full.seconds, keep.full.asks) == (kept(LEFT) + 23 * DL + merged, (DELTA,))


def test_action_3_of_a_window():
    """Touched partitions are sorted as they were and as they are; without a state they come from the full output."""
    operator = Operator(
        op.SORT, table("s"), (scan("l", LEFT),), LEFT, inputs=((state("l", LEFT),),), in_groups=(False,),
        touched=40.0, groups=4.0,
    )  # fmt: skip
    drop, keep = action(operator, "drop sort"), action(operator, "keep sort")
    assert (drop.delta.seconds, drop.delta.asks) == (23 * (DL + 80), (FULL,))
    assert (keep.delta.seconds, keep.delta.asks) == (kept(LEFT) + 3 * 40 + 23 * (DL + 80), (DELTA,))


def test_action_4_and_5():
    groups = Rows(50.0, 4.0, 0.0)
    operator = Operator(op.AGGREGATE, table("g"), (scan("l", LEFT),), OUT, own=(state("g", groups),), groups=4.0)
    drop, keep = actions(operator, SETTING)
    assert drop.delta == drop.full
    assert (drop.full.seconds, drop.full.asks) == (29 * LEFT.after, (FULL,))
    change = kept(groups) + 29 * DL + 3 * 4
    assert (keep.delta.seconds, keep.delta.asks) == (change, (DELTA,))
    assert (keep.full.seconds, keep.full.asks) == (change + 2 * OUT.now, (DELTA,))
    assert keep.kept == keep.delta  # whoever looks the groups up finds them


def test_action_5_where_the_aggregate_is_not_linear():
    operator = Operator(
        op.AGGREGATE, table("g"), (scan("l", LEFT),), OUT, inputs=((state("l", LEFT),),), in_groups=(False,),
        touched=40.0, groups=4.0,
    )  # fmt: skip
    keep = action(operator, "keep aggregation")
    assert keep.delta.seconds == kept(LEFT) + 3 * 40 + 29 * (DL + 80)
    assert keep.full.seconds == kept(LEFT) + 2 * LEFT.now + 29 * LEFT.after
    assert keep.kept is None


def test_a_users_aggregate_is_only_redone():
    operator = Operator(op.UDF_AGGREGATE, table("g"), (scan("l", LEFT),), OUT, inputs=((state("l", LEFT),),))
    assert [each.name for each in actions(operator, SETTING)] == ["drop aggregation"]


def test_action_6():
    keep = action(hash_join(), "keep right hash table only")
    assert [each.state.node for each in keep.keeps] == [table("r")]
    probed = 3 * DL  # the left change looks the right table up
    scanned = 13 * DR + 17 * LEFT.now  # the left side is read, each row probing a table of the right change
    assert keep.delta.seconds == kept(RIGHT) + probed + scanned + 17 * DO
    assert keep.delta.asks == (FULL, DELTA)
    joined = 13 * RIGHT.after + 17 * (LEFT.after + OUT.after)
    assert (keep.full.seconds, keep.full.asks) == (kept(RIGHT) + 2 * RIGHT.now + joined, (FULL, DELTA))


def test_the_other_configurations_of_a_hash_join():
    left = action(hash_join(), "keep left hash table only")
    assert left.delta.seconds == kept(LEFT) + 3 * DR + 13 * DL + 17 * RIGHT.now + 17 * DO
    assert left.delta.asks == (DELTA, FULL)
    both = action(hash_join(), "keep both hash tables")
    assert both.delta.seconds == kept(LEFT) + kept(RIGHT) + 3 * DR + 3 * DL + 17 * DO
    assert both.delta.asks == both.full.asks == (DELTA, DELTA)
    drop = action(hash_join(), "drop both hash tables")
    assert drop.delta.seconds == 13 * (DL + DR) + 17 * (LEFT.now + RIGHT.now) + 17 * DO
    assert drop.delta.asks == drop.full.asks == (FULL, FULL)


def test_a_side_without_a_change_needs_nothing_of_the_other():
    still = Rows(100.0)
    for name in ("keep right hash table only", "drop both hash tables"):
        assert action(hash_join(right=still), name).delta.asks[0] == DELTA
    drop = action(hash_join(right=still), "drop both hash tables")
    assert drop.delta.asks == (DELTA, FULL)
    assert drop.delta.seconds == 13 * DL + 17 * still.now + 17 * DO


def test_nothing_is_paid_where_nothing_changes():
    drop = action(hash_join(Rows(9.0), Rows(9.0), Rows(9.0)), "drop both hash tables")
    assert (drop.delta.seconds, drop.delta.asks) == (0, (DELTA, DELTA))


def test_a_join_that_counts_matches_reads_its_other_side_twice():
    semi = hash_join(reads_itself=(False, True))
    assert action(semi, "drop both hash tables").delta.asks == (FULL, FULL)
    only_right = hash_join(left=Rows(1000.0), reads_itself=(False, True))
    assert action(only_right, "drop both hash tables").delta.asks == (FULL, FULL)
    both = action(semi, "keep both hash tables")
    assert both.delta.seconds == kept(LEFT) + kept(RIGHT) + 3 * DR + 3 * (DL + DR) + 17 * DO


def test_joins_without_states():
    sides = scan("l", LEFT), scan("r", RIGHT)
    (loop,) = actions(Operator(op.NESTED_LOOP_JOIN, table("j"), sides, OUT, reads_itself=(False, False)), SETTING)
    assert loop.delta.seconds == 31 * (DR * LEFT.now + DL * RIGHT.now) + 17 * DO
    assert loop.full.seconds == 31 * LEFT.after * RIGHT.after + 17 * OUT.after
    (merge,) = actions(Operator(op.MERGE_JOIN, table("j"), sides, OUT, reads_itself=(False, False)), SETTING)
    assert merge.delta.seconds == 19 * (DR + LEFT.now + DL + RIGHT.now) + 17 * DO
    assert merge.full.seconds == 19 * (LEFT.after + RIGHT.after) + 17 * OUT.after


def test_a_past_in_the_groups_below_costs_nothing_more():
    over = hash_join(in_groups=(False, True))
    keep = action(over, "keep right hash table only (in the groups below)")
    own = action(over, "keep right hash table only")
    assert keep.keeps == ()
    assert keep.delta.asks == (FULL, KEPT)
    assert own.delta.seconds - keep.delta.seconds == kept(RIGHT)


def test_a_state_that_stands_is_not_built_again():
    held = frozenset([((table("r"), "rows"), frozenset(("k",)))])
    keep = action(hash_join(), "keep right hash table only", Setting(COSTS, held=held))
    new = action(hash_join(), "keep right hash table only")
    assert new.delta.seconds - keep.delta.seconds == 5 * RIGHT.now


def test_building_is_shared_by_the_refreshes_that_it_serves():
    keep = action(hash_join(), "keep right hash table only", Setting(COSTS, refreshes=10.0))
    new = action(hash_join(), "keep right hash table only")
    assert new.delta.seconds - keep.delta.seconds == pytest.approx(0.9 * 5 * RIGHT.now)


@pytest.mark.parametrize(
    ("injected", "names"),
    [
        ((), {"keep right hash table only", "drop both hash tables"}),
        (("materialize",), {"keep right hash table only", "drop both hash tables"}),
        (("left",), {"keep right hash table only", "keep left hash table only", "keep both hash tables",
                     "drop both hash tables"}),
    ],
)  # fmt: skip
def test_what_may_be_injected(injected, names):
    assert {each.name for each in actions(hash_join(), Setting(COSTS, injected=frozenset(injected)))} == names


def test_deletes_cost_more_than_inserts():
    def change(rows: Rows) -> float:
        return action(hash_join(right=rows), "keep both hash tables").delta.seconds

    assert change(Rows(100.0, 0.0, 3.0)) - change(Rows(100.0, 3.0, 0.0)) == 3 * (11 - 7)
