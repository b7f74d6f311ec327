"""Pages with the form of an entry."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from flask import Response
from msgspec import Struct, field

from sitecms.actions.editing.edited import Edited
from sitecms.actions.editing.source_files import find_source
from sitecms.actions.references import target_of
from sitecms.actions.syncing.write_back import is_on
from sitecms.actions.writing.publish_scheduled import find_held_back
from sitecms.content.entry import FIELDS
from sitecms.content.kinds import FORMAT, KINDS, MARKDOWN
from sitecms.content.revision import Change, ChangeSource
from sitecms.content.schema import is_post_like
from sitecms.content.status import Status
from sitecms.content.term import TermKind
from sitecms.content.user import Action
from sitecms.messages import N_
from sitecms.plugins.site_plugins import FIELD_INPUTS
from sitecms.store.database import Session
from sitecms.store.entries.authors import find_authors
from sitecms.store.entries.load_conflicts import find_conflicts
from sitecms.store.entries.revisions import last_change
from sitecms.store.entries.terms import find_terms
from sitecms.studio.build_state import build_state
from sitecms.studio.conflicts import ConflictPage
from sitecms.studio.entry_form import Typed, control_of, read_form
from sitecms.studio.entry_place import EntryPlace, public_address
from sitecms.studio.entry_reviews import review_values
from sitecms.studio.field_controls import FormState, controls_of, reference_choices, with_inputs
from sitecms.studio.field_form import is_editable
from sitecms.studio.load_conflicts import ShownConflict, shown_conflict
from sitecms.studio.rendering import language_name
from sitecms.studio.sent_form import Form
from sitecms.studio.text_comparison import comparison_in
from sitecms.studio.text_format import has_rich_text
from sitecms.studio.texts import _
from sitecms.studio.value_texts import labels_of
from sitecms.studio.views.picture_choice import kept_fields
from sitecms.studio.views.translations import translations_of
from sitecms.studio.views.unsaved import offers, saved_sessions
from sitecms.studio.visit import Visit, shown_revision
from sitecms.studio.words import word

NO_TITLE = N_("(no title)")


class ShownForm(Struct, frozen=True):
    """The form as it is shown: typed values, errors by place, and the conflict with what is stored.

    `opened` is the row or field that the pressed button was about, `sent` the form that came with it. `is_saved`:
    the values were saved by the same request, and something else was refused.
    """

    typed: Typed
    errors: Mapping[str, Sequence[str]] = field(default_factory=dict)
    conflict: ConflictPage | None = None
    scheduled_at: str = ""
    published_at: str = ""
    status: int = 200
    is_saved: bool = False
    opened: str = ""
    sent: Form | None = None


class ShownDraft(Struct, frozen=True):
    """A draft over what readers see, the user who saved it ("": nobody that is known), and a later change."""

    saved_at: datetime
    user_name: str
    changed_since: Change | None


def entry_page(visit: Visit, place: EntryPlace, form: ShownForm) -> Response:
    """Return the page with the form of an entry, and what it offers to choose from."""
    edited, settings, typed = place.edited, visit.studio.runtime.settings, form.typed
    is_stale = form.conflict is not None or form.is_saved
    errors = {control_of(place, name): messages for name, messages in form.errors.items()}
    specs = [spec for spec in place.specs if is_editable(spec, place.schema)]
    translations = translations_of(visit, place, typed)
    with visit.studio.runtime.database.reading() as session:
        hidden = not visit.may_read_all_drafts
        references = reference_choices(session, place.schema, place.locale, published_only=hidden)
        state = FormState(
            place.schema, references, errors, form.opened, form.sent, edited is None, translations.values,
            partial(_names, session),
        )  # fmt: skip
        usual = controls_of(typed[FIELDS], specs, state)
        controls = with_inputs(usual, settings.plugins.named(FIELD_INPUTS, "input of the field type"))
        choices = _choices(session, typed) if place.properties.has_author else {}
        last = last_change(session, place.kind, edited.id, edited.locale) if edited else None
        load_conflicts = _load_conflicts(session, visit, place, typed)
        review = review_values(session, visit, place)
        held_back = _held_back(session, visit, place)
        site = build_state(session, settings, visit.at)
    return visit.page(
        "entry.html", status=form.status, place=place, kind=place.properties, edited=edited, form=form, values=typed,
        errors=errors, controls=[each for each in controls if not is_post_like(each.spec)],
        panel_controls=[each for each in controls if is_post_like(each.spec)], labels=labels_of(controls),
        conflict=form.conflict,
        load_conflicts=load_conflicts, heading=_heading(place, form),
        left_out=[spec for spec in place.specs if spec not in specs], action=form_address(visit, place),
        revision=shown_revision(visit, edited.revision, is_stale=is_stale) if edited else "",
        is_markdown=typed.get(FORMAT) == MARKDOWN, has_rich_text=has_rich_text(visit), answer=_answer(visit, place),
        draft=_draft(edited, last) if edited and edited.shown and edited.has_draft else None,
        translations=translations, held_back=held_back,
        source=find_source(visit.studio.runtime.database, place.kind, edited.id) if edited else None,
        public_address=public_address(visit, place),
        site=site,
        is_missing_from_site=edited is not None and site.lacks(edited.live),
        locale_options=[(each, language_name(settings, each)) for each in settings.locales],
        saved_sessions=saved_sessions(visit),
        unsaved=offers(visit, lambda sent: read_form(sent, place, typed) == typed),
        **_permissions(visit, place), **choices, **review,
    )  # fmt: skip


def _load_conflicts(session: Session, visit: Visit, place: EntryPlace, typed: Typed) -> Sequence[ShownConflict]:
    """Return the conflicts of loads that the user may decide."""
    edited = place.edited
    if edited is None or not edited.allows(visit.user, Action.EDIT):
        return ()
    stored = find_conflicts(session, place.kind, edited.id, place.locale)
    comparison = comparison_in(visit, place)
    return [shown_conflict(place, typed, each, comparison) for each in stored]


def _held_back(session: Session, visit: Visit, place: EntryPlace) -> str:
    """Return who has the address of an entry whose time of publication has come; "" if it is or will be published."""
    edited = place.edited
    if edited is None or edited.scheduled_at is None or edited.scheduled_at > visit.at:
        return ""
    held = find_held_back(session, visit.at, visit.studio.runtime.settings)
    own = (edited.kind, edited.id, edited.locale)
    return next((text for due, text in held.items() if (due.kind, due.entry_id, due.locale) == own), "")


def form_address(visit: Visit, place: EntryPlace) -> str:
    """Return the address that the form is sent to."""
    return f"{visit.request.path}?locale={place.locale}" if place.query else visit.request.path


def rich_text_question(visit: Visit, place: EntryPlace) -> Response:
    """Return the page that asks whether the Markdown of a form becomes rich text, and says what that means."""
    edited = place.edited
    database, settings = visit.studio.runtime.database, visit.studio.runtime.settings
    source = find_source(database, place.kind, edited.id) if edited else None
    writes_files = database.read(is_on, settings)
    title = edited.title if edited else ""
    return visit.page(
        "to_rich_text.html",
        title=title,
        address=place.path,
        source=source,
        writes_files=writes_files,
        kept=kept_fields(visit),
    )


def _heading(place: EntryPlace, form: ShownForm) -> str:
    if place.edited is None:
        return word(place.properties.new_label)
    return str(form.typed["title"]) or _(NO_TITLE) if "title" in form.typed else place.edited.title


def _permissions(visit: Visit, place: EntryPlace) -> dict[str, bool]:
    edited = place.edited
    if place.is_menu:
        return {"may_edit": False, "may_publish": False, "may_delete": False}
    if edited is None:
        return {"may_edit": True, "may_publish": visit.may(Action.PUBLISH), "may_delete": False}
    is_draft = edited.status is Status.DRAFT
    return {
        "may_edit": edited.allows(visit.user, Action.EDIT),
        "may_publish": edited.allows(visit.user, Action.PUBLISH),
        "may_delete": edited.allows(visit.user, Action.DELETE if is_draft else Action.DELETE_PUBLISHED),
    }


def _draft(edited: Edited, last: Change | None) -> ShownDraft:
    """Return the draft that the form shows; `last` is the last change of the entry, which may be one of the draft."""
    saved_at, user_name = edited.named_version.updated_at, edited.named_version.saved_by
    if not user_name:
        is_by_user = last is not None and last.at == saved_at and last.source is ChangeSource.USER
        user_name = last.name if last and is_by_user else ""
    return ShownDraft(saved_at, user_name, last if last and last.at > saved_at else None)


def _names(session: Session, kind: TermKind) -> Sequence[str]:
    """Return the names of the terms of a kind that there are."""
    return [term.name for term in find_terms(session, kind)]


def _choices(session: Session, typed: Typed) -> dict[str, Any]:
    """Return the authors and terms that there are."""
    terms = {kind: _names(session, kind) for kind in TermKind}
    return {
        "author_options": [(each.slug, each.name) for each in find_authors(session)],
        "categories": sorted(dict.fromkeys((*typed["categories"], *terms[TermKind.CATEGORY])), key=str.casefold),
        "known_tags": terms[TermKind.TAG],
    }


def _answer(visit: Visit, place: EntryPlace) -> tuple[str, str, str] | None:
    """Return the answer to the form in another tab that asked for a new entry: id, URI and label."""
    if place.edited is None or not visit.query("asks"):
        return None
    entry = place.edited.versions[0]
    return (visit.query("asks"), target_of(entry).uri, place.edited.title) if KINDS[entry.kind].is_target else None
