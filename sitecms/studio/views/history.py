"""Histories of posts, pages and items, and what a saved draft changes.

A history lists versions, compares one with the one before, and brings one back. Changes of a draft are compared with
the version that readers see.
"""

from collections.abc import Mapping
from functools import partial

from flask import Response
from msgspec import Struct

from sitecms.actions.editing import history as histories
from sitecms.actions.editing.edited import Edited
from sitecms.actions.editing.entries import Form, save
from sitecms.actions.editing.history import CURRENT, Comparison, History, State
from sitecms.actions.editing.values import Values
from sitecms.content.kinds import FORMAT, HTML, MARKDOWN, EntryKind
from sitecms.content.query import Window
from sitecms.content.status import Version
from sitecms.content.user import Action
from sitecms.errors import Conflict, InvalidFields, NotFound, Stale
from sitecms.messages import N_, text_of
from sitecms.studio.entry_form import typed_values, values_of_typed
from sitecms.studio.entry_place import STORED_FORMS, EntryPlace, get_place, number_of, route_action
from sitecms.studio.text_comparison import TextComparison, comparison_in
from sitecms.studio.texts import _
from sitecms.studio.value_texts import FieldText, Texts, texts_of_values
from sitecms.studio.visit import Route, Visit, paging, redirect, wait_until_applied
from sitecms.studio.words import word

CHANGED = N_("The entry was changed since you opened this page. Look at its newest version, then try again.")
NO_DRAFT = N_("There is no draft of a published entry, so there is nothing to compare.")
NOT_IN_LOCALE = N_("The entry is not in this language, so there is no history of it.")


class _Subject(Struct, frozen=True):
    """The entry whose history is shown, and what its texts are compared with."""

    place: EntryPlace
    edited: Edited
    history: History
    comparison: TextComparison
    may_restore: bool

    @property
    def title(self) -> str:
        """The title of the entry now."""
        return self.edited.title

    @property
    def address(self) -> str:
        """The address of the form of the entry."""
        return self.place.path

    @property
    def query(self) -> Mapping[str, str]:
        """The locale, for addresses."""
        return self.place.query

    @property
    def revision(self) -> str:
        """The revision that bringing a version back must find."""
        return self.edited.revision

    def texts(self, state: State) -> Texts:
        """Return what a state of the entry shows, as text by label."""
        values = _texts(self.place, histories.values_of_state(state), self.comparison)
        has_draft = bool(state[Version.LIVE.value] and state[Version.DRAFT.value])
        changes = {_("Unpublished changes"): FieldText(_("yes") if has_draft else "")}
        return {**values, _("Status"): FieldText(word(histories.status_of(state))), **changes}


def _subject(visit: Visit, kind: EntryKind, **names_in_path: str) -> _Subject:
    place = get_place(visit, kind, **names_in_path)
    if place.edited is None or place.edited.shown is None:
        raise NotFound(_(NOT_IN_LOCALE))
    history = histories.history_of(visit.user, place.edited)
    may_restore = place.edited.allows(visit.user, Action.EDIT)
    return _Subject(place, place.edited, history, comparison_in(visit, place), may_restore)


def _texts(place: EntryPlace, values: Values, comparison: TextComparison) -> Texts:
    return texts_of_values(values, place.specs, place.schema, comparison.authors)


def show_history(kind: EntryKind, visit: Visit, **names_in_path: str) -> Response:
    """Show the versions of an entry."""
    subject = _subject(visit, kind, **names_in_path)
    with visit.studio.runtime.database.reading() as session:
        count = histories.find_versions(session, subject.history, Window(1)).count
        page = paging(visit, count)
        results = histories.find_versions(session, subject.history, page.window)
        live = histories.find_live_version(session, subject.history)
    return visit.page("history.html", subject=subject, versions=results.entries, live=live, paging=page)


def show_version(kind: EntryKind, visit: Visit, version_id: str, **names_in_path: str) -> Response:
    """Show a version of an entry, compared with the one before."""
    return _version_page(visit, _subject(visit, kind, **names_in_path), version_id)


def _version_page(visit: Visit, subject: _Subject, version_id: str, problem: str = "", status: int = 200) -> Response:
    compared = _compared(visit, subject, version_id)
    after = subject.texts(compared.state)
    before = {} if compared.before is None else subject.texts(compared.before)
    fields = subject.comparison.compare_all(before, after)
    texts = {label: subject.comparison.show(text) for label, text in after.items() if text.text}
    return visit.page(
        "version.html", status=status, subject=subject, compared=compared, fields=fields, shown=texts, problem=problem,
        is_current=compared.version.id == CURRENT,
    )  # fmt: skip


def _compared(visit: Visit, subject: _Subject, version_id: str) -> Comparison:
    return visit.studio.runtime.database.read(histories.compare, subject.history, number_of(version_id))


def restore_version(kind: EntryKind, visit: Visit, version_id: str, **names_in_path: str) -> Response:
    """Save a version of an entry as its draft."""
    subject = _subject(visit, kind, **names_in_path)
    state = _compared(visit, subject, version_id).state
    try:
        is_applied = _restore(visit, subject, state)
    except Stale:
        return _version_page(visit, subject, version_id, _(CHANGED), 412)
    except (InvalidFields, Conflict) as error:
        messages = error.messages.items() if isinstance(error, InvalidFields) else [("", [text_of(error)])]
        problem = " ".join(f"{name}: {text}" if name else text for name, texts in messages for text in texts)
        return _version_page(visit, subject, version_id, problem, 400)
    return redirect(subject.address, **subject.query, said="version-restored" if is_applied else "waiting")


def _restore(visit: Visit, subject: _Subject, state: State) -> bool:
    """Save a former state as a draft, all but names that readers see; return whether it is applied."""
    place, edited = subject.place, subject.edited
    former = histories.values_of_state(state)
    kept = {name: edited.values[name] for name in place.properties.immutable}
    values = values_of_typed(place, typed_values(place, {**edited.values, **former, **kept}))
    saved = save(visit.editing, edited, Form(values, visit.field("revision")), restores=True)
    return not saved.write_id or wait_until_applied(visit, saved.write_id)[0]


def show_changes(kind: EntryKind, visit: Visit, **names_in_path: str) -> Response:
    """Show what the draft of an entry changes of what readers see."""
    place = get_place(visit, kind, **names_in_path)
    edited = place.edited
    if edited is None or not edited.has_draft:
        raise NotFound(_(NO_DRAFT))
    comparison, text_format = comparison_in(visit, place), {FORMAT: HTML if edited.source is None else MARKDOWN}
    live, draft = (
        _texts(place, {**text_format, **values}, comparison) for values in (edited.live_values, edited.values)
    )
    fields = comparison.compare_all(live, draft)
    address = f"{place.path}?locale={place.locale}" if place.query else place.path
    return visit.page("draft_changes.html", title=edited.title, address=address, fields=fields)


def _routes(kind: EntryKind, path: str) -> tuple[Route, ...]:
    read, edit = route_action(kind, Action.READ_DRAFT), route_action(kind, Action.EDIT)
    return (
        Route("GET", f"{path}history/", partial(show_history, kind), read),
        Route("GET", f"{path}history/<version_id>/", partial(show_version, kind), read),
        Route("POST", f"{path}history/<version_id>/", partial(restore_version, kind), edit),
        Route("GET", f"{path}changes/", partial(show_changes, kind), read),
    )


ROUTES = tuple(route for kind, path in STORED_FORMS.items() for route in _routes(kind, path))
