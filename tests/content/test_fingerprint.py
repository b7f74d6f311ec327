"""Revisions of posts: all that is stored of a post counts, and nothing else."""

from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec.structs import replace

from sitecms.content.addresses import OwnAddresses
from sitecms.content.author import Author
from sitecms.content.entry import Entry
from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status, Version
from sitecms.content.term import Term, TermKind
from tests.support.entries import an_entry

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
MOON = Term(TermKind.TAG, "moon", "Moon")
POST = an_entry(
    EntryKind.POST, 1, NOON, slug="ebb", title="Ebb", author=Author("ann", "Ann"), tags=(MOON,), updated_at=NOON
)
OTHERS: dict[str, Any] = {
    "kind": EntryKind.PAGE,
    "version": Version.DRAFT,
    "status": Status.DRAFT,
    "fields": {"x": "y"},
    "addresses": OwnAddresses(guid="x"),
    "author": Author("bo", "Ann"),
    "categories": (MOON,),
    "tags": (),
}


@pytest.mark.parametrize(
    "name", [name for name in Entry.__struct_fields__ if name not in ("body", "markdown", "saved_by")]
)
def test_each_value_counts(name: str) -> None:
    """A post with another value in one field has another revision; for body and Markdown stands the body's digest."""
    value = getattr(POST, name)
    by_type = {int: 7, str: "x", datetime: NOON.replace(hour=1), tuple: ("x",)}
    other: Any = OTHERS.get(name, by_type.get(type(value), NOON))
    assert replace(POST, **dict[str, Any]({name: other})).revision != POST.revision


def test_values_of_author_and_terms_do_not_count() -> None:
    """They belong to others: a biography does not make a client's copy of the post stale."""
    same = replace(POST, author=Author("ann", "Ann", bio="Writes."), tags=(replace(MOON, name="The Moon"),))
    assert same.revision == POST.revision
