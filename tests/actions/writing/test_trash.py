"""Out of the trash: as it was, found by search, told to receivers; refused where its place is taken."""

from datetime import datetime
from typing import Any

import pytest

from sitecms.actions.operations.verify.checks import search_findings
from sitecms.actions.writing.entry_events import EventCause
from sitecms.actions.writing.trash import delete_entry, delete_locale_with_event
from sitecms.content.entry import Entry
from sitecms.content.kinds import EntryKind
from sitecms.errors import Conflict, NotFound
from sitecms.settings.operations import Limits
from sitecms.store.database import Database
from sitecms.store.entries.trash import copy_to_trash, find_last_part, find_trash, remove_for_good
from sitecms.store.site_state.site_builds import site_changes
from sitecms.store.writes.deliveries import find_deliveries
from sitecms.store.writes.webhooks import insert_webhook
from tests.actions.conftest import SiteFolder
from tests.support.engines import indexed
from tests.support.reading import execute

LIMITS = Limits(collection_items=2)


def delete(folder: SiteFolder, kind: EntryKind, entry_id: int) -> None:
    folder.database.write(delete_entry, kind, entry_id, folder.now)


def subscribe(database: Database, at: datetime) -> None:
    database.write(insert_webhook, "https://hooks.example/", ["*"], "whsec_", {}, at)


def told(folder: SiteFolder) -> list[str]:
    return [delivery.event.value for delivery in folder.database.read(find_deliveries, 1, None, 99)][::-1]


def found(folder: SiteFolder, table: str, word: str) -> int:
    return len(folder.database.read(indexed, word, table))


def load_entries(folder: SiteFolder, status: str = "published") -> None:
    """A post, and a page and an item in two locales, each with addresses of its own."""
    own: dict[str, Any] = {"status": status, "aliases": ["/old/"]}
    folder.post("one", "Slack water.", **own, categories=["Tides"], path="/2019/old.html", guid="urn:x:1")
    folder.guide("one", **own, path="/us", fields={"en": {"headline": "Slack"}, "es": {"headline": "Repunte"}})
    paths, fields = {"en": "/people/", "es": "/gente/"}, {"en": {"name": "Slack"}, "es": {"name": "Repunte"}}
    folder.items("team", {**own, "path": paths, "fields": fields})
    assert folder.load().errors == ()
    subscribe(folder.database, folder.now)


@pytest.mark.parametrize("status", ["published", "draft"])
@pytest.mark.parametrize(
    ("kind", "name", "indexed_in", "event", "rows"),
    [
        (EntryKind.POST, "one", "post_search", "post", 1),
        (EntryKind.PAGE, "guide/one", "page_search", "page", 2),
        (EntryKind.ITEM, "team", "", "collectionitem", 2),
    ],
)
def test_an_entry_is_restored_as_it_was(
    folder: SiteFolder, kind: EntryKind, name: str, indexed_in: str, event: str, rows: int, status: str
) -> None:
    """With terms, locales, addresses and search rows; with an event for each locale, and the site is built again."""
    load_entries(folder, status)
    before, word = folder.versions(kind), "slack" if kind is EntryKind.POST else "one"
    delete(folder, kind, before[0].id)
    with folder.database.reading() as session:
        (trashed,) = find_trash(session)
        changes = site_changes(session)
    assert (trashed.kind, trashed.id, trashed.name, trashed.deleted_at) == (kind, before[0].id, name, folder.now)
    folder.restore(kind, before[0].id)
    assert folder.versions(kind) == before
    if indexed_in:
        assert found(folder, indexed_in, word) == (rows if status == "published" else 0)
    assert told(folder) == [f"{event}.{status}"] * rows
    with folder.database.reading() as session:
        assert find_trash(session) == ()
        assert (site_changes(session) > changes) == (status == "published" or kind is EntryKind.POST)
    with pytest.raises(NotFound, match=rf"no {kind} \d+ in the trash"):
        folder.restore(kind, before[0].id)


@pytest.mark.parametrize("kind", EntryKind)
def test_a_former_version_is_restored_into_its_entry(folder: SiteFolder, kind: EntryKind) -> None:
    """What a file replaced comes back with names and addresses; what replaced it goes to the trash."""
    load_entries(folder)
    before = folder.versions(kind)
    copy_id = folder.database.write(copy_to_trash, kind, before[0].id, folder.now)
    folder.post("one", "Ebb.", title="Other", categories=["Wind"])
    folder.guide("one", title="Other", fields={"headline": "Other"})
    folder.items("team", {"status": "published", "fields": {"name": "Other"}})
    assert folder.load().errors == ()
    replaced = folder.versions(kind)
    assert replaced != before
    restored = folder.restore(kind, copy_id)
    now = folder.versions(kind)
    assert restored.id == before[0].id
    assert [(each.locale, contents(each)) for each in now] == [(each.locale, contents(each)) for each in before]
    folder.restore(kind, restored.replaced_id or 0)
    assert list(map(contents, folder.versions(kind))) == list(map(contents, replaced))


def contents(entry: Entry) -> tuple[object, ...]:
    """The title, text, terms, fields and addresses of an entry."""
    names = ("slug", "title", "body", "categories", "published_at", "fields", "addresses", "path", "guid")
    return tuple(getattr(entry, name) for name in names)


def test_a_restored_locale_with_other_values_is_in_the_index_once(folder: SiteFolder) -> None:
    """It takes the value that an untranslatable field has now, and both locales are found by it."""
    code = {"slug": "code", "type": "short_text", "translatable": False, "searchable": True}
    folder.write("schema/page_types/guide.yaml", {"slug": "guide", "fields": [code]})
    folder.guide("one", fields={"en": {"code": "slack"}, "es": {"code": "slack"}})
    folder.load()
    page_id = folder.page("one")[0].id
    folder.database.write(delete_locale_with_event, EntryKind.PAGE, page_id, "es", EventCause("en", folder.now))
    folder.guide("one", fields={"en": {"code": "ebb"}})
    folder.load()
    folder.restore(EntryKind.PAGE, folder.database.read(find_last_part, EntryKind.PAGE, page_id) or 0)
    assert (found(folder, "page_search", "ebb"), found(folder, "page_search", "slack")) == (2, 0)
    with folder.database.reading() as session:
        assert [*search_findings(folder.database, session)] == []


def test_a_single_page_in_the_trash_has_a_star_as_type(folder: SiteFolder) -> None:
    """The list names it as the API does."""
    folder.write("content/pages/_single/about.md", "---\ntitle: About\nstatus: published\n---\nWe row.\n")
    folder.load()
    delete(folder, EntryKind.PAGE, folder.page("about", "")[0].id)
    assert {entry.name for entry in folder.database.read(find_trash)} == {"*/about"}


def test_a_published_entry_is_not_restored_if_its_address_is_taken(folder: SiteFolder) -> None:
    """The message names who stands there; a draft has no address."""
    folder.post("one")
    folder.post("two", status="draft")
    folder.load()
    one, two = folder.find("one").id, folder.find("two").id
    for post_id in (one, two):
        delete(folder, EntryKind.POST, post_id)
    for name in ("one", "two"):
        folder.guide(f"new-{name}", path=f"/blog/{name}/")
    folder.load()
    with pytest.raises(Conflict, match=r"The page guide/new-one stands at that address, /blog/one/\. Rename or "):
        folder.restore(EntryKind.POST, one)
    assert folder.restore(EntryKind.POST, two).id == two
    assert [each.id for each in folder.database.read(find_trash)] == [one]


def test_an_entry_is_not_restored_if_its_place_is_taken(folder: SiteFolder) -> None:
    """The message names the slug or the locale and a remedy; nothing is changed."""
    folder.post("one")
    folder.post("uno", locale="es", translation_of="one")
    folder.guide("start")
    folder.load()
    one, uno, page_id = folder.find("one").id, folder.find("uno").id, folder.page("start")[0].id
    for kind, entry_id in ((EntryKind.POST, uno), (EntryKind.POST, one), (EntryKind.PAGE, page_id)):
        delete(folder, kind, entry_id)
    execute(folder.database, "UPDATE loaded_file SET digest = ''")
    folder.load()
    assert folder.find("one").id != one
    for kind, entry_id, said in (
        (EntryKind.POST, one, "The post 'one' is another one now. Rename or delete"),
        (EntryKind.PAGE, page_id, "'guide/start' is another one now"),
    ):
        with pytest.raises(Conflict, match=said):
            folder.restore(kind, entry_id)
    folder.edit("uno", slug="una")
    execute(folder.database, "UPDATE entry SET group_id = ? WHERE slug = 'una'", one)
    with pytest.raises(Conflict, match="Another post took the place of 'uno' as the variant in 'es'"):
        folder.restore(EntryKind.POST, uno)
    assert len(folder.database.read(find_trash)) == 3


def test_the_item_limit_holds_for_restored_items(folder: SiteFolder) -> None:
    """An item is restored only if the limit allows one more."""
    folder.items("team", "Ann", "Bo")
    folder.load()
    ann = folder.ids("team")["Ann"]
    delete(folder, EntryKind.ITEM, ann)
    folder.items("pets", "Rex")
    folder.load()
    with pytest.raises(Conflict, match="2 items already"):
        folder.restore(EntryKind.ITEM, ann, LIMITS)
    delete(folder, EntryKind.ITEM, folder.ids("pets")["Rex"])
    folder.restore(EntryKind.ITEM, ann, LIMITS)
    assert folder.ids("team")["Ann"] == ann


def test_removed_entries_cannot_be_restored(folder: SiteFolder) -> None:
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
    assert folder.database.write(remove_for_good, early) == 2
    with folder.database.reading() as session:
        assert [entry.kind for entry in find_trash(session)] == ["item"]
        for table, count in (("entry", 1), ("version_term", 0), ("version", 1)):
            assert session.sql(f"SELECT count(*) FROM {table}") == [(count,)]
