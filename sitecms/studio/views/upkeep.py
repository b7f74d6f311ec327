"""The trash, and changes that were not applied."""

from urllib.parse import parse_qsl

from flask import Response

from sitecms.actions.editing.bulk import restore_entries
from sitecms.actions.editing.history import restore, retry
from sitecms.content.query import Window
from sitecms.content.user import Action, Scope
from sitecms.content.writes import Save, Write
from sitecms.errors import Conflict, NotFound
from sitecms.messages import N_, text_of
from sitecms.store.entries.entry_rows import find_identity
from sitecms.store.listings.entries import list_trash, titles_of
from sitecms.store.maintenance.media_usage import entry_label
from sitecms.store.site_state.documents import load_content_schema
from sitecms.store.writes.writes import find_unapplied, get_write
from sitecms.studio.access import own_path
from sitecms.studio.entry_place import address_for, undone
from sitecms.studio.texts import _
from sitecms.studio.views.selected_entries import MAX_SELECTED, results_page
from sitecms.studio.visit import Route, Visit, paging, redirect

TRASH, WRITES = "/studio/trash/", "/studio/writes/"
_RESTORED = N_("%(changed)s of %(all)s restored")


def show_trash(visit: Visit, problem: str = "") -> Response:
    """Show deleted entries, the last deleted first."""
    author = visit.own_author
    with visit.studio.runtime.database.reading() as session:
        count = list_trash(session, author, Window(0)).count
        page = paging(visit, count)
        entries = list_trash(session, author, page.window).entries
        titles = titles_of(session, ((entry.kind, entry.id) for entry in entries), load_content_schema(session))
    listed = [(each, titles.get((each.kind, each.id), each.name)) for each in entries]
    return visit.page("trash.html", status=409 if problem else 200, listed=listed, paging=page, problem=problem)


def restore_deleted(visit: Visit) -> Response:
    """Restore entries from the trash; the form that asks for it names the page to go on with."""
    entries = [undone(value) for value in visit.request.form.getlist("entry")]
    if not 0 < len(entries) <= MAX_SELECTED:
        raise NotFound(_("Not found."))
    back = own_path(visit.field("back")) or TRASH
    if len(entries) > 1:
        results = restore_entries(visit.editing, entries)
        if any(each.problem for each in results):
            return results_page(visit, back, _RESTORED, results)
        return _redirect_restored(back)
    try:
        restore(visit.editing, *entries[0])
    except Conflict as error:
        return show_trash(visit, text_of(error))
    return _redirect_restored(back)


def _redirect_restored(address: str) -> Response:
    """Redirect to an address of the studio, which may have a query."""
    path, _separator, query = address.partition("?")
    return redirect(path, **{**dict(parse_qsl(query)), "said": "restored"})


def _readable_by(visit: Visit, write: Write) -> bool:
    return visit.user.scope(Action.READ_WRITES) is Scope.ALL or write.user_id == visit.user.id


def show_writes(visit: Visit) -> Response:
    """Show changes that are open, rejected or failed, the last first."""
    user_id = None if visit.user.scope(Action.READ_WRITES) is Scope.ALL else visit.user.id
    with visit.studio.runtime.database.reading() as session:
        page = paging(visit, find_unapplied(session, user_id, Window(0)).count)
        writes = find_unapplied(session, user_id, page.window).entries
        labels = {write.id: entry_label(session, write.kind, write.entry_id) for write in writes}
    return visit.page("writes.html", writes=writes, labels=labels, paging=page)


def show_write(visit: Visit, write_id: str, problem: str = "") -> Response:
    """Show one change with its errors and what was sent."""
    with visit.studio.runtime.database.reading() as session:
        write = get_write(session, write_id)
        if not _readable_by(visit, write):
            raise NotFound(_("Not found."))
        label = entry_label(session, write.kind, write.entry_id)
        entry = find_identity(session, write.kind, write.entry_id)
    address = address_for(visit, write.kind, write.entry_id, entry.type) if entry else ""
    values = write.payload.sent_values() if isinstance(write.payload, Save) else ()
    labelled_values = {f"{name} ({locale})" if locale else name: value for name, locale, value in values}
    status = 409 if problem else 200
    return visit.page(
        "write.html",
        status=status,
        write=write,
        label=label,
        address=address,
        sent=labelled_values,
        problem=problem,
    )


def retry_write(visit: Visit, write_id: str) -> Response:
    """Accept a rejected or failed change again."""
    try:
        retry(visit.editing, write_id)
    except Conflict as error:
        return show_write(visit, write_id, text_of(error))
    visit.studio.hint(write_id)
    return redirect(WRITES, said="retried")


ROUTES = (
    Route("GET", TRASH, show_trash, Action.RESTORE),
    Route("POST", TRASH, restore_deleted, Action.RESTORE),
    Route("GET", WRITES, show_writes, Action.READ_WRITES),
    Route("GET", "/studio/writes/<write_id>/", show_write, Action.READ_WRITES),
    Route("POST", "/studio/writes/<write_id>/", retry_write, Action.RETRY_WRITES),
)
