"""Pages of docs/ that are made from code say what the code says."""

from __future__ import annotations

import pytest

from headwater.errors import SENTENCES, HeadwaterError
from scripts.generate_docs import PAGES, ROOT, errors_page


@pytest.mark.parametrize("path", PAGES)
def test_generated_page_is_current(path):
    written = ROOT / path
    assert written.read_text(encoding="utf-8") == PAGES[path](), f"{path} is out of date; run: make docs"


def test_every_error_key_has_its_row():
    rows = [line for line in errors_page().splitlines() if line.startswith("| `")]
    assert [row.split("`")[1] for row in rows] == sorted(SENTENCES, key=_order_of_families())


def test_parameters_are_named_in_the_sentence_of_the_page():
    assert "found *found* at *path*" in errors_page()


def test_an_error_fills_in_its_sentence():
    error = HeadwaterError("java.too_old", found="11.0.2", path="/opt/java")
    assert "found 11.0.2 at /opt/java" in str(error)


def _order_of_families():
    families = list(dict.fromkeys(key.split(".")[0] for key in SENTENCES))
    order = list(SENTENCES)
    return lambda key: (families.index(key.split(".")[0]), order.index(key))
