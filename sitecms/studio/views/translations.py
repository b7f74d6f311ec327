"""The locales of a post: its variants, beside each other where that is asked for, and new ones."""

from collections.abc import Mapping

from flask import Response
from msgspec import Struct, field

from sitecms.actions.editing.copies import translate
from sitecms.actions.editing.post_values import TEXTS, fields_in
from sitecms.actions.editing.posts import EditedPost, get_edited
from sitecms.content.post import Post
from sitecms.content.schema import ContentSchema
from sitecms.content.user import Action
from sitecms.errors import NotFound
from sitecms.store.listings.posts import find_variants
from sitecms.store.site_state.documents import load_content_schema
from sitecms.studio.field_controls import control_name
from sitecms.studio.field_form import typed_group
from sitecms.studio.rendering import language_name
from sitecms.studio.value_texts import text_of_field
from sitecms.studio.visit import Route, Visit, redirect, wait_until_applied


class LocaleTab(Struct, frozen=True):
    """A locale of the site: the variant in it that the user may see, 0 without one, and what there is to say of it."""

    locale: str
    post_id: int
    note: str


class PostTranslations(Struct, frozen=True):
    """The locales of a post, and the texts of one variant by the names of controls, if it is to stand beside."""

    tabs: tuple[LocaleTab, ...] = ()
    beside: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)


def translations_of(visit: Visit, post: Post) -> PostTranslations:
    """Return the locales of a post, with the texts of the one that `beside` names."""
    settings = visit.studio.runtime.settings
    if len(settings.locales) < 2:
        return PostTranslations()
    with visit.studio.runtime.database.reading() as session:
        schema, posts_by_locale = load_content_schema(session), dict[str, EditedPost]()
        hidden = set()
        for each in find_variants(session, post.group_id):
            try:
                posts_by_locale[each.locale] = get_edited(session, visit.user, each.id)
            except NotFound:
                hidden.add(each.locale)  # a draft of somebody else
    first, main = posts_by_locale.get(settings.default_locale), language_name(settings, settings.default_locale)
    tabs = []
    for locale in settings.locales:
        translation = posts_by_locale.get(locale)
        is_older = translation is not None and first is not None and translation.post.updated_at < first.post.updated_at
        note = f"older than {main}" if is_older else "" if translation else "missing"
        if locale not in hidden:
            tabs.append(LocaleTab(locale, translation.post.id if translation else 0, note))
    beside = visit.asked("beside")
    other = posts_by_locale.get(beside) if beside != post.locale else None
    return PostTranslations(tuple(tabs), beside, _texts(other, schema)) if other else PostTranslations(tuple(tabs))


def _texts(edited: EditedPost, schema: ContentSchema) -> dict[str, str]:
    values = edited.values
    typed = typed_group(fields_in(values), schema.post_fields, schema)
    own_texts = {control_name(each.slug): text_of_field(typed[each.slug], each, schema) for each in schema.post_fields}
    return {**{name: str(values.get(name) or "") for name in TEXTS}, **own_texts}


def send_translation(visit: Visit, post_id: str) -> Response:
    """Create the variant of a post in a locale, and show its form beside the original."""
    if not (post_id.isascii() and post_id.isdecimal() and len(post_id) < 19):
        raise NotFound("Not found.")
    saved = translate(visit.studio.writes, visit.user, int(post_id), visit.field("locale"))
    is_applied, new_id = wait_until_applied(visit, saved.write_id)
    if not is_applied:
        return redirect("/studio/posts/", said="waiting")
    with visit.studio.runtime.database.reading() as session:
        original = get_edited(session, visit.user, int(post_id)).post.locale
    return redirect(f"/studio/posts/{new_id}/", beside=original, said="translated")


ROUTES = (Route("POST", "/studio/posts/<post_id>/translate/", send_translation, Action.CREATE),)
