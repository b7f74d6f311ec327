"""Users, for admins: list, invitations, roles, passwords, sessions, and the log of actions."""

from collections import Counter
from collections.abc import Iterable

from flask import Response

from sitecms.actions.accounts import links
from sitecms.actions.accounts import users as accounts
from sitecms.actions.accounts.second_factor import turn_off
from sitecms.actions.accounts.sessions import end_all, end_one
from sitecms.content.account_link import LIFETIMES, LinkKind, link_path
from sitecms.content.author import Author
from sitecms.content.mail import MailStatus
from sitecms.content.query import Window
from sitecms.content.user import Action, Role
from sitecms.errors import Conflict, InvalidFields
from sitecms.messages import text_of
from sitecms.store.accounts.audit import find_actions, find_names, record_action
from sitecms.store.accounts.links import find_open_links
from sitecms.store.accounts.mails import find_mails, send_again
from sitecms.store.accounts.sessions import count_sessions, find_sessions
from sitecms.store.accounts.users import find_users, get_user
from sitecms.store.entries.authors import find_authors
from sitecms.studio.entry_place import number_of
from sitecms.studio.texts import _
from sitecms.studio.visit import Route, Visit, paging, redirect

PEOPLE, LOG = "/studio/people/", "/studio/log/"
MAX_UNSENT = 20
"""E-mails that were not sent, of which the log shows the newest."""
SAID = {
    "role": "user-changed", "password": "user-changed", "deactivate": "user-deactivated", "activate": "user-activated",
    "second-factor-off": "user-changed", "end-all": "sessions-ended", "end": "session-ended", "email": "email-changed",
}  # fmt: skip
"""Messages that the page of a user shows after its buttons."""


def show_people(visit: Visit, errors: InvalidFields | None = None) -> Response:
    """Show all users, open invitations, and the forms for another user with what was typed."""
    with visit.studio.runtime.database.reading() as session:
        users, authors = find_users(session), find_authors(session)
        invitations, sessions = (
            find_open_links(session, LinkKind.INVITATION, visit.at),
            count_sessions(session, visit.at),
        )
    return visit.page(
        "people.html",
        status=400 if errors else 200,
        users=users,
        sessions=sessions,
        invitations=invitations,
        author_options=_options(authors),
        author_names={author.slug: author.name for author in authors},
        typed={name: visit.field(name) for name in ("name", "label", "role", "author", "email")},
        failed=visit.field("do") if errors else "",
        has_mail=visit.studio.runtime.settings.mail.is_on,
        errors=errors.messages if errors else {},
    )


def change_people(visit: Visit) -> Response:
    """Invite or add a user, or withdraw an invitation, as the button says."""
    try:
        match visit.field("do"):
            case "invite":
                return _invite(visit)
            case "send-invitation":
                _send_invitation(visit)
                return redirect(PEOPLE, said="invitation-sent")
            case "withdraw":
                links.withdraw(visit.studio.runtime.database, visit.user, visit.field("link"), visit.at)
                return redirect(PEOPLE, said="invitation-withdrawn")
            case _:
                _add(visit)
                return redirect(PEOPLE, said="user-added")
    except InvalidFields as error:
        return show_people(visit, error)
    except Conflict as error:
        return show_people(visit, InvalidFields({error.field: [text_of(error)]}))


def show_user(visit: Visit, name: str, errors: InvalidFields | None = None) -> Response:
    """Show one user with the forms for role, password, sessions, second factor and removal."""
    with visit.studio.runtime.database.reading() as session:
        user, authors = get_user(session, name), find_authors(session)
        sessions = [each for each in find_sessions(session, user.id) if each.is_current(visit.at)]
    has_mail = visit.studio.runtime.settings.mail.is_on
    values = {"person": user, "sessions": sessions, "author_options": _options(authors), "has_mail": has_mail}
    messages = errors.messages if errors else {}
    return visit.page("person.html", status=400 if errors else 200, errors=messages, **values)


def change_user(visit: Visit, name: str) -> Response:
    """Change a user as the button says."""
    do = visit.field("do")
    try:
        if do == "reset":
            secret = links.invite_to_reset(visit.studio.runtime.database, visit.user, name, visit.at)
            return _show_link(visit, LinkKind.RESET, secret, name)
        if do == "send-reset":
            links.send_reset(visit.studio.runtime.database, visit.user, name, visit.at)
            return redirect(visit.request.path, said="reset-sent")
        _change(visit, name, do)
    except InvalidFields as error:
        return show_user(visit, name, error)
    except Conflict as error:
        return show_user(visit, name, InvalidFields({error.field: [text_of(error)]}))
    return redirect(PEOPLE if do == "remove" else visit.request.path, said=SAID.get(do, "user-removed"))


def show_log(visit: Visit) -> Response:
    """Show the log of actions, of all users or one, the last first."""
    person = visit.query("person")
    with visit.studio.runtime.database.reading() as session:
        names = find_names(session)
        count = find_actions(session, Window(0), person).count
        page = paging(visit, count)
        results = find_actions(session, page.window, person)
        unsent = find_mails(session, MailStatus.FAILED, Window(MAX_UNSENT))
    options = [("", _("all")), *((name, name) for name in names)]
    keep_days = visit.studio.runtime.settings.housekeeping.keep_audit_days
    return visit.page(
        "log.html", entries=results.entries, paging=page, person=person, people=options, keep_days=keep_days,
        unsent=unsent,
    )  # fmt: skip


def retry_mail(visit: Visit) -> Response:
    """Send an e-mail that failed again."""
    mail_id = number_of(visit.field("mail"))
    with visit.studio.runtime.database.writing(counts_as_change=False) as transaction:
        send_again(transaction, (mail_id,), visit.at)
        record_action(transaction, visit.user, "send e-mail again", f"e-mail {mail_id}", visit.at)
    return redirect(LOG, said="mail-retried")


def _invite(visit: Visit) -> Response:
    label, author, email = visit.field("label"), visit.field("author"), visit.field("email")
    secret = links.invite(visit.studio.runtime.database, visit.user, label, _role(visit), author, visit.at, email)
    return _show_link(visit, LinkKind.INVITATION, secret, label)


def _send_invitation(visit: Visit) -> None:
    label, author, email = visit.field("label"), visit.field("author"), visit.field("email")
    links.send_invitation(visit.studio.runtime.database, visit.user, label, _role(visit), author, visit.at, email)


def _show_link(visit: Visit, kind: LinkKind, secret: str, label: str) -> Response:
    """Show a link that was just made: this once, since its secret is stored nowhere."""
    base = visit.studio.runtime.settings.serve_url or visit.request.host_url.rstrip("/")
    address, until = base + link_path(kind, secret), visit.at + LIFETIMES[kind]
    return visit.page("link.html", kind=kind, address=address, label=label, until=until)


def _add(visit: Visit) -> None:
    password, site_name = visit.field("password"), visit.studio.runtime.settings.name
    names = visit.field("name"), _role(visit), visit.field("author")
    accounts.add_user(
        visit.studio.runtime.database, visit.user, *names, password, site_name, visit.at, visit.field("email")
    )


def _change(visit: Visit, name: str, do: str) -> None:
    database, by, at = visit.studio.runtime.database, visit.user, visit.at
    match do:
        case "role":
            accounts.set_role(database, by, name, _role(visit), visit.field("author"), at)
        case "email":
            accounts.set_email(database, by, name, visit.field("email"), at)
        case "password":
            accounts.set_password(database, by, name, visit.field("password"), visit.studio.runtime.settings.name, at)
        case "end":
            end_one(database, by, name, visit.field("session"), at)
        case "end-all":
            end_all(database, by, name, at)
        case "second-factor-off":
            turn_off(database, by, name, at)
        case "deactivate":
            accounts.deactivate(database, by, name, at)
        case "activate":
            accounts.activate(database, by, name, at)
        case "remove":
            if visit.field("name") != name:
                raise InvalidFields({"name": [_("Type the name of the user to confirm.")]})
            accounts.remove_user(database, by, name, at)
        case _:
            raise InvalidFields({"role": [_("Choose what to do.")]})


def _options(authors: Iterable[Author]) -> list[tuple[str, str]]:
    """Return the authors as the options of a list, with none first; those of one name with their slugs."""
    listed = list(authors)
    uses = Counter(author.name for author in listed)
    names = ((each.slug, each.name if uses[each.name] == 1 else f"{each.name} ({each.slug})") for each in listed)
    return [("", _("none")), *names]


def _role(visit: Visit) -> Role:
    """Return the role in the form. Raises InvalidFields."""
    try:
        return Role(visit.field("role"))
    except ValueError:
        raise InvalidFields({"role": [_("Choose a role.")]}) from None


ROUTES = (
    Route("GET", PEOPLE, show_people, Action.MANAGE_PEOPLE, is_guarded=True),
    Route("POST", PEOPLE, change_people, Action.MANAGE_PEOPLE, is_guarded=True),
    Route("GET", "/studio/people/<name>/", show_user, Action.MANAGE_PEOPLE, is_guarded=True),
    Route("POST", "/studio/people/<name>/", change_user, Action.MANAGE_PEOPLE, is_guarded=True),
    Route("GET", LOG, show_log, Action.READ_AUDIT),
    Route("POST", LOG, retry_mail, Action.READ_AUDIT),
)
