"""Histories of posts, pages and items, and what a saved draft changes.

A history lists versions, compares one with the one before, and brings one back. Changes of a draft are compared with
the version that readers see.
"""

from collections.abc import Callable, Mapping
from functools import partial

from flask import Response
from msgspec import Struct

from sitecms.actions.editing import entries as entry_editing
from sitecms.actions.editing import history as histories
from sitecms.actions.editing.entries import EditedEntry
from sitecms.actions.editing.history import CURRENT, Comparison, History, State
from sitecms.actions.editing.posts import EditedPost
from sitecms.content.query import Window
from sitecms.content.schema import ContentSchema
from sitecms.content.user import Action
from sitecms.errors import Conflict, InvalidFields, NotFound, Stale
from sitecms.store.entries.authors import find_authors
from sitecms.store.site_state.documents import load_content_schema
from sitecms.studio.entry_place import STORED_FORMS, EntryPlace, PlaceOf
from sitecms.studio.field_form import changed_fields, typed_group
from sitecms.studio.value_texts import Texts, compare, texts_of_fields, texts_of_post
from sitecms.studio.views.posts import POSTS, edited_post
from sitecms.studio.visit import Route, Visit, paging, redirect, wait_until_applied

CHANGED = "The entry was changed since you opened this page. Look at its newest version, then try again."
NO_DRAFT = "There is no draft of a published entry, so there is nothing to compare."


class _Subject(Struct, frozen=True):
    """The entry whose history is shown: its form's address, what its states show, and what brings one back.

    `restore` gets a state and the revision that the person saw; it returns the id of the write, "" for none.
    """

    history: History
    title: str
    address: str
    query: Mapping[str, str]
    texts: Callable[[State], Texts]
    restore: Callable[[State, str], str]
    revision: str
    may_restore: bool


SubjectOf = Callable[..., _Subject]
"""Gets a visit and the names in the path."""


def _of_post(visit: Visit, post_id: str) -> _Subject:
    edited = edited_post(visit, post_id)
    history = histories.history_of_post(visit.user, edited)
    return _Subject(
        history, _title_of(edited), f"{POSTS}{edited.post.id}/", {}, partial(_texts_of_post, *_names(visit)),
        partial(_restore_post, visit, edited), edited.revision, visit.may(Action.EDIT, edited.post.author.slug),
    )  # fmt: skip


def _title_of(edited: EditedPost) -> str:
    return str(edited.values["title"]) or "(no title)"


def _names(visit: Visit) -> tuple[ContentSchema, Mapping[str, str]]:
    """Return the schema, and the names of authors by slug."""
    with visit.studio.runtime.database.reading() as session:
        return load_content_schema(session), {author.slug: author.name for author in find_authors(session)}


def _of_entry(place_of: PlaceOf, visit: Visit, **names_in_path: str) -> _Subject:
    place = place_of(visit, **names_in_path)
    edited = place.edited
    if edited is None or edited.shown is None:
        raise NotFound("The entry is not in this language, so there is no history of it.")
    history = histories.history_of_entry(edited, place.locale)
    address, query = f"{place.list_address}{edited.id}/", {"locale": place.locale}
    return _Subject(
        history, edited.title, address, query, partial(_texts_of_entry, place),
        partial(_restore_entry, visit, place, edited), edited.revision, may_restore=True,
    )  # fmt: skip


def _restore_post(visit: Visit, edited: EditedPost, state: State, revision: str) -> str:
    return histories.restore_post(visit.studio.writes, visit.user, edited, state, revision).write_id


def _restore_entry(visit: Visit, place: EntryPlace, edited: EditedEntry, state: State, revision: str) -> str:
    former = typed_group(histories.fields_of_entry(state), place.specs, place.schema)
    changed = changed_fields(place.shown, former)
    accepted = entry_editing.save(
        visit.studio.writes, visit.user, edited, changed, place.locale, revision, restores=True
    )
    return accepted.write_id if accepted else ""


def _texts_of_post(schema: ContentSchema, authors: Mapping[str, str], state: State) -> Texts:
    """Return what a state of a post shows, as text by label."""
    values = {**histories.values_of_post(state), "status": histories.status_of(state)}
    values["author"] = authors.get(str(values["author"]), values["author"])
    return {**texts_of_post(values, schema), "Unpublished changes": "yes" if state["copy"] else ""}


def _texts_of_entry(place: EntryPlace, state: State) -> Texts:
    """Return what a state of a page or item shows, as text by label."""
    typed = typed_group(histories.fields_of_entry(state), place.specs, place.schema)
    name = {label: str(state[key]) for key, label in (("title", "Title"), ("slug", "Address")) if key in state}
    is_draft = bool(state["live"] and state["draft"])
    return {
        **name,
        **dict(texts_of_fields(typed, place.specs, place.schema)),
        "Status": histories.status_of(state),
        "Unpublished changes": "yes" if is_draft else "",
    }


def show_history(subject_of: SubjectOf, visit: Visit, **names_in_path: str) -> Response:
    """Show the versions of an entry."""
    subject = subject_of(visit, **names_in_path)
    with visit.studio.runtime.database.reading() as session:
        count = histories.find_versions(session, subject.history, Window(1)).count
        page = paging(visit, count)
        results = histories.find_versions(session, subject.history, page.window)
        live = histories.find_live_version(session, subject.history)
    return visit.page("history.html", subject=subject, versions=results.entries, live=live, paging=page)


def show_version(subject_of: SubjectOf, visit: Visit, version_id: str, **names_in_path: str) -> Response:
    """Show a version of an entry, compared with the one before."""
    return _version_page(visit, subject_of(visit, **names_in_path), version_id)


def _version_page(visit: Visit, subject: _Subject, version_id: str, problem: str = "", status: int = 200) -> Response:
    compared = _compared(visit, subject, version_id)
    after = subject.texts(compared.state)
    before = {} if compared.before is None else subject.texts(compared.before)
    fields = compare(before, after)
    texts = {label: text for label, text in after.items() if text}
    return visit.page(
        "version.html", status=status, subject=subject, compared=compared, fields=fields, shown=texts, problem=problem,
        is_current=compared.version.id == CURRENT,
    )  # fmt: skip


def _compared(visit: Visit, subject: _Subject, version_id: str) -> Comparison:
    if not (version_id.isascii() and version_id.isdecimal() and len(version_id) < 19):
        raise NotFound("Not found.")
    with visit.studio.runtime.database.reading() as session:
        return histories.compare(session, subject.history, int(version_id))


def restore_version(subject_of: SubjectOf, visit: Visit, version_id: str, **names_in_path: str) -> Response:
    """Save a version of an entry as its draft."""
    subject = subject_of(visit, **names_in_path)
    state = _compared(visit, subject, version_id).state
    try:
        write_id = subject.restore(state, visit.field("revision"))
        is_applied = not write_id or wait_until_applied(visit, write_id)[0]
    except Stale:
        return _version_page(visit, subject, version_id, CHANGED, 412)
    except (InvalidFields, Conflict) as error:
        messages = error.messages.items() if isinstance(error, InvalidFields) else [("", [str(error)])]
        problem = " ".join(f"{name}: {text}" if name else text for name, texts in messages for text in texts)
        return _version_page(visit, subject, version_id, problem, 400)
    return redirect(subject.address, **subject.query, said="version-restored" if is_applied else "waiting")


def show_changes_of_post(visit: Visit, post_id: str) -> Response:
    """Show what the draft of a published post changes."""
    edited = edited_post(visit, post_id)
    if edited.copy is None:
        raise NotFound(NO_DRAFT)
    schema, authors = _names(visit)
    live, draft = (
        texts_of_post({**values, "author": authors.get(str(values["author"]), values["author"])}, schema)
        for values in (edited.live, edited.values)
    )
    fields = compare(live, draft)
    title = _title_of(edited)
    return visit.page("draft_changes.html", title=title, address=f"{POSTS}{post_id}/", fields=fields)


def show_changes(place_of: PlaceOf, visit: Visit, **names_in_path: str) -> Response:
    """Show what the draft of a published page or item changes in a locale."""
    place = place_of(visit, **names_in_path)
    edited = place.edited
    if edited is None or edited.live is None or edited.shown in (None, edited.live):
        raise NotFound(NO_DRAFT)
    before, after = (
        dict(texts_of_fields(typed_group(fields, place.specs, place.schema), place.specs, place.schema))
        for fields in (edited.live.fields, edited.fields)
    )
    fields = compare(before, after)
    address = f"{place.list_address}{edited.id}/?locale={place.locale}"
    return visit.page("draft_changes.html", title=edited.title, address=address, fields=fields)


_HISTORIES: tuple[tuple[str, SubjectOf, Action, Action], ...] = (
    (f"{POSTS}<post_id>/", _of_post, Action.READ_DRAFT, Action.EDIT),
    *((path, partial(_of_entry, place_of), Action.EDIT_PAGES, Action.EDIT_PAGES) for path, place_of in STORED_FORMS),
)
ROUTES = (
    *(Route("GET", f"{path}history/", partial(show_history, of), read) for path, of, read, _edit in _HISTORIES),
    *(
        Route(method, f"{path}history/<version_id>/", partial(view, of), action)
        for path, of, read, edit in _HISTORIES
        for method, view, action in (("GET", show_version, read), ("POST", restore_version, edit))
    ),
    Route("GET", f"{POSTS}<post_id>/changes/", show_changes_of_post, Action.READ_DRAFT),
    *(
        Route("GET", f"{path}changes/", partial(show_changes, place_of), Action.EDIT_PAGES)
        for path, place_of in STORED_FORMS
    ),
)
