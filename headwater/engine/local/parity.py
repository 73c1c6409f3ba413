"""The parity table: every expression that the local lane may evaluate, and what is left out, with the reason.

Idea: an allow-list as data. An entry is found by the expression's class or, for a function, by its name; its rule writes
it for DuckDB over the types that it knows. What is not here is refused by name, and the refresh is Spark's.
Invariant: an expression gives the same value and type in both engines. Where Spark raises an error, the lane raises one;
where the lane raises, the refresh is run again on Spark, whose word counts. `tests/engine/local/test_parity.py` compares
both over every entry's samples, alone and nested at random.

In samples a letter stands for an operand: i integer, k integer up to 32 bits, d decimal, f double, n any number, s
string, b boolean, t date, c timestamp, x anything, D a date or timestamp.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp

from headwater.engine.local import aggregates, arithmetic, casts, conditions, strings, times, windows
from headwater.engine.local.writing import Key, Rule, Typed, Writer


@dataclass(frozen=True)
class Entry:
    """One row of the table. `samples` are also what is tested."""

    keys: tuple[Key, ...]
    shown: str
    types: str
    how: str  # how it is written in DuckDB
    rule: Rule
    samples: tuple[str, ...]


@dataclass(frozen=True)
class LeftOut:
    shown: str
    why: str


def _entry(keys: Key | tuple[Key, ...], shown: str, types: str, how: str, rule: Rule, *samples: str) -> Entry:
    return Entry(keys if isinstance(keys, tuple) else (keys,), shown, types, how, rule, samples or (shown,))


SAME = "the same"
TYPED = "operands cast to the type that Spark computes in"

VALUES = (
    _entry(exp.Column, "column", "all the lane holds", SAME, Writer.column, "{x}"),
    _entry(
        exp.Literal,
        "literals",
        "numbers, text",
        "cast to the type of their digits",
        arithmetic.number,
        "12",
        "-7",
        "12345678901",
        "0.50",
        "100.25",
        "1e3",
        "'a''b'",
        "'é😀'",
        "-0.05",
    ),
    _entry(exp.RawString, "r'text'", "", SAME, lambda write, at: arithmetic.text(at.name), r"r'a\n'"),
    _entry(exp.Boolean, "TRUE, FALSE", "", SAME, conditions.boolean, "TRUE", "FALSE"),
    _entry(
        exp.Null, "NULL", "where another operand gives the type", "typed NULL", conditions.null, "COALESCE(NULL, {i})"
    ),
    _entry(exp.Neg, "-a", "numbers", "cast back, lest it widen", arithmetic.negated, "-{n}"),
)

ARITHMETIC = (
    _entry(exp.Add, "a + b", "numbers; date + days; time + interval", TYPED, times.plus, "{n} + {n}", "{i} + 1", "{d} + 1", "{d} + {d}", "{f} + {n}", "{t} + {k}", "{t} + INTERVAL 3 DAY", "{t} + INTERVAL '1' MONTH", "{c} + INTERVAL 90 MINUTES", "{c} + INTERVAL -2 YEARS", "{t} + INTERVAL 5 HOURS", "{c} + INTERVAL 30 SECONDS"),
    _entry(exp.Sub, "a - b", "numbers; date - days; time - interval", TYPED, times.minus, "{n} - {n}", "1 - {d}", "{d} - {d}", "{t} - {k}", "{t} - INTERVAL '90' DAY", "{c} - INTERVAL 1 MONTH"),
    _entry(exp.Mul, "a * b", "numbers", f"{TYPED}; decimals rounded to Spark's scale", arithmetic.multiply, "{n} * {n}", "{d} * {d}", "{d} * 100", "{i} * {i}", "{d} * (1 - {d})"),
    _entry(exp.Div, "a / b", "numbers", "integers as doubles; decimals as a quotient of integers", arithmetic.divide, "{n} / {n}", "{d} / {d}", "{i} / {i}", "{d} / 7", "100.00 * {d} / {d}", "{f} / {f}"),
    _entry(exp.IntDiv, "a DIV b", "integers", "`//` in 64 bits", arithmetic.whole_quotient, "{i} DIV {i}", "{i} DIV 7"),
    _entry((exp.Mod, "mod"), "a % b, MOD(a, b)", "numbers", TYPED, arithmetic.remainder, "{n} % {n}", "MOD({i}, 3)", "{d} % {d}", "{f} % {f}"),
    _entry("pmod", "PMOD(a, b)", "numbers", "by cases of the sign", arithmetic.positive_remainder, "PMOD({i}, {i})", "PMOD({d}, {d})", "PMOD({f}, {f})"),
    _entry((exp.Abs, "abs"), "ABS(a)", "numbers", SAME, arithmetic.absolute, "ABS({n})"),
    _entry("sqrt", "SQRT(a)", "numbers", "NaN below zero", arithmetic.square_root, "SQRT({n})"),
    _entry((exp.Sign, "sign", "signum"), "SIGN(a)", "numbers", "by cases, as a double", arithmetic.sign, "SIGN({n})"),
    _entry("round", "ROUND(a, places)", "integers, decimals", "as a cast", arithmetic.round_, "ROUND({d}, 1)", "ROUND({d})", "ROUND({i})", "ROUND({d}, 3)"),
    _entry(exp.Ceil, "CEIL(a)", "numbers", "as a cast: what 64 bits cannot hold is an error", arithmetic.ceiling, "CEIL({n})"),
    _entry(exp.Floor, "FLOOR(a)", "numbers", "as a cast: what 64 bits cannot hold is an error", arithmetic.floor, "FLOOR({n})"),
    _entry("isnan", "ISNAN(a)", "fractions", "FALSE for NULL", arithmetic.is_nan, "ISNAN({f})"),
    _entry("nanvl", "NANVL(a, b)", "double", "by cases", arithmetic.nan_or, "NANVL({f}, {f})"),
    _entry((exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor), "a & b, a | b, a ^ b", "integers", TYPED, arithmetic.bits, "{i} & {i}", "{i} | {i}", "{i} ^ {i}"),
    _entry(exp.BitwiseNot, "~a", "integers", SAME, arithmetic.inverted, "~{i}"),
)  # fmt: skip

CONDITIONS = (
    _entry(tuple(conditions.COMPARED), "=, <>, <, <=, >, >=, <=>, IS [NOT] DISTINCT FROM", "all; two numbers; two times; a time and a literal", TYPED, conditions.compare, "{n} = {n}", "{n} <> {n}", "{n} < {n}", "{n} <= {n}", "{n} > {n}", "{n} >= {n}", "{n} <=> {n}", "{s} = {s}", "{s} < {s}", "{s} >= 'b'", "{D} < {D}", "{D} >= '2000-01-01'", "{b} = {b}", "{b} < {b}", "{s} <=> {s}", "{f} = {f}", "{f} < {f}", "{f} IS DISTINCT FROM {f}", "{d} > 1", "{d} = {i}", "m > w", "w >= m * 0.0001", "{i} IS NOT DISTINCT FROM {i}", "{b} <=> NULL"),
    _entry("equal_null", "EQUAL_NULL(a, b)", "as for <=>", TYPED, conditions.equal_null, "EQUAL_NULL({n}, {n})"),
    _entry(exp.Between, "a BETWEEN b AND c", "as for <=", "as two comparisons", conditions.between, "{n} BETWEEN {n} AND {n}", "{s} BETWEEN 'a' AND 'c'", "{d} BETWEEN 0.05 AND 0.07", "{t} NOT BETWEEN '1999-01-01' AND {t}"),
    _entry(exp.In, "a IN (b, ...)", "a list; as for =", TYPED, conditions.is_in, "{n} IN ({n}, {n})", "{i} IN (1, 2, NULL)", "{s} IN ('a', '', {s})", "{s} NOT IN ('a', {s})", "{f} IN ({f}, 1)", "{i} IN (1,2,3,4,5,6,7,8,9,10)"),
    _entry(exp.And, "a AND b", "boolean", SAME, conditions.both_hold, "{b} AND {b}", "{n} > {n} AND {b}"),
    _entry(exp.Or, "a OR b", "boolean", SAME, conditions.either_holds, "{b} OR {b}", "{b} OR {n} > {n}"),
    _entry(exp.Not, "NOT a", "boolean", SAME, conditions.negation, "NOT {b}", "NOT ({n} > {n})"),
    _entry(exp.Is, "a IS NULL, IS TRUE, IS FALSE", "all", SAME, conditions.is_, "{x} IS NULL", "{x} IS NOT NULL", "{b} IS TRUE", "{b} IS NOT FALSE"),
    _entry("isnull", "ISNULL(a)", "all", SAME, conditions.is_null, "ISNULL({x})"),
    _entry("isnotnull", "ISNOTNULL(a)", "all", SAME, conditions.is_not_null, "ISNOTNULL({x})"),
    _entry(exp.Case, "CASE", "results of types that meet", TYPED, conditions.case, "CASE WHEN {b} THEN {n} WHEN {n} > 0 THEN {n} ELSE {n} END", "CASE {i} WHEN 1 THEN {s} WHEN 2 THEN 'two' END", "CASE WHEN {d} <> 0 THEN {d} / {d} END", "CASE WHEN {i} = 0 THEN NULL ELSE 100 DIV {i} END"),
    _entry(exp.If, "IF(a, b, c)", "results of types that meet", "as CASE", conditions.if_, "IF({b}, {n}, {n})", "IF({n} > {n}, {s}, NULL)", "IF({b}, {D}, {D})"),
    _entry((exp.Coalesce, "coalesce", "ifnull", "nvl"), "COALESCE(a, ...), IFNULL, NVL", "types that meet", TYPED, conditions.coalesce, "COALESCE({n}, {n}, 0)", "NVL({s}, 'none')", "IFNULL({D}, {D})"),
    _entry((exp.Nullif, "nullif"), "NULLIF(a, b)", "as for =", "as CASE", conditions.null_if, "NULLIF({n}, {n})", "NULLIF({s}, '')"),
    _entry("nvl2", "NVL2(a, b, c)", "results of types that meet", "as CASE", conditions.second_if_not_null, "NVL2({x}, {n}, {n})"),
    _entry("raise_error", "RAISE_ERROR('text')", "where another operand gives the type", "`error`", conditions.raised, "IF({i} > 1, RAISE_ERROR('more'), {n})"),
    _entry((exp.Greatest, "greatest"), "GREATEST(a, ...)", "types that meet", "NULLs skipped, NaN greatest", conditions.greatest, "GREATEST({n}, {n}, {n})", "GREATEST({s}, {s})", "GREATEST({t}, {t})", "GREATEST({f}, {f})"),
    _entry((exp.Least, "least"), "LEAST(a, ...)", "types that meet", "NULLs skipped, NaN greatest", conditions.least, "LEAST({n}, {n}, {n})", "LEAST({s}, {s})", "LEAST({f}, {f})"),
)  # fmt: skip

CASTS = (
    _entry((exp.Cast, exp.TryCast), "CAST(a AS type)", "see the page's list of casts", "rounding, range and spelling as Spark's", casts.cast,
           *(f"CAST({{{source}}} AS {kind})" for source, targets in {
               "i": "TINYINT SMALLINT INT BIGINT FLOAT DOUBLE DECIMAL(10,2) DECIMAL(38,6) DECIMAL(3,0) BOOLEAN STRING",
               "d": "TINYINT SMALLINT INT BIGINT DOUBLE DECIMAL(10,2) DECIMAL(38,6) DECIMAL(3,0) DECIMAL(20,9) BOOLEAN STRING",
               "f": "TINYINT SMALLINT INT BIGINT FLOAT BOOLEAN", "b": "INT BIGINT STRING",
               "s": "TINYINT INT BIGINT DOUBLE DECIMAL(10,2) DATE BOOLEAN",
               "t": "TIMESTAMP STRING TIMESTAMP_NTZ", "c": "DATE BIGINT STRING TIMESTAMP_NTZ",
           }.items() for kind in targets.split()), "DATE'2020-02-29'", "TIMESTAMP'2020-01-01 10:00:00.5'", "1.5D", "2L", "CAST(NULL AS STRING)"),
    _entry(tuple(casts.CAST_NAMES), "INT(a), STRING(a), TO_DATE(a), ...", "as CAST", "as CAST", casts.cast_by_name, "INT({d})", "STRING({i})", "DOUBLE({d})", "DATE({c})", "TO_DATE({s})", "BIGINT({f})"),
    _entry(exp.TsOrDsToDate, "an argument of DATEDIFF", "times", "as CAST", times.as_date, "DATEDIFF({D}, {D})"),
)  # fmt: skip

TEXTS = (
    _entry(("upper", "ucase"), "UPPER(s)", "string", "ASCII only; other texts are Spark's", strings.ascii_only("upper"), "UPPER({s})"),
    _entry(("lower", "lcase"), "LOWER(s)", "string", "ASCII only; other texts are Spark's", strings.ascii_only("lower"), "LOWER({s})"),
    _entry("reverse", "REVERSE(s)", "string", "ASCII only; other texts are Spark's", strings.ascii_only("reverse"), "REVERSE({s})"),
    _entry(("length", "char_length", "character_length", "len"), "LENGTH(s)", "string", SAME, strings.function("length", "int", 1), "LENGTH({s})", "CHAR_LENGTH({s})"),
    _entry("octet_length", "OCTET_LENGTH(s)", "string", "`strlen`", strings.function("strlen", "int", 1), "OCTET_LENGTH({s})"),
    _entry("startswith", "STARTSWITH(s, t)", "string", SAME, strings.function("starts_with", "boolean", 2), "STARTSWITH({s}, {s})", "STARTSWITH({s}, 'a')"),
    _entry("endswith", "ENDSWITH(s, t)", "string", SAME, strings.function("ends_with", "boolean", 2), "ENDSWITH({s}, {s})"),
    _entry("contains", "CONTAINS(s, t)", "string", SAME, strings.function("contains", "boolean", 2), "CONTAINS({s}, {s})"),
    _entry("replace", "REPLACE(s, t, u)", "string", SAME, strings.function("replace", "string", 3), "REPLACE({s}, 'a', {s})", "REPLACE({s}, {s}, 'x')"),
    _entry("translate", "TRANSLATE(s, t, u)", "string", SAME, strings.function("translate", "string", 3), "TRANSLATE({s}, 'abé', 'xy')"),
    _entry("md5", "MD5(s)", "string", SAME, strings.function("md5", "string", 1), "MD5({s})"),
    _entry(exp.Substring, "SUBSTRING(s, from, length)", "string, integers", "positions counted as Spark does", strings.substring, "SUBSTRING({s}, {k}, {k})", "SUBSTRING({s}, 2)", "SUBSTRING({s}, -2)", "SUBSTRING({s}, 0, 2)", "SUBSTRING({s} FROM 2 FOR 1)"),
    _entry("substr", "SUBSTR(s, from, length)", "string, integers", "as SUBSTRING", strings.substring_by_name, "SUBSTR({s}, {k}, 2)"),
    _entry("left", "LEFT(s, n)", "string, integer", "never below zero", strings.left, "LEFT({s}, {k})"),
    _entry("right", "RIGHT(s, n)", "string, integer", "never below zero", strings.right, "RIGHT({s}, {k})"),
    _entry(exp.Trim, "TRIM(s)", "string", "of spaces, or of the given characters", strings.trim, "TRIM({s})", "TRIM(BOTH 'a ' FROM {s})", "TRIM(LEADING {s} FROM {s})"),
    _entry(("ltrim", "rtrim", "btrim"), "LTRIM(s), RTRIM(s), BTRIM(s)", "string", "of spaces, or of the given characters", strings.trim_by_name, "LTRIM({s})", "RTRIM({s})", "BTRIM({s}, 'a')"),
    _entry(("concat", exp.DPipe, exp.Concat), "CONCAT(a, ...), a || b", "what casts to string", "NULL where a part is", strings.concat, "CONCAT({s}, {i}, 'x')", "{s} || {s}", "{s} || {d}", "CONCAT({b}, {t})"),
    _entry("concat_ws", "CONCAT_WS(s, ...)", "string", SAME, strings.concat_with, "CONCAT_WS('-', {s}, {s})", "CONCAT_WS({s}, {s}, {s}, 'x')"),
    _entry(("lpad", "rpad"), "LPAD(s, n, t), RPAD(s, n, t)", "string, integer, literal", SAME, strings.pad, "LPAD({s}, 6, '*')", "RPAD({s}, 3)", "RPAD({s}, 7, 'é-')", "LPAD({s}, -1, 'x')"),
    _entry("repeat", "REPEAT(s, n)", "string, integer", SAME, strings.repeat, "REPEAT({s}, 2)", "REPEAT({s}, -1)"),
    _entry(("instr", "locate", exp.StrPosition), "INSTR(s, t), LOCATE(t, s), POSITION(t IN s)", "string", "`instr`", strings.position, "INSTR({s}, {s})", "LOCATE('b', {s})", "POSITION({s} IN {s})"),
    _entry((exp.Like, exp.Escape), "s LIKE 'pattern' [ESCAPE 'c']", "string, literal", "escapes rewritten", strings.like, "{s} LIKE 'a%'", "{s} LIKE '%b_'", r"{s} LIKE '%a\_b\%'", "{s} NOT LIKE '%é%'", "{s} LIKE 'a!_b%' ESCAPE '!'", "{s} LIKE '_'", "{s} LIKE ''", r"{s} LIKE '%\\\\x%'"),
)  # fmt: skip

TIMES = (
    _entry((*times.PARTS, *times.NAMES), "YEAR(t), MONTH(t), DAY(t), HOUR(c), ...", "date, timestamp", "days of the week renumbered", times.part_of, *(f"{name.upper()}({{D}})" for name in (*times.PARTS, *times.NAMES) if name not in ("hour", "minute", "second", "week")), "HOUR({c})", "MINUTE({c})", "SECOND({c})"),
    _entry(exp.Extract, "EXTRACT(field FROM t)", "date, timestamp", "as the functions above", times.extract, *(f"EXTRACT({name} FROM {{c}})" for name in times.EXTRACTED)),
    _entry((exp.TsOrDsAdd,), "DATE_ADD(t, days)", "date, timestamp; integer", "date + integer", times.add_days, "DATE_ADD({D}, {k})", "DATE_ADD({t}, 31)"),
    _entry("date_sub", "DATE_SUB(t, days)", "date, timestamp; integer", "date - integer", times.subtract_days, "DATE_SUB({D}, {k})"),
    _entry(exp.DateDiff, "DATEDIFF(t, u)", "date, timestamp", "date - date", times.days_between, "DATEDIFF({D}, {D})", "DATEDIFF({t}, '2000-01-01')"),
    _entry("add_months", "ADD_MONTHS(t, n)", "date, timestamp; integer", "clipped to the month's last day", times.add_months, "ADD_MONTHS({D}, 1)", "ADD_MONTHS({t}, -13)"),
    _entry("last_day", "LAST_DAY(t)", "date, timestamp", SAME, times.last_day, "LAST_DAY({D})"),
    _entry("trunc", "TRUNC(t, 'unit')", "date, timestamp", "`date_trunc`", times.truncated_date, "TRUNC({D}, 'MM')", "TRUNC({t}, 'year')", "TRUNC({t}, 'WEEK')", "TRUNC({t}, 'quarter')"),
    _entry("date_trunc", "DATE_TRUNC('unit', t)", "date, timestamp", "`date_trunc`", times.truncated_time, "DATE_TRUNC('month', {c})", "DATE_TRUNC('WEEK', {D})", "DATE_TRUNC('HOUR', {c})", "DATE_TRUNC('DAY', {D})", "DATE_TRUNC('minute', {c})"),
    _entry("unix_seconds", "UNIX_SECONDS(t)", "timestamp", "rounded down", times.unix_seconds, "UNIX_SECONDS({c})"),
    _entry(("unix_timestamp", "to_unix_timestamp"), "UNIX_TIMESTAMP(t)", "timestamp", "cut off", times.unix_timestamp, "UNIX_TIMESTAMP({c})", "TO_UNIX_TIMESTAMP({c})"),
    _entry("unix_micros", "UNIX_MICROS(t)", "timestamp", "`epoch_us`", times.unix_micros, "UNIX_MICROS({c})"),
    _entry("unix_date", "UNIX_DATE(t)", "date", "days since 1970", times.unix_date, "UNIX_DATE({t})"),
)  # fmt: skip

AGGREGATES = (
    _entry(exp.Count, "COUNT(*), COUNT([DISTINCT] a)", "all", SAME, aggregates.count, "COUNT(*)", "COUNT({x})", "COUNT(DISTINCT {x})", "COUNT(DISTINCT {f})"),
    _entry(exp.CountIf, "COUNT_IF(b)", "boolean", "as COUNT of CASE", aggregates.count_if, "COUNT_IF({b})"),
    _entry(exp.Sum, "SUM([DISTINCT] a)", "numbers", "cast to Spark's type of the sum", aggregates.sum_, "SUM({n})", "SUM({d})", "SUM({k})", "SUM(DISTINCT {k})"),
    _entry(exp.Avg, "AVG([DISTINCT] a)", "numbers", "sum over count, divided as Spark does", aggregates.average, "AVG({n})", "AVG({d})", "AVG(DISTINCT {k})"),
    _entry((exp.Min, exp.Max), "MIN(a), MAX(a)", "all but BINARY", SAME, aggregates.extreme, "MIN({x})", "MAX({x})", "MAX({f})", "MIN({f})"),
    _entry((exp.Stddev, exp.StddevSamp, exp.StddevPop, exp.Variance, exp.VariancePop), "STDDEV, STDDEV_POP, VARIANCE, VAR_POP", "numbers", "over doubles; to the last digits only", aggregates.spread, "STDDEV({k})", "VAR_POP({k})", "VARIANCE({k})", "STDDEV_POP({k})"),
    _entry(("bool_and", "every", "bool_or"), "BOOL_AND(b), EVERY(b), BOOL_OR(b)", "boolean", SAME, aggregates.every, "BOOL_AND({b})", "EVERY({b})", "BOOL_OR({b})"),
    _entry(exp.Filter, "aggregate FILTER (WHERE b)", "as the aggregate", "as CASE inside it", aggregates.filtered, "COUNT(*) FILTER (WHERE {b})", "SUM({k}) FILTER (WHERE {b})"),
)  # fmt: skip

_OVER = "OVER (PARTITION BY {k} ORDER BY {x}, row)"
WINDOWS = (
    _entry(exp.Window, "function OVER (PARTITION BY ... ORDER BY ... frame)", "ranks, LAG, LEAD, NTILE; COUNT, SUM, AVG, MIN, MAX of exact numbers", "NULLs and frame spelled out", windows.window,
           "RANK() OVER (PARTITION BY {b} ORDER BY {x})", "DENSE_RANK() OVER (ORDER BY {x} DESC)", f"ROW_NUMBER() {_OVER}", f"PERCENT_RANK() {_OVER}", f"CUME_DIST() {_OVER}", f"NTILE(3) {_OVER}",
           f"LAG({{x}}) {_OVER}", f"LEAD({{i}}, 2, 0) {_OVER}", f"SUM({{k}}) {_OVER}", "SUM({d}) OVER (PARTITION BY {b})", "COUNT({x}) OVER (PARTITION BY {b} ORDER BY {x})", f"AVG({{d}}) {_OVER}",
           "MAX({x}) OVER (PARTITION BY {b} ORDER BY {x}, row ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)", "MIN({k}) OVER (ORDER BY {f}, row ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING)"),
)  # fmt: skip

SECTIONS: Mapping[str, tuple[Entry, ...]] = {
    "Values": VALUES,
    "Arithmetic": ARITHMETIC,
    "Conditions and choices": CONDITIONS,
    "Casts": CASTS,
    "Texts": TEXTS,
    "Dates and times": TIMES,
    "Aggregates": AGGREGATES,
    "Window functions": WINDOWS,
}

LEFT_OUT = (
    LeftOut("EXP, LN, LOG, POWER, SIN and other transcendental functions", "their last bit differs between math libraries, and a row computed in one lane is removed in the other"),
    LeftOut("CAST of DOUBLE or FLOAT to STRING or DECIMAL; ROUND of doubles", "Spark goes by Java's text of the number, which is not always the shortest"),
    LeftOut("RLIKE, REGEXP_REPLACE, REGEXP_EXTRACT, SPLIT", "Java's regular expressions and DuckDB's differ in syntax and meaning"),
    LeftOut("ILIKE, INITCAP, SOUNDEX", "letters beyond ASCII are mapped otherwise"),
    LeftOut("DATE_FORMAT, TO_DATE and TO_TIMESTAMP with a format, FROM_UNIXTIME", "the pattern languages differ"),
    LeftOut("CAST of STRING columns to TIMESTAMP; FROM_UTC_TIMESTAMP and other zones", "more spellings than the lane reads; DuckDB has its own time zone data"),
    LeftOut("a comparison of STRING with a number or, unless it is a literal, with a date", "the cast that Spark implies is better written down"),
    LeftOut("TRY_CAST, TRY_ADD and other TRY functions", "a refresh that could fail in the lane is Spark's"),
    LeftOut("INTERVAL as a value, MONTHS_BETWEEN, TIMESTAMPDIFF", "DuckDB's intervals keep months, days and microseconds apart in another way"),
    LeftOut("ARRAY, MAP, STRUCT, VARIANT and their functions, JSON", "not held by the lane"),
    LeftOut("INLINE, STACK, POSEXPLODE, LATERAL VIEW OUTER; EXPLODE of anything but ARRAY(...) and ARRAY_REPEAT(...)", "arrays are not held by the lane"),
    LeftOut("FIRST, LAST, COLLECT_LIST, PERCENTILE, MODE, APPROX_COUNT_DISTINCT and other aggregates", "their result depends on an order of rows or on a sketch"),
    LeftOut("SUM and AVG of doubles over a window", "DuckDB adds them up in another order"),
    LeftOut("HASH, XXHASH64, CRC32, BASE64, HEX, FORMAT_STRING, FORMAT_NUMBER, TO_CHAR", "no counterpart in DuckDB that means the same"),
)  # fmt: skip


def entries() -> Iterator[Entry]:
    for listed in SECTIONS.values():
        yield from listed


RULES: Mapping[Key, Rule] = {key: entry.rule for entry in entries() for key in entry.keys}


def writer(types: Mapping[str, str]) -> Writer:
    """Writes expressions over columns of these types."""
    return Writer(RULES, types)


def write(expression: exp.Expr, types: Mapping[str, str]) -> Typed:
    return writer(types)(expression)
