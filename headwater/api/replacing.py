"""A view under another definition: built beside the old one, switched in one commit of the view's own log.

    the new definition's pasts and rows      written; no commit names them, so nobody sees them
    one commit to the view's folder          the old rows go; the new ones, their schema and cursor, the definition come
    the old definition's pasts               go
    the catalog                              learns of it

Idea: the definition travels in the commit, so the log alone says which one is in force, and nothing has to be promised
before. The catalog may be behind it: for a moment, or for as long as the process that was about to tell it is dead.
Whoever opens the view compares the two, and tells the catalog.
Invariant: before the commit the old view is as it was, in rows, pasts and definition, whatever fails; after it the new
one stands. Readers of the folder, of whatever kind, see one or the other.
Limits: pasts of a build that was killed stay until the view is dropped, or replaced a day later; its files among the
view's own are removed by vacuum.
"""

from __future__ import annotations

import os
import time

from headwater.api.view import View
from headwater.errors import HeadwaterError
from headwater.lake import storage
from headwater.lake.catalog import Catalog, Entry
from headwater.lake.delta_table import DeltaFolder
from headwater.lake.vacuum import ORPHAN_AGE
from headwater.lake.warehouse import Warehouse
from headwater.refresh.definition import Definition
from headwater.refresh.report import Cursor
from headwater.refresh.standing import defined_in, standing_of


def replaced(old: View, new: View, cursor: Cursor, catalog: Catalog, warehouse: Warehouse) -> None:
    """Put the one view in the place of the other; both have the same folder."""
    try:
        new._take_over(cursor)
    except BaseException:
        if not _is_in_force(new):
            new._store.drop()
        raise
    tell(catalog, warehouse, old._definition.id, entry_of(new._definition))


def _is_in_force(view: View) -> bool:
    standing = standing_of(view._folder)
    return standing is not None and standing.definition == view._definition.id


def entry_of(definition: Definition) -> Entry:
    """What the catalog keeps of a view."""
    return Entry("view", definition.name, definition.id, definition.as_dict())


def in_force(entry: Entry, folder: DeltaFolder, catalog: Catalog, warehouse: Warehouse) -> Entry:
    """The entry by which a view's rows are made: the catalog's, or the one that its log has and the catalog lacks."""
    standing = standing_of(folder)
    if standing is None or standing.definition in ("", entry.id):
        return entry
    found = defined_in(folder)
    if found is None or found[0] != standing.definition:
        raise HeadwaterError("view.unknown", name=entry.name, known="its log names a definition that it lacks")
    newer = Entry("view", entry.name, *found)
    tell(catalog, warehouse, entry.id, newer)
    return newer


def tell(catalog: Catalog, warehouse: Warehouse, old: str, newer: Entry) -> None:
    """The pasts of the definition that is no longer in force go, and the catalog gets the one that is: told last, so
    that what was left undone is seen."""
    root = warehouse.pasts_path(newer.name)
    for id_ in os.listdir(root) if storage.is_folder(root) else ():
        path = warehouse.past_path(newer.name, id_)
        if id_ == old or (id_ != newer.id and _is_abandoned(path)):
            storage.remove_folder(path)
    catalog.succeed(newer, old)


def _is_abandoned(path: str) -> bool:
    """True for what a killed build has left: nobody builds for so long."""
    return time.time() - storage.modified_ms(path) / 1000 > ORPHAN_AGE
