"""Saved filters of lists: links above a list, and the forms that save and delete them."""

import re
from collections.abc import Iterable, Sequence
from urllib.parse import parse_qsl, urlencode

from flask import Response
from msgspec import Struct

from sitecms.actions.accounts.saved_filters import MAX_NAME_LENGTH, delete_filter, save_filter
from sitecms.content.user import Action
from sitecms.errors import NotFound
from sitecms.store.accounts.saved_filters import find_saved_filters
from sitecms.store.database import Session
from sitecms.studio.entry_place import number_of
from sitecms.studio.texts import _
from sitecms.studio.visit import Route, Visit, redirect

FILTERS = "/studio/filters/"
_LIST = re.compile(r"/studio/(?:posts|pages|media|collections/[\w-]+)/")
_NAMES = frozenset({"text", "status", "locale", "author", "category", "tag", "review", "type", "kind", "use", "sort"})
"""The parameters of lists that a filter keeps."""


class FilterLink(Struct, frozen=True):
    """A saved filter above its list."""

    id: int
    name: str
    query: str
    is_current: bool


class SavedFilters(Struct, frozen=True):
    """The saved filters of a list, its path, and the query of its filter; `may_save`: that has no name yet."""

    links: Sequence[FilterLink]
    place: str
    query: str
    may_save: bool
    max_name_length: int = MAX_NAME_LENGTH


def filters_of(visit: Visit, session: Session) -> SavedFilters:
    """Return the saved filters of the list that is shown."""
    query, place = _query(visit.request.args.items()), visit.request.path
    stored = find_saved_filters(session, visit.user.id, place)
    links = [FilterLink(each.id, each.name, each.query, each.query == query) for each in stored]
    return SavedFilters(links, place, query, bool(query) and not any(each.is_current for each in links))


def _query(pairs: Iterable[tuple[str, str]]) -> str:
    """Return the query of a filter: the same text for the same filter, however its address was written."""
    return urlencode(sorted((name, value.strip()) for name, value in pairs if name in _NAMES and value.strip()))


def send_filter(visit: Visit) -> Response:
    """Save a filter under a name, or delete one."""
    place, query = visit.field("place"), _query(parse_qsl(visit.field("query")))
    if not _LIST.fullmatch(place):
        raise NotFound(_("Not found."))
    database = visit.studio.runtime.database
    if deleted := visit.field("delete"):
        delete_filter(database, visit.user, number_of(deleted))
        return redirect(place, **dict(parse_qsl(query)), said="filter-deleted")
    save_filter(database, visit.user, place, visit.field("name"), query)
    return redirect(place, **dict(parse_qsl(query)), said="filter-saved")


ROUTES = (Route("POST", FILTERS, send_filter, Action.READ_PUBLISHED),)
