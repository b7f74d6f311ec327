"""New drafts made of existing entries: copies of pages and items, and translations of posts."""

from collections.abc import Mapping
from typing import Any

from sitecms.actions.accounts.permissions import require
from sitecms.actions.editing.entries import EditedEntry, record_by_user, subject_of
from sitecms.actions.editing.post_values import render_body, request_of
from sitecms.actions.editing.posts import Saved, SaveOutcome, get_edited
from sitecms.actions.writing import accept
from sitecms.actions.writing.accept import Accepted, Caller, EntryName, StudioValues, WriteContext
from sitecms.actions.writing.accept.built_in import MAX_TITLE_LENGTH
from sitecms.actions.writing.names import free_slug
from sitecms.content.change import EntryKind
from sitecms.content.page import Page
from sitecms.content.schema import ContentSchema
from sitecms.content.status import Status
from sitecms.content.user import Action, User
from sitecms.errors import InvalidFields
from sitecms.store.entries.entry_state import versions_of
from sitecms.store.listings.posts import find_variants

COPY = " (copy)"
OWN_FIELDS = "The fields of this page are declared for its slug alone, in schema/single_pages: no other page has them."
_UNSET: tuple[object, ...] = (None, "", [], {}, {"url": "", "alt": ""})
EXISTS = "The post has a text in this language already."
_OF_ITS_OWN = ("slug", "format")


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
        slug = free_slug(session, EntryKind.PAGE, entry.page_type, entry.slug) if isinstance(entry, Page) else ""
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
        return accept.create(context, Caller(user), EntryKind.PAGE, body, locale)
    elements = [_renamed(copied, edited.schema, entry.collection)]
    sent = {"key": entry.collection, "status": Status.DRAFT.value, "fields": elements}
    return accept.create(context, Caller(user), EntryKind.ITEM, sent, locale)


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


def translate(context: WriteContext, user: User, post_id: int, locale: str) -> Saved:
    """Create the variant of a post in a locale: a draft with the values that the form of the post shows.

    Raises NotFound, Forbidden and InvalidFields.
    """
    chosen = context.locale(locale)
    with context.database.reading() as session:
        edited = get_edited(session, user, post_id)
        post, values = edited.post, edited.values
        require(user, Action.CREATE, user.author)
        require(user, Action.EDIT, post.author.slug)
        require(user, Action.EDIT, str(values["author"]))
        if any(each.locale == chosen for each in find_variants(session, post.group_id)):
            raise InvalidFields({"locale": [EXISTS]})
        text = body = str(values["body"])
        if edited.is_markdown:
            body = render_body(session, context.settings, text, chosen, post.id, title=str(values["title"]))
    sent = request_of({name: value for name, value in values.items() if name not in _OF_ITS_OWN}, body)
    studio = StudioValues(markdown=text if edited.is_markdown else None)
    sent["status"] = Status.DRAFT.value
    accepted = accept.update(context, Caller(user), EntryName(EntryKind.POST, post.slug), sent, chosen, studio)
    record_by_user(context, user, "translate", f"post {post.slug} into {chosen}")
    return Saved(SaveOutcome.WRITTEN, accepted.write_id)
