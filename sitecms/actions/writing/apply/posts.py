"""Application of a write to a post."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from sitecms.actions.writing.apply.entries import SavedVersion
from sitecms.actions.writing.request_media import (
    FetchedMedia,
    own_address,
    remote_images,
    stored_address,
    stored_media_of,
)
from sitecms.actions.writing.save_entry import derived_columns, save_post
from sitecms.content.change import Operation, Origin, PostChange, Times, Write, change_of_post
from sitecms.content.status import Status
from sitecms.content.term import Term, TermKind
from sitecms.errors import NotFound
from sitecms.media.fetching.fetch import is_fetchable
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.posts import get_post_by_id

GONE = "The post was deleted before this write was applied."
ORIGINAL_GONE = "The original post was deleted before this variant was made."
_TEXTS = ("title", "slug", "featured_image_alt", "summary", "seo_title", "meta_description", "author")


def media_of_post(session: Session, write: Write) -> tuple[tuple[str, str], ...]:
    """Return (field, URL) of each remote file to fetch: the featured image, and images of the body if asked for."""
    fields = _fields(write)
    stored = stored_media_of(session, _base_id(write))
    named = [("featured_image", str(fields.get("featured_image") or ""))]
    if write.payload["upload_images"]:
        named += [("body", url) for url in remote_images(str(fields.get("body") or ""), session)]
    return tuple(
        (field, url)
        for field, url in named
        if is_fetchable(url) and not (own_address(session, url) or stored_address(session, url, stored))
    )


def prepare_body(session: Session, write: Write, media: FetchedMedia) -> str | None:
    """Return the body as it is stored, None if none was sent; run before the transaction in which it is stored.

    Also derives the values that are stored beside the body, which `save_post` then has in its cache.
    """
    fields = _fields(write)
    if "body" not in fields:
        return None
    media.stored = stored_media_of(session, _base_id(write))
    body = media.place_in(fields["body"])
    derived_columns(body)
    return body


def apply_post(
    transaction: Transaction,
    write: Write,
    body: str | None,
    settings: SiteSettings,
    media: FetchedMedia,
    at: datetime,
) -> tuple[SavedVersion, ...]:
    """Apply a write to a post; return the version that it saved. `body` comes from `prepare_body`.

    Raises InvalidFields where the author does not exist any more or the slug is taken, NotFound where the post is gone.
    """
    is_new = write.operation is Operation.CREATE
    change = _placed(_start(transaction, write, at), write)
    media.stored = stored_media_of(transaction, _base_id(write))
    change = replace(change, **_sent(write, media, change))
    if body is not None:
        change = replace(change, body=body)
    new_id = write.entry_id if is_new else None
    save_post(transaction, change, owner=settings.owner, origin=Origin.API, at=at, new_id=new_id)
    return ((write.entry_id, change.locale, change.status),)


def _base_id(write: Write) -> int | None:
    """Return the id of the post that the sent fields are laid over: the post itself, or the original of a variant."""
    copy_of = write.payload.get("copy_of")
    if copy_of:
        return int(str(copy_of))
    return None if write.operation is Operation.CREATE else write.entry_id


def _start(transaction: Transaction, write: Write, at: datetime) -> PostChange:
    """Return the base of the sent fields: an empty post, the original of a new variant, or the post as it is."""
    copy_of, base_id = write.payload.get("copy_of"), _base_id(write)
    if base_id is None:
        return PostChange(locale="", slug="", title="", status=Status.DRAFT)
    try:
        post = get_post_by_id(transaction, base_id)
    except NotFound:
        raise NotFound(ORIGINAL_GONE if copy_of else GONE) from None
    change = change_of_post(post)
    if not copy_of:
        return replace(change, times=Times(scheduled_at=post.scheduled_at))
    status = Status.DRAFT if post.status is Status.SCHEDULED else post.status
    times = Times(created_at=at)
    return replace(change, id=None, translation_of=post.slug, status=status, aliases=(), times=times)


def _placed(change: PostChange, write: Write) -> PostChange:
    """Give a new post the locale, slug and author that were chosen at acceptance."""
    if write.operation is not Operation.CREATE:
        return change
    payload = write.payload
    return replace(change, locale=str(payload["locale"]), slug=str(payload["slug"]), author=str(payload["author_slug"]))


def _sent(write: Write, media: FetchedMedia, start: PostChange) -> dict[str, Any]:
    """Return the sent values except the body, as attributes of a PostChange; `start` is their base."""
    fields = _fields(write)
    values: dict[str, Any] = {name: fields[name] for name in _TEXTS if name in fields}
    for name, kind in (("categories", TermKind.CATEGORY), ("tags", TermKind.TAG)):
        if name in fields:
            sent = fields[name]
            values[name] = tuple(each if isinstance(each, str) else Term(kind, **each) for each in sent)
    if write.payload.get("unschedules") and start.status is Status.SCHEDULED:
        values |= {"status": Status.DRAFT, "times": Times()}
    if "status" in fields:
        values["status"] = Status(fields["status"])
    if "featured_image" in fields:
        image = fields["featured_image"].strip()
        values["featured_image"] = (media.address(image) or image) if image else ""
    return values


def _fields(write: Write) -> Mapping[str, Any]:
    fields: Any = write.payload["fields"]
    return fields if isinstance(fields, dict) else {}
