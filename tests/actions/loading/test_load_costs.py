"""Counted costs of a load: statements, renders and reads of files do not grow unseen."""

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.actions.conftest import SiteFolder

POSTS = 100
BODY = "## Tide\n\nEbb *and* flow, see [this](/x/).\n\n- one\n- two\n\n```python\nprint('<tide>')\n```\n"
WATCHED = {
    ("rendering", "render"): "renders",
    ("html", "sanitize"): "sanitised texts",
    ("yaml12", "load_yaml"): "parsed front matter",
    ("html", "plain_text"): "plain texts",
    ("html", "reading_minutes"): "reading times",
    ("reading", "read_text"): "readings of files",
    ("session", "sql"): "statements",
    ("session", "rows"): "statements",
    ("session", "run"): "statements",
    ("session", "run_many"): "statements for many rows",
    ("session", "sql_many"): "statements for many rows",
    ("session", "insert_many"): "statements for many rows",
    ("session", "insert"): "inserted rows",
}


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """Count the calls that cost most while the block runs."""
    counts: Counter[str] = Counter()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            module = frame.f_globals.get("__name__", "")
            name = WATCHED.get((module.rpartition(".")[2], frame.f_code.co_name))
            if name and module.startswith("sitecms."):
                counts[name] += 1

    sys.setprofile(note)
    try:
        yield counts
    finally:
        sys.setprofile(None)


@pytest.fixture
def loaded(folder: "SiteFolder") -> "SiteFolder":
    """A site that was loaded with one post, so that everything is imported and made."""
    folder.post("first", BODY, tags=["sea"], categories=["Coast"])
    folder.load()
    return folder


def write_posts(folder: "SiteFolder") -> None:
    """Write posts as people write them."""
    for number in range(POSTS):
        folder.post(
            f"p{number:03}", f"{BODY}\n{number}", tags=[f"t{number % 5}", "sea"], published="2026-01-01T08:00:00Z"
        )


def test_costs_of_new_posts(loaded: "SiteFolder") -> None:
    """Each post is read, rendered, sanitised and derived from once, and takes one statement of its own."""
    write_posts(loaded)
    with counted() as counts:
        assert len(loaded.load().loaded) == POSTS
    assert counts["renders"] == POSTS
    assert counts["readings of files"] <= POSTS + 10
    assert counts["reading times"] == POSTS
    assert counts["plain texts"] <= 2 * POSTS
    assert counts["sanitised texts"] == POSTS
    assert counts["parsed front matter"] <= POSTS + 10
    assert counts["statements"] <= POSTS + 66
    assert counts["statements for many rows"] <= 20
    assert counts["inserted rows"] <= 5


def test_costs_of_an_unchanged_load(loaded: "SiteFolder", monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is rendered or stored, and the number of statements does not depend on that of posts."""
    monkeypatch.setattr("sitecms.actions.loading.reading.files._YOUNG_NS", 0)  # else later loads note files now old
    write_posts(loaded)
    loaded.load()
    with counted() as counts:
        assert loaded.load().unchanged > POSTS
    assert counts["renders"] == counts["plain texts"] == counts["inserted rows"] == 0
    assert counts["statements"] <= 12
