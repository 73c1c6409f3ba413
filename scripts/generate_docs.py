"""Writes the pages of docs/ that are made from code: `make docs`.

Idea: a page is a pure function of the code, so `tests/test_docs.py` can tell whether the page in the tree is current.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from headwater.errors import SENTENCES
from scripts import sql_support

ROOT = Path(__file__).resolve().parent.parent

ERRORS_HEADER = """\
# Error keys

Every error that Headwater raises on purpose is a `HeadwaterError` with a stable `.key`, the values behind the sentence
in `.params` and, where it is about SQL, a `.position`. Match on the key: sentences may be reworded. `unsupported.*`
keys are also the reasons that EXPLAIN and the history give for a full refresh.

Generated from `headwater/errors.py` by `make docs`.
"""


def errors_page() -> str:
    """One table per family of keys, in the order of the source."""
    families: dict[str, list[str]] = {}
    for key, sentence in SENTENCES.items():
        families.setdefault(key.split(".")[0], []).append(f"| `{key}` | {_cell(sentence)} |")
    tables = [
        f"\n## {family}\n\n| key | sentence |\n| --- | --- |\n" + "\n".join(rows) + "\n"
        for family, rows in families.items()
    ]
    return ERRORS_HEADER + "".join(tables)


def _cell(sentence: str) -> str:
    """A sentence as Markdown: its parameters in italics, and nothing that would end the cell."""
    return re.sub(r"\{(\w+)(?:![rsa])?\}", r"*\1*", sentence).replace("|", "\\|")


PAGES: dict[str, Callable[[], str]] = {"docs/errors.md": errors_page, "docs/sql-support.md": sql_support.page}


def main() -> None:
    for path, page in PAGES.items():
        (ROOT / path).write_text(page(), encoding="utf-8")
        print(f"wrote {path}")


if __name__ == "__main__":
    main()
