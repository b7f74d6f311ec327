"""Pages with the form of a post."""

from collections.abc import Mapping, Sequence
from typing import Any

from flask import Response
from msgspec import Struct, field

from sitecms.actions.editing.post_values import PostValues, differing, fields_in, is_markdown
from sitecms.actions.editing.posts import EditedPost
from sitecms.actions.editing.source_files import EntryFile, find_source
from sitecms.content.change import EntryKind
from sitecms.content.post import FIELDS
from sitecms.content.schema import ContentSchema
from sitecms.content.status import Status
from sitecms.content.term import TermKind
from sitecms.content.user import Action
from sitecms.store.database import Session
from sitecms.store.entries.authors import find_authors
from sitecms.store.entries.revisions import last_change
from sitecms.store.entries.terms import find_terms
from sitecms.store.site_state.documents import load_content_schema
from sitecms.studio.conflicts import ConflictPage
from sitecms.studio.entry_place import public_address
from sitecms.studio.field_controls import Control, control_name, controls_of, reference_choices
from sitecms.studio.field_form import is_editable, read_fields, typed_group
from sitecms.studio.post_form import Form, typed_values
from sitecms.studio.post_format import has_rich_text
from sitecms.studio.rendering import language_name
from sitecms.studio.value_texts import labels_of
from sitecms.studio.views.picture_choice import kept_fields
from sitecms.studio.views.translations import PostTranslations, translations_of
from sitecms.studio.views.unsaved import offers
from sitecms.studio.visit import Visit, shown_revision


class ShownForm(Struct, frozen=True):
    """The form as it is shown: values as typed, errors by field, and the conflict with what is stored."""

    values: PostValues
    errors: Mapping[str, Sequence[str]] = field(default_factory=dict)
    conflict: ConflictPage | None = None
    scheduled_at: str = ""
    status: int = 200


def schema_of(visit: Visit) -> ContentSchema:
    """Return the schema of the site."""
    with visit.studio.runtime.database.reading() as session:
        return load_content_schema(session)


def new_page(visit: Visit, form: ShownForm) -> Response:
    """Return the page with the form of a new post."""
    settings = visit.studio.runtime.settings
    locale = visit.field("locale") or settings.default_locale
    may_publish = visit.may(Action.PUBLISH)
    return _page(
        visit,
        form,
        post=None,
        locale=locale,
        is_markdown=is_markdown(form.values, default=True),
        may_edit=True,
        may_publish=may_publish,
    )


def post_page(visit: Visit, edited: EditedPost, form: ShownForm) -> Response:
    """Return the page with the form of a post."""
    post, author = edited.post, edited.post.author.slug
    is_draft = post.status is Status.DRAFT
    revision = shown_revision(visit, edited.revision, is_stale=form.conflict is not None)
    with visit.studio.runtime.database.reading() as session:
        last = last_change(session, EntryKind.POST, post.id, post.locale)
    is_newer = edited.copy is not None and last is not None and last.at > edited.copy.saved_at
    return _page(
        visit, form, post=post, locale=post.locale, copy=edited.copy, changed_since=last if is_newer else None,
        source=_source(visit, post.id), public_address=public_address(visit, post),
        is_markdown=is_markdown(form.values, default=edited.is_markdown), was_markdown=edited.is_markdown,
        revision=revision, may_edit=visit.may(Action.EDIT, author),
        may_publish=visit.may(Action.PUBLISH, author),
        may_delete=visit.may(Action.DELETE if is_draft else Action.DELETE_PUBLISHED, author),
        translations=translations_of(visit, post),
    )  # fmt: skip


def _source(visit: Visit, post_id: int) -> EntryFile | None:
    return find_source(visit.studio.runtime.database, EntryKind.POST, post_id)


def rich_text_question(visit: Visit, edited: EditedPost) -> Response:
    """Return the page that asks whether the Markdown of a form becomes rich text, and says what that means."""
    source, address = _source(visit, edited.post.id), f"/studio/posts/{edited.post.id}/"
    title = str(edited.values["title"]) or "(no title)"
    return visit.page("to_rich_text.html", title=title, address=address, source=source, kept=kept_fields(visit))


def _page(visit: Visit, post_form: ShownForm, **values: Any) -> Response:
    """Return the page of a form with what it offers to choose from."""
    settings = visit.studio.runtime.settings
    with visit.studio.runtime.database.reading() as session:
        authors = find_authors(session)
        terms = {kind: [term.name for term in find_terms(session, kind)] for kind in TermKind}
        controls = _controls(session, post_form, values["locale"], published_only=not visit.may_read_all_drafts)
    own_categories = [str(name) for name in _names(post_form.values, "categories")]
    categories = sorted(dict.fromkeys((*own_categories, *terms[TermKind.CATEGORY])), key=str.casefold)
    names = ("copy", "source", "changed_since", "may_delete", "was_markdown")
    defaults: dict[str, object] = {
        **dict.fromkeys(names),
        "revision": "",
        "public_address": "",
        "translations": PostTranslations(),
    }
    return visit.page(
        "post.html", status=post_form.status, values=post_form.values, controls=controls, labels=labels_of(controls),
        errors={control_of(name): messages for name, messages in post_form.errors.items()},
        scheduled_at=post_form.scheduled_at,
        conflict=post_form.conflict, categories=categories,
        author_options=[(each.slug, each.name) for each in authors], has_rich_text=has_rich_text(visit),
        locale_options=[(each, language_name(settings, each)) for each in settings.locales],
        known_tags=terms[TermKind.TAG],
        unsaved=offers(visit, lambda form: _is_shown(visit, form, post_form.values)),
        **{**defaults, **values},
    )  # fmt: skip


def control_of(name: str) -> str:
    """Return the name of the control of an error."""
    place = name.removeprefix(f"{FIELDS}.")
    return name if place == name else control_name(place)


def _controls(session: Session, form: ShownForm, locale: str, *, published_only: bool) -> tuple[Control, ...]:
    """Return the controls of the declared fields that forms know."""
    schema = load_content_schema(session)
    specs = [spec for spec in schema.post_fields if is_editable(spec, schema)]
    references = reference_choices(session, schema, locale, published_only=published_only)
    errors = {name.removeprefix(f"{FIELDS}."): messages for name, messages in form.errors.items()}
    return controls_of(typed_group(fields_in(form.values), specs, schema), specs, schema, references, errors)


def _is_shown(visit: Visit, form: Form, values: PostValues) -> bool:
    """Return whether the fields of a form are those that the form of the visit shows."""
    schema = schema_of(visit)
    typed = typed_group(fields_in(values), schema.post_fields, schema)
    is_same = read_fields(form, schema.post_fields, schema, typed) == typed
    return is_same and not differing(values, typed_values(form, values))


def _names(values: PostValues, name: str) -> list[Any]:
    value = values.get(name)
    return value if isinstance(value, list) else []
