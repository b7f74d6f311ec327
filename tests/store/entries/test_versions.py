"""Live and draft versions of pages and items: which are seen, how they are kept, how a draft goes live."""

from datetime import datetime, timedelta

import pytest

from sitecms.actions.writing.save import save_entry
from sitecms.actions.writing.save_context import SaveContext
from sitecms.content.change import EntryChange, Origin, Times, VersionChange
from sitecms.content.entry import Entry
from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status, Version
from sitecms.errors import InvalidFields
from sitecms.store.database import Database, Session
from sitecms.store.entries import items, pages, trash
from sitecms.store.entries.due_entries import find_due
from sitecms.store.entries.entry_rows import find_named
from sitecms.store.entries.versions import VERSIONS

LIVE = VersionChange("en", Version.LIVE, Status.PUBLISHED, {"title": "Live"})
DRAFT = VersionChange("en", Version.DRAFT, Status.DRAFT, {"title": "Draft"})
SPANISH = VersionChange("es", Version.LIVE, Status.PUBLISHED, {"title": "Vivo"})


def save(store: Database, at: datetime, *changes: VersionChange, page_id: int = 0) -> tuple[int, dict[str, str]]:
    """Save a page of these versions, a new one without an id; its id and what was replaced."""
    with store.writing() as transaction:
        change = EntryChange(EntryKind.PAGE, page_id, "guide", changes, "start", "Start")
        applied = save_entry(SaveContext(transaction, Origin.FILE, at), change)
        return applied.id, {**applied.replaced}


def every(store: Database, page_id: int) -> tuple[Entry, ...]:
    return store.read(VERSIONS[EntryKind.PAGE].of, (page_id,))


def seen(session: Session, *, preview: bool) -> list[tuple[str, object]]:
    """Locale and title of the page versions that may be seen."""
    stored = VERSIONS[EntryKind.PAGE]
    entries = stored.latest(session) if preview else stored.published(session)
    return [(entry.locale, entry.fields["title"]) for entry in entries]


def test_previews_show_drafts_over_live_versions(store: Database, noon: datetime) -> None:
    """One version of each locale at most: the draft where there is one, else the live one."""
    page_id, _ = save(store, noon, LIVE, DRAFT, SPANISH)
    with store.reading() as session:
        assert seen(session, preview=False) == [("en", "Live"), ("es", "Vivo")]
        assert seen(session, preview=True) == [("en", "Draft"), ("es", "Vivo")]
        assert [page.fields["title"] for page in VERSIONS[EntryKind.PAGE].published(session)] == ["Live", "Vivo"]
    save(store, noon, DRAFT, page_id=page_id)
    with store.reading() as session:
        assert (seen(session, preview=False), seen(session, preview=True)) == ([], [("en", "Draft")])
    store.write(trash.move_to_trash, EntryKind.PAGE, page_id, noon)
    with store.reading() as session:
        assert (seen(session, preview=False), seen(session, preview=True)) == ([], [])


def test_an_unpublished_live_version_is_shown_in_previews_only(store: Database, noon: datetime) -> None:
    """Status and version are independent."""
    save(store, noon, VersionChange("en", Version.LIVE, Status.DRAFT, {"title": "Hidden"}))
    with store.reading() as session:
        assert (seen(session, preview=False), seen(session, preview=True)) == ([], [("en", "Hidden")])


def test_saving_an_equal_version_changes_nothing(store: Database, noon: datetime) -> None:
    """Not even the time of the update."""
    page_id, first = save(store, noon, LIVE, DRAFT)
    assert first == {"en.live": "new", "en.draft": "new"}
    before = every(store, page_id)
    assert save(store, noon + timedelta(hours=1), LIVE, DRAFT, page_id=page_id) == (page_id, {})
    assert every(store, page_id) == before


def test_a_change_affects_one_version(store: Database, noon: datetime) -> None:
    """The others keep their times; replaced values are reported by place; creation and publication stay."""
    page_id, _ = save(store, noon, LIVE, DRAFT, SPANISH)
    later = noon + timedelta(hours=1)
    changed = VersionChange("en", Version.LIVE, Status.PUBLISHED, {"title": "New"})
    _, replaced = save(store, later, changed, DRAFT, SPANISH, page_id=page_id)
    assert replaced == {"en.live.fields.title": "Live"}
    times = {(page.locale, page.version.value): page.updated_at for page in every(store, page_id)}
    assert times == {("en", "live"): later, ("en", "draft"): noon, ("es", "live"): noon}
    live = next(page for page in every(store, page_id) if page.fields["title"] == "New")
    assert (live.created_at, live.published_at) == (noon, noon)


def test_a_version_that_is_not_listed_is_removed(store: Database, noon: datetime) -> None:
    """Publishing without the draft removes it."""
    page_id, _ = save(store, noon, LIVE, DRAFT, SPANISH)
    assert save(store, noon, LIVE, page_id=page_id)[1] == {"en.draft": "removed", "es.live": "removed"}
    assert [page.version for page in every(store, page_id)] == [Version.LIVE]


def test_an_added_or_removed_empty_field_is_a_change(store: Database, noon: datetime) -> None:
    """A stored entry has exactly the fields of the change."""
    page_id, _ = save(store, noon, LIVE)
    wider = VersionChange("en", Version.LIVE, Status.PUBLISHED, {"title": "Live", "image": None})
    save(store, noon, wider, page_id=page_id)
    assert every(store, page_id)[0].fields == {"title": "Live", "image": None}
    save(store, noon, LIVE, page_id=page_id)
    assert every(store, page_id)[0].fields == {"title": "Live"}


def test_given_times_are_stored(store: Database, noon: datetime) -> None:
    """Times that are not given stay."""
    day = timedelta(days=1)
    by_hand = Times(created_at=noon - 3 * day, updated_at=noon - day, published_at=noon - 2 * day)
    page_id, _ = save(store, noon, VersionChange("en", Version.LIVE, Status.PUBLISHED, {"title": "x"}, by_hand))
    for changes in ((), (VersionChange("en", Version.LIVE, Status.PUBLISHED, {"title": "y"}),)):
        if changes:
            save(store, noon, *changes, page_id=page_id)
        (page,) = every(store, page_id)
        assert (page.created_at, page.published_at) == (noon - 3 * day, noon - 2 * day)
        assert page.updated_at == (noon if changes else noon - day)


def scheduled(at: datetime, title: str = "Soon", locale: str = "en") -> VersionChange:
    return VersionChange(locale, Version.DRAFT, Status.SCHEDULED, {"title": title}, Times(scheduled_at=at))


def test_a_scheduled_draft_is_due_at_its_time(store: Database, noon: datetime) -> None:
    """Not a moment before."""
    due_at = noon + timedelta(hours=2)
    page_id, _ = save(store, noon, LIVE, scheduled(due_at), SPANISH)
    with store.writing() as transaction:
        assert find_due(transaction, due_at - timedelta(microseconds=1)) == ()
        (due,) = find_due(transaction, due_at)
        assert due[1:] == (EntryKind.PAGE, page_id, "en", Version.DRAFT, due_at)


def test_deleted_entries_are_not_due(store: Database, noon: datetime) -> None:
    """A deleted page stays deleted at its time."""
    page_id, _ = save(store, noon, scheduled(noon))
    with store.writing() as transaction:
        trash.move_to_trash(transaction, EntryKind.PAGE, page_id, noon)
        assert find_due(transaction, noon) == ()


def test_a_page_slug_is_unique_within_its_type_and_free_after_deletion(store: Database, noon: datetime) -> None:
    """Single Pages are a type of their own."""
    page_id, _ = save(store, noon, LIVE)
    with pytest.raises(InvalidFields):
        save(store, noon, LIVE)
    with store.writing() as transaction:
        change = EntryChange(EntryKind.PAGE, 0, "", (LIVE,), "start", "Start")
        single = save_entry(SaveContext(transaction, Origin.FILE, noon), change).id
        assert find_named(transaction, EntryKind.PAGE, "guide", "start") == page_id
        assert find_named(transaction, EntryKind.PAGE, "", "start") == single
        assert pages.find_page_by_slug(transaction, "start", ("", "guide")) == ("guide", "start")
        assert pages.find_page_by_slug(transaction, "start", ("other",)) is None
        trash.move_to_trash(transaction, EntryKind.PAGE, page_id, noon)
        assert find_named(transaction, EntryKind.PAGE, "guide", "start") is None
    assert save(store, noon, LIVE)[0] != page_id


def test_items_keep_their_order_and_their_ids_are_never_used_twice(store: Database, noon: datetime) -> None:
    """By id in every read, the default locale first; an id stays taken in the trash, and given ones are passed over."""

    def put(name: str, item_id: int | None = None) -> int:
        with store.writing() as transaction:
            version = VersionChange("en", Version.LIVE, Status.PUBLISHED, {"name": name})
            change = EntryChange(EntryKind.ITEM, item_id or 0, "team", (version,))
            return save_entry(SaveContext(transaction, Origin.FILE, noon), change).id

    def names(found: tuple[Entry, ...]) -> list[object]:
        return [item.fields["name"] for item in found]

    last, first, second = put("Cy", 41), put("Ann", 3), put("Bo", 7)
    with store.reading() as session:
        assert (
            names(VERSIONS[EntryKind.ITEM].published(session))
            == names(VERSIONS[EntryKind.ITEM].of_type(session, "team"))
            == ["Ann", "Bo", "Cy"]
        )
        assert items.next_item_id(session, frozenset({42, 43})) == 44
        assert items.count_items(session) == 3
    store.write(trash.move_to_trash, EntryKind.ITEM, last, noon)
    with store.reading() as session:
        assert items.item_exists(session, last, ("team",)) is None
        assert items.item_exists(session, first, ("pets", "team")) == "team"
        assert items.item_exists(session, second, ("pets",)) is None
        assert items.count_items(session) == 2
    assert put("Di") == last + 1
    assert len(store.read(find_due, noon)) == 0
