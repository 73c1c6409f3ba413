"""Headwater keeps SQL views on Apache Spark fresh: it advances a view by the change, not by the whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.errors import Conflict, HeadwaterError, Unsupported

if TYPE_CHECKING:
    from headwater.api.lake import Lake, connect
    from headwater.api.table import Table
    from headwater.api.view import View

__version__ = "0.1.0"
__all__ = ["Conflict", "HeadwaterError", "Lake", "Table", "Unsupported", "View", "__version__", "connect"]

_HOMES = {
    "connect": "headwater.api.lake",
    "Lake": "headwater.api.lake",
    "Table": "headwater.api.table",
    "View": "headwater.api.view",
}


def __getattr__(name: str) -> Any:
    """The public objects are imported when first used, so that `import headwater` costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'headwater' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
