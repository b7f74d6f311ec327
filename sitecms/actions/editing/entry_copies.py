"""Copies of pages and items, and discarding the draft of a published one."""

from collections.abc import Mapping
from typing import Any

from sitecms.actions.accounts.permissions import require
from sitecms.actions.editing.entries import STALE, EditedEntry, get_entry, record_by_user, subject_of
from sitecms.actions.writing import accept
from sitecms.actions.writing.accept import Accepted, Caller, WriteContext
from sitecms.actions.writing.accept.acceptance import key_of
from sitecms.actions.writing.accept.pages import MAX_TITLE_LENGTH, free_slug
from sitecms.actions.writing.save_entry import save_page
from sitecms.content.change import ItemChange, Origin, PageChange, change_of_version
from sitecms.content.page import Page
from sitecms.content.revision import ChangeCause, ChangeKind, Source
from sitecms.content.schema import ContentSchema
from sitecms.content.status import Status, Version
from sitecms.content.user import Action, User
from sitecms.errors import InvalidFields, Stale
from sitecms.store.accounts.audit import record_action
from sitecms.store.entries import items
from sitecms.store.entries.entry_state import versions_of
from sitecms.store.writes.writes import is_waiting

COPY = " (copy)"
OWN_FIELDS = "The fields of this page are declared for its slug alone, in schema/single_pages: no other page has them."
_UNSET: tuple[object, ...] = (None, "", [], {}, {"url": "", "alt": ""})


def duplicate(
    context: WriteContext, user: User, edited: EditedEntry, fields: Mapping[str, Any], locale: str
) -> Accepted:
    """Create a draft with these fields in the locale, and with what the entry has in others.

    Raises InvalidFields, LimitReached and Forbidden.
    """
    require(user, Action.EDIT_PAGES)
    entry, by_locale = edited.any_version, dict[str, Mapping[str, Any]]()
    with context.database.reading() as session:
        for each in versions_of(session, edited.kind, edited.id):  # by locale, the draft before the live version
            by_locale.setdefault(each.locale, each.fields)
        slug = free_slug(session, entry.page_type, entry.slug) if isinstance(entry, Page) else ""
    copied = {code: _without_unset(each) for code, each in {**by_locale, locale: fields}.items()}
    try:
        accepted = _create(context, user, edited, copied, slug, locale)
    except InvalidFields as error:
        own = f"{locale}."  # errors of several locales have the locale before the place
        raise InvalidFields({place.removeprefix(own): texts for place, texts in error.messages.items()}) from None
    record_by_user(context, user, "copy", subject_of(edited))
    return accepted


def _create(
    context: WriteContext, user: User, edited: EditedEntry, copied: dict[str, dict[str, Any]], slug: str, locale: str
) -> Accepted:
    entry = edited.any_version
    if isinstance(entry, Page):
        if entry.page_type is None and entry.slug in edited.schema.single_pages:
            raise InvalidFields({"fields": [OWN_FIELDS]})
        title = entry.title[: MAX_TITLE_LENGTH - len(COPY)] + COPY
        body = {"title": title, "slug": slug, "page_type": entry.page_type, "status": "draft", "fields": copied}
        return accept.create_page(context, Caller(user), body, locale)
    elements = [_renamed(copied, edited.schema, entry.collection)]
    sent = {"key": entry.collection, "status": Status.DRAFT.value, "fields": elements}
    return accept.create_items(context, Caller(user), sent, locale)


def _without_unset(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {slug: value for slug, value in fields.items() if value not in _UNSET}


def _renamed(by_locale: Mapping[str, Mapping[str, Any]], schema: ContentSchema, key: str) -> dict[str, dict[str, Any]]:
    """Return the fields of a copied item, whose label says that it is one where that is a short text."""
    collection = schema.collection(key)
    label = next((spec for spec in collection.fields if spec.slug == collection.label), None)
    longest = (label.max_length if label and label.type == "short_text" else None) or 0
    renamed = {}
    for locale, fields in by_locale.items():
        name = f"{fields.get(collection.label) or ''}{COPY}"
        is_named = label is not None and label.type == "short_text" and (not longest or len(name) <= longest)
        renamed[locale] = {**fields, collection.label: name} if is_named else dict(fields)
    return renamed


def discard(context: WriteContext, user: User, edited: EditedEntry, locale: str, revision: str) -> None:
    """Remove the draft over the published version in a locale. Raises NotFound, Forbidden and Stale."""
    require(user, Action.EDIT_PAGES)
    with context.database.writing() as transaction:
        now = get_entry(transaction, user, edited.kind, edited.id, locale)
        if now.revision != revision or is_waiting(transaction, key_of(edited.kind, edited.id)):
            raise Stale(STALE)
        if now.live is None or now.shown is now.live:
            return
        stored = versions_of(transaction, edited.kind, edited.id)
        kept = [each for each in stored if (each.locale, each.version) != (locale, Version.DRAFT)]
        changes, first, at = tuple(map(change_of_version, kept)), stored[0], context.clock()
        cause = ChangeCause(Source.USER, user.name, ChangeKind.DISCARD)
        if isinstance(first, Page):
            change = PageChange(first.id, first.page_type, first.slug, first.title, changes)
            save_page(transaction, change, now.schema, origin=Origin.API, at=at, cause=cause)
        else:
            items.save_item(transaction, ItemChange(first.id, first.collection, changes), Origin.API, at, cause)
        record_action(transaction, user, "discard draft", subject_of(edited), at)
