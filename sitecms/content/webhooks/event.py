"""Events: what receivers of webhooks are told of (decisions, Webhooks), and which subscriptions want which.

    post.published | post.draft | post.delete                            {id: slug, _id}
    post.localization.published | ...draft | ...delete                   {id: slug, _id, locale}
    page.published | page.draft | page.unpublished | page.delete         {id: slug, buttercms_id, page_type, name, ...}
    collectionitem.published | ...draft | ...unpublished | ...delete     {id: key, itemid, label, ...}
    write.failed                                                         {id, kind, operation, status, errors, ...}

A catch-all ends in `.all` or `.*`: `post.*` is everything of posts, `post.localization.*` of their variants among
them; `*` and `all` are everything.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from sitecms.clock import format_timestamp
from sitecms.content.change import Write
from sitecms.content.field_value import FieldValue
from sitecms.content.item import Item
from sitecms.content.page import Page
from sitecms.content.references import SINGLE_PAGES, ItemTarget
from sitecms.content.schema.types import Collection
from sitecms.content.status import Status
from sitecms.errors import InvalidRequest

EVERYTHING = ("*", "all")


class EventKind(StrEnum):
    """All there are."""

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


class Happening(StrEnum):
    """What happened to an entry; posts are never `unpublished`, they become drafts."""

    PUBLISHED = "published"
    DRAFT = "draft"
    UNPUBLISHED = "unpublished"
    DELETE = "delete"


_INVISIBLE = frozenset({EventKind.PAGE_DRAFT, EventKind.ITEM_DRAFT, EventKind.WRITE_FAILED})


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened, with the `data` of the body that tells of it (plain JSON values)."""

    kind: EventKind
    data: Mapping[str, FieldValue]

    @property
    def changes_site(self) -> bool:
        """Whether readers may see something else now. Drafts of pages and items stand beside what is published."""
        return self.kind not in _INVISIBLE


@dataclass(frozen=True, slots=True)
class Told:
    """What events of pages and items say besides the entry: who did it, and when."""

    editor: str
    at: datetime


class NamedPost(Protocol):
    """A post, or only its name."""

    @property
    def id(self) -> int:
        """As the store has it."""

    @property
    def slug(self) -> str:
        """Where it is found."""

    @property
    def locale(self) -> str:
        """That of this variant."""


def post_event(happening: Happening, post: NamedPost, default_locale: str) -> Event:
    """An event of a post; one of a variant, which names its locale, in any other than the default locale."""
    data: dict[str, FieldValue] = {"id": post.slug, "_id": post.id}
    if post.locale == default_locale:
        return Event(EventKind(f"post.{happening}"), data)
    return Event(EventKind(f"post.localization.{happening}"), {**data, "locale": post.locale})


def page_event(happening: Happening, page: Page, told: Told) -> Event:
    """An event of a page in one locale."""
    return Event(EventKind(f"page.{happening}"), {
        "id": page.slug,
        "buttercms_id": page.id,
        "page_type": page.page_type or SINGLE_PAGES,
        "name": page.title,
        "locale": page.locale,
        "status": _status(happening, page),
        "updated": format_timestamp(page.updated_at),
        "published": _time(page.published_at),
        "scheduled": _time(page.scheduled_at),
        "timestamp": format_timestamp(told.at),
        "editor": told.editor,
    })  # fmt: skip


def item_event(happening: Happening, item: Item, collection: Collection | None, told: Told) -> Event:
    """An event of an item in one locale; its label is "" if its collection is no longer declared."""
    label = item.fields.get(collection.label) if collection else None
    return Event(EventKind(f"collectionitem.{happening}"), {
        "id": item.collection,
        "itemid": ItemTarget(item.collection, item.id).uri,
        "label": "" if label is None else str(label),
        "locale": item.locale,
        "status": _status(happening, item),
        "timestamp": format_timestamp(told.at),
        "editor": told.editor,
    })  # fmt: skip


def write_failed_event(write: Write, told: Told) -> Event:
    """A write that was accepted and then rejected or given up."""
    return Event(EventKind.WRITE_FAILED, {
        "id": write.id,
        "kind": write.kind.value,
        "operation": write.operation.value,
        "status": write.status.value,
        "errors": {name: list(texts) for name, texts in write.errors.items()},
        "timestamp": format_timestamp(told.at),
        "editor": told.editor,
    })  # fmt: skip


def _status(happening: Happening, entry: Page | Item) -> str:
    """The status after the event; `entry` may be the live version that was taken off."""
    if happening is Happening.DELETE:
        return "deleted"
    if happening is Happening.UNPUBLISHED and entry.status is Status.PUBLISHED:
        return Status.DRAFT.value
    return entry.status.value


def _time(at: datetime | None) -> str | None:
    return format_timestamp(at) if at else None


def matches(subscription: str, kind: EventKind) -> bool:
    """Whether who subscribed to this wants events of that kind."""
    if subscription in EVERYTHING or subscription == kind:
        return True
    group, _, last = subscription.rpartition(".")
    return last in EVERYTHING and kind.startswith(f"{group}.")


def check_subscription(name: str) -> str:
    """The name, if some event matches it. Raises InvalidRequest saying which names there are."""
    if not any(matches(name, kind) for kind in EventKind):
        known = ", ".join(kind.value for kind in EventKind)
        raise InvalidRequest(f"There is no event {name[:60]!r}. Events: {known}; all of a group: post.*; all: *.")
    return name
