"""The paper's actions: for every operator, which states it may keep, and what its change and its full output then cost.

Idea: an action is one configuration of an operator's states. It says what they are, and for each of two outputs, the
change (D) and everything after the change (F), what the operator itself costs and which output it asks of each child.
The dynamic program adds the children's costs and shares the memory; nothing here knows of either.

    operator            action                          keeps
    materialize      1  no materialization              -
                     2  keep materialization            its child's rows
    sort                drop sort                       -
                     3  keep sort                       its child's rows by partition; a top-k's own
    aggregate        4  drop aggregation                -
                     5  keep aggregation                its partials, or its child's rows by group
    hash join        6  keep right hash table only      the right rows by the columns that join them
                        keep left hash table only       the left rows
                        keep both hash tables           both
                        drop both hash tables           -
    merge join,         (no state of their own: sorts and materialize operators below them keep it)
    nested loop join

Notation of the comments: R rows now, ΔR the change, R+ rows after it; l, r, c the left, right and only child. Deletes
cost what inserts do when they are probed and joined, and their own constant when a state takes them in (`appended`).
Invariant: where nothing below an operator is expected to change, some action gives the change at no cost and keeps
nothing; a side whose change is empty has nothing to join, so the other side is not asked for more than its change.
Where a past can be read from the groups of an aggregate below, a join, sort or aggregate may hold it there: the child
is asked for its change with its past kept (`KEPT`), which only an aggregate with stored groups can give.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from headwater.state.operators import (
    AGGREGATE,
    HASH_JOIN,
    MATERIALIZE,
    MERGE_JOIN,
    NESTED_LOOP_JOIN,
    PIPELINED,
    SCAN,
    SORT,
    UDF_AGGREGATE,
    Operator,
)
from headwater.state.setting import DELTA, FULL, KEPT, Holding, Kept, Setting


@dataclass(frozen=True)
class Way:
    """One output of an operator under an action: its own seconds, and what it asks of each child."""

    seconds: float
    asks: tuple[str, ...]


@dataclass(frozen=True)
class Action:
    """One configuration of an operator's states."""

    name: str
    keeps: tuple[Kept, ...]
    delta: Way
    full: Way
    kept: Way | None = None  # the change with the operator's past at hand, where its state makes that so

    def way(self, asked: str) -> Way | None:
        return {DELTA: self.delta, FULL: self.full, KEPT: self.kept}[asked]


Actions = Iterator[Action]
Rule = Callable[[Operator, Setting], Actions]


def actions(operator: Operator, setting: Setting) -> tuple[Action, ...]:
    """Every action that applies to an operator, if there is memory for it."""
    return tuple(action for rule in RULES[operator.kind] for action in rule(operator, setting))


# -- scan and other pipelined operators: no state, and nothing to decide


def scan(operator: Operator, setting: Setting) -> Actions:
    rows, second = operator.rows, setting.costs.scan
    yield Action("scan", (), Way(second * rows.change, ()), Way(second * rows.after, ()))


def pass_through(operator: Operator, setting: Setting) -> Actions:
    change = setting.costs.pipeline * sum(child.rows.change for child in operator.children)
    after = setting.costs.pipeline * sum(child.rows.after for child in operator.children)
    yield Action("pass through", (), *(_way(operator, seconds, asks) for seconds, asks in _each(change, after)))


def _each(change: float, after: float) -> tuple[tuple[float, str], ...]:
    return (change, DELTA), (after, FULL), (change, KEPT)


def _way(operator: Operator, seconds: float, asks: str) -> Way:
    return Way(seconds, (asks,) * len(operator.children))


# -- materialize


def no_materialization(operator: Operator, setting: Setting) -> Actions:
    """Action 1. An operator that is not there delivers at no cost.
    D = D^c(m)    F = F^c(m)"""
    yield Action("no materialization", (), *(Way(0.0, (asks,)) for asks in (DELTA, FULL, KEPT)))


def keep_materialization(operator: Operator, setting: Setting) -> Actions:
    """Action 2. Applicable: |R| <= m.
    D = C_mat(R) + C(ΔR) + D^c(m - |R|)    F = D + C_scan(R)"""
    if MATERIALIZE not in setting.injected:
        return
    for keeps, place in setting.placed(operator.own):
        change = setting.keeping(operator.own, place, by_batch=False)
        scanned = setting.costs.place(place).scan * operator.rows.now
        yield Action("keep materialization", keeps, Way(change, (DELTA,)), Way(change + scanned, (DELTA,)))


# -- sort


def drop_sort(operator: Operator, setting: Setting) -> Actions:
    """Like action 1, with C the time of sorting. A partition that a change touches is sorted as it was and as it is,
    and only the child's full output has it.
    D = C(ΔR) + D^c(m), or C(ΔR + touched) + F^c(m)    F = C(R+) + F^c(m)"""
    rows = operator.children[0].rows
    asks = FULL if operator.touched else DELTA
    delta = Way(_sorted(operator, setting) + _statement(operator, setting), (asks,))
    full = Way(setting.costs.sort * rows.after, (FULL,))
    yield _with_own(operator, setting, Action("drop sort", (), delta, full))


def keep_sort(operator: Operator, setting: Setting) -> Actions:
    """Action 3. Applicable: |R| <= m.
    D = C(ΔR) + D^c(m - |R|)    F = D + C_merge(ΔR, R)"""
    rows = operator.children[0].rows
    for keeps, own, holding in _held_with_own(operator, setting):
        change = own + holding.seconds + _looked_up(operator, holding)
        change += _sorted(operator, setting) + _statement(operator, setting)
        merged = holding.scan() + setting.costs.merge * rows.after
        if operator.own:  # a top-k's own rows are its output
            merged = setting.costs.place(keeps[0].place).scan * operator.rows.now
        ways = Way(change, (holding.asks,)), Way(change + merged, (holding.asks,))
        yield _with_own(operator, setting, Action(f"keep sort{_groups(holding)}", keeps, *ways))


def _sorted(operator: Operator, setting: Setting) -> float:
    return setting.costs.sort * (operator.children[0].rows.change + 2 * operator.touched)


# -- aggregate


def drop_aggregation(operator: Operator, setting: Setting) -> Actions:
    """Action 4. The groups are made again, whichever output is asked for.
    D = F = C(R_c+) + F^c(m)"""
    rows = operator.children[0].rows
    again = setting.costs.aggregate * rows.after
    full = Way(again, (FULL,))
    delta = Way(again + _statement(operator, setting), (FULL,)) if rows.change else Way(0.0, (DELTA,))
    yield _with_own(operator, setting, Action("drop aggregation", (), delta, full))


def keep_aggregation(operator: Operator, setting: Setting) -> Actions:
    """Action 5. Applicable: |R| <= m.
    D = C(ΔR_c) + D^c(m - |R|)    F = D + C_scan(R)"""
    yield from _keep_partials(operator, setting) if operator.own else _keep_rows_by_group(operator, setting)


def _keep_partials(operator: Operator, setting: Setting) -> Actions:
    """A linear aggregate's partials give its past by themselves, to whoever looks it up."""
    rows, child = operator.rows, operator.children[0].rows
    for keeps, place in setting.placed(operator.own):
        where = setting.costs.place(place)
        change = setting.keeping(operator.own, place, by_batch=True) + setting.costs.aggregate * child.change
        change += min(where.probe * operator.groups, where.scan * rows.now) + _statement(operator, setting)
        delta = Way(change, (DELTA,))
        yield Action("keep aggregation", keeps, delta, Way(change + where.scan * rows.now, (DELTA,)), delta)


def _keep_rows_by_group(operator: Operator, setting: Setting) -> Actions:
    """Any other aggregate is computed again for the touched groups, as they were and as they are, from their rows."""
    child = operator.children[0].rows
    for holding in setting.holdings(operator, 0, by_batch=False):
        change = holding.seconds + _looked_up(operator, holding) + _statement(operator, setting)
        change += setting.costs.aggregate * (child.change + 2 * operator.touched)
        full = holding.seconds + holding.scan() + setting.costs.aggregate * child.after
        ways = Way(change, (holding.asks,)), Way(full, (holding.asks,))
        yield _with_own(operator, setting, Action(f"keep aggregation{_groups(holding)}", holding.keeps, *ways))


# -- hash join


def keep_right_hash_table_only(operator: Operator, setting: Setting) -> Actions:
    """Action 6. Applicable: |R_r| <= m.
    D = min over m_l + m_r = m - |R_r| of F^l(m_l) + D^r(m_r), + C_B(ΔR_r) + C_HJ(ΔR_l, R_r+) + C_HJ(R_l, ΔR_r)
    F = the same split, + C_I(ΔR_r, R_r) + C_HJ(R_l+, R_r+)
    Without a change on the right, the left is asked for D^l only."""
    for right in setting.holdings(operator, 1, by_batch=True):
        yield _joined("keep right hash table only", operator, setting, None, right)


def keep_left_hash_table_only(operator: Operator, setting: Setting) -> Actions:
    """Action 6 the other way round; the left table is one that the batch would not build."""
    for left in _left(operator, setting):
        yield _joined("keep left hash table only", operator, setting, left, None)


def keep_both_hash_tables(operator: Operator, setting: Setting) -> Actions:
    """A symmetric hash join. Applicable: |R_l| + |R_r| <= m.
    D = D^l + D^r + C_B(R_l) + C_I(ΔR_l, R_l) + C_I(ΔR_r, R_r) + C_HJ(ΔR_l, R_r+) + C_HJ(ΔR_r, R_l)
    F = the same children, + the scan of both tables and C_HJ(R_l+, R_r+)"""
    for left in _left(operator, setting):
        for right in setting.holdings(operator, 1, by_batch=True):
            yield _joined("keep both hash tables", operator, setting, left, right)


def drop_both_hash_tables(operator: Operator, setting: Setting) -> Actions:
    """No state: each side in full for the other side's change.
    D = F^l + F^r + C_HJ of each change with the other side    F = F^l + F^r + C_B(R_r+) + C_HJ(R_l+, R_r+)"""
    yield _joined("drop both hash tables", operator, setting, None, None)


def _left(operator: Operator, setting: Setting) -> Iterator[Holding]:
    if "left" in setting.injected:
        yield from setting.holdings(operator, 0, by_batch=False)


def _joined(name: str, operator: Operator, setting: Setting, left: Holding | None, right: Holding | None) -> Action:
    costs, sides = setting.costs, (left, right)
    kept = sum(side.seconds for side in sides if side)
    met = _met(operator)
    change = kept + _statement(operator, setting) + costs.hash_join * operator.rows.change
    for child, side, keys in zip(operator.children, sides, met, strict=True):
        if side is not None:
            change += side.look_up(keys)
        elif keys:  # read in full, each row probing a hash table of the change
            change += costs.hash_build * keys + costs.hash_join * child.rows.now
    after = [child.rows.after for child in operator.children]
    full = kept + costs.hash_build * after[1] + costs.hash_join * (after[0] + operator.rows.after)
    full += sum(side.scan() for side in sides if side)
    keeps = tuple(each for side in sides if side for each in side.keeps)
    delta_asks = tuple(side.asks if side else _past_if(keys) for side, keys in zip(sides, met, strict=True))
    full_asks = tuple(side.asks if side else FULL for side in sides)
    return Action(name + _groups(*sides), keeps, Way(change, delta_asks), Way(full, full_asks))


def _met(operator: Operator) -> tuple[float, float]:
    """How many changed rows meet the past of the left, and of the right input: those of the other side, and where an
    outer, semi or anti join counts matches those of the left side too."""
    left, right = (child.rows.change for child in operator.children)
    itself = operator.reads_itself
    return right + (left if itself[0] else 0.0), left + (right if itself[1] else 0.0)


def _past_if(keys: float) -> str:
    return FULL if keys else DELTA


# -- joins without states of their own


def nested_loop_join(operator: Operator, setting: Setting) -> Actions:
    """Every changed row is compared with every row of the other side.
    D = F^l + F^r + C(ΔR_l, R_r+) + C(R_l, ΔR_r)    F = F^l + F^r + C(R_l+, R_r+)"""
    left, right = (child.rows for child in operator.children)
    met = _met(operator)
    compared = met[0] * left.now + met[1] * right.now
    change = setting.costs.compare * compared + setting.costs.hash_join * operator.rows.change
    full = setting.costs.compare * left.after * right.after + setting.costs.hash_join * operator.rows.after
    yield _stateless("nested loop join", operator, setting, change, full)


def merge_join(operator: Operator, setting: Setting) -> Actions:
    """Sorted sides are read side by side; a change, sorted, is merged with the whole of the other side.
    D = F^l + F^r + C_merge(ΔR_l, R_r+) + C_merge(R_l, ΔR_r)    F = F^l + F^r + C_merge(R_l+, R_r+)"""
    merge, given = setting.costs.merge, setting.costs.hash_join
    change = given * operator.rows.change
    for child, keys in zip(operator.children, _met(operator), strict=True):
        change += merge * (keys + child.rows.now) if keys else 0.0
    full = merge * sum(child.rows.after for child in operator.children) + given * operator.rows.after
    yield _stateless("merge join", operator, setting, change, full)


def _stateless(name: str, operator: Operator, setting: Setting, change: float, full: float) -> Action:
    asks = tuple(_past_if(keys) for keys in _met(operator))
    return Action(name, (), Way(change + _statement(operator, setting), asks), Way(full, (FULL, FULL)))


# -- what several actions share


def _statement(operator: Operator, setting: Setting) -> float:
    """An operator whose input changes is a statement of its own, or makes one longer by as much."""
    return setting.costs.statement if any(child.rows.change for child in operator.children) else 0.0


def _looked_up(operator: Operator, holding: Holding) -> float:
    """Reading the touched groups' rows, by the groups' keys."""
    return holding.look_up(max(operator.groups, operator.touched)) if operator.touched else 0.0


def _held_with_own(operator: Operator, setting: Setting) -> Iterator[tuple[tuple[Kept, ...], float, Holding]]:
    """A sort's own states, if it has any, with each way to have its child's past at hand."""
    own = [
        (keeps, setting.keeping(operator.own, place, by_batch=True)) for keeps, place in setting.placed(operator.own)
    ]
    for keeps, seconds in own if operator.own else [((), 0.0)]:
        for holding in setting.holdings(operator, 0, by_batch=True):
            yield (*keeps, *holding.keeps), seconds, holding


def _with_own(operator: Operator, setting: Setting, action: Action) -> Action:
    """Where an operator's own rows are stored whatever is chosen, its full output is its change and a scan of them."""
    if not operator.always or any(state.stored not in setting.given for state in operator.always):
        return action
    scanned = setting.costs.place(setting.places[0]).scan * operator.rows.now
    full = Way(action.delta.seconds + scanned, action.delta.asks)
    return Action(action.name, action.keeps, action.delta, full, action.delta)


def _groups(*holdings: Holding | None) -> str:
    return " (in the groups below)" if any(each is not None and each.asks == KEPT for each in holdings) else ""


RULES: dict[str, tuple[Rule, ...]] = {
    SCAN: (scan,),
    PIPELINED: (pass_through,),
    MATERIALIZE: (no_materialization, keep_materialization),
    SORT: (drop_sort, keep_sort),
    AGGREGATE: (drop_aggregation, keep_aggregation),
    UDF_AGGREGATE: (drop_aggregation,),
    HASH_JOIN: (
        keep_right_hash_table_only,
        keep_left_hash_table_only,
        keep_both_hash_tables,
        drop_both_hash_tables,
    ),
    NESTED_LOOP_JOIN: (nested_loop_join,),
    MERGE_JOIN: (merge_join,),
}
