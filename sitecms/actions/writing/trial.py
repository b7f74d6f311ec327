"""Entries as a write would leave them once they are published, for previews and checks; nothing is stored.

The write is one that was planned on trial (`WriteContext.is_trial`). Remote media are shown from where they are.
"""

from datetime import datetime
from typing import Any

from msgspec.structs import replace

from sitecms.actions.writing.accept.acceptance import Accepted, NewWrite, WriteContext
from sitecms.actions.writing.apply.application import Application, application_of, html_reader
from sitecms.actions.writing.apply.save import changed_post, prepare_body
from sitecms.actions.writing.request_media import FetchedMedia
from sitecms.actions.writing.save_context import default_author, derived_columns
from sitecms.content.change import VersionChange, publication
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
            version = changed_post(application, merged, body).only
            return _with_names(application, _published(application, version), version)
        return _published(application, next(each for each in reversed(merged.versions) if each.locale == locale))


def _published(application: Application, version: VersionChange) -> Entry:
    """Return the entry with a version that is published now."""
    at, save = application.at, application.save
    stored = () if application.is_creation else application.current
    own = {each.version: each for each in stored if each.locale == version.locale}
    base = own.get(Version.LIVE) or own.get(Version.DRAFT)
    entry = base or (stored[0] if stored else _new_entry(application.write, at))
    is_changed = base is None or Version.DRAFT in own or next(save.sent_values(), None) is not None
    if not is_changed and entry.is_live:
        return entry
    copied: dict[str, Any] = {name: getattr(version, name) for name in _COPIED}
    before = (base.status, base.published_at) if base else None
    copied["version"] = Version.LIVE
    return replace(
        entry,
        **copied,
        title=entry.title if save.title is None else save.title,
        slug=save.new_slug or entry.slug,
        status=Status.PUBLISHED,
        updated_at=at if is_changed else entry.updated_at,
        published_at=publication(Status.PUBLISHED, version.times, before, at),
        scheduled_at=None,
    )


def _with_names(application: Application, post: Entry, version: VersionChange) -> Entry:
    """Return a post with its author and terms, and with what is derived from its body."""
    session = application.session
    derived = derived_columns(version.body)
    author = find_author_slug(session, version.author) or default_author(session, application.settings.owner)
    is_scheduled = version.status is Status.SCHEDULED and version.times.scheduled_at
    return replace(
        post,
        published_at=version.times.scheduled_at if is_scheduled else post.published_at,
        author=get_author(session, author),
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


def _new_entry(write: Write, at: datetime) -> Entry:
    save, entry_id = write.save, write.entry_id
    return Entry(
        write.kind, entry_id, entry_id, save.type, save.slug, "", "", Version.LIVE, Status.PUBLISHED, {}, at, at
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
