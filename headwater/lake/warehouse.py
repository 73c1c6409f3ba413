"""The layout of a warehouse folder, and which names may go into it.

    <warehouse>/<name>/                          a table or a view (one Delta table each)
    <warehouse>/_headwater/format.json           the version of this layout
    <warehouse>/_headwater/catalog/              definitions (Delta)
    <warehouse>/_headwater/history/              one row a refresh (Delta)
    <warehouse>/_headwater/warm.duckdb           what a process held of tables and pasts; a cache
    <warehouse>/_headwater/attached/<name>/      versions of an attached Parquet folder (Delta)
    <warehouse>/_headwater/pasts/<view>/<node>/  stored pasts

Invariant: a name that passes `check_name` is safe as a folder, as an SQL identifier and in a log line.
"""

from __future__ import annotations

import json
import os
import re

from headwater.errors import HeadwaterError
from headwater.lake import storage

FORMAT_VERSION = 1
OWN_FOLDER = "_headwater"
LONGEST_NAME = 128
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def check_name(name: str) -> str:
    """The name itself when it can be used."""
    if not isinstance(name, str) or not name:
        why = "a name needs at least one character"
    elif len(name) > LONGEST_NAME:
        why = f"it is longer than {LONGEST_NAME} characters"
    elif not NAME.fullmatch(name):
        why = "use letters, digits and underscores, and do not begin with a digit"
    elif name.lower().startswith(OWN_FOLDER):
        why = f"names that begin with {OWN_FOLDER} are Headwater's own"
    else:
        return name
    raise HeadwaterError("table.name", name=name, why=why)


class Warehouse:
    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Opens the folder, or makes it."""
        if not isinstance(path, (str, os.PathLike)) or not os.fspath(path):
            raise HeadwaterError("warehouse.path", value=path)
        self.path = storage.local_path(path)
        if storage.exists(self.path) and not storage.is_folder(self.path):
            raise HeadwaterError("warehouse.not_folder", path=self.path)
        try:
            self._check_format()
        except OSError as error:
            why = error.strerror or str(error)
            raise HeadwaterError("warehouse.unusable", path=self.path, why=why[:1].lower() + why[1:]) from error

    def _check_format(self) -> None:
        file = self._own("format.json")
        if not storage.exists(file):
            storage.make_folder(os.path.dirname(file))
            storage.write_text(file, json.dumps({"format": FORMAT_VERSION}) + "\n")
            return
        found = json.loads(storage.read_text(file))["format"]
        if found > FORMAT_VERSION:
            raise HeadwaterError("warehouse.format", path=self.path, found=found, supported=FORMAT_VERSION)

    def _own(self, *parts: str) -> str:
        return os.path.join(self.path, OWN_FOLDER, *parts)

    def table_path(self, name: str) -> str:
        return os.path.join(self.path, check_name(name))

    def attached_path(self, name: str) -> str:
        return self._own("attached", check_name(name))

    def past_path(self, view: str, node: str | int) -> str:
        return self._own("pasts", check_name(view), str(node))

    def pasts_path(self, view: str) -> str:
        return self._own("pasts", check_name(view))

    @property
    def catalog(self) -> str:
        return self._own("catalog")

    @property
    def warm_copy(self) -> str:
        return self._own("warm.duckdb")

    @property
    def history(self) -> str:
        return self._own("history")
