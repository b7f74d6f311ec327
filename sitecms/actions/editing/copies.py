"""New drafts made of existing entries: copies, and translations of posts."""

from sitecms.actions.accounts.permissions import require
from sitecms.actions.editing.edited import EditContext, Edited, NewEntry
from sitecms.actions.editing.entries import Form, Outcome, Saved, accept_creation
from sitecms.actions.editing.markdown_body import render_body, resolver_of
from sitecms.actions.editing.values import Values, fields_in, is_markdown, without_unset
from sitecms.actions.writing import accept
from sitecms.actions.writing.accept import Caller, StudioValues
from sitecms.actions.writing.accept.built_in import MAX_TITLE_LENGTH
from sitecms.content.entry import FIELDS
from sitecms.content.field_value import FieldValue
from sitecms.content.kinds import AUTHOR, BODY, FORMAT, HTML, KINDS, MARKDOWN
from sitecms.content.schema import ContentSchema
from sitecms.content.status import Status
from sitecms.content.user import Action
from sitecms.errors import InvalidFields
from sitecms.messages import N_
from sitecms.store.entries.entry_rows import find_variants

COPY = " (copy)"
OWN_FIELDS = N_(
    "The fields of this page are declared for its slug alone, in schema/single_pages: no other page has them."
)
EXISTS = N_("The post has a text in this language already.")
_OF_ITS_OWN = ("slug", FORMAT)


def duplicate(context: EditContext, edited: Edited, values: Values) -> Saved:
    """Create a draft with these values in the locale, and with what the entry has in others.

    Raises InvalidFields, LimitReached and Forbidden.
    """
    kind, locale = KINDS[edited.kind], edited.locale
    copied = {**values, **_new_names(context, edited, values)}
    if kind.has_locales:
        copied[FIELDS] = _fields_by_locale(edited, fields_in(values))
    if kind.has_body:
        copied[FORMAT] = MARKDOWN if is_markdown(values, default=edited.is_markdown) else HTML
    if kind.has_author and not context.user.may(Action.EDIT, str(values[AUTHOR])):
        copied[AUTHOR] = ""
    try:
        accepted = accept_creation(context, NewEntry(edited.kind, edited.type, locale), Form(copied))
    except InvalidFields as error:
        own = f"{locale}."  # errors of several locales have the locale before the place
        raise InvalidFields({place.removeprefix(own): texts for place, texts in error.messages.items()}) from None
    context.record("copy", edited.subject)
    return Saved(Outcome.WRITTEN, accepted.write_id)


def _new_names(context: EditContext, edited: Edited, values: Values) -> dict[str, FieldValue]:
    """Return a title that says that it is a copy, and a free slug; nothing for kinds without them."""
    if "title" not in values:
        return {}
    if KINDS[edited.kind].type_key and not edited.type and edited.stored["slug"] in edited.schema.single_pages:
        raise InvalidFields({FIELDS: [OWN_FIELDS]})
    title = str(values["title"])[: MAX_TITLE_LENGTH - len(COPY)] + COPY
    place = NewEntry(edited.kind, edited.type, edited.locale)
    slug = context.free_slug(place, str(edited.stored["slug"]))
    return {"title": title, "slug": slug}


def _fields_by_locale(edited: Edited, fields: Values) -> dict[str, FieldValue]:
    """Return the fields of the copy in each locale, of a draft before those of the live version."""
    by_locale = {each.locale: each.fields for each in reversed(edited.versions)}
    copied = {code: without_unset(each) for code, each in {**by_locale, edited.locale: fields}.items()}
    return {code: _renamed(each, edited.schema, edited.type) for code, each in copied.items()}


def _renamed(fields: dict[str, FieldValue], schema: ContentSchema, key: str) -> dict[str, FieldValue]:
    """Return the fields of a copied item, whose label says that it is one where that is a short text."""
    if key not in schema.collections:
        return fields
    collection = schema.collection(key)
    label = next((spec for spec in collection.fields if spec.slug == collection.label), None)
    name = f"{fields.get(collection.label) or ''}{COPY}"
    is_named = label is not None and label.type == "short_text" and len(name) <= (label.max_length or len(name))
    return {**fields, collection.label: name} if is_named else fields


def translate(context: EditContext, edited: Edited, locale: str) -> Saved:
    """Create the variant of a post in a locale: a draft with the values that the form of the post shows.

    Raises NotFound, Forbidden and InvalidFields.
    """
    chosen, values, user = context.writes.locale(locale), edited.values, context.user
    require(user, Action.CREATE, user.author)
    edited.require(user, Action.EDIT)
    require(user, Action.EDIT, str(values[AUTHOR]))
    text = body = str(values[BODY])
    with context.writes.database.reading() as session:
        if chosen in find_variants(session, edited.named_version.group_id):
            raise InvalidFields({"locale": [EXISTS]})
        if edited.is_markdown:
            resolve = resolver_of(session, (edited.kind, edited.id))
            body = render_body(context.writes.settings, text, chosen, resolve, title=str(values["title"]))
    sent = {name: value for name, value in values.items() if name not in _OF_ITS_OWN}
    sent |= {BODY: body, "status": Status.DRAFT.value}
    studio = StudioValues(markdown=text if edited.is_markdown else None)
    accepted = accept.update(context.writes, Caller(user), edited.name, sent, chosen, studio)
    context.record("translate", f"{edited.subject} into {chosen}")
    return Saved(Outcome.WRITTEN, accepted.write_id)
