"""Out of the trash: as it was, found by search, told to receivers; refused where its place is taken."""

from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from sitecms.actions.writing.entry_events import EventCause
from sitecms.actions.writing.trash import delete_entry, restore_entry
from sitecms.content.change import EntryKind
from sitecms.content.status import Status
from sitecms.errors import Conflict, NotFound
from sitecms.settings.operations import Limits
from sitecms.store.database import Database
from sitecms.store.entries.trash import find_trash, remove_for_good
from sitecms.store.site_state.site_builds import site_changes
from sitecms.store.writes.deliveries import find_deliveries
from sitecms.store.writes.webhooks import insert_webhook
from tests.support.engines import indexed

if TYPE_CHECKING:
    from tests.actions.conftest import SiteFolder

LIMITS = Limits(collection_items=2)


def restore(folder: "SiteFolder", kind: EntryKind, entry_id: int) -> None:
    with folder.database.writing() as transaction:
        restore_entry(transaction, kind, entry_id, LIMITS, EventCause("en", folder.now))


def delete(folder: "SiteFolder", kind: EntryKind, entry_id: int) -> None:
    with folder.database.writing() as transaction:
        delete_entry(transaction, kind, entry_id, folder.now)


def subscribe(database: Database, at: datetime) -> None:
    with database.writing() as transaction:
        insert_webhook(transaction, "https://hooks.example/", ["*"], "whsec_", {}, at)


def told(folder: "SiteFolder") -> list[str]:
    with folder.database.reading() as session:
        return [delivery.event.value for delivery in find_deliveries(session, 1, None, 99)][::-1]


def found(folder: "SiteFolder", table: str, word: str) -> int:
    with folder.database.reading() as session:
        return len(indexed(session, word, table))


def test_a_post_is_restored_as_it_was(folder: "SiteFolder") -> None:
    """Status, terms, text and search row; with its event, and the site is to be built again."""
    folder.post("one", "Slack water.", categories=["Tides"])
    folder.load()
    subscribe(folder.database, folder.now)
    before = folder.find("one")
    delete(folder, EntryKind.POST, before.id)
    with folder.database.reading() as session:
        (trashed,) = find_trash(session)
        changes = site_changes(session)
    assert (trashed.kind, trashed.id, trashed.name, trashed.deleted_at) == ("post", before.id, "one", folder.now)
    restore(folder, EntryKind.POST, before.id)
    assert folder.find("one") == before
    assert found(folder, "post_search", "slack") == 1
    assert told(folder) == ["post.published"]
    with folder.database.reading() as session:
        assert find_trash(session) == ()
        assert site_changes(session) == changes + 1
    with pytest.raises(NotFound, match=r"no post \d+ in the trash"):
        restore(folder, EntryKind.POST, before.id)


def test_a_restored_draft_is_not_published(folder: "SiteFolder") -> None:
    """Search does not find it; the event is that of a draft."""
    folder.post("one", "Slack water.", status="draft")
    folder.load()
    subscribe(folder.database, folder.now)
    post_id = folder.find("one").id
    delete(folder, EntryKind.POST, post_id)
    restore(folder, EntryKind.POST, post_id)
    assert folder.find("one").status is Status.DRAFT
    assert (found(folder, "post_search", "slack"), told(folder)) == (0, ["post.draft"])


def test_a_page_is_restored_in_all_its_locales(folder: "SiteFolder") -> None:
    """One event for each locale in which it is published; a Single Page is listed with a `*`."""
    fields = {"en": {"headline": "Slack"}, "es": {"headline": "Repunte"}}
    folder.guide("start", fields=fields)
    folder.write("content/pages/_single/about.md", "---\ntitle: About\nstatus: published\n---\nWe row.\n")
    folder.load()
    subscribe(folder.database, folder.now)
    before = folder.page("start")
    delete(folder, EntryKind.PAGE, before[0].id)
    delete(folder, EntryKind.PAGE, folder.page("about", None)[0].id)
    with folder.database.reading() as session:
        assert {entry.name for entry in find_trash(session)} == {"guide/start", "*/about"}
    restore(folder, EntryKind.PAGE, before[0].id)
    assert folder.page("start") == before
    assert found(folder, "page_search", "start") == 2
    assert told(folder) == ["page.published", "page.published"]


def test_an_entry_is_not_restored_if_its_place_is_taken(folder: "SiteFolder") -> None:
    """The message names the slug or the locale and a remedy; nothing is changed."""
    folder.post("one")
    folder.post("uno", locale="es", translation_of="one")
    folder.guide("start")
    folder.load()
    one, uno, page_id = folder.find("one").id, folder.find("uno").id, folder.page("start")[0].id
    for kind, entry_id in ((EntryKind.POST, uno), (EntryKind.POST, one), (EntryKind.PAGE, page_id)):
        delete(folder, kind, entry_id)
    with folder.database.writing() as transaction:
        transaction.sql("UPDATE loaded_file SET digest = ''")
    folder.load()
    assert folder.find("one").id != one
    for kind, entry_id, said in (
        (EntryKind.POST, one, "The slug 'one' belongs to another post now. Rename or delete"),
        (EntryKind.PAGE, page_id, "'guide/start' is another one now"),
    ):
        with pytest.raises(Conflict, match=said):
            restore(folder, kind, entry_id)
    folder.edit("uno", slug="una")
    with folder.database.writing() as transaction:
        transaction.sql("UPDATE entry SET group_id = ? WHERE slug = 'una'", one)
    with pytest.raises(Conflict, match="Another post took the place of 'uno' as the variant in 'es'"):
        restore(folder, EntryKind.POST, uno)
    with folder.database.reading() as session:
        assert len(find_trash(session)) == 3


def test_the_item_limit_holds_for_restored_items(folder: "SiteFolder") -> None:
    """An item is restored only if the limit allows one more."""
    folder.items("team", "Ann", "Bo")
    folder.load()
    ann = folder.ids("team")["Ann"]
    delete(folder, EntryKind.ITEM, ann)
    folder.items("pets", "Rex")
    folder.load()
    with pytest.raises(Conflict, match="2 items already"):
        restore(folder, EntryKind.ITEM, ann)
    delete(folder, EntryKind.ITEM, folder.ids("pets")["Rex"])
    restore(folder, EntryKind.ITEM, ann)
    assert folder.ids("team")["Ann"] == ann


def test_removed_entries_cannot_be_restored(folder: "SiteFolder") -> None:
    """Their versions and terms are removed too; entries that were deleted later stay."""
    folder.post("one", categories=["Tides"])
    folder.guide("start")
    folder.items("team", "Ann")
    folder.load()
    early = folder.now
    delete(folder, EntryKind.POST, folder.find("one").id)
    delete(folder, EntryKind.PAGE, folder.page("start")[0].id)
    folder.now = early.replace(year=2027)
    delete(folder, EntryKind.ITEM, folder.ids("team")["Ann"])
    with folder.database.writing() as transaction:
        assert remove_for_good(transaction, early) == 2
    with folder.database.reading() as session:
        assert [entry.kind for entry in find_trash(session)] == ["item"]
        for table, count in (("entry", 1), ("version_term", 0), ("version", 1)):
            assert session.sql(f"SELECT count(*) FROM {table}") == [(count,)]
