"""What files can say of an entry, they can say of an entry of every kind."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from sitecms.actions.editing.values import fields_in, values_of
from sitecms.actions.writing.publish_scheduled import publish_scheduled
from sitecms.content.kinds import EntryKind
from sitecms.content.query import Window
from sitecms.content.status import Status
from sitecms.content.term import TermKind
from sitecms.store.entries.revisions import find_revisions, get_revision, last_change
from sitecms.store.entries.terms import count_uses_of_term, find_terms
from sitecms.store.entries.trash import find_trash
from tests.actions.conftest import GUIDE, TEAM, SiteFolder

each_kind = pytest.mark.parametrize("kind", EntryKind)
DUE = datetime(2026, 6, 1, 8, tzinfo=UTC)
DECLARED = {"terms": ["categories", "tags"], "featured_image": True}
DAYS = {"created": "2026-01-01T08:00:00Z", "published": "2026-01-02T08:00:00Z", "updated": "2026-01-03T08:00:00Z"}


def write(folder: SiteFolder, kind: EntryKind, text: str = "Ebb", **keys: Any) -> None:
    """Write the file of an entry with a text in a declared field, and these keys."""
    folder.entry(kind, text, **keys)
    assert folder.load(prune=True).errors == ()


@each_kind
def test_times_are_written_by_hand(folder: SiteFolder, kind: EntryKind) -> None:
    """Created, published and updated."""
    write(folder, kind, **DAYS)
    (entry,) = folder.versions(kind)
    times = entry.created_at, entry.published_at, entry.updated_at
    assert times == tuple(datetime.fromisoformat(day) for day in DAYS.values())


@each_kind
def test_addresses_are_own_and_former_ones(folder: SiteFolder, kind: EntryKind) -> None:
    """A path in place of the permalink, and aliases."""
    write(folder, kind, path="/tide/one/", aliases=["/old/"])
    (entry,) = folder.versions(kind)
    assert (entry.path, [*entry.addresses.aliases.values()]) == ("/tide/one/", [("/old/",)])


@each_kind
def test_draft_becomes_published_and_a_draft_again(folder: SiteFolder, kind: EntryKind) -> None:
    """Its first publication is kept, and so are its former states."""
    write(folder, kind, status="draft")
    assert [(each.status, each.published_at) for each in folder.versions(kind)] == [(Status.DRAFT, None)]
    write(folder, kind, "Flow", status="published")
    published_at = folder.versions(kind)[0].published_at
    assert published_at is not None
    folder.now += timedelta(days=1)
    for status in ("draft", "published"):
        write(folder, kind, "Flow", status=status)
        (entry,) = folder.versions(kind)
        assert (entry.status, entry.published_at) == (status, published_at)
    assert folder.database.read(last_change, kind, entry.id, "en") is not None


@each_kind
def test_schedule_is_carried_out(folder: SiteFolder, kind: EntryKind) -> None:
    """At its time, after which the file changes nothing."""
    write(folder, kind, status="scheduled", scheduled="2026-06-01T08:00:00Z")
    (entry,) = folder.versions(kind)
    assert (entry.status, entry.scheduled_at) == (Status.SCHEDULED, DUE)
    assert publish_scheduled(folder.database, DUE, folder.settings) == 1
    (entry,) = folder.versions(kind)
    assert (entry.status, entry.published_at) == (Status.PUBLISHED, DUE)
    assert folder.load().loaded == ()


@each_kind
def test_schedule_is_taken_back(folder: SiteFolder, kind: EntryKind) -> None:
    """A file that has none any more publishes its entry at once."""
    write(folder, kind, status="scheduled", scheduled="2026-06-01T08:00:00Z")
    write(folder, kind, status="published")
    (entry,) = folder.versions(kind)
    assert (entry.status, entry.scheduled_at, entry.published_at) == (Status.PUBLISHED, None, folder.now)


@each_kind
def test_deleted_file_takes_its_entry_to_the_trash(folder: SiteFolder, kind: EntryKind) -> None:
    """From which the file brings an item back, whose id it says; the others are new ones of a name that was free."""
    write(folder, kind)
    (entry,) = folder.versions(kind)
    paths = {EntryKind.POST: "posts/one.md", EntryKind.PAGE: "pages/guide/one.yaml"}
    folder.remove(f"content/{paths.get(kind, 'collections/team.yaml')}")
    folder.load(prune=True)
    assert [(each.kind, each.id) for each in folder.database.read(find_trash)] == [(kind, entry.id)]
    assert folder.versions(kind) == ()
    write(folder, kind)
    (again,) = folder.versions(kind)
    assert (again.status, again.id == entry.id) == (Status.PUBLISHED, kind is EntryKind.ITEM)


@each_kind
def test_declared_fields_are_changed(folder: SiteFolder, kind: EntryKind) -> None:
    """And what they were is in the history."""
    write(folder, kind, "Ebb")
    write(folder, kind, "Flow")
    (entry,) = folder.versions(kind)
    assert "Flow" in entry.fields.values()
    with folder.database.reading() as session:
        found = find_revisions(session, kind, entry.id, "en", Window(9))
        (former,) = (get_revision(session, kind, entry.id, "en", each.id)[1] for each in found.entries)
    assert "Ebb" in str(former)


@each_kind
def test_terms_and_a_featured_picture(folder: SiteFolder, kind: EntryKind) -> None:
    """Where the type declares them; terms are created, related to the entry, and counted until nothing has them."""
    folder.image("media/sea.png")
    folder.write("schema/page_types/guide.yaml", {**GUIDE, **DECLARED})
    folder.write("schema/collections/team.yaml", {**TEAM, **DECLARED})
    picture: dict[str, Any] = {"featured_image": {"url": "media/sea.png", "alt": "The sea"}}
    if kind is EntryKind.POST:
        picture = {"featured_image": "media/sea.png", "featured_image_alt": "The sea"}
    write(folder, kind, categories=["Tides"], tags=["Moon", "C++"], **picture)
    (entry,) = folder.versions(kind)
    shown = values_of(entry)
    shown = shown if "tags" in shown else {**shown, **fields_in(shown)}
    assert (shown["categories"], shown["tags"]) == (["Tides"], ["Moon", "C++"])
    assert "/media/" in str(shown["featured_image"])
    with folder.database.reading() as session:
        terms = {term.slug: term for of in TermKind for term in find_terms(session, of)}
        assert [*terms] == ["tides", "moon", "c-plus-plus"]
        assert [count_uses_of_term(session, term) for term in terms.values()] == [(1, 0)] * 3
    write(folder, kind, tags=["Moon"])
    with folder.database.reading() as session:
        assert [term.slug for of in TermKind for term in find_terms(session, of)] == ["moon"]
