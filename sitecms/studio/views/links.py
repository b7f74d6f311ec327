"""Pages that links open once: the first user, an invitation, and a new password."""

from collections.abc import Callable

from flask import Response

from sitecms.actions.accounts.links import LinkOver, accept_link, find_usable, reset_password, send_forgotten
from sitecms.actions.accounts.signing_in import SignedIn
from sitecms.content.account_link import LinkKind
from sitecms.errors import Conflict, InvalidFields, NotFound
from sitecms.messages import N_, text_of
from sitecms.store.entries.authors import find_authors
from sitecms.studio.texts import _
from sitecms.studio.views.account import DIFFERENT
from sitecms.studio.views.signing_in import MAX_TYPED_LENGTH, enter, later
from sitecms.studio.visit import SIGN_IN, Route, Visit, redirect, too_many

FIRST = "/studio/first/"
INVITATION = "/studio/invitation/"
RESET = "/studio/reset/"
FORGOTTEN = "/studio/forgotten/"
MAKE_USERS = (FIRST, INVITATION)
"""Paths that can be opened before there is a user."""
_ATTEMPT, _FORGOTTEN = "link", "forgotten"
NO_MAIL = N_("This studio sends no e-mail. Ask an admin for a link.")


def show_first(visit: Visit, errors: InvalidFields | None = None) -> Response:
    """Show the form in which the owner of a new site chooses name and password."""
    return _page(visit, LinkKind.FIRST, visit.asked("code"), errors)


def add_first(visit: Visit) -> Response:
    """Add the first user, and sign the user in."""
    return _or_form(visit, lambda: _accept(visit, LinkKind.FIRST), show_first)


def show_invitation(visit: Visit, errors: InvalidFields | None = None) -> Response:
    """Show the form in which an invited person chooses name and password."""
    return _page(visit, LinkKind.INVITATION, visit.asked("code"), errors)


def accept(visit: Visit) -> Response:
    """Add the user of an invitation, and sign the user in."""
    return _or_form(visit, lambda: _accept(visit, LinkKind.INVITATION), show_invitation)


def _accept(visit: Visit, kind: LinkKind) -> Response:
    runtime = visit.studio.runtime
    link = find_usable(runtime.database, kind, visit.field("code"), visit.at)  # before the password costs time
    name, password = visit.field("name"), _new_password(visit)
    user, secret = accept_link(
        runtime.database, link, name, password, runtime.settings.name, visit.at, visit.address, visit.client,
        visit.field("email"),
    )  # fmt: skip
    return enter(visit, SignedIn(user, secret))


def show_reset(visit: Visit, errors: InvalidFields | None = None) -> Response:
    """Show the form for a new password."""
    return _page(visit, LinkKind.RESET, visit.asked("code"), errors)


def reset(visit: Visit) -> Response:
    """Store the new password, and lead to the form for signing in."""

    def act() -> Response:
        runtime = visit.studio.runtime
        reset_password(runtime.database, visit.field("code"), _new_password(visit), runtime.settings.name, visit.at)
        return redirect(SIGN_IN, said="password-reset")

    return _or_form(visit, act, show_reset)


def show_forgotten(visit: Visit, errors: InvalidFields | None = None) -> Response:
    """Show the form that sends a link for a new password, where a mail server is set up."""
    if not visit.studio.runtime.settings.mail.is_on:
        raise NotFound(_(NO_MAIL))
    messages = errors.messages if errors else {}
    return visit.page("forgotten.html", status=400 if errors else 200, errors=messages, is_sent=False)


def send_link(visit: Visit) -> Response:
    """Send a link for a new password to a user; the answer does not say whether there is one."""
    settings, limits = visit.studio.runtime.settings, visit.studio.login_limits
    if not settings.mail.is_on:
        raise NotFound(_(NO_MAIL))
    name = visit.field("name").strip()
    if not name or len(name) > MAX_TYPED_LENGTH:
        return show_forgotten(visit, InvalidFields({"name": [_("Type your name or your e-mail address.")]}))
    if wait := limits.wait_seconds(_FORGOTTEN, visit.address):
        return later(visit.page("error.html", status=429, title=_("Too many attempts"), message=too_many(wait)), wait)
    send_forgotten(visit.studio.runtime.database, name, visit.at)
    return visit.page("forgotten.html", errors={}, is_sent=True)


def _new_password(visit: Visit) -> str:
    """Return the password that was typed twice. Raises InvalidFields."""
    if visit.field("password") != visit.field("repeated"):
        raise InvalidFields({"repeated": [_(DIFFERENT)]})
    return visit.field("password")


def _or_form(visit: Visit, act: Callable[[], Response], show: Callable[[Visit, InvalidFields], Response]) -> Response:
    """Act; where values are invalid, return the form with the errors.

    Codes that open nothing are limited as wrong passwords are; a code that opens its link is no attempt.
    """
    limits = visit.studio.login_limits
    if wait := limits.wait_seconds(_ATTEMPT, visit.address):
        return later(visit.page("error.html", status=429, title=_("Too many attempts"), message=too_many(wait)), wait)
    try:
        response = act()
    except InvalidFields as error:
        response = show(visit, error)
    except Conflict as error:
        response = show(visit, InvalidFields({error.field: [text_of(error)]}))
    except NotFound as error:
        return _over(visit, error)
    limits.succeeded(_ATTEMPT, visit.address)
    return response


def _page(visit: Visit, kind: LinkKind, code: str, errors: InvalidFields | None) -> Response:
    try:
        link = find_usable(visit.studio.runtime.database, kind, code, visit.at)
    except NotFound as error:
        return _over(visit, error)
    with visit.studio.runtime.database.reading() as session:
        author = next((each.name for each in find_authors(session) if each.slug == link.author), link.author)
    values = {"link": link, "code": code, "author": author, "typed_name": visit.field("name")}
    values["typed_email"] = visit.field("email") if errors else link.email
    messages = errors.messages if errors else {}
    response = visit.page(f"{kind}.html", status=400 if errors else 200, errors=messages, **values)
    response.headers["Referrer-Policy"] = "strict-origin"  # proxies may log it, and the code with it
    return response


def _over(visit: Visit, error: NotFound) -> Response:
    status = 410 if isinstance(error, LinkOver) else 404
    return visit.page("error.html", status=status, title=_("This link does not open"), message=text_of(error))


ROUTES = (
    Route("GET", FIRST, show_first, None),
    Route("POST", FIRST, add_first, None),
    Route("GET", INVITATION, show_invitation, None),
    Route("POST", INVITATION, accept, None),
    Route("GET", RESET, show_reset, None),
    Route("POST", RESET, reset, None),
    Route("GET", FORGOTTEN, show_forgotten, None),
    Route("POST", FORGOTTEN, send_link, None),
)
