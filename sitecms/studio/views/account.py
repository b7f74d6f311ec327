"""The own account: password, sessions, and the second factor with its QR code and recovery codes."""

import io

from flask import Response

from sitecms.actions.accounts import second_factor as accounts
from sitecms.actions.accounts.sessions import end_one, end_other, start_next_session
from sitecms.actions.accounts.users import change_own_password, set_email, set_own_language, set_unwanted_mail
from sitecms.content.mail import OPTIONAL_MAIL
from sitecms.content.second_factor import totp_address
from sitecms.content.user import Action
from sitecms.errors import Conflict, InvalidFields, InvalidRequest, NotFound
from sitecms.messages import N_, text_of
from sitecms.store.accounts.second_factors import SecondFactor, count_recovery_codes, find_second_factor
from sitecms.store.accounts.sessions import find_sessions
from sitecms.studio.access import set_secret
from sitecms.studio.texts import LANGUAGES, _
from sitecms.studio.views.signing_in import check_own_password
from sitecms.studio.visit import SECOND_FACTOR, Route, Visit, redirect
from sitecms.translations import language_names

ACCOUNT = "/studio/account/"
DIFFERENT = N_("The two passwords differ.")

_MODULE_PIXELS = 5
_MARGIN_MODULES = 4


def show_account(visit: Visit, errors: InvalidFields | None = None, failed: str = "") -> Response:
    """Show the own account: sessions, the second factor, and the forms, with errors in the one that failed."""
    stored = visit.studio.runtime.database.read(find_sessions, visit.user.id)
    sessions = [each for each in stored if each.is_current(visit.at)]
    messages = errors.messages if errors else {}
    names = language_names(LANGUAGES)
    languages = [("", _("As the browser says")), *((each, names[each]) for each in LANGUAGES)]
    values = {"sessions": sessions, "errors": messages, "languages": languages, "failed": failed}
    has_mail = visit.studio.runtime.settings.mail.is_on
    return visit.page("account.html", status=400 if errors else 200, has_mail=has_mail, **values)


def change_password(visit: Visit) -> Response:
    """Change the own password; all sessions end, and a new one begins here."""
    database, current, new = visit.studio.runtime.database, visit.field("current"), visit.field("password")
    try:
        if new != visit.field("repeated"):
            raise InvalidFields({"repeated": [_(DIFFERENT)]})
        check_own_password(visit, current)
        change_own_password(database, visit.user, current, new, visit.studio.runtime.settings.name, visit.at)
    except InvalidFields as error:
        return show_account(visit, error, "password")
    response = redirect(ACCOUNT, said="password-changed")
    secret = start_next_session(database, visit.user, visit.at, visit.address, visit.client)
    set_secret(visit.request, response, secret)
    return response


def choose_language(visit: Visit) -> Response:
    """Store the language in which the user wants the studio; "" is that of the browser."""
    chosen = visit.field("language")
    if chosen not in ("", *LANGUAGES):
        raise InvalidRequest(_("Choose one of the languages."))
    set_own_language(visit.studio.runtime.database, visit.user, chosen)
    return redirect(ACCOUNT, said="language-chosen")


def change_email(visit: Visit) -> Response:
    """Change the own e-mail address; the password is asked for, since a link for a new one is sent there."""
    try:
        check_own_password(visit, visit.field("current"))
        set_email(visit.studio.runtime.database, visit.user, visit.user.name, visit.field("email"), visit.at)
    except InvalidFields as error:
        return show_account(visit, error, "email")
    except Conflict as error:
        return show_account(visit, InvalidFields({error.field: [text_of(error)]}), "email")
    return redirect(ACCOUNT, said="email-changed")


def choose_mail(visit: Visit) -> Response:
    """Store which kinds of e-mail the user gets."""
    wanted = visit.request.form.getlist("mail")
    set_unwanted_mail(visit.studio.runtime.database, visit.user, [each for each in OPTIONAL_MAIL if each not in wanted])
    return redirect(ACCOUNT, said="mail-chosen")


def end_sessions(visit: Visit) -> Response:
    """End one other session of the user, or all others."""
    database, session_id = visit.studio.runtime.database, visit.field("session")
    if session_id:
        end_one(database, visit.user, visit.user.name, session_id, visit.at)
        return redirect(ACCOUNT, said="session-ended")
    if visit.session is not None:
        end_other(database, visit.session, visit.at)
    return redirect(ACCOUNT, said="sessions-ended")


def show_second_factor(
    visit: Visit, errors: InvalidFields | None = None, recovery_codes: tuple[str, ...] = ()
) -> Response:
    """Show whether the second factor is on, how to set it up, and recovery codes that were just made."""
    with visit.studio.runtime.database.reading() as session:
        factor = find_second_factor(session, visit.user.id)
        left = count_recovery_codes(session, visit.user.id)
    return visit.page(
        "second_factor.html",
        status=400 if errors else 200,
        turned_on_at=factor.turned_on_at if factor else None,
        secret=factor.secret if factor and factor.turned_on_at is None else "",
        left=left,
        recovery_codes=recovery_codes,
        is_required=visit.studio.runtime.settings.studio.require_second_factor,
        errors=errors.messages if errors else {},
    )


def change_second_factor(visit: Visit) -> Response:
    """Begin to set up the second factor, turn it on or off, or make recovery codes, as the button says."""
    database = visit.studio.runtime.database
    codes: tuple[str, ...] = ()
    if visit.session is None:
        raise InvalidRequest(_("Sign in first."))
    try:
        match visit.field("do"):
            case "begin":
                accounts.begin(database, visit.user, visit.at)
            case "turn-on":
                codes = accounts.turn_on(database, visit.session, visit.field("code"), visit.at)
            case "recovery-codes":
                codes = accounts.renew_recovery_codes(database, visit.user, visit.at)
            case "turn-off":
                accounts.turn_off_own(database, visit.session, visit.at)
                return redirect(SECOND_FACTOR, said="second-factor-off")
            case _:
                raise InvalidRequest(_("Choose what to do."))
    except InvalidFields as error:
        return show_second_factor(visit, error)
    except Conflict:
        return redirect(SECOND_FACTOR)  # done in another window: the page says how it is now
    return show_second_factor(visit, recovery_codes=codes) if codes else redirect(SECOND_FACTOR)


def show_qr_code(visit: Visit) -> Response:
    """Return the QR code of a second factor that is not turned on yet."""
    import segno  # a server that shows none starts sooner

    factor: SecondFactor | None = visit.studio.runtime.database.read(find_second_factor, visit.user.id)
    if factor is None or factor.turned_on_at is not None:
        raise NotFound(_("There is no second factor to set up."))
    file = io.BytesIO()
    address = totp_address(factor.secret, visit.studio.runtime.settings.name, visit.user.name)
    code = segno.make_qr(address, error="m")
    code.save(file, kind="svg", scale=_MODULE_PIXELS, border=_MARGIN_MODULES, light="#fff", dark="#000", svgclass=None)
    return Response(file.getvalue(), content_type="image/svg+xml")


ROUTES = (
    Route("GET", ACCOUNT, show_account, Action.OWN_ACCOUNT),
    Route("POST", "/studio/account/password/", change_password, Action.OWN_ACCOUNT),
    Route("POST", "/studio/account/language/", choose_language, Action.OWN_ACCOUNT),
    Route("POST", "/studio/account/email/", change_email, Action.OWN_ACCOUNT),
    Route("POST", "/studio/account/mail/", choose_mail, Action.OWN_ACCOUNT),
    Route("POST", "/studio/account/sessions/", end_sessions, Action.OWN_ACCOUNT),
    Route("GET", SECOND_FACTOR, show_second_factor, Action.OWN_ACCOUNT, is_guarded=True),
    Route("POST", SECOND_FACTOR, change_second_factor, Action.OWN_ACCOUNT, is_guarded=True),
    Route("GET", f"{SECOND_FACTOR}code.svg", show_qr_code, Action.OWN_ACCOUNT, is_guarded=True),
)
