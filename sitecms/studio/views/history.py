"""Histories of posts, pages and items: lists of versions, comparison with the one before, and bringing one back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from flask import Response

from sitecms.actions.editing import entries as entry_editing
from sitecms.actions.editing import history as histories
from sitecms.actions.editing.entries import EditedEntry
from sitecms.actions.editing.history import CURRENT, Comparison, History, State
from sitecms.actions.editing.posts import EditedPost
from sitecms.content.change import EntryKind
from sitecms.content.query import Window
from sitecms.content.schema import ContentSchema
from sitecms.content.user import Action
from sitecms.errors import Conflict, InvalidFields, NotFound, Stale
from sitecms.store.entries.authors import find_authors
from sitecms.store.site_state.documents import load_content_schema
from sitecms.studio.entry_place import Place, stored_place
from sitecms.studio.field_form import changed_fields, typed_group
from sitecms.studio.value_texts import Texts, compare, texts_of_fields, texts_of_post
from sitecms.studio.views.posts import POSTS, edited_post
from sitecms.studio.visit import Route, Visit, paging, redirect
from sitecms.studio.written import wait_until_applied

PAGE_SIZE = 50
CHANGED = "The entry was changed since you opened this page. Look at its newest version, then try again."


@dataclass(frozen=True, slots=True)
class _Subject:
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


def _of_post(visit: Visit, post_id: str) -> _Subject:
    edited = edited_post(visit, post_id)
    history = histories.history_of_post(visit.user, edited)
    title = str(edited.values["title"]) or "(no title)"
    with visit.studio.runtime.database.reading() as session:
        schema = load_content_schema(session)
        authors = {author.slug: author.name for author in find_authors(session)}
    return _Subject(
        history, title, f"{POSTS}{edited.post.id}/", {}, partial(_texts_of_post, schema, authors),
        partial(_restore_post, visit, edited), edited.revision, visit.may(Action.EDIT, edited.post.author.slug),
    )  # fmt: skip


def _of_entry(visit: Visit, kind: EntryKind, entry_id: str, key: str = "") -> _Subject:
    place = stored_place(visit, kind, entry_id, key)
    edited = place.edited
    if edited is None or edited.shown is None:
        raise NotFound("The entry is not in this language, so there is no history of it.")
    history = histories.history_of_entry(edited, place.locale)
    address = f"/studio/pages/{edited.id}/" if kind is EntryKind.PAGE else f"/studio/collections/{key}/{edited.id}/"
    return _Subject(
        history, edited.title, address, {"locale": place.locale}, partial(_texts_of_entry, place),
        partial(_restore_entry, visit, place, edited), edited.revision, may_restore=True,
    )  # fmt: skip


def _restore_post(visit: Visit, edited: EditedPost, state: State, revision: str) -> str:
    return histories.restore_post(visit.studio.writes, visit.user, edited, state, revision).write_id


def _restore_entry(visit: Visit, place: Place, edited: EditedEntry, state: State, revision: str) -> str:
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
    return {**texts_of_post(values, schema), "Draft over the published version": "yes" if state["copy"] else ""}


def _texts_of_entry(place: Place, state: State) -> Texts:
    """Return what a state of a page or item shows, as text by label."""
    typed = typed_group(histories.fields_of_entry(state), place.specs, place.schema)
    name = {label: str(state[key]) for key, label in (("title", "Title"), ("slug", "Address")) if key in state}
    is_draft = bool(state["live"] and state["draft"])
    return {
        **name,
        **dict(texts_of_fields(typed, place.specs, place.schema)),
        "Status": histories.status_of(state),
        "Draft over the published version": "yes" if is_draft else "",
    }


def _show_list(visit: Visit, subject: _Subject) -> Response:
    with visit.studio.runtime.database.reading() as session:
        count = histories.find_versions(session, subject.history, Window(1)).count
        page = paging(visit, count, PAGE_SIZE)
        window = Window(PAGE_SIZE, (page.number - 1) * PAGE_SIZE)
        found = histories.find_versions(session, subject.history, window)
        live = histories.find_live_version(session, subject.history)
    return visit.page("history.html", subject=subject, versions=found.entries, live=live, paging=page)


def _show_version(visit: Visit, subject: _Subject, version_id: str, problem: str = "", status: int = 200) -> Response:
    compared = _compared(visit, subject, version_id)
    after = subject.texts(compared.state)
    before = {} if compared.before is None else subject.texts(compared.before)
    fields = compare(before, after)
    shown = {label: text for label, text in after.items() if text}
    return visit.page(
        "version.html", status=status, subject=subject, compared=compared, fields=fields, shown=shown, problem=problem,
        is_current=compared.version.id == CURRENT,
    )  # fmt: skip


def _compared(visit: Visit, subject: _Subject, version_id: str) -> Comparison:
    if not (version_id.isascii() and version_id.isdecimal() and len(version_id) < 19):
        raise NotFound("Not found.")
    with visit.studio.runtime.database.reading() as session:
        return histories.compare(session, subject.history, int(version_id))


def _restore(visit: Visit, subject: _Subject, version_id: str) -> Response:
    state = _compared(visit, subject, version_id).state
    try:
        write_id = subject.restore(state, visit.field("revision"))
        is_applied = not write_id or wait_until_applied(visit, write_id)[0]
    except Stale:
        return _show_version(visit, subject, version_id, CHANGED, 412)
    except (InvalidFields, Conflict) as error:
        messages = error.messages.items() if isinstance(error, InvalidFields) else [("", [str(error)])]
        problem = " ".join(f"{name}: {text}" if name else text for name, texts in messages for text in texts)
        return _show_version(visit, subject, version_id, problem, 400)
    return redirect(subject.address, **subject.query, said="version-restored" if is_applied else "waiting")


def show_history_of_post(visit: Visit, post_id: str) -> Response:
    """Show the versions of a post."""
    return _show_list(visit, _of_post(visit, post_id))


def show_version_of_post(visit: Visit, post_id: str, version_id: str) -> Response:
    """Show a version of a post, compared with the one before."""
    return _show_version(visit, _of_post(visit, post_id), version_id)


def restore_version_of_post(visit: Visit, post_id: str, version_id: str) -> Response:
    """Save a version of a post as its draft."""
    return _restore(visit, _of_post(visit, post_id), version_id)


def show_history_of_page(visit: Visit, page_id: str) -> Response:
    """Show the versions of a page in a locale."""
    return _show_list(visit, _of_entry(visit, EntryKind.PAGE, page_id))


def show_version_of_page(visit: Visit, page_id: str, version_id: str) -> Response:
    """Show a version of a page, compared with the one before."""
    return _show_version(visit, _of_entry(visit, EntryKind.PAGE, page_id), version_id)


def restore_version_of_page(visit: Visit, page_id: str, version_id: str) -> Response:
    """Save a version of a page as its draft."""
    return _restore(visit, _of_entry(visit, EntryKind.PAGE, page_id), version_id)


def show_history_of_item(visit: Visit, key: str, item_id: str) -> Response:
    """Show the versions of an item in a locale."""
    return _show_list(visit, _of_entry(visit, EntryKind.ITEM, item_id, key))


def show_version_of_item(visit: Visit, key: str, item_id: str, version_id: str) -> Response:
    """Show a version of an item, compared with the one before."""
    return _show_version(visit, _of_entry(visit, EntryKind.ITEM, item_id, key), version_id)


def restore_version_of_item(visit: Visit, key: str, item_id: str, version_id: str) -> Response:
    """Save a version of an item as its draft."""
    return _restore(visit, _of_entry(visit, EntryKind.ITEM, item_id, key), version_id)


_POST = "/studio/posts/<post_id>/history/"
_PAGE = "/studio/pages/<page_id>/history/"
_ITEM = "/studio/collections/<key>/<item_id>/history/"
_ONE = "<version_id>/"
ROUTES = (
    Route("GET", _POST, show_history_of_post, Action.READ_DRAFT),
    Route("GET", _POST + _ONE, show_version_of_post, Action.READ_DRAFT),
    Route("POST", _POST + _ONE, restore_version_of_post, Action.EDIT),
    Route("GET", _PAGE, show_history_of_page, Action.EDIT_PAGES),
    Route("GET", _PAGE + _ONE, show_version_of_page, Action.EDIT_PAGES),
    Route("POST", _PAGE + _ONE, restore_version_of_page, Action.EDIT_PAGES),
    Route("GET", _ITEM, show_history_of_item, Action.EDIT_PAGES),
    Route("GET", _ITEM + _ONE, show_version_of_item, Action.EDIT_PAGES),
    Route("POST", _ITEM + _ONE, restore_version_of_item, Action.EDIT_PAGES),
)
