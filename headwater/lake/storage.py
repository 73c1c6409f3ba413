"""The one place that touches the file system.

Idea: everything else in `lake` names files by path and asks here, so that object storage can follow by replacing
this file.
Limits: local paths (and `file://` addresses) only. Commits that record no change files are made by delta-rs, which
does not come through here.
"""

from __future__ import annotations

import os
import re
import shutil
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote, urlparse

LOG_FOLDER = "_delta_log"
COMMIT_NAME = re.compile(r"^(\d{20})\.json$")


@dataclass(frozen=True)
class FileState:
    """What identifies the content of a file without reading it."""

    path: str  # relative to the folder that was walked, with forward slashes
    size: int
    modified_ns: int


def local_path(path: str | os.PathLike[str]) -> str:
    """The absolute path of a folder; a `file://` address is accepted."""
    text = os.fspath(path)
    if text.startswith("file:"):
        text = unquote(urlparse(text).path)
    return os.path.abspath(os.path.expanduser(text))


def commit_path(root: str, version: int) -> str:
    return os.path.join(root, LOG_FOLDER, f"{version:020d}.json")


def read_text(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def write_text(path: str, text: str) -> None:
    """Replace a small file in one step: a reader sees the old text or the new one."""
    temporary = f"{path}.{os.getpid()}.tmp"
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(temporary, path)


def write_new(path: str, text: str) -> bool:
    """Make a small file in one step, only if there is none of that name yet; False when somebody else was faster."""
    temporary = f"{path}.{uuid.uuid4().hex}.tmp"
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(text)
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    finally:
        os.remove(temporary)
    return True


def exists(path: str) -> bool:
    return os.path.exists(path)


def is_folder(path: str) -> bool:
    return os.path.isdir(path)


def size(path: str) -> int:
    return os.path.getsize(path)


def modified_ms(path: str) -> int:
    return os.stat(path).st_mtime_ns // 1_000_000


def state(path: str) -> FileState | None:
    """What identifies a file's content; None when there is no such file."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return FileState(path, found.st_size, found.st_mtime_ns)


def make_folder(path: str) -> None:
    os.makedirs(path, exist_ok=True)


def move(source: str, target: str) -> None:
    make_folder(os.path.dirname(target))
    os.replace(source, target)


def remove(path: str) -> bool:
    """Remove a file; False when somebody else already did."""
    try:
        os.remove(path)
    except FileNotFoundError:
        return False
    return True


def remove_folder(path: str) -> None:
    shutil.rmtree(path, ignore_errors=True)


def join(root: str, path: str) -> str:
    """`path` below `root`; absolute paths and addresses stand for themselves."""
    if path.startswith("file:"):
        return local_path(path)
    return os.path.join(root, path)


def walk(root: str, *, hidden: bool = False) -> Iterator[FileState]:
    """Every file below `root`, in a stable order; names that start with `_` or `.` are skipped unless `hidden`."""
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if hidden or "=" in name or name[0] not in "_.")
        for name in sorted(files):
            if hidden or name[0] not in "_.":
                state = os.stat(os.path.join(folder, name))
                relative = os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")
                yield FileState(relative, state.st_size, state.st_mtime_ns)
