"""What goes wrong in the rows while Spark computes reaches the user as one sentence with a key; nothing changes."""

from __future__ import annotations

import pytest

import headwater as hw

BAD = {
    "CAST_INVALID_INPUT": ("SELECT k, CAST(s AS INT) AS n FROM t", {"k": 9, "s": "not. a number", "d": 1}),
    "DIVIDE_BY_ZERO": ("SELECT k, 1 / d AS n FROM t", {"k": 9, "s": "1", "d": 0}),
    "ARITHMETIC_OVERFLOW": ("SELECT k, k + 9223372036854775800 AS n FROM t", {"k": 9, "s": "1", "d": 1}),
    "SCALAR_SUBQUERY_TOO_MANY_ROWS": (
        "SELECT k, (SELECT k FROM t WHERE d = 1) AS n FROM t",
        {"k": 9, "s": "1", "d": 1},
    ),
    "USER_RAISED_EXCEPTION": ("SELECT IF(k > 8, raise_error('boom'), k) AS n FROM t", {"k": 9, "s": "1", "d": 1}),
}

SAYS = {condition: condition for condition in BAD} | {
    "SCALAR_SUBQUERY_TOO_MANY_ROWS": "More than one row returned by a subquery used as an expression"
}


def refusal(action) -> hw.HeadwaterError:
    with pytest.raises(hw.HeadwaterError) as raised:
        action()
    assert raised.value.__cause__ is None
    said = str(raised.value)
    assert "\n" not in said and "_hw_" not in said and len(said) < 400
    return raised.value


@pytest.fixture
def shop(lake):
    lake.create_table("t", [{"k": 1, "s": "1", "d": 1}])
    return lake


@pytest.mark.parametrize("condition", BAD)
def test_a_refresh_that_meets_bad_rows(shop, capfd, condition):
    text, row = BAD[condition]
    view = shop.create_view("v", text)
    before = view.arrow(), view.cursor
    shop.table("t").append([row])
    for action in (view.refresh, lambda: view.refresh(lane="spark"), lambda: view.refresh(full=True)):
        error = refusal(action)
        assert (error.key, error.params["name"]) == ("sql.runtime", "v")
        assert SAYS[condition] in str(error)
        assert (view.arrow(), view.cursor) == before
    assert capfd.readouterr().err == ""
    shop.table("t").delete("k = 9")
    view.refresh()
    assert view.verify().ok


@pytest.mark.parametrize("condition", BAD)
def test_a_view_over_bad_rows_is_not_made(shop, condition):
    text, row = BAD[condition]
    shop.table("t").append([row])
    error = refusal(lambda: shop.create_view("v", text))
    assert (error.key, error.params["name"]) == ("sql.runtime", "v")
    assert shop.views() == []


def test_values_are_quoted_whole(shop):
    text, row = BAD["CAST_INVALID_INPUT"]
    shop.table("t").append([row])
    assert "The value 'not. a number' of the type" in str(refusal(lambda: shop.create_view("v", text)))


def test_rows_of_spark_that_cannot_be_computed_are_not_appended(shop):
    table = shop.table("t")
    frame = shop.spark.sql("SELECT CAST(1 AS BIGINT) AS k, 'x' AS s, CAST(CAST('x' AS INT) AS BIGINT) AS d")
    before = table.version, table.arrow()
    error = refusal(lambda: table.append(frame))
    assert (error.key, error.params["name"]) == ("sql.runtime", "t")
    assert (table.version, table.arrow()) == before


def test_verification_says_what_fails(shop):
    shop.register_function("odd", lambda k: k % 2, "long")
    view = shop.create_view("v", "SELECT k, odd(k) AS o FROM t")

    def broken(k):
        raise ValueError("out of order")

    shop.register_function("odd", broken, "long")
    error = refusal(view.verify)
    assert error.key == "sql.runtime"
    assert "ValueError: out of order" in str(error)


def test_base_files_that_cannot_be_read(shop):
    from pathlib import Path

    view = shop.create_view("v", "SELECT k, count(*) AS n FROM t GROUP BY k")
    shop.table("t").append([{"k": 2, "s": "1", "d": 1}])
    for file in Path(shop.table("t").path).glob("*.parquet"):
        file.write_bytes(b"junk" * 64)
    rows = view.arrow()
    assert refusal(lambda: view.refresh(full=True)).key == "data.unreadable"
    assert view.arrow() == rows


@pytest.mark.parametrize(
    "column", ["parse_json('1')", "INTERVAL '1' DAY", "make_interval(1)", "array(NULL)", "map('a', INTERVAL '1' YEAR)"]
)
def test_columns_that_a_table_cannot_hold(shop, column):
    assert refusal(lambda: shop.create_view("v", f"SELECT k, {column} AS c FROM t")).key == "view.column_type"


@pytest.mark.parametrize("lane", ["auto", "spark"])
def test_a_handle_of_a_view_that_was_dropped_and_made_again(shop, spark, lane):
    view = shop.create_view("v", "SELECT k FROM t")
    with hw.connect(shop.path, spark=spark) as other:
        other.view("v").drop()
        for action in (lambda: view.refresh(lane=lane), view.arrow, view.df, view.verify, view.explain):
            assert refusal(action).key == "view.dropped"
        other.create_view("v", "SELECT s FROM t")
    assert refusal(lambda: view.refresh(lane=lane)).key == "view.dropped"
    assert shop.view("v").arrow().column_names == ["s"]


def test_one_table_may_be_named_without_a_list(shop):
    shop.create_table("q", [{"k": 1}])
    view = shop.create_view("v", "SELECT t.k FROM t JOIN q ON q.k = t.k")
    shop.table("q").append([{"k": 1}])
    shop.table("t").append([{"k": 1, "s": "", "d": 1}])
    assert view.refresh(tables="q").cursor == {"t": view.cursor["t"], "q": shop.table("q").version}
    assert view.rows == 2


def test_explain_says_that_a_refresh_would_be_refused(shop):
    from deltalake import write_deltalake

    view = shop.create_view("v", "SELECT k, d FROM t")
    rows = shop.table("t").arrow()
    texts = rows.set_column(rows.column_names.index("d"), "d", rows.column("d").cast("string"))
    write_deltalake(shop.table("t").path, texts, mode="overwrite", schema_mode="overwrite")
    explained = view.explain()
    assert explained.strategy == "refused"
    assert "now string instead of bigint" in str(explained)
    assert refusal(view.refresh).key == "view.source_changed"


def test_a_full_refresh_is_sparks(shop):
    view = shop.create_view("v", "SELECT k FROM t")
    assert "A full refresh runs on Spark." in str(refusal(lambda: view.refresh(full=True, lane="local")))


def test_the_local_lane_says_what_is_wrong_in_words(shop):
    view = shop.create_view("v", BAD["CAST_INVALID_INPUT"][0])
    shop.table("t").append([BAD["CAST_INVALID_INPUT"][1]])
    error = refusal_of_local(view)
    assert error.key == "lane.failed"
    assert "a text that is cast to int does not spell one" in str(error)


def refusal_of_local(view) -> hw.HeadwaterError:
    with pytest.raises(hw.HeadwaterError) as raised:
        view.refresh(lane="local")
    return raised.value
