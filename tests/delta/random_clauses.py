"""Random parts of a SELECT: aggregate calls, window calls, keys of groups, orders."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.delta.random_expressions import CONSTANTS, Scope
from tests.delta.random_tables import KINDS, Kinds

AGGREGATES = {  # call -> kind of the result; {kind} is an expression, {any} a column, {if} a condition
    "COUNT(*)": "int", "COUNT({int})": "int", "COUNT({string})": "int", "SUM({int})": "int", "MIN({int})": "int",
    "MAX({int})": "int", "MAX({string})": "string", "MIN({string})": "string", "COUNT(DISTINCT {any})": "int",
    "AVG({int})": "shown", "STDDEV({int})": "shown", "VAR_POP({int})": "shown", "SUM(DISTINCT {int})": "int",
    "SUM({decimal})": "decimal", "AVG({decimal})": "shown", "MIN({decimal})": "decimal", "MAX({date})": "date",
    "SUM({double})": "shown", "AVG({double})": "shown", "MAX({double})": "double", "MIN({double})": "double",
    "COUNT({date})": "int", "MEDIAN({int})": "double", "BOOL_AND({if})": "boolean", "BOOL_OR({boolean})": "boolean",
    "COUNT_IF({if})": "int", "COUNT(DISTINCT {any}, {any})": "int", "MAX_BY({key}, {any})": "string",
    "MIN_BY({number}, {any})": "int", "FIRST({int})": "int", "LAST({string})": "string", "ANY_VALUE({date})": "date",
    "PERCENTILE({int}, 0.25)": "double", "AVG(DISTINCT {int})": "shown",
    "ARRAY_JOIN(COLLECT_LIST({string}), ',')": "string", "ARRAY_JOIN(COLLECT_SET({string}), '')": "string",
}  # fmt: skip
FILTERED = ("COUNT", "SUM", "MIN(", "MAX(", "AVG", "BOOL")  # what FILTER is drawn with


def call(scope: Scope) -> tuple[str, str]:
    """An aggregate call and its kind."""
    kinds = set(scope.kinds())
    usable = [each for each in AGGREGATES if all(f"{{{kind}}}" not in each or kind in kinds for kind in KINDS)]
    usable = [each for each in usable if kinds or not any(f"{{{hole}}}" in each for hole in ("any", "if"))]
    usable = [each for each in usable if "string" in kinds or "{key}" not in each]
    usable = [each for each in usable if "int" in kinds or "{number}" not in each]
    chosen = scope.one_of(*usable)
    made = chosen
    for kind in kinds:
        if f"{{{kind}}}" in made:
            made = made.replace(f"{{{kind}}}", scope.value(kind, 1))
    while "{any}" in made:
        made = made.replace("{any}", scope.any_column() or "", 1)
    if "{if}" in made:
        made = made.replace("{if}", scope.condition(0))
    if "{key}" in made:
        made = made.replace("{key}", f"COALESCE({scope.column('string')}, '-')")
    if "{number}" in made:
        made = made.replace("{number}", f"COALESCE({scope.column('int')}, 9)")
    if kinds and chosen.startswith(FILTERED) and scope.one_of("no", "no", "no", "filter") == "filter":
        made += f" FILTER (WHERE {scope.condition(0)})"
    return made, AGGREGATES[chosen]


def grouping_keys(scope: Scope, least: int) -> list[tuple[str, str]]:
    keys: dict[str, str] = {}
    kinds = scope.kinds()
    for _ in range(scope.draw(st.integers(least, 2)) if kinds else 0):
        kind = scope.one_of(*kinds)
        plain = scope.one_of("column", "column", "value") == "column"
        expression = scope.column(kind) if plain else without_subquery(scope).value(kind)
        if "." in expression and not any(expression == constant for constant in CONSTANTS[kind]) and "r" in expression:
            keys[expression] = kind  # a constant would be a position, or no key
    return list(keys.items())


def without_subquery(scope: Scope) -> Scope:
    return Scope(scope.draw, scope.columns)


# -- windows

WINDOWED = {  # call -> kind of the result, whether it needs an order, whether it takes a frame
    "RANK()": ("int", True, False), "DENSE_RANK()": ("int", True, False), "ROW_NUMBER()": ("int", True, False),
    "SUM({int})": ("int", False, True), "COUNT(*)": ("int", False, True), "MIN({int})": ("int", False, True),
    "MAX({string})": ("string", False, True), "LAG({int})": ("int", True, False),
    "LEAD({int}, 1, -1)": ("int", True, False), "LAG({string}, 2)": ("string", True, False),
    "NTILE(2)": ("int", True, False), "SUM({decimal})": ("decimal", False, True), "COUNT({any})": ("int", False, True),
    "PERCENT_RANK()": ("shown", True, False), "CUME_DIST()": ("shown", True, False),
    "AVG({int})": ("shown", False, True),
    "FIRST_VALUE({int})": ("int", False, True), "MAX({date})": ("date", False, True),
    "MIN({double})": ("double", False, True),
}  # fmt: skip
FRAMES = (
    "", "", "ROWS BETWEEN 1 PRECEDING AND CURRENT ROW", "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING",
    "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING", "ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING",
)  # fmt: skip


def window_call(scope: Scope) -> tuple[str, str]:
    """A window call over columns, and its kind."""
    kinds = scope.kinds()
    usable = [each for each in WINDOWED if all(f"{{{kind}}}" not in each or kind in kinds for kind in KINDS)]
    chosen = scope.one_of(*(each for each in usable if kinds or each == "COUNT(*)"))
    kind, ordered, framed = WINDOWED[chosen]
    made = chosen
    for each in kinds:
        made = made.replace(f"{{{each}}}", scope.column(each) if f"{{{each}}}" in made else "")
    made = made.replace("{any}", scope.any_column() or "*")
    parts = []
    if kinds and scope.one_of("yes", "yes", "no") == "yes":
        parts.append(f"PARTITION BY {scope.any_column()}")
    if kinds and (ordered or scope.one_of("no", "yes") == "yes"):
        parts.append(f"ORDER BY {scope.any_column()}{scope.one_of('', ' DESC', ' NULLS LAST', ' DESC NULLS FIRST')}")
    if kinds and framed:
        parts.append(scope.one_of(*FRAMES))
    return f"{made} OVER ({' '.join(filter(None, parts))})", kind


# -- around a query


def ordering(draw: st.DrawFn, names: list[str]) -> str:
    terms = draw(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True))
    return ", ".join(
        f"{name}{draw(st.sampled_from(['', ' DESC', ' NULLS LAST', ' DESC NULLS FIRST']))}" for name in terms
    )


def named(columns: Kinds, kinds: list[str], names: str) -> str:
    """A select list of the first columns of these kinds, each column once; a constant where there is none."""
    left, listed = dict(columns), []
    for kind, name in zip(kinds, names, strict=False):
        found = next((each for each, own in left.items() if own == kind), None)
        left.pop(found or "", None)
        listed.append(f"{found or CONSTANTS[kind][1]} AS {name}")
    return ", ".join(listed)
