"""Golden files: what a test makes, compared with what was made before; `pytest --update-goldens` writes them anew."""

from __future__ import annotations

from pathlib import Path


def titled_queries(path: Path) -> dict[str, str]:
    """The queries of a fixture file: each stands below its `-- title`."""
    found: dict[str, str] = {}
    for part in path.read_text(encoding="utf-8").split("-- ")[1:]:
        title, _, sql = part.partition("\n")
        assert title.strip() not in found, f"{path}: two queries are named {title.strip()}"
        found[title.strip()] = sql.strip().rstrip(";")
    return found


def check(path: Path, text: str, update: bool) -> None:
    if update:
        path.write_text(text, encoding="utf-8")
    assert path.exists(), f"{path.name} is missing; run pytest --update-goldens"
    assert text == path.read_text(encoding="utf-8"), f"{path.name} differs; if it should, run pytest --update-goldens"
