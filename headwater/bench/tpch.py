"""TPC-H: its data from `tpchgen-cli`, as tables of a lake, and its queries as the text of views.

Idea: data are generated once per scale into a cache folder, and loaded by Spark into tables whose file sizes suit
the scale. A query file holds the standard text with its validation parameters, those of scale factor 1; a view has
no order, so where no LIMIT reads it, its text ends where the outer ORDER BY begins.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from deltalake import DeltaTable

from headwater.bench.refusals import Refusal

if TYPE_CHECKING:
    from headwater.api.lake import Lake
    from headwater.api.table import Table

TABLES = ("region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem")
QUERIES = ("q1", "q3", "q5", "q6", "q7", "q9", "q10", "q12", "q14", "q19")  # joins and sums: the first ten
ALL_QUERIES = tuple(f"q{number}" for number in range(1, 23))
FILES_PER_TABLE = 16  # enough for Spark to share out among cores, few enough to list in no time
SMALLEST_FILE = 8 << 20  # bytes; below this a file costs more to open than to read
OUTER_ORDER = re.compile(r"^order by\b", re.MULTILINE)  # at the start of a line only the outermost one stands
LIMIT = re.compile(r"^limit (\d+)", re.MULTILINE)


def query_text(query: str) -> str:
    """The standard text of `q1` to `q22`, ORDER BY and LIMIT included."""
    return files("headwater.bench").joinpath("queries", f"{query}.sql").read_text(encoding="utf-8")


def view_text(query: str) -> str:
    """The query as a view: without an outer ORDER BY that no LIMIT reads, which has no meaning there."""
    text = query_text(query)
    return text if has_limit(query) else OUTER_ORDER.split(text)[0].rstrip() + "\n"


def has_limit(query: str) -> bool:
    return LIMIT.search(query_text(query)) is not None


def tables_of(sql: str) -> tuple[str, ...]:
    """The TPC-H tables that a text names."""
    return tuple(name for name in TABLES if re.search(rf"\b{name}\b", sql))


def default_cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "headwater" / "tpch"


def generate(scale: float, cache: Path) -> Path:
    """The folder with one Parquet file per table at this scale, made unless it is there already."""
    folder = cache / f"sf{scale:g}"
    if all((folder / f"{name}.parquet").exists() for name in TABLES):
        return folder
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache, prefix="making-") as staging:
        command = [generator(), "parquet", "--quiet", "-s", f"{scale:g}", "--output-dir", staging]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        folder.mkdir(exist_ok=True)
        for name in TABLES:
            os.replace(Path(staging) / f"{name}.parquet", folder / f"{name}.parquet")
    return folder


def generator() -> str:
    """The path of `tpchgen-cli`."""
    found = shutil.which("tpchgen-cli", path=str(Path(sys.executable).parent)) or shutil.which("tpchgen-cli")
    if found is None:
        raise Refusal("bench.package", package="tpchgen-cli")
    return found


def load(lake: Lake, data: Path, names: Iterable[str]) -> Mapping[str, Table]:
    """Create the named tables of the lake from generated data."""
    return {name: _load_table(lake, data / f"{name}.parquet", name) for name in names}


def _load_table(lake: Lake, source: Path, name: str) -> Table:
    file_size = max(SMALLEST_FILE, source.stat().st_size // FILES_PER_TABLE)
    session = lake.spark.newSession()  # its settings are its own
    session.conf.set("spark.sql.files.maxPartitionBytes", str(file_size))
    session.conf.set("spark.sql.files.openCostInBytes", "0")
    table = lake.create_table(name, session.read.parquet(str(source)))
    # Without it, deletes through delta-rs would merge the files they rewrite into a few large ones.
    DeltaTable(table.path).alter.set_table_properties({"delta.targetFileSize": str(file_size)})
    return table
