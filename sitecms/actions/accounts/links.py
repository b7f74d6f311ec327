"""Links that open once: the first user is made by one, others are invited by them, and choose new passwords.

The secret is returned when a link is made, and stored as a digest only.
"""

from datetime import datetime, timedelta

from msgspec.structs import replace

from sitecms.actions.accounts.passwords import check_new_password, hash_password
from sitecms.actions.accounts.permissions import require
from sitecms.actions.accounts.sessions import start_session
from sitecms.actions.accounts.users import author_of, check_email, check_name
from sitecms.content.account_link import MAX_LABEL_LENGTH, AccountLink, LinkKind, new_link
from sitecms.content.mail import MailKind
from sitecms.content.token import secret_digest
from sitecms.content.user import Action, Role, User
from sitecms.errors import Conflict, InvalidFields, NotFound
from sitecms.messages import N_, Text
from sitecms.store.accounts import links, sessions, users
from sitecms.store.accounts.audit import record_action
from sitecms.store.accounts.mails import Recipient, find_last_mail, insert_mail
from sitecms.store.accounts.sessions import forget_devices
from sitecms.store.database import Database, Session, Transaction

RESET_PAUSE = timedelta(minutes=5)
"""Time in which a user gets one link for a new password that somebody asked for without signing in."""
UNKNOWN = N_("This link is not known here: it is incomplete, or was withdrawn.")
USED = N_("This link was used already; each link works once.")
HAS_USERS = N_("The studio has its first user, so this link opens no more. Sign in, or ask an admin for an invitation.")
_ASK = N_("Ask an admin for another one.")
_NEXT = {
    LinkKind.INVITATION: _ASK,
    LinkKind.RESET: _ASK,
    LinkKind.FIRST: N_("The newest one is printed when sitecms serve starts on a terminal: start it again."),
}
_OLD = {
    LinkKind.INVITATION: N_("This link is too old: an invitation is valid for 72 hours."),
    LinkKind.RESET: N_("This link is too old: a link for a new password is valid for one hour."),
    LinkKind.FIRST: N_("This link is too old: the link that makes the first user is valid for one hour."),
}


class LinkOver(NotFound):
    """The link existed and opens no more."""


def make_first_link(database: Database, at: datetime) -> str | None:
    """Make the link that makes the first user, an admin, in place of earlier ones; return its secret.

    Returns None if there is a user.
    """
    with database.writing(counts_as_change=False) as transaction:
        if users.has_users(transaction):
            return None
        links.delete_links_of(transaction, LinkKind.FIRST)
        secret, link = new_link(LinkKind.FIRST, at, "", Role.ADMIN, "")
        links.insert_link(transaction, link)
    return secret


def invite(
    database: Database, by: User | None, label: str, role: Role, author: str, at: datetime, email: str = ""
) -> str:
    """Make an invitation for a user of that role, and return the secret of its link.

    `label` says whom it is for, `email` is the address that the user will have. Raises InvalidFields, Conflict for an
    address that a user has, and Forbidden.
    """
    invitation = _invitation(by, label, email)
    with database.writing(counts_as_change=False) as transaction:
        return _insert_invitation(transaction, by, invitation, role, author, at)[0]


def send_invitation(
    database: Database, by: User | None, label: str, role: Role, author: str, at: datetime, email: str
) -> None:
    """Make an invitation and send it to an address; nobody sees its link here. Raises as `invite`."""
    label, email = _invitation(by, label, email)
    if not email:
        raise InvalidFields({"email": [N_("Type the address to which the invitation is sent.")]})
    with database.writing(counts_as_change=False) as transaction:
        _secret, link = _insert_invitation(transaction, by, (label, email), role, author, at)
        recipient = Recipient(email, link_digest=link.digest)
        insert_mail(transaction, MailKind.INVITATION, recipient, {"by": by.name if by else ""}, at)


def _invitation(by: User | None, label: str, email: str) -> tuple[str, str]:
    """Return the label and the address of an invitation, checked."""
    require(by, Action.MANAGE_PEOPLE)
    label, email = label.strip(), check_email(email)
    if not label.isprintable() or len(label) > MAX_LABEL_LENGTH:
        raise InvalidFields({"label": [Text("Use at most %(num)s printable characters.", num=MAX_LABEL_LENGTH)]})
    return label, email


def _insert_invitation(
    transaction: Transaction, by: User | None, invitation: tuple[str, str], role: Role, author: str, at: datetime
) -> tuple[str, AccountLink]:
    """Insert an invitation with that label and address; return the secret of its link, and the link."""
    label, email = invitation
    slug = author_of(transaction, role, author)
    users.check_free(transaction, email)
    secret, link = new_link(LinkKind.INVITATION, at, label, role, slug)
    link = replace(link, made_by=by.id if by else None, email=email)
    links.insert_link(transaction, link)
    record_action(transaction, by, "invite", f"invitation {label or email}".rstrip(), at, role.value)
    return secret, link


def invite_to_reset(database: Database, by: User | None, name: str, at: datetime) -> str:
    """Make a link with which a user chooses a new password, in place of earlier ones; return its secret.

    Raises NotFound, Conflict for a user who is deactivated, and Forbidden.
    """
    require(by, Action.MANAGE_PEOPLE)
    with database.writing(counts_as_change=False) as transaction:
        user = users.get_user(transaction, name)
        if not user.is_active:
            raise Conflict("name", Text("%(name)s is deactivated. Activate the user first.", name=name))
        links.delete_links_for(transaction, user.id)
        secret, link = new_link(LinkKind.RESET, at, user.name, user.role, user.author, user.id)
        links.insert_link(transaction, replace(link, made_by=by.id if by else None))
        record_action(transaction, by, "make reset link", f"user {name}", at)
    return secret


def send_reset(database: Database, by: User, name: str, at: datetime) -> None:
    """Send a link for a new password to a user with an address. Raises NotFound, InvalidFields and Forbidden."""
    require(by, Action.MANAGE_PEOPLE)
    with database.writing(counts_as_change=False) as transaction:
        user = users.get_user(transaction, name)
        if not user.is_active or not user.email:
            raise InvalidFields({"email": [Text("%(name)s is deactivated, or has no e-mail address.", name=name)]})
        insert_mail(transaction, MailKind.RESET, Recipient(user.email, user.id), {}, at)
        record_action(transaction, by, "send reset link", f"user {name}", at)


def send_forgotten(database: Database, name_or_address: str, at: datetime) -> None:
    """Send a link for a new password to the active user of that name or address, who asks for it without signing in.

    Who asks learns nothing: an unknown name takes the same way, and a user gets one such e-mail in five minutes. The
    commit does not wait for the disk, which would take longer than none.
    """
    with database.writing(counts_as_change=False, is_durable=False) as transaction:
        match = users.find_user(transaction, name_or_address.strip())
        user = match[0] if match else users.find_user_by_email(transaction, name_or_address.strip())
        if user is None or not user.is_active or not user.email:
            return
        last = find_last_mail(transaction, MailKind.RESET, user.id)
        if last is None or last.created_at + RESET_PAUSE <= at:
            insert_mail(transaction, MailKind.RESET, Recipient(user.email, user.id), {}, at)


def withdraw(database: Database, by: User, link_id: str, at: datetime) -> None:
    """Withdraw an invitation. Raises NotFound and Forbidden."""
    require(by, Action.MANAGE_PEOPLE)
    with database.writing(counts_as_change=False) as transaction:
        found = links.find_open_links(transaction, LinkKind.INVITATION, at)
        link = next((each for each in found if each.id == link_id), None)
        if link is None:
            raise NotFound(N_("There is no such invitation; it may have been used."))
        links.delete_link(transaction, link.digest)
        record_action(transaction, by, "withdraw invitation", f"invitation {link.label}".rstrip(), at)


def find_usable(database: Database, kind: LinkKind, secret: str, at: datetime) -> AccountLink:
    """Return the link of that secret. Raises NotFound, and LinkOver for one that was used or is old."""
    return database.read(_usable, kind, secret_digest(secret), at)


def accept_link(
    database: Database,
    link: AccountLink,
    name: str,
    password: str,
    site_name: str,
    at: datetime,
    address: str,
    client: str,
    email: str = "",
) -> tuple[User, str]:
    """Add the user of an invitation, or the first user, and return the user and the secret of a session.

    Raises NotFound for a link that was used or withdrawn since it was found, InvalidFields, and Conflict under `name`
    or `email`.
    """
    name, email = check_name(name), check_email(email)
    check_new_password(password, name, site_name)
    password_hash = hash_password(password)
    with database.writing(counts_as_change=False) as transaction:
        link = _usable(transaction, link.kind, link.digest, at)
        author = author_of(transaction, link.role, link.author)
        user = users.insert_user(transaction, name, link.role, author, password_hash, at, email)
        links.note_used(transaction, link.digest, at)
        action = "add first user" if link.kind is LinkKind.FIRST else "accept invitation"
        record_action(transaction, user, action, f"user {name}", at, link.role.value)
        return user, start_session(transaction, user, at, address, client)


def reset_password(database: Database, secret: str, password: str, site_name: str, at: datetime) -> User:
    """Give the user of a link a new password, and end all sessions; the second factor stays. Return the user.

    Raises NotFound for the link, and InvalidFields.
    """
    link = find_usable(database, LinkKind.RESET, secret, at)
    check_new_password(password, link.label, site_name)
    password_hash = hash_password(password)
    with database.writing(counts_as_change=False) as transaction:
        link = _usable(transaction, LinkKind.RESET, link.digest, at)
        user = users.find_user_by_id(transaction, link.user_id or 0)
        if user is None or not user.is_active:
            raise NotFound(_two(UNKNOWN, _ASK))
        users.set_password_hash(transaction, user.id, password_hash)
        links.note_used(transaction, link.digest, at)
        sessions.end_sessions(transaction, user.id)
        forget_devices(transaction, user.id)
        record_action(transaction, user, "reset password", f"user {user.name}", at)
    return user


def _two(problem: str, remedy: str) -> Text:
    return Text("%(problem)s %(remedy)s", problem=Text(problem), remedy=Text(remedy))


def _usable(session: Session, kind: LinkKind, digest: str, at: datetime) -> AccountLink:
    if kind is LinkKind.FIRST and users.has_users(session):
        raise LinkOver(HAS_USERS)
    link = links.find_link(session, digest, kind)
    if link is None:
        raise NotFound(_two(UNKNOWN, _NEXT[kind]))
    if link.used_at is not None:
        raise LinkOver(_two(USED, _NEXT[kind]))
    if not link.is_open(at):
        raise LinkOver(_two(_OLD[kind], _NEXT[kind]))
    return link
