"""Counted costs of a load: statements, renders and reads of files do not grow unseen."""

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Any

import nh3
import pytest
from markdown_it import MarkdownIt

from sitecms.content.kinds import EntryKind
from tests.actions.conftest import SiteFolder

POSTS = 100
BODY = "## Tide\n\nEbb *and* flow, see [this](/x/).\n\n- one\n- two\n\n```python\nprint('<tide>')\n```\n"
STATEMENTS = {
    "sql": "statements",
    "rows": "statements",
    "run": "statements",
    "run_many": "statements for many rows",
    "sql_many": "statements for many rows",
    "insert_many": "statements for many rows",
    "insert": "inserted rows",
}


@contextmanager
def counted(folder: SiteFolder) -> Iterator[Counter[str]]:
    """Count what costs most while the block runs: statements of the store, and calls of the libraries for texts."""
    counts: Counter[str] = Counter()
    watched = {MarkdownIt.render.__code__: "renders", Path.read_bytes.__code__: "readings of files"}
    with folder.database.writing() as transaction:
        for owner in type(transaction).__mro__:
            for name, label in STATEMENTS.items():
                if name in vars(owner):
                    watched[vars(owner)[name].__code__] = label
    assert set(STATEMENTS.values()) <= set(watched.values())

    def note(frame: FrameType, event: str, function: Any) -> None:
        if event == "call" and (label := watched.get(frame.f_code)):
            counts[label] += 1
        elif event == "c_call" and isinstance(getattr(function, "__self__", None), nh3.Cleaner):
            counts["sanitised texts"] += 1

    sys.setprofile(note)
    try:
        yield counts
    finally:
        sys.setprofile(None)


@pytest.fixture
def loaded(folder: SiteFolder) -> SiteFolder:
    """A site that was loaded with one post, so that everything is imported and made."""
    folder.post("first", BODY, tags=["sea"], categories=["Coast"])
    folder.load()
    return folder


def write_posts(folder: SiteFolder) -> None:
    """Write posts as people write them."""
    for number in range(POSTS):
        folder.post(
            f"p{number:03}", f"{BODY}\n{number}", tags=[f"t{number % 5}", "sea"], published="2026-01-01T08:00:00Z"
        )


def test_costs_of_new_posts(loaded: SiteFolder) -> None:
    """Each post is rendered and sanitised once, and takes one statement of its own.

    It is read once for its digest and once to be kept, beside the reading of its front matter.
    """
    write_posts(loaded)
    with counted(loaded) as counts:
        assert len(loaded.load().loaded) == POSTS
    assert counts["renders"] == POSTS
    assert 2 * POSTS <= counts["readings of files"] <= 2 * POSTS + 10
    assert counts["sanitised texts"] == POSTS
    assert POSTS <= counts["statements"] <= POSTS + 66
    assert counts["statements for many rows"] <= 20
    assert counts["inserted rows"] <= 5


def test_costs_of_an_unchanged_load(loaded: SiteFolder) -> None:
    """Nothing is rendered or stored, and the number of statements does not depend on that of posts."""
    write_posts(loaded)
    loaded.now = datetime.now(UTC)  # each load is an hour later, when the files are old
    loaded.load()
    with counted(loaded) as counts:
        assert loaded.load().unchanged > POSTS
    assert counts["renders"] == counts["sanitised texts"] == counts["inserted rows"] == 0
    assert counts["statements"] <= 12


@pytest.mark.parametrize(("kind", "most"), [(EntryKind.PAGE, 250), (EntryKind.ITEM, 150)])
def test_costs_of_new_entries_with_versions(loaded: SiteFolder, kind: EntryKind, most: int) -> None:
    """Their versions are stored together, as those of posts; what takes statements of its own is their name."""
    if kind is EntryKind.PAGE:
        for number in range(POSTS):
            loaded.guide(f"g{number:03}", fields={"headline": "Tide"}, published="2026-01-01T08:00:00Z")
    else:
        loaded.items("team", *({"id": number, "fields": {"name": "Ann"}} for number in range(1, POSTS + 1)))
    with counted(loaded) as counts:
        assert loaded.load().errors == ()
    assert counts["statements"] <= most
    assert counts["inserted rows"] <= POSTS + 5
    assert counts["statements for many rows"] <= 20
