"""Events: the data of their messages, and the subscriptions that match them."""

from datetime import UTC, datetime

import pytest

from sitecms.content.entry import Entry
from sitecms.content.kinds import EntryKind
from sitecms.content.schema import Collection, FieldSpec
from sitecms.content.status import Status, Version
from sitecms.content.webhooks.event import (
    EventKind,
    EventSource,
    Transition,
    check_subscription,
    item_event,
    matches,
    page_event,
    post_event,
    write_failed_event,
)
from sitecms.content.writes import Operation, Save, Write, WriteStatus
from sitecms.errors import InvalidRequest
from tests.support.entries import an_entry

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER = datetime(2026, 3, 1, 12, 0, 0, 5, tzinfo=UTC)
SOURCE = EventSource("newsroom", LATER)


def post(locale: str = "en") -> Entry:
    return an_entry(EntryKind.POST, 7, AT, locale=locale, slug="slack-water", title="Slack")


def page(page_type: str = "guide") -> Entry:
    return an_entry(EntryKind.PAGE, 3, AT, type=page_type, slug="knots", title="Knots", locale="es", updated_at=LATER)


def test_post_event_has_slug_and_id() -> None:
    """A variant in another than the default locale has events of its own, which name the locale."""
    plain = post_event(Transition.PUBLISHED, post(), "en")
    assert (plain.kind, plain.data) == ("post.published", {"id": "slack-water", "_id": 7})
    variant = post_event(Transition.DELETE, post("es"), "en")
    assert variant.kind == "post.localization.delete"
    assert variant.data == {"id": "slack-water", "_id": 7, "locale": "es"}


@pytest.mark.parametrize(("page_type", "shown"), [("guide", "guide"), ("", "*")])
def test_page_event_has_every_key(page_type: str, shown: str) -> None:
    """Page events have the documented keys, and no other; an unset time is null (API reference, Webhooks)."""
    event = page_event(Transition.PUBLISHED, page(page_type), SOURCE)
    assert event.kind == "page.published"
    assert event.data == {
        "id": "knots", "buttercms_id": 3, "page_type": shown, "name": "Knots", "locale": "es", "status": "published",
        "updated": "2026-03-01T12:00:00.000005Z", "published": "2026-03-01T12:00:00Z", "scheduled": None,
        "timestamp": "2026-03-01T12:00:00.000005Z", "editor": "newsroom",
    }  # fmt: skip
    assert page_event(Transition.DELETE, page(), SOURCE).data["status"] == "deleted"


def test_item_event_has_the_uri_of_references() -> None:
    """It has the item's label, or "" where its collection or the field is gone."""
    item = an_entry(
        EntryKind.ITEM, 41, AT, type="team", version=Version.DRAFT, status=Status.DRAFT, fields={"name": "Ann"}
    )
    team = Collection("team", "Team", "name", (FieldSpec("name", "short_text"),))
    event = item_event(Transition.DRAFT, item, team, SOURCE)
    assert event.kind == "collectionitem.draft"
    assert event.data == {
        "id": "team", "itemid": "/v2/content/?keys=team[_id=41]", "label": "Ann", "locale": "en", "status": "draft",
        "timestamp": "2026-03-01T12:00:00.000005Z", "editor": "newsroom",
    }  # fmt: skip
    assert item_event(Transition.DRAFT, item, None, SOURCE).data["label"] == ""


def test_failed_write_event_has_its_errors() -> None:
    """It has the write's id, as /v2/writes/ shows it."""
    errors = {"slug": ["Taken."]}
    write = Write("w-1", 1, EntryKind.POST, Operation.UPDATE, "post/7", 7, Save(), WriteStatus.REJECTED, 1, errors, AT)
    event = write_failed_event(write, SOURCE)
    assert event.kind == "write.failed"
    assert event.data["id"] == "w-1"
    assert event.data["errors"] == {"slug": ["Taken."]}
    assert not event.changes_site


@pytest.mark.parametrize(
    ("subscription", "wanted"),
    [
        ("post.published", {"post.published"}),
        ("post.localization.*", {f"post.localization.{name}" for name in ("published", "draft", "delete")}),
        ("post.all", {kind.value for kind in EventKind if kind.startswith("post.")}),
        ("page.*", {f"page.{name}" for name in ("published", "draft", "unpublished", "delete")}),
        ("collectionitem.all", {kind.value for kind in EventKind if kind.startswith("collectionitem.")}),
        ("write.*", {"write.failed"}),
        ("*", {kind.value for kind in EventKind}),
        ("all", {kind.value for kind in EventKind}),
    ],
)
def test_catch_alls_match_their_group(subscription: str, wanted: set[str]) -> None:
    """A catch-all matches the events of its group, and no other."""
    assert {kind.value for kind in EventKind if matches(subscription, kind)} == wanted
    assert check_subscription(subscription) == subscription


@pytest.mark.parametrize("name", ["post", "post.", "po.*", "post.publish", "", ".*", "post.*.*", "posts.*"])
def test_subscription_without_events_is_refused(name: str) -> None:
    """The message lists all events."""
    with pytest.raises(InvalidRequest, match=r"collectionitem\.unpublished"):
        check_subscription(name)
