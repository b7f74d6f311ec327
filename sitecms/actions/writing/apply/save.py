"""Storage of what a write creates or changes: what it sends is laid over what is stored, as a change of each entry."""

from collections.abc import Iterator, Mapping, Set
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sitecms.actions.writing.apply.application import ENTRY_GONE, Application
from sitecms.actions.writing.free_addresses import AddressRule
from sitecms.actions.writing.known_entries import TAKEN
from sitecms.actions.writing.request_fields import Merged
from sitecms.actions.writing.request_media import FetchedMedia, MediaSource
from sitecms.actions.writing.save import save_entry
from sitecms.actions.writing.save_context import SaveContext, derived_columns
from sitecms.content.change import Applied, EntryChange, Origin, Times, change_of_entry
from sitecms.content.entry import FIELDS
from sitecms.content.kinds import BODY, KINDS, EntryKind
from sitecms.content.references import PageTarget
from sitecms.content.revision import ChangeCause, ChangeKind, ChangeSource
from sitecms.content.status import Status, Version
from sitecms.content.writes import Save
from sitecms.errors import Conflict, InvalidFields, NotFound
from sitecms.messages import text_of
from sitecms.store.database import Transaction
from sitecms.store.entries import entry_state
from sitecms.store.entries.entry_rows import find_identity, find_named, insert_entry
from sitecms.store.entries.load_conflicts import delete_conflicts
from sitecms.store.entries.references import rename_target
from sitecms.store.entries.revisions import StoredState, keep_state
from sitecms.store.entries.working_copies import WorkingCopy, copied_values, delete_copy, save_copy
from sitecms.store.site_state.file_changes import note_file_change

ID_TAKEN = "A file of the site folder took the id {id} meanwhile; send the {kind} again."

SavedVersion: TypeAlias = tuple[int, str, Status]
"""Entry id, locale and status of a version that a write saved."""


class _MadeEntry(Struct, frozen=True):
    """An entry as a write makes it: `saved` is the status by locale of what the write saved.

    `renamed` are the former and the new target of references to a page that gets another slug.
    """

    change: EntryChange
    saved: Mapping[str, Status]
    renamed: tuple[PageTarget, PageTarget] | None = None


def save_entries(
    transaction: Transaction, application: Application, body: str | None, cause: ChangeCause
) -> tuple[SavedVersion, ...]:
    """Store the entries of a write; return the versions that were saved. `body` is that of `prepare_body`.

    Raises InvalidFields where what was sent is no longer valid, NotFound where the entry was deleted.
    """
    owner, saved = application.settings.owner, list[SavedVersion]()
    context = SaveContext(transaction, Origin.API, application.at, cause, owner, application.schema)
    _place(transaction, application)
    for made in _made_entries(application, body):
        if _waits(application, made.change):
            _schedule_changes(transaction, application, made.change, cause)
            return ()
        applied = _save_published(context, application, made)
        saved += [(applied.id, locale, status) for locale, status in made.saved.items()]
        if made.renamed:
            for named_kind, entry_id in rename_target(transaction, *made.renamed):
                note_file_change(transaction, EntryKind(named_kind), entry_id, editor=cause.name)
    if application.save.ends_copy:
        delete_copy(transaction, application.write.entry_id)
    for entry_id, locale, _status in saved if cause.source is ChangeSource.USER else ():
        if application.save.locale in ("", locale):  # a new title of a page saves its other locales, too
            delete_conflicts(transaction, application.write.kind, entry_id, locale)
    return tuple(saved)


def _save_published(context: SaveContext, application: Application, made: _MadeEntry) -> Applied:
    """Store an entry. Raises InvalidFields where a file came to the address of what is published since acceptance."""
    kind = made.change.kind
    before = () if application.is_creation else application.current
    applied = save_entry(context, made.change)
    if Status.PUBLISHED in made.saved.values():
        rule = AddressRule(context.transaction, application.schema, application.settings)
        try:
            rule.check_published(kind, applied.id, before)
        except Conflict as error:
            field = error.field if KINDS[kind].has_slug else FIELDS
            raise InvalidFields({field: [text_of(error)]}) from None
    return applied


def _waits(application: Application, change: EntryChange) -> bool:
    """Return whether a change of what readers see waits for a time, and has no draft version to wait in."""
    is_public = not application.is_creation and any(each.is_live for each in application.current)
    scheduled = (each for each in change.versions if each.status is Status.SCHEDULED)
    return is_public and any(each.version is Version.LIVE for each in scheduled)


def _schedule_changes(
    transaction: Transaction, application: Application, change: EntryChange, cause: ChangeCause
) -> None:
    """Keep the changes in the working copy of the post, with the time of their publication; a user has decided then."""
    post_id, at, version = application.write.entry_id, application.at, change.only
    stored = entry_state.versions_of(transaction, change.kind, post_id)
    values = copied_values(change_of_entry(stored), change)
    html = version.body if BODY in values else None
    scheduling = replace(cause, kind=cause.kind or ChangeKind.SCHEDULE)
    keep_state(transaction, StoredState(stored), scheduling, (Version.DRAFT, Status.SCHEDULED), at)
    save_copy(
        transaction, post_id, WorkingCopy(values, at, application.write.user_id, version.times.scheduled_at, html)
    )
    if cause.source is ChangeSource.USER:
        delete_conflicts(transaction, application.write.kind, post_id, change.only.locale)


def _place(transaction: Transaction, application: Application) -> None:
    """Check that the entries exist, or create them without versions, so that these can refer to each other."""
    save, kind = application.save, application.write.kind
    for entry_id in application.write.entry_ids:
        if not application.is_creation:
            if not entry_state.is_there(transaction, kind.value, entry_id):
                raise NotFound(ENTRY_GONE.format(kind=kind))
            continue
        if entry_state.exists(transaction, kind, entry_id):
            raise InvalidFields({"id": [ID_TAKEN.format(id=entry_id, kind=kind)]})
        if KINDS[kind].is_target:
            own: dict[str, object] = {"type": save.type}
            if KINDS[kind].has_slug:
                own |= {"slug": save.slug, "title": save.title or ""}
                if find_named(transaction, kind, save.type, save.slug) is not None:
                    raise InvalidFields({"slug": [TAKEN.format(kind=kind, slug=save.slug)]})
            insert_entry(transaction, kind, own, (Origin.API, application.at), entry_id)


def prepare_body(application: Application, media: FetchedMedia) -> str | None:
    """Return the body as it is stored, None if none was sent; run before the transaction in which it is stored.

    Also derives the values that are stored beside the body, which `save_entry` then has in its cache.
    """
    sent = application.save.built_in.body
    if sent is None:
        return None
    media.stored = application.stored_media
    body = media.place_in(sent)
    derived_columns(body)
    return body


def _made_entries(application: Application, body: str | None) -> Iterator[_MadeEntry]:
    """Yield the entries of a write, each as it is to be stored before the next one; `body` is that of `prepare_body`.

    Raises InvalidFields where what was sent is no longer valid, NotFound where the entry was deleted.
    """
    errors: dict[str, list[str]] = {}
    for entry, merged, problems in application.all_merged():
        errors |= problems
        if not errors and KINDS[application.write.kind].has_body:
            post = changed_post(application, merged, body)
            yield _MadeEntry(post, {post.only.locale: post.only.status})
        elif not errors:
            yield _changed_versions(application, entry.id, merged)
    if errors:
        raise InvalidFields(errors)


def _changed_versions(application: Application, entry_id: int, merged: Merged) -> _MadeEntry:
    """Return a page under its new names, or an item; with new names, what readers see of all its locales is saved."""
    save, kind, session = application.save, application.write.kind, application.session
    if not KINDS[kind].has_slug:
        return _MadeEntry(EntryChange(kind, entry_id, save.type, merged.versions), dict(merged.saved))
    named = find_identity(session, kind, entry_id)
    if named is None or named.deleted_at is not None:
        raise NotFound(ENTRY_GONE.format(kind=kind))
    page_type, slug, title, titles = named.type, str(named.slug), named.title, named.titles
    new_slug, locales = save.new_slug or slug, {each.locale for each in merged.versions}
    new_title, new_titles = title, titles
    if not application.is_creation:
        new_title, new_titles = _retitled(title, titles, save, locales, application.settings.default_locale)
    if new_slug != slug and find_named(session, kind, page_type, new_slug) is not None:
        raise InvalidFields({"slug": [TAKEN.format(kind=kind, slug=new_slug)]})
    change = EntryChange(kind, entry_id, page_type, merged.versions, new_slug, new_title, new_titles)
    if (new_slug, new_title, new_titles) == (slug, title, titles):
        return _MadeEntry(change, dict(merged.saved))
    live = (each.locale for each in merged.versions if each.version is Version.LIVE)
    saved = {**dict.fromkeys(live, Status.PUBLISHED), **dict(merged.saved)}
    return _MadeEntry(change, saved, (PageTarget(page_type, slug), PageTarget(page_type, new_slug)))


def _retitled(
    title: str, titles: Mapping[str, str], save: Save, locales: Set[str], default_locale: str
) -> tuple[str, Mapping[str, str]]:
    """Return the title and those of locales after a write: a title given in a further locale is that locale's."""
    if not save.title:
        return title, titles
    locale = save.locale or default_locale
    if locale == default_locale or locales == {locale}:
        return save.title, {name: text for name, text in titles.items() if name != locale}
    return title, {**titles, locale: save.title}


def changed_post(application: Application, merged: Merged, body: str | None) -> EntryChange:
    """Return the post as the write makes it; `body` is that of `prepare_body`."""
    save, write = application.save, application.write
    application.media.stored = application.stored_media
    (version,), current = merged.versions, next(iter(application.current), None)
    if save.ends_markdown or body not in (None, version.body):
        version = replace(version, markdown=None)
    if body is not None:
        version = replace(version, body=body, markdown=version.markdown if save.markdown is None else save.markdown)
    version = replace(version, **_sent_values(save, application.media))
    slug = current.slug if current and not application.is_creation else save.slug
    title = (current.title if current else "") if save.title is None else save.title
    original = current.slug if current and save.copy_of else ""
    return EntryChange(
        write.kind, write.entry_id, "", (version,), save.new_slug or slug, title, translation_of=original
    )


def _sent_values(save: Save, media: MediaSource) -> dict[str, Any]:
    """Return the sent values except the body, as values of the version."""
    built_in = save.built_in
    image = None if built_in.featured_image is None else built_in.featured_image.strip()
    values = {
        "author": save.author,
        "status": save.status,
        "times": Times(None, None, *times) if any(times := (save.published_at, save.scheduled_at)) else None,
        "summary": built_in.summary,
        "seo_title": built_in.seo_title,
        "meta_description": built_in.meta_description,
        "featured_image": (media.address(image) or image) if image else image,
        "featured_image_alt": built_in.featured_image_alt,
        "categories": built_in.categories,
        "tags": built_in.tags,
    }
    return {name: value for name, value in values.items() if value is not None}
