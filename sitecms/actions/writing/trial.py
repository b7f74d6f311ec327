"""Entries as a write would leave them once they are published, for previews and checks; nothing is stored.

The write is one that was planned on trial (`WriteContext.is_trial`). Remote media are shown from where they are.
"""

from datetime import datetime
from typing import Any

from msgspec.structs import replace

from sitecms.actions.writing.accept.acceptance import Accepted, NewWrite, WriteContext
from sitecms.actions.writing.apply.application import Application, application_of, html_reader
from sitecms.actions.writing.apply.save import changed_post, prepare_body
from sitecms.actions.writing.request_fields import Merged
from sitecms.actions.writing.request_media import FetchedMedia
from sitecms.actions.writing.save_context import columns_of, default_author, derived_columns
from sitecms.content.addresses import NO_ADDRESSES
from sitecms.content.change import EntryChange, VersionChange
from sitecms.content.entry import Entry
from sitecms.content.kinds import KINDS
from sitecms.content.status import Status, Version
from sitecms.content.term import Term, TermKind, name_key
from sitecms.content.term_slugs import base_slug
from sitecms.content.text.slug import slugify
from sitecms.content.writes import Write, WriteStatus
from sitecms.errors import InvalidFields
from sitecms.guarded_http.addresses import is_fetchable
from sitecms.store.database import Session
from sitecms.store.entries.authors import find_author_slug, get_author
from sitecms.store.entries.terms import find_terms

NEW_ID = 2**53 - 1
"""The id of an entry that is not stored: the newest, so that it takes the address of no other one."""
_RESOLVED = {"author", "categories", "tags", "status"}
_COPIED = (set(VersionChange.__struct_fields__) & set(Entry.__struct_fields__)) - _RESOLVED


class _NamedMedia(FetchedMedia):
    """Media of a write on trial: remote files keep their address, since they are not fetched."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, {})

    def address(self, url: str) -> str | None:
        """Return the address in the library, or the remote one."""
        return super().address(url) or (url if is_fetchable(url) else None)


def entry_on_trial(context: WriteContext, accepted: Accepted, locale: str) -> Entry:
    """Return the entry in a locale that a write on trial makes, as if it was published.

    A post is in the locale of its own. Raises InvalidFields and NotFound.
    """
    if accepted.new_write is None:
        raise ValueError("The write was accepted, not tried.")
    write = _write_of(accepted.new_write, context.clock())
    with context.database.reading() as session:
        media = _NamedMedia(session)
        html = html_reader(write, media)
        application = application_of(write, context.settings, media, write.accepted_at, html)
        body = prepare_body(application, media)
        ((_sent, merged, errors),) = application.all_merged()
        if errors:
            raise InvalidFields(errors)
        if KINDS[write.kind].has_body:
            return _published_post(application, changed_post(application, merged, body))
        return _published_version(application, merged, locale)


def _published_post(application: Application, change: EntryChange) -> Entry:
    session, at, write = application.session, application.at, application.write
    current = None if application.is_creation else application.current[0]
    version = change.only
    columns = columns_of(change, replace(version, status=Status.PUBLISHED), at, current)
    derived = derived_columns(version.body)
    author = find_author_slug(session, version.author) or default_author(session, application.settings.owner)
    copied: dict[str, Any] = {name: getattr(version, name) for name in _COPIED}
    scheduled_at = version.times.scheduled_at if version.status is Status.SCHEDULED else None
    copied["published_at"] = scheduled_at or columns["published_at"]
    return Entry(
        **copied,
        kind=write.kind,
        type=change.type,
        slug=change.slug,
        title=change.title or "",
        addresses=change.addresses or NO_ADDRESSES,
        id=current.id if current else NEW_ID,
        group_id=current.group_id if current else NEW_ID,
        status=Status.PUBLISHED,
        author=get_author(session, author),
        created_at=current.created_at if current else at,
        updated_at=current.updated_at if current and next(write.save.sent_values(), None) is None else at,
        categories=_terms(session, TermKind.CATEGORY, version.categories),
        tags=_terms(session, TermKind.TAG, version.tags),
        reading_minutes=int(str(derived["reading_minutes"])),
        body_digest=str(derived["body_digest"]),
        body_media=tuple(str(derived["body_media"]).split()),
    )


def _terms(session: Session, kind: TermKind, names: tuple[str | Term, ...]) -> tuple[Term, ...]:
    """Return the stored terms of these names, and new ones for the others."""
    known = {name_key(term.name): term for term in find_terms(session, kind)} if names else {}
    wanted = [each if isinstance(each, Term) else Term(kind, "", each) for each in names]
    slugs = {name_key(each.name): slugify(each.slug) or base_slug(each.name) for each in wanted}
    named = {name_key(each.name): Term(kind, slugs[name_key(each.name)], each.name.strip()) for each in wanted}
    return tuple(known.get(key, term) for key, term in named.items() if slugs[key])


def _published_version(application: Application, merged: Merged, locale: str) -> Entry:
    write, at, stored = application.write, application.at, application.current
    change = next(each for each in reversed(merged.versions) if each.locale == locale)
    own = {each.version: each for each in stored if each.locale == locale}
    base = own.get(Version.LIVE) or own.get(Version.DRAFT)
    is_named = bool(write.save.title or write.save.new_slug)
    changes_fields = any(any(sent.fields.values()) for sent in write.entries)
    if base is not None and Version.DRAFT not in own and not is_named and not changes_fields:
        return base
    published_at = (base.published_at if base else None) or at
    if not stored:
        return replace(_new_entry(write, change, at), published_at=at)
    return replace(
        _named(base or stored[0], write),
        locale=locale,
        version=Version.LIVE,
        status=Status.PUBLISHED,
        fields=change.fields,
        updated_at=at,
        published_at=published_at,
        scheduled_at=None,
    )


def _named(entry: Entry, write: Write) -> Entry:
    """Return the entry with the names that the write gives it."""
    names = {"title": write.save.title, "slug": write.save.new_slug} if KINDS[write.kind].has_slug else {}
    return replace(entry, **{name: value for name, value in names.items() if value})


def _new_entry(write: Write, change: VersionChange, at: datetime) -> Entry:
    save, entry_id = write.save, write.entry_id if KINDS[write.kind].has_slug else NEW_ID
    return Entry(
        write.kind, entry_id, entry_id, save.type, save.slug, save.title or "", change.locale, Version.LIVE,
        Status.PUBLISHED, change.fields, at, at,
    )  # fmt: skip


def _write_of(new_write: NewWrite, at: datetime) -> Write:
    """Return the write as it would be accepted."""
    entry_id = NEW_ID if new_write.entry_id is None else new_write.entry_id
    (sent,) = new_write.payload.entries
    return Write(
        id="",
        sequence=0,
        kind=new_write.kind,
        operation=new_write.operation,
        entry_key=new_write.entry_key,
        entry_id=entry_id,
        payload=replace(new_write.payload, entries=(replace(sent, id=entry_id),)),
        status=WriteStatus.ACCEPTED,
        attempt=0,
        errors={},
        accepted_at=at,
    )
