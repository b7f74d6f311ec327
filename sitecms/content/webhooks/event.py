"""Events that webhooks send, and the subscriptions that match them (API reference, Webhooks).

    post.published | post.draft | post.delete                            {id: slug, _id}
    post.localization.published | ...draft | ...delete                   {id: slug, _id, locale}
    page.published | page.draft | page.unpublished | page.delete         {id: slug, buttercms_id, page_type, name, ...}
    collectionitem.published | ...draft | ...unpublished | ...delete     {id: key, itemid, label, ...}
    write.failed                                                         {id, kind, operation, status, errors, ...}

A catch-all ends in `.all` or `.*`: `post.*` matches all events of posts, `post.localization.*` those of their variants;
`*` and `all` match every event.
"""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from sitecms.clock import format_timestamp
from sitecms.content.entry import Entry
from sitecms.content.field_value import FieldValue
from sitecms.content.references import SINGLE_PAGES, ItemTarget
from sitecms.content.schema import Collection
from sitecms.content.status import Status
from sitecms.content.writes import Write
from sitecms.errors import InvalidRequest

EVERYTHING = ("*", "all")


class EventKind(StrEnum):
    """The kinds of event."""

    POST_PUBLISHED = "post.published"
    POST_DRAFT = "post.draft"
    POST_DELETE = "post.delete"
    VARIANT_PUBLISHED = "post.localization.published"
    VARIANT_DRAFT = "post.localization.draft"
    VARIANT_DELETE = "post.localization.delete"
    PAGE_PUBLISHED = "page.published"
    PAGE_DRAFT = "page.draft"
    PAGE_UNPUBLISHED = "page.unpublished"
    PAGE_DELETE = "page.delete"
    ITEM_PUBLISHED = "collectionitem.published"
    ITEM_DRAFT = "collectionitem.draft"
    ITEM_UNPUBLISHED = "collectionitem.unpublished"
    ITEM_DELETE = "collectionitem.delete"
    WRITE_FAILED = "write.failed"


class Transition(StrEnum):
    """The transition of an entry; posts are never `unpublished`, they become drafts."""

    PUBLISHED = "published"
    DRAFT = "draft"
    UNPUBLISHED = "unpublished"
    DELETE = "delete"


_INVISIBLE = frozenset({EventKind.PAGE_DRAFT, EventKind.ITEM_DRAFT, EventKind.WRITE_FAILED})


class Event(Struct, frozen=True):
    """An event, with the `data` of its message (plain JSON values)."""

    kind: EventKind
    data: Mapping[str, FieldValue]

    @property
    def changes_site(self) -> bool:
        """True if the site may change. A draft of a page or item leaves its published version as it is."""
        return self.kind not in _INVISIBLE


class EventSource(Struct, frozen=True):
    """The editor and time of an event, which messages about pages and items contain."""

    editor: str
    at: datetime


class NamedPost(Protocol):
    """A post, or only its name."""

    @property
    def id(self) -> int:
        """The id in the store."""

    @property
    def slug(self) -> str:
        """The slug of the post."""

    @property
    def locale(self) -> str:
        """The locale of this variant."""


def post_event(transition: Transition, post: NamedPost, default_locale: str) -> Event:
    """Return an event of a post; in other locales than the default one it is that of a variant and names the locale."""
    data: dict[str, FieldValue] = {"id": post.slug, "_id": post.id}
    if post.locale == default_locale:
        return Event(EventKind(f"post.{transition}"), data)
    return Event(EventKind(f"post.localization.{transition}"), {**data, "locale": post.locale})


def page_event(transition: Transition, page: Entry, source: EventSource) -> Event:
    """Return an event of a page in one locale."""
    return Event(EventKind(f"page.{transition}"), {
        "id": page.slug,
        "buttercms_id": page.id,
        "page_type": page.type or SINGLE_PAGES,
        "name": page.title,
        "locale": page.locale,
        "status": _status(transition, page),
        "updated": format_timestamp(page.updated_at),
        "published": _time(page.published_at),
        "scheduled": _time(page.scheduled_at),
        "timestamp": format_timestamp(source.at),
        "editor": source.editor,
    })  # fmt: skip


def item_event(transition: Transition, item: Entry, collection: Collection | None, source: EventSource) -> Event:
    """Return an event of an item in one locale; its label is "" if its collection is no longer declared."""
    label = item.fields.get(collection.label) if collection else None
    return Event(EventKind(f"collectionitem.{transition}"), {
        "id": item.type,
        "itemid": ItemTarget(item.type, item.id).uri,
        "label": "" if label is None else str(label),
        "locale": item.locale,
        "status": _status(transition, item),
        "timestamp": format_timestamp(source.at),
        "editor": source.editor,
    })  # fmt: skip


def write_failed_event(write: Write, source: EventSource) -> Event:
    """Return the event of a write that was accepted, and later rejected or failed."""
    return Event(EventKind.WRITE_FAILED, {
        "id": write.id,
        "kind": write.kind.value,
        "operation": write.operation.value,
        "status": write.status.value,
        "errors": {name: list(texts) for name, texts in write.errors.items()},
        "timestamp": format_timestamp(source.at),
        "editor": source.editor,
    })  # fmt: skip


def _status(transition: Transition, entry: Entry) -> str:
    """Return the status after the event; `entry` may be the live version that was removed."""
    if transition is Transition.DELETE:
        return "deleted"
    if transition is Transition.UNPUBLISHED and entry.status is Status.PUBLISHED:
        return Status.DRAFT.value
    return entry.status.value


def _time(at: datetime | None) -> str | None:
    return format_timestamp(at) if at else None


def matches(subscription: str, kind: EventKind) -> bool:
    """Return whether a subscription matches events of that kind."""
    if subscription in EVERYTHING or subscription == kind:
        return True
    group, _, last = subscription.rpartition(".")
    return last in EVERYTHING and kind.startswith(f"{group}.")


def check_subscription(name: str) -> str:
    """Return the name if it matches an event. Raises InvalidRequest with all names otherwise."""
    if not any(matches(name, kind) for kind in EventKind):
        known = ", ".join(kind.value for kind in EventKind)
        raise InvalidRequest(f"There is no event {name[:60]!r}. Events: {known}; all of a group: post.*; all: *.")
    return name
