"""Texts of e-mails: the subject and the plain text of each kind, made when the message is sent."""

from collections.abc import Callable, Mapping
from datetime import datetime

from msgspec import Struct

from sitecms.clock import parse_timestamp
from sitecms.content.account_link import AccountLink, link_path
from sitecms.content.kinds import EntryKind
from sitecms.content.mail import Mail, MailKind
from sitecms.content.user import Role
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Session
from sitecms.store.maintenance.media_usage import entry_label
from sitecms.store.writes.writes import find_failed

ACCOUNT = "/studio/account/"
WRITES = "/studio/writes/"
MAX_WRITES = 20
"""Failed changes that one message lists."""
_FORMS = {
    EntryKind.POST: "/studio/posts/{id}/",
    EntryKind.PAGE: "/studio/pages/{id}/?locale={locale}",
    EntryKind.ITEM: "/studio/collections/{type}/{id}/?locale={locale}",
}
"""The addresses of the forms of entries."""


class MailText(Struct, frozen=True):
    """Subject and text of a message."""

    subject: str
    text: str


def entry_values(kind: EntryKind, type_name: str, entry_id: int, locale: str, title: str) -> dict[str, str]:
    """Return the values that name an entry in a message."""
    return {"kind": kind.value, "type": type_name, "id": str(entry_id), "locale": locale, "title": title}


def invitation_text(settings: SiteSettings, mail: Mail, link: AccountLink, secret: str) -> MailText:
    """Return the message that invites a person."""
    by = mail.values.get("by")
    role = {Role.WRITER: "a writer", Role.EDITOR: "an editor", Role.ADMIN: "an admin"}[link.role]
    lines = (
        f"Hello {link.label}," if link.label else "Hello,",
        f"{by} invites you to the studio of {settings.name}, as {role}."
        if by
        else f"You are invited to the studio of {settings.name}, as {role}.",
        "Choose a name and a password here:",
        settings.serve_url + link_path(link.kind, secret),
        f"The link works once, until {_moment(settings, link.expires_at)}. Whoever has it can use it.",
    )
    return MailText(f"Invitation to the studio of {settings.name}", _paragraphs(lines))


def reset_text(settings: SiteSettings, link: AccountLink, secret: str) -> MailText:
    """Return the message with a link for a new password."""
    lines = (
        f"Hello {link.label},",
        f"here you choose a new password for the studio of {settings.name}:",
        settings.serve_url + link_path(link.kind, secret),
        f"The link works once, until {_moment(settings, link.expires_at)}. Your password stays as it is until then.",
        "If you did not ask for it, you need not do anything.",
    )
    return MailText(f"New password for the studio of {settings.name}", _paragraphs(lines))


def text_for_user(session: Session, settings: SiteSettings, mail: Mail) -> MailText:
    """Return a message that a user may do without."""
    subject, lines = _COMPOSERS[mail.kind](session, settings, mail)
    footer = f"-- \nWhich messages you get: {settings.serve_url}{ACCOUNT}\n"
    return MailText(subject, f"{_paragraphs(lines)}\n{footer}")


_Composed = tuple[str, tuple[str, ...]]


def _submitted(_session: Session, settings: SiteSettings, mail: Mail) -> _Composed:
    values = mail.values
    lines = f"{values['by']} asks you to review “{values['title']}”.", values.get("note", ""), _form(settings, values)
    return f"Please review: {values['title']}", lines


def _sent_back(_session: Session, settings: SiteSettings, mail: Mail) -> _Composed:
    values = mail.values
    lines = f"{values['by']} sent “{values['title']}” back to you.", values.get("note", ""), _form(settings, values)
    return f"Sent back: {values['title']}", lines


def _published(_session: Session, settings: SiteSettings, mail: Mail) -> _Composed:
    values = mail.values
    title, by = f"“{values['title']}”, which you submitted,", values.get("by")
    if scheduled_at := values.get("scheduled_at"):
        at = _moment(settings, parse_timestamp(scheduled_at, settings.zone))
        return f"Approved: {values['title']}", (f"{title} will be published on {at}.", _form(settings, values))
    first = f"{title} was published by {by}." if by else f"{title} was published."
    return f"Published: {values['title']}", (first, _form(settings, values))


def _note(_session: Session, settings: SiteSettings, mail: Mail) -> _Composed:
    values = mail.values
    quote = "\n".join(f"> {line}" for line in values.get("quote", "").splitlines())
    lines = f"{values['by']} wrote a note on “{values['title']}”:", quote, values["note"], _form(settings, values)
    return f"Note on {values['title']}", lines


def _failed_writes(session: Session, settings: SiteSettings, mail: Mail) -> _Composed:
    failed = find_failed(session, mail.created_at, MAX_WRITES)
    listed = "\n".join(
        f"- {write.operation} {entry_label(session, write.kind, write.entry_id)}: "
        + "; ".join(f"{name}: {' '.join(messages)}" for name, messages in write.errors.items())
        for write in failed.entries
    )
    more = f"… and {failed.count - MAX_WRITES} more." if failed.count > MAX_WRITES else ""
    subject = f"{failed.count} change{'' if failed.count == 1 else 's'} failed on {settings.name}"
    first = "These changes were accepted and could not be applied. Nothing is lost; each can be tried again:"
    return subject, (first, listed, more, settings.serve_url + WRITES)


_COMPOSERS: Mapping[MailKind, Callable[[Session, SiteSettings, Mail], _Composed]] = {
    MailKind.SUBMITTED: _submitted,
    MailKind.SENT_BACK: _sent_back,
    MailKind.PUBLISHED: _published,
    MailKind.NOTE: _note,
    MailKind.FAILED_WRITES: _failed_writes,
}


def _form(settings: SiteSettings, values: Mapping[str, str]) -> str:
    return settings.serve_url + _FORMS[EntryKind(values["kind"])].format(**values)


def _paragraphs(lines: tuple[str, ...]) -> str:
    return "\n\n".join(line for line in lines if line) + "\n"


def _moment(settings: SiteSettings, moment: datetime) -> str:
    return f"{moment.astimezone(settings.zone):%Y-%m-%d %H:%M} ({settings.timezone})"
