"""Which expressions have a value for every row, and of which type."""

from __future__ import annotations

import pytest

from headwater.algebra.total import total_type
from headwater.sql.parse import parse_query

TYPES = {
    "i": "int", "l": "bigint", "s": "string", "d": "date", "f": "double", "m": "decimal(15,2)", "m38": "decimal(38,2)",
}  # fmt: skip


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("i", "int"),
        ("f", "double"),
        ("m * (1 - m)", "decimal(32,4)"),
        ("m * (1 - m) * (1 + m)", None),  # its digits would be cut
        ("m * 0.5", "decimal(17,3)"),
        ("m + i", "decimal(16,2)"),
        ("m * l", "decimal(36,2)"),
        ("m + m38", None),
        ("m / 2", None),
        ("i + 1", None),
        ("-i", None),
        ("i > 1 AND s = 'x' OR NOT d IS NULL", "boolean"),
        ("s = 1", None),  # 'x' is no number
        ("i IN (1, 2)", "boolean"),
        ("i IN (1, 'x')", None),
        ("CASE WHEN s = 'x' THEN m END", "decimal(15,2)"),
        ("CASE WHEN s = 'x' THEN m ELSE 0 END", None),
        ("CASE WHEN s = 'x' THEN i ELSE 0 END", "int"),
        ("CASE s WHEN 'x' THEN i END", None),
        ("COALESCE(i, 0)", "int"),
        ("COALESCE(s, 0)", None),
        ("YEAR(d)", "int"),
        ("YEAR(s)", None),
        ("EXTRACT(MONTH FROM d)", "int"),
        ("UPPER(s)", "string"),
        ("SUBSTRING(s, 1, 2)", None),
        ("CAST(i AS DECIMAL(10, 0))", "decimal(10,0)"),
        ("CAST(i AS DECIMAL(9, 0))", None),
        ("CAST(l AS DECIMAL(19, 0))", "decimal(19,0)"),
        ("CAST(s AS INT)", None),
        ("99999999999", None),
    ],
)
def test_total(sql, kind):
    expression = parse_query(f"SELECT {sql} FROM t").expressions[0]
    assert total_type(expression, TYPES) == kind
