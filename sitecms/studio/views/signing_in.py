"""Signing in, in one step or two, confirming the password, and signing out."""

from flask import Response

from sitecms.actions.accounts.sessions import confirm, remember, sign_out
from sitecms.actions.accounts.signing_in import WRONG, SignedIn, find_waiting, give_code, known_device, sign_in
from sitecms.content.user import MAX_USER_NAME_LENGTH, Action
from sitecms.errors import InvalidFields, NotFound, Unauthenticated
from sitecms.messages import N_, text_of
from sitecms.studio.access import DEVICE, STEP, own_path, secret_in, set_secret
from sitecms.studio.texts import _
from sitecms.studio.visit import CONFIRM, ROOT, SIGN_IN, SIGN_OUT, Route, Visit, redirect, too_many

MAX_TYPED_LENGTH = 2_000
NO_COOKIE = N_(
    "Your browser did not keep the cookie of the session. The studio needs an address that begins with https://, "
    "or http://127.0.0.1 on the machine itself."
)
HOME = "/studio/posts/"
CODE = "/studio/sign-in/code/"
SIGNED_IN = "/studio/signed-in/"


def show_sign_in(visit: Visit) -> Response:
    """Show the form, or go on to the studio if the user is signed in."""
    if visit.session is not None:
        return redirect(own_path(visit.query("next")) or ROOT)
    problem = _(NO_COOKIE) if visit.query("said") == "no-cookie" else ""
    return _sign_in_page(visit, "", own_path(visit.query("next")), problem)


def do_sign_in(visit: Visit) -> Response:
    """Start a session, or ask for the code of the second factor."""
    name, password, following = visit.field("name"), visit.field("password"), own_path(visit.field("next"))
    database, limits = visit.studio.runtime.database, visit.studio.login_limits
    attempted_name = name.strip()[:MAX_USER_NAME_LENGTH]
    device = known_device(database, secret_in(visit.request, DEVICE), attempted_name)
    if wait := limits.wait_seconds(attempted_name, visit.address, device):
        return later(_sign_in_page(visit, name, following, too_many(wait), 429), wait)
    try:
        if max(len(name), len(password)) > MAX_TYPED_LENGTH:
            raise Unauthenticated(WRONG)
        signed_in = sign_in(database, name, password, visit.at, visit.address, visit.client)
    except Unauthenticated as error:
        return _sign_in_page(visit, name, following, text_of(error), 401)
    limits.succeeded(attempted_name, visit.address, device)
    if not signed_in.needs_code:
        return enter(visit, signed_in, following)
    response = redirect(CODE, next=following) if following else redirect(CODE)
    set_secret(visit.request, response, signed_in.secret, STEP)
    return response


def show_code(visit: Visit, problem: str = "", status: int = 200) -> Response:
    """Show the form for a code, or for a recovery code."""
    secret = secret_in(visit.request, STEP)
    try:
        user = find_waiting(visit.studio.runtime.database, secret, visit.at)
    except NotFound:
        return redirect(SIGN_IN, said="begin-again") if secret else redirect(SIGN_IN)
    is_recovery = (visit.field("with") or visit.query("with")) == "recovery"
    following = own_path(visit.field("next") or visit.query("next"))
    values = {"name": user.name, "following": following, "is_recovery": is_recovery, "problem": problem}
    return visit.page("sign_in_code.html", status=status, **values)


def send_code(visit: Visit) -> Response:
    """Start the session that waits for a code."""
    database, limits, secret = visit.studio.runtime.database, visit.studio.login_limits, secret_in(visit.request, STEP)
    try:
        user = find_waiting(database, secret, visit.at)
        attempt, device = f"code {user.id}", known_device(database, secret_in(visit.request, DEVICE), user.name)
        if wait := limits.wait_seconds(attempt, device=device):
            return later(show_code(visit, too_many(wait), 429), wait)
        signed_in = give_code(database, secret, visit.field("code"), visit.at, visit.address, visit.client)
    except Unauthenticated as error:
        return show_code(visit, text_of(error), 401)
    except NotFound:
        return redirect(SIGN_IN, said="begin-again")
    limits.succeeded(attempt, device=device)
    response = enter(visit, signed_in, own_path(visit.field("next")))
    set_secret(visit.request, response, "", STEP)
    return response


def enter(visit: Visit, signed_in: SignedIn, following: str = "") -> Response:
    """Give the browser its new session, in place of one that it had, and lead to the studio."""
    database = visit.studio.runtime.database
    if visit.session is not None:
        sign_out(database, visit.session, visit.at)
    response = redirect(SIGNED_IN, next=following) if following else redirect(SIGNED_IN)
    set_secret(visit.request, response, signed_in.secret)
    device = remember(database, secret_in(visit.request, DEVICE), signed_in.user, visit.at)
    set_secret(visit.request, response, device, DEVICE)
    return response


def check_cookie(visit: Visit) -> Response:
    """Go on to the studio, or explain why the browser sent no cookie."""
    if visit.session is None and not secret_in(visit.request):
        return redirect(SIGN_IN, said="no-cookie")
    return redirect(own_path(visit.query("next")) or ROOT)


def show_confirm(visit: Visit, errors: InvalidFields | None = None, status: int = 200) -> Response:
    """Ask for the password again."""
    following = own_path(visit.field("next") or visit.query("next"))
    return visit.page("confirm.html", status=status, following=following, errors=errors.messages if errors else {})


def do_confirm(visit: Visit) -> Response:
    """Record that the user has typed the password again, and go on."""
    try:
        check_own_password(visit, visit.field("current"))
    except InvalidFields as error:
        return show_confirm(visit, error, 400)
    return redirect(own_path(visit.field("next")) or ROOT)


def check_own_password(visit: Visit, password: str) -> None:
    """Record that the user of the session has typed the password again. Raises InvalidFields under `current`."""
    if visit.session is None:
        raise Unauthenticated(_("Sign in first."))
    limits, attempt = visit.studio.login_limits, f"confirm {visit.user.id}"
    if wait := limits.wait_seconds(attempt, device=visit.session.digest):
        raise InvalidFields({"current": [too_many(wait)]})
    confirm(visit.studio.runtime.database, visit.session, password, visit.at)
    limits.succeeded(attempt, device=visit.session.digest)


def do_sign_out(visit: Visit) -> Response:
    """End the session. Text that the browser keeps since it was not saved stays there."""
    if visit.session is not None:
        sign_out(visit.studio.runtime.database, visit.session, visit.at)
    response = redirect(SIGN_IN)
    set_secret(visit.request, response, "")
    response.headers["Clear-Site-Data"] = '"cache"'
    return response


def show_home(_visit: Visit) -> Response:
    """Lead to what most users came for."""
    return redirect(HOME)


def _sign_in_page(visit: Visit, name: str, following: str, problem: str, status: int = 200) -> Response:
    return visit.page("sign_in.html", status=status, name=name, following=following, problem=problem,
        has_mail=visit.studio.runtime.settings.mail.is_on,
    )  # fmt: skip


def later(response: Response, seconds: int) -> Response:
    """Return the response with the seconds after which the next attempt is allowed."""
    response.headers["Retry-After"] = str(seconds)
    return response


ROUTES = (
    Route("GET", ROOT, show_home, Action.OWN_ACCOUNT),
    Route("GET", SIGN_IN, show_sign_in, None),
    Route("POST", SIGN_IN, do_sign_in, None),
    Route("GET", CODE, show_code, None),
    Route("POST", CODE, send_code, None),
    Route("GET", SIGNED_IN, check_cookie, None),
    Route("GET", CONFIRM, show_confirm, Action.OWN_ACCOUNT),
    Route("POST", CONFIRM, do_confirm, Action.OWN_ACCOUNT),
    Route("POST", SIGN_OUT, do_sign_out, Action.OWN_ACCOUNT),
)
