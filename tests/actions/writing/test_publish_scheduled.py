"""What was scheduled is published once, as of its time, and shows up in what readers see."""

from datetime import UTC, datetime, timedelta

import pytest

from sitecms.actions.writing.publish_due import held_back
from sitecms.actions.writing.publish_scheduled import anything_due, publish_scheduled
from sitecms.content.kinds import EntryKind
from sitecms.content.revision import ChangeKind
from sitecms.content.status import Status, Version
from sitecms.store.entries.due_entries import find_due
from sitecms.store.entries.revisions import last_revision
from tests.actions.conftest import TEAM, SiteFolder
from tests.support.engines import indexed

DUE = datetime(2026, 6, 1, 8, tzinfo=UTC)


def schedule(folder: SiteFolder) -> None:
    """A post, a page and an item, all for the same time, the page over its live version in Spanish alone."""
    time = "2026-06-01T08:00:00Z"
    folder.post("one", "Slack water.", status="scheduled", scheduled=time)
    folder.guide("start", status="scheduled", scheduled=time)
    folder.items("team", {"status": "scheduled", "scheduled": time, "fields": {"name": "Ann"}})
    assert folder.load().errors == ()


def test_nothing_is_published_before_its_time(folder: SiteFolder) -> None:
    """Not even a microsecond earlier; the check changes nothing."""
    schedule(folder)
    before = folder.change_number()
    early = DUE - timedelta(microseconds=1)
    assert not anything_due(folder.database, early, folder.settings)
    assert publish_scheduled(folder.database, early, folder.settings) == 0
    assert folder.change_number() == before


def test_everything_due_is_published_as_of_its_time(folder: SiteFolder) -> None:
    """Posts, pages and items in one change, however late; the second run publishes nothing."""
    schedule(folder)
    before = folder.change_number()
    late = DUE + timedelta(days=3)
    assert anything_due(folder.database, late, folder.settings)
    assert publish_scheduled(folder.database, late, folder.settings) == 3
    assert folder.change_number() == before + 1
    post, (page,), (item,) = folder.find("one"), folder.page("start"), folder.all_items("team")
    for entry in (post, page, item):
        assert (entry.status, entry.published_at, entry.scheduled_at) == (Status.PUBLISHED, DUE, None)
        assert entry.updated_at == DUE
    assert page.version is item.version is Version.LIVE
    assert publish_scheduled(folder.database, late, folder.settings) == 0
    assert folder.change_number() == before + 1


def test_history_has_what_was_scheduled(folder: SiteFolder) -> None:
    """As the file had it, until its time came."""
    schedule(folder)
    publish_scheduled(folder.database, DUE, folder.settings)
    (page,), (item,) = folder.page("start"), folder.all_items("team")
    with folder.database.reading() as session:
        for entry in (folder.find("one"), page, item):
            kept = last_revision(session, entry.kind, entry.id)
            assert kept is not None
            revision, state = kept
            assert (revision.made.kind, revision.ended.kind) == (ChangeKind.LOAD, ChangeKind.PUBLISH)
            assert (state["live"] or state["draft"])["status"] == "scheduled"


def test_published_entries_are_found_by_search(folder: SiteFolder) -> None:
    """The search index is updated in the same change."""
    schedule(folder)
    publish_scheduled(folder.database, DUE, folder.settings)
    with folder.database.reading() as session:
        assert (len(indexed(session, "slack")), len(indexed(session, "start", "page_search"))) == (1, 1)


PLACES = {EntryKind.POST: "/blog/one/", EntryKind.PAGE: "/guide/one/", EntryKind.ITEM: "/team/one/"}


@pytest.mark.parametrize("kind", EntryKind)
def test_an_entry_whose_address_was_taken_stays_scheduled(folder: SiteFolder, kind: EntryKind) -> None:
    """The others are published; it is published as soon as the address is free."""
    path = PLACES[kind]
    folder.write("schema/collections/team.yaml", {**TEAM, "route": "/team/{slug}/"})
    folder.entry(kind, "one", status="scheduled", scheduled="2026-06-01T08:00:00Z")
    folder.post("other", status="scheduled", scheduled="2026-06-01T08:00:00Z")
    folder.write("content/pages/_single/holder.md", f"---\ntitle: Holder\nstatus: published\npath: {path}\n---\nx\n")
    assert folder.load().errors == ()
    assert publish_scheduled(folder.database, DUE, folder.settings) == 1
    assert (folder.find("other").status, folder.versions(kind)[0].status) == (Status.PUBLISHED, Status.SCHEDULED)
    before = folder.change_number()
    assert publish_scheduled(folder.database, DUE, folder.settings) == 0
    assert folder.change_number() == before
    with folder.database.reading() as session:
        (held,) = held_back(session, find_due(session, DUE), folder.settings).values()
    assert held == f"the page */holder stands at that address, {path}"
    folder.remove("content/pages/_single/holder.md")
    folder.load(prune=True)
    assert publish_scheduled(folder.database, DUE, folder.settings) == 1
    assert folder.versions(kind)[0].status is Status.PUBLISHED


def test_of_two_entries_that_come_to_one_address_the_first_is_published(folder: SiteFolder) -> None:
    """Both are due at once."""
    facts: dict[str, object] = {"status": "scheduled", "scheduled": "2026-06-01T08:00:00Z"}
    folder.post("one", "Text.", **facts, path="/one/")
    folder.guide("start", **facts, path="/one/")
    assert folder.load().errors == ()
    assert publish_scheduled(folder.database, DUE, folder.settings) == 1
    assert (folder.find("one").status, folder.page("start")[0].status) == (Status.PUBLISHED, Status.SCHEDULED)


def test_a_published_post_keeps_its_spelling_of_terms(folder: SiteFolder) -> None:
    """The name of a term is the spelling of most posts, as a clone of the folder finds it in the files."""
    for name in ("one", "other"):
        folder.post(name, tags=["Moon"])
    folder.post("late", tags=["moon"], categories=["Tides"], status="scheduled", scheduled="2026-06-01T08:00:00Z")
    folder.load()
    assert publish_scheduled(folder.database, DUE, folder.settings) == 1
    assert [term.name for term in folder.find("late").tags] == ["Moon"]
    folder.remove("content/posts/other.md")
    folder.load(prune=True)
    assert [term.name for term in folder.find("late").tags] == ["moon"]
