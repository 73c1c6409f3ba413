"""NaN and -0.0 in the files that are written: no reader that skips by statistics or dictionaries misses a row."""

from __future__ import annotations

import math
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from headwater.lake import stats
from headwater.lake.delta_table import DeltaFolder

DOUBLE = pa.float64()
PAIR = pa.struct([("f", pa.float32()), ("n", pa.int32())])


def written(tmp_path, values: list, kind: pa.DataType = DOUBLE) -> tuple[pq.FileMetaData, dict]:
    data = pa.table({"id": pa.array(range(len(values)), pa.int64()), "v": pa.array(values, kind)})
    folder = DeltaFolder.create(tmp_path / "t", data.schema)
    folder.append(data)
    (file,) = folder.files()
    return pq.read_metadata(folder.absolute(file)), dict(file.stats)


def chunk(footer: pq.FileMetaData, path: str) -> pq.ColumnChunkMetaData:
    found = [footer.row_group(0).column(at) for at in range(footer.num_columns)]
    return next(each for each in found if each.path_in_schema == path)


@pytest.mark.parametrize(("values", "kept"), [([math.nan, 1.0], False), ([1.0, None], True), ([math.nan], False)])
def test_a_column_with_nan_has_no_statistics(tmp_path, values: list, kept: bool) -> None:
    footer, stats = written(tmp_path, values)
    found = chunk(footer, "v").statistics
    assert (found is not None and found.has_min_max) == kept
    assert ("v" in stats["minValues"]) == ("v" in stats["maxValues"]) == kept
    assert chunk(footer, "id").statistics.has_min_max
    assert stats["minValues"]["id"] == 0


@pytest.mark.parametrize(("values", "kept"), [([-0.0, 1.0], False), ([0.0, 1.0], True), ([None, -0.0], False)])
def test_a_column_with_negative_zero_has_no_dictionary(tmp_path, values: list, kept: bool) -> None:
    footer, _ = written(tmp_path, values)
    assert chunk(footer, "v").has_dictionary_page == kept
    assert chunk(footer, "id").has_dictionary_page


def test_fields_of_structs_as_well(tmp_path) -> None:
    footer, _ = written(tmp_path, [{"f": math.nan, "n": 1}, {"f": -0.0, "n": 2}, None], PAIR)
    found = chunk(footer, "v.f")
    assert (found.statistics is None or not found.statistics.has_min_max) and not found.has_dictionary_page
    assert chunk(footer, "v.n").statistics.has_min_max


def test_lists_and_maps_keep_their_statistics(tmp_path) -> None:
    kind = pa.struct([("l", pa.list_(pa.int32())), ("m", pa.map_(pa.string(), pa.int64())), ("f", pa.float64())])
    footer, _ = written(tmp_path, [{"l": [1], "m": [("a", 2)], "f": math.nan}], kind)
    paths = {footer.schema.column(at).path for at in range(footer.num_columns)}
    with_statistics = {
        path for path in paths if chunk(footer, path).statistics and chunk(footer, path).statistics.has_min_max
    }
    assert with_statistics == paths - {"v.f"}


def test_bounds_of_an_adopted_file_leave_out_what_spark_calls_nan() -> None:
    """Spark's maximum is NaN where a row group has one; another row group's must not take its place."""

    class Chunk:
        has_min_max = has_null_count = True
        num_values, null_count = 1, 0

        def __init__(self, value: float) -> None:
            self.min = self.max = value

    assert stats._bound([Chunk(5.0), Chunk(math.nan)], "max", max) is None
    assert stats._bound([Chunk(5.0), Chunk(7.0)], "max", max) == 7.0


@pytest.mark.parametrize("dictionary", [True, False])
def test_an_adopted_file_is_exact_when_no_fraction_has_a_dictionary(tmp_path, dictionary: bool) -> None:
    folder = DeltaFolder.create(tmp_path / "t", pa.schema([("f", pa.float64()), ("s", pa.string())]))
    os.makedirs(tmp_path / "t" / "stage")
    data = pa.table({"f": [-0.0, 1.0], "s": ["a", "b"]})
    pq.write_table(data, tmp_path / "t" / "stage" / "a.parquet", use_dictionary=["f", "s"] if dictionary else ["s"])
    folder.commit(folder.adopt("stage"))
    assert folder.files()[0].exact != dictionary
    assert folder.read().to_pylist() == data.to_pylist()
