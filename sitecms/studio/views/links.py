"""Pages that links open once: an invitation, and a new password."""

from collections.abc import Callable

from flask import Response

from sitecms.actions.accounts.links import LinkOver, accept_invitation, find_usable, reset_password
from sitecms.actions.accounts.signing_in import SignedIn
from sitecms.content.account_link import LinkKind
from sitecms.errors import Conflict, InvalidFields, NotFound
from sitecms.store.entries.authors import find_authors
from sitecms.studio.views.account import DIFFERENT
from sitecms.studio.views.signing_in import enter
from sitecms.studio.visit import SIGN_IN, Route, Visit, redirect

INVITATION = "/studio/invitation/"
RESET = "/studio/reset/"


def show_invitation(visit: Visit, errors: InvalidFields | None = None) -> Response:
    """Show the form in which an invited person chooses name and password."""
    return _page(visit, LinkKind.INVITATION, visit.query("code") or visit.field("code"), errors)


def accept(visit: Visit) -> Response:
    """Add the user of an invitation, and sign the user in."""

    def act() -> Response:
        name, password = visit.field("name"), _new_password(visit)
        runtime, code = visit.studio.runtime, visit.field("code")
        user, secret = accept_invitation(
            runtime.database, code, name, password, runtime.settings.name, visit.at, visit.address, visit.client
        )
        return enter(visit, SignedIn(user, secret))

    return _or_form(visit, act, show_invitation)


def show_reset(visit: Visit, errors: InvalidFields | None = None) -> Response:
    """Show the form for a new password."""
    return _page(visit, LinkKind.RESET, visit.query("code") or visit.field("code"), errors)


def reset(visit: Visit) -> Response:
    """Store the new password, and lead to the form for signing in."""

    def act() -> Response:
        runtime = visit.studio.runtime
        reset_password(runtime.database, visit.field("code"), _new_password(visit), runtime.settings.name, visit.at)
        return redirect(SIGN_IN, said="password-reset")

    return _or_form(visit, act, show_reset)


def _new_password(visit: Visit) -> str:
    """Return the password that was typed twice. Raises InvalidFields."""
    if visit.field("password") != visit.field("repeated"):
        raise InvalidFields({"repeated": [DIFFERENT]})
    return visit.field("password")


def _or_form(visit: Visit, act: Callable[[], Response], show: Callable[[Visit, InvalidFields], Response]) -> Response:
    """Act; where values are invalid, return the form with the errors."""
    try:
        return act()
    except InvalidFields as error:
        return show(visit, error)
    except Conflict as error:
        return show(visit, InvalidFields({error.field: [str(error)]}))
    except NotFound as error:
        return _over(visit, error)


def _page(visit: Visit, kind: LinkKind, code: str, errors: InvalidFields | None) -> Response:
    try:
        link = find_usable(visit.studio.runtime.database, kind, code, visit.at)
    except NotFound as error:
        return _over(visit, error)
    with visit.studio.runtime.database.reading() as session:
        author = next((each.name for each in find_authors(session) if each.slug == link.author), link.author)
    values = {"link": link, "code": code, "author": author, "typed_name": visit.field("name")}
    messages = errors.messages if errors else {}
    response = visit.page(f"{kind}.html", status=400 if errors else 200, errors=messages, **values)
    response.headers["Referrer-Policy"] = "strict-origin"  # proxies may log it, and the code with it
    return response


def _over(visit: Visit, error: NotFound) -> Response:
    status = 410 if isinstance(error, LinkOver) else 404
    return visit.page("error.html", status=status, title="This link does not open", message=str(error))


ROUTES = (
    Route("GET", INVITATION, show_invitation, None),
    Route("POST", INVITATION, accept, None),
    Route("GET", RESET, show_reset, None),
    Route("POST", RESET, reset, None),
)
