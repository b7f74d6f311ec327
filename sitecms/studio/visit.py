"""One request of a user, as views get it, the table of routes, and what the answers of several views need."""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any, Protocol
from urllib.parse import urlencode

import orjson
from flask import Request, Response, after_this_request
from msgspec import Struct

from sitecms.actions.editing.edited import EditContext
from sitecms.actions.editing.media import MediaPlace
from sitecms.actions.writing.accept import WriteContext
from sitecms.clock import parse_timestamp
from sitecms.content.query import Window
from sitecms.content.user import Action, Scope, User, UserSession
from sitecms.content.writes import WriteStatus
from sitecms.errors import InvalidFields, NotFound, Unauthenticated
from sitecms.runtime import Runtime
from sitecms.site.unsaved.consequences import Forecast
from sitecms.site.unsaved.content import PublishedContent
from sitecms.site.unsaved.looks import Looks
from sitecms.site.unsaved.page import UnsavedPages
from sitecms.store.writes.writes import get_write
from sitecms.studio.rendering import Assets
from sitecms.studio.sent_form import shown_time
from sitecms.studio.texts import _, ngettext

ROOT = "/studio/"
SIGN_IN = "/studio/sign-in/"
SIGN_OUT = "/studio/sign-out/"
CONFIRM = "/studio/confirm/"
SECOND_FACTOR = "/studio/account/second-factor/"
PRESENCE = "/studio/presence/"
MAX_PAGE = 1_000_000
PAGE_SIZE = 50
NOT_KEPT = ("page", "said", "undo", "moved")
"""Parameters of a list that its other pages and orders do not have."""

WAIT_SECONDS, POLL_SECONDS = 2.0, 0.02
WRITE_FIELD, WRITE_HEADER = "write", "Sitecms-Write"


class LoginLimits(Protocol):
    """Limits of attempts to sign in. `name` is that of a user, `device` the digest of a known browser or ""."""

    def wait_seconds(self, name: str, address: str = "", device: str = "") -> int:
        """Count an attempt and return 0, or return how many seconds its sender has to wait, and count nothing."""

    def succeeded(self, name: str, address: str = "", device: str = "") -> None:
        """Take back the attempt, and forget those before it."""


class Studio(Struct, frozen=True):
    """The parts of one site that views need. `hint` sends the id of an accepted write to workers."""

    runtime: Runtime
    writes: WriteContext
    hint: Callable[[str], None]
    login_limits: LoginLimits
    media: MediaPlace
    render: Callable[..., str]
    assets: Assets
    published: PublishedContent
    unsaved: UnsavedPages
    forecast: Forecast
    looks: Looks


class Visit(Struct, frozen=True):
    """One request. `form_token` is the value that a form of this session must carry."""

    studio: Studio
    request: Request
    at: datetime
    session: UserSession | None
    form_token: str

    @property
    def user(self) -> User:
        """The user who is signed in. Raises Unauthenticated."""
        if self.session is None:
            raise Unauthenticated(_("Sign in first."))
        return self.session.user

    @property
    def editing(self) -> EditContext:
        """The context of actions of the user. Raises Unauthenticated."""
        return EditContext(self.studio.writes, self.user)

    def may(self, action: Action, author: str | None = None) -> bool:
        """Return whether the user may act on an entry of that author (None: on some entry)."""
        return self.session is not None and self.session.user.may(action, author)

    @property
    def may_manage_site(self) -> bool:
        """True if the user may change the settings of the site, and ask for a build."""
        return self.may(Action.MANAGE_SITE)

    @property
    def may_read_all_drafts(self) -> bool:
        """True if the user may read drafts of others."""
        return self.user.scope(Action.READ_DRAFT) is Scope.ALL

    @property
    def own_author(self) -> str | None:
        """The author (slug) whose drafts alone the user may read; None for a user who may read all."""
        return None if self.may_read_all_drafts else self.user.author

    @property
    def address(self) -> str:
        """The address that the request came from."""
        return self.request.remote_addr or ""

    @property
    def client(self) -> str:
        """The name that the browser gives itself."""
        return self.request.headers.get("User-Agent", "")

    def field(self, name: str) -> str:
        """Return a field of the form as text, "" if it is missing."""
        return self.request.form.get(name, "")

    def query(self, name: str) -> str:
        """Return a parameter of the address without surrounding space, "" if it is missing."""
        return self.request.args.get(name, "").strip()

    def asked(self, name: str) -> str:
        """Return a parameter of the address, which a form repeats in a field of that name."""
        return self.query(name) or self.field(name)

    @property
    def page_number(self) -> int:
        """The page of a list that the address names, counted from 1."""
        text = self.query("page")
        return min(max(int(text), 1), MAX_PAGE) if text.isascii() and text.isdecimal() and len(text) < 10 else 1

    def page(self, template: str, /, *, status: int = 200, **values: Any) -> Response:
        """Return a page made from a template."""
        html = self.studio.render(template, visit=self, **values)
        return Response(html, status, content_type="text/html; charset=utf-8")

    def json(self, values: object, status: int = 200) -> Response:
        """Return values for a script of the studio."""
        return Response(orjson.dumps(values), status, content_type="application/json")


def redirect(path: str, /, **query: str) -> Response:
    """Return a redirect to a path of the studio, which is read with GET."""
    location = f"{path}?{urlencode(query)}" if query else path
    return Response(status=303, headers={"Location": location})


def too_many(seconds: int) -> str:
    """Return the message for somebody who has to wait for the next attempt."""
    if seconds < 120:
        return ngettext(
            "Too many attempts. Try again in %(num)s second.",
            "Too many attempts. Try again in %(num)s seconds.",
            seconds,
        )
    return ngettext(
        "Too many attempts. Try again in %(num)s minute.",
        "Too many attempts. Try again in %(num)s minutes.",
        -(-seconds // 60),
    )


def shown_revision(visit: Visit, stored: str, *, is_stale: bool) -> str:
    """Return the revision that a form begins from: the one it was sent with, the stored one once it shows both."""
    return stored if is_stale else visit.field("revision") or stored


View = Callable[..., Response]


class Route(Struct, frozen=True):
    """A method of a path with its view, and the action that a user must be allowed to do; None: open to all.

    A guarded route asks for the password again if it was typed long ago. The view gets a Visit and the names in the
    path. Whether the user may act on the entry that the path names is decided where the entry is read or written.
    """

    method: str
    path: str
    view: View
    action: Action | None
    is_guarded: bool = False


class Paging(Struct, frozen=True):
    """A page of a list: its number and window, the number of pages and of entries, and the query of the other pages."""

    number: int
    window: Window
    pages: int
    count: int
    query: Mapping[str, str]

    def address(self, number: int) -> str:
        """Return the query of another page."""
        others = {name: value for name, value in self.query.items() if value}
        return "?" + urlencode({**others, "page": str(number)})


def paging(visit: Visit, count: int, page_size: int = PAGE_SIZE) -> Paging:
    """Return the page of a list of `count` entries that the request names."""
    pages = max(1, -(-count // page_size))
    query = {name: value for name, value in visit.request.args.items() if name not in NOT_KEPT}
    number = min(visit.page_number, pages)
    return Paging(number, Window(page_size, (number - 1) * page_size), pages, count, query)


def chosen_time(visit: Visit, stored: datetime | None = None, name: str = "scheduled_at") -> datetime:
    """Return the time that a field of the form gives, in the time zone of the site. Raises InvalidFields.

    A form that shows the `stored` time as it did gives that time: its seconds are not shown, nor which of two times of
    the night in which summer time ends it is.
    """
    typed, zone = visit.field(name), visit.studio.runtime.settings.zone
    if stored is not None and typed == shown_time(stored, zone):
        return stored
    try:
        return parse_timestamp(typed, zone)
    except ValueError:
        raise InvalidFields({name: [_("Choose a day and a time.")]}) from None


def wait_until_applied(visit: Visit, write_id: str) -> tuple[bool, int]:
    """Send the write to a worker, and wait for two seconds at most; return whether it is applied, and its entry's id.

    Raises InvalidFields with the errors of a write that was rejected or failed.
    """
    visit.studio.hint(write_id)
    end = time.monotonic() + WAIT_SECONDS
    while True:
        write = visit.studio.runtime.database.read(get_write, write_id)
        if write.status is WriteStatus.APPLIED:
            return True, write.entry_id
        if write.status is not WriteStatus.ACCEPTED:
            after_this_request(partial(_name_write, write_id))
            raise InvalidFields(write.errors)
        if time.monotonic() > end:
            return False, write.entry_id
        time.sleep(POLL_SECONDS)


def settling(visit: Visit) -> Callable[[str], None]:
    """Return a function that waits until a write is applied, for actions that make several.

    It raises InvalidFields with the errors of a write that is not.
    """

    def settle(write_id: str) -> None:
        if not wait_until_applied(visit, write_id)[0]:
            raise InvalidFields({"write": [_("It is accepted, and still being saved.")]})

    return settle


def _name_write(write_id: str, response: Response) -> Response:
    """Name the write that was rejected, for a script that has the browser send the form again to show the answer."""
    response.headers[WRITE_HEADER] = write_id
    return response


def check_sent(visit: Visit) -> None:
    """Raise InvalidFields with the errors of the write that the form was sent as before, if it names one.

    A form that names a rejected write is sent only to be shown with its errors: it makes no second write.
    """
    if WRITE_FIELD not in visit.request.form:
        return
    with visit.studio.runtime.database.reading() as session, suppress(NotFound):
        write = get_write(session, visit.field(WRITE_FIELD))
        if write.user_id == visit.user.id and write.errors:
            raise InvalidFields(write.errors)
