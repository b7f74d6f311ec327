"""What was scheduled is published at its time, as of its time."""

from collections.abc import Callable
from datetime import datetime, timedelta

from sitecms.actions.publish_scheduled import anything_due, publish_scheduled
from sitecms.content.item import Item
from sitecms.content.page import Page
from sitecms.content.status import Status, Version
from sitecms.content.write import ItemChange, Origin, PageChange, Times, VersionChange
from sitecms.store.database import Database
from sitecms.store.items import insert_item, item_versions, save_item
from sitecms.store.pages import insert_page, page_versions, save_page
from sitecms.store.posts import get_post, get_post_by_id

Make = Callable[..., int]


def scheduled(version: Version, at: datetime) -> VersionChange:
    """A scheduled version of an entry."""
    return VersionChange("en", version, Status.SCHEDULED, {"title": "new"}, Times(scheduled_at=at))


def change_number(store: Database) -> int:
    """How many changes the store has seen."""
    with store.reading() as session:
        return session.change_number()


def test_a_post_is_published_at_its_time(store: Database, make_post: Make, noon: datetime) -> None:
    """Not a moment before; then with the scheduled time as time of publication and of update."""
    at = noon + timedelta(hours=2)
    post_id = make_post("later", status=Status.SCHEDULED, scheduled_at=at)
    before = at - timedelta(microseconds=1)
    assert not anything_due(store, before)
    assert publish_scheduled(store, before) == 0
    assert anything_due(store, at)
    assert publish_scheduled(store, at + timedelta(hours=1)) == 1
    with store.reading() as session:
        post = get_post_by_id(session, post_id)
        assert get_post(session, "later") == post
    assert (post.status, post.published_at, post.updated_at) == (Status.PUBLISHED, at, at)
    assert post.scheduled_at is None


def test_nothing_due_writes_nothing(store: Database, make_post: Make, noon: datetime) -> None:
    """The change number stays, so that no cache is emptied each second; a second run finds nothing left."""
    make_post("later", status=Status.SCHEDULED, scheduled_at=noon)
    make_post("draft", status=Status.DRAFT)
    assert publish_scheduled(store, noon) == 1
    number = change_number(store)
    assert publish_scheduled(store, noon + timedelta(days=9)) == 0
    assert change_number(store) == number


def test_versions_of_pages_and_items_are_published(store: Database, noon: datetime) -> None:
    """A scheduled draft takes the place of the live version; one that is alone becomes the live one."""
    live = VersionChange("en", Version.LIVE, Status.PUBLISHED, {"title": "old"})
    with store.writing() as transaction:
        page_id = insert_page(transaction, None, "about", "About", Origin.FILE, noon)
        page = PageChange(page_id, None, "about", "About", (live, scheduled(Version.DRAFT, noon)))
        save_page(transaction, page, Origin.FILE, noon)
        item_id = insert_item(transaction, "team", Origin.FILE, noon)
        save_item(transaction, ItemChange(item_id, "team", (scheduled(Version.LIVE, noon),)), Origin.FILE, noon)
    assert publish_scheduled(store, noon) == 2
    with store.reading() as session:
        found: list[Page | Item] = [*page_versions(session, page_id), *item_versions(session, [item_id])]
    assert [(entry.version, entry.status, dict(entry.fields), entry.published_at) for entry in found] == [
        (Version.LIVE, Status.PUBLISHED, {"title": "new"}, noon)
    ] * 2
