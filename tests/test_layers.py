"""Import boundaries: an import may only point downward, and each engine is touched in one place only.

The layers are those of the design, top to bottom. Imports inside functions and under TYPE_CHECKING count as well: a
type is a dependency too. Only pyspark's types may be named where sessions and frames are handed in.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "headwater"
FACADE = "headwater"  # headwater/__init__.py, which imports the api lazily; nothing below the top imports it
LAYERS = (
    {"cli", "web", "bench", FACADE},
    {"api"},
    {"refresh", "online"},
    {"state", "nested", "temporal"},
    {"engine"},
    {"delta"},
    {"sql"},
    {"algebra"},
    {"lake"},
    {"errors"},
)
BESIDE = {("cli", "bench"), ("cli", "web"), ("cli", FACADE), ("web", FACADE), ("bench", FACADE)}
ENGINES = {  # library -> where it may be imported, and where only its types may be named
    "pyspark": ({"headwater.engine.spark"}, {"headwater.api", "headwater.cli", "headwater.bench"}),
    "duckdb": ({"headwater.engine.local", "headwater.bench"}, set()),
}
MOST_LINES = 600
UNFINISHED = re.compile(r"\b(TODO|FIXME|NotImplementedError)\b")


@dataclass(frozen=True)
class Import:
    """One imported module: its full name, the line, and whether only the type checker runs the statement."""

    target: str
    line: int
    types_only: bool


def violations(module: str, source: str) -> list[str]:
    """What `source`, as the module of that dotted name, imports against the rules."""
    found = []
    for imported in imports(module, source):
        problem = _against_layers(module, imported) or _against_engines(module, imported)
        if problem:
            found.append(f"{module}:{imported.line}: {problem}")
    return found


def imports(module: str, source: str) -> Iterator[Import]:
    """Every import statement, wherever it stands, with relative names resolved."""
    yield from _walk(ast.parse(source), module.split(".")[:-1], types_only=False)


def _walk(node: ast.AST, package: list[str], types_only: bool) -> Iterator[Import]:
    if isinstance(node, ast.Import):
        yield from (Import(alias.name, node.lineno, types_only) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = package[: len(package) - node.level + 1] if node.level else []
        origin = ".".join([*base, *([node.module] if node.module else [])])
        yield from (Import(f"{origin}.{alias.name}", node.lineno, types_only) for alias in node.names)
    guarded = isinstance(node, ast.If) and ast.unparse(node.test) in {"TYPE_CHECKING", "typing.TYPE_CHECKING"}
    for child in ast.iter_child_nodes(node):
        yield from _walk(child, package, types_only or (guarded and child in node.body))


def _against_layers(module: str, imported: Import) -> str | None:
    if imported.target.split(".")[0] != "headwater":
        return None
    importer, target = _part(module), _part(imported.target)
    if importer in {FACADE, target} or (importer, target) in BESIDE:
        return None
    if _level(target) > _level(importer):
        return None
    return f"{importer} may not import {target} ({imported.target}): imports point downward only"


def _against_engines(module: str, imported: Import) -> str | None:
    library = imported.target.split(".")[0]
    if library not in ENGINES:
        return None
    allowed, types_allowed = ENGINES[library]
    homes = allowed | types_allowed if imported.types_only else allowed
    if any(module == home or module.startswith(home + ".") for home in homes):
        return None
    return f"{library} may be imported only in {', '.join(sorted(allowed))}"


def _part(module: str) -> str:
    """The layer's package that a module belongs to; a name of the package root (`headwater.connect`) is the facade."""
    first = [*module.split("."), "__init__"][1]
    is_module = (PACKAGE / first).is_dir() or (PACKAGE / f"{first}.py").is_file() or first in set().union(*LAYERS)
    return first if is_module and first != "__init__" else FACADE


def _level(part: str) -> int:
    for level, parts in enumerate(LAYERS):
        if part in parts:
            return level
    raise AssertionError(f"headwater/{part} belongs to no layer; give it one in {Path(__file__).name}")


def _name(path: Path) -> str:
    """The dotted name, of a package's own file with its `__init__`, so that the parent is what `.` means in it."""
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)


MODULES = sorted(PACKAGE.rglob("*.py"))


@pytest.fixture(params=MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def module(request) -> Path:
    return request.param


def test_module_belongs_to_a_layer(module):
    assert _level(_part(_name(module))) >= 0


def test_imports_point_downward(module):
    found = violations(_name(module), module.read_text(encoding="utf-8"))
    assert not found, "\n".join(found)


def test_module_says_what_it_is(module):
    assert ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))), f"{module.name} has no docstring header"


def test_module_is_small(module):
    lines = len(module.read_text(encoding="utf-8").splitlines())
    assert lines <= MOST_LINES, f"{module.name} has {lines} lines: split it"


def test_nothing_is_left_unfinished(module):
    lines = module.read_text(encoding="utf-8").splitlines()
    found = [
        f"{module.name}:{number}: {line.strip()}" for number, line in enumerate(lines, 1) if UNFINISHED.search(line)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("headwater.lake.table", "from headwater.algebra import nodes"),  # upward
        ("headwater.lake.table", "import headwater.api.view"),
        ("headwater.lake.table", "from headwater import api"),
        ("headwater.lake.table", "from ..delta.rules import change"),  # relative
        ("headwater.lake.__init__", "from ..sql import parse"),
        ("headwater.lake.table", "def f():\n    from headwater.engine import run"),  # inside a function
        ("headwater.lake.table", "if TYPE_CHECKING:\n    from headwater.engine import Lane"),  # a type
        ("headwater.refresh.plan", "from headwater.online import answers"),  # sideways
        ("headwater.state.places", "import headwater.nested.tree"),
        ("headwater.api.lake", "from headwater import connect"),  # the facade, from below
        ("headwater.api.lake", "import headwater as hw"),
        ("headwater.bench.refresh", "from headwater.cli import main"),
        ("headwater.api.lake", "from headwater.bench import refresh"),
        ("headwater.lake.table", "import pyspark"),
        ("headwater.engine.local.lane", "from pyspark.sql import SparkSession"),
        ("headwater.engine.sparkling", "import pyspark"),
        ("headwater.api.lake", "from pyspark.sql import DataFrame"),
        ("headwater.lake.table", "if TYPE_CHECKING:\n    from pyspark.sql import DataFrame"),
        ("headwater.api.lake", "if TYPE_CHECKING:\n    pass\nelse:\n    from pyspark.sql import DataFrame"),
        ("headwater.engine.spark.lane", "import duckdb"),
    ],
)
def test_the_lint_finds(module, source):
    assert len(violations(module, source)) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("headwater.api.lake", "from headwater.lake.table import Table\nfrom headwater.errors import HeadwaterError"),
        ("headwater.refresh.report", "def f():\n    from headwater.refresh.explain import render"),
        ("headwater.refresh.report", "from . import explain\nfrom .explain import render\nfrom .. import errors"),
        ("headwater.lake.__init__", "from .table import Table"),
        ("headwater.__init__", "from headwater.api import connect"),
        (
            "headwater.cli.main",
            "import headwater as hw\nfrom headwater.bench import refresh\nfrom headwater.web import app",
        ),
        ("headwater.engine.spark.session", "from pyspark.sql import SparkSession"),
        ("headwater.engine.spark.__init__", "import pyspark.sql.functions as F"),
        ("headwater.engine.local.lane", "import duckdb"),
        ("headwater.bench.tpch", "import duckdb\nfrom headwater import connect"),
        ("headwater.api.lake", "if TYPE_CHECKING:\n    from pyspark.sql import DataFrame"),
        ("headwater.lake.table", "import headwaters, pysparkling, pyarrow"),
    ],
)
def test_the_lint_allows(module, source):
    assert violations(module, source) == []


def test_a_package_without_a_layer_is_refused():
    with pytest.raises(AssertionError, match="belongs to no layer"):
        _level("misc")
