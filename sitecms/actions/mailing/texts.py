"""Texts of e-mails: subject and plain text of each kind, made when the message is sent, in the language of its reader.

A text is written in English and marked by `N_`; its translations stand in the catalogues of the studio. `%(name)s` are
the values of a message. A value alone is a paragraph that is left out where it is empty.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from sitecms.clock import parse_timestamp
from sitecms.content.account_link import AccountLink, link_path
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.mail import Mail, MailKind
from sitecms.content.user import Role, User
from sitecms.messages import N_
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Session
from sitecms.store.maintenance.media_usage import entry_label
from sitecms.store.writes.writes import find_failed
from sitecms.translations import Translations, babel_locale

ACCOUNT, WRITES = "/studio/account/", "/studio/writes/"
MAX_WRITES = 20
"""Failed changes that one message lists."""
ENGLISH = "en"
_CATALOGUES = Path(__file__).parents[2] / "studio" / "translations"
_translations = Translations({path.stem: (path,) for path in _CATALOGUES.glob("*.po")})


_INVITATIONS: Mapping[Role, tuple[str, str]] = {
    Role.WRITER: (
        N_("%(by)s invites you to the studio of %(site)s, as a writer."),
        N_("You are invited to the studio of %(site)s, as a writer."),
    ),
    Role.EDITOR: (
        N_("%(by)s invites you to the studio of %(site)s, as an editor."),
        N_("You are invited to the studio of %(site)s, as an editor."),
    ),
    Role.ADMIN: (
        N_("%(by)s invites you to the studio of %(site)s, as an admin."),
        N_("You are invited to the studio of %(site)s, as an admin."),
    ),
}
"""The first sentence of an invitation by a user, and of one by the command line."""


class MailText(Struct, frozen=True):
    """Subject and text of a message."""

    subject: str
    text: str


class _Draft(Struct, frozen=True):
    """A message before it is translated: its subject, its paragraphs, and their values."""

    subject: str
    paragraphs: Sequence[str]
    values: Mapping[str, str]

    def in_language(self, language: str) -> MailText:
        """Return the message in a language, without empty paragraphs."""
        subject, *paragraphs = (
            _translations.text(language, each) % self.values for each in (self.subject, *self.paragraphs)
        )
        return MailText(subject, "\n\n".join(filter(None, paragraphs)) + "\n")


def entry_values(kind: EntryKind, type_name: str, entry_id: int, locale: str, title: str) -> dict[str, str]:
    """Return the values that name an entry in a message."""
    return {"kind": kind.value, "type": type_name, "id": str(entry_id), "locale": locale, "title": title}


def invitation_text(settings: SiteSettings, mail: Mail, link: AccountLink, secret: str) -> MailText:
    """Return the message that invites a person, in the first language of the site."""
    language, by = _site_language(settings), mail.values.get("by", "")
    by_user, by_command = _INVITATIONS[link.role]
    values = {**_link_values(settings, link, secret, language), "by": by}
    paragraphs = (
        N_("Hello %(name)s,") if link.label else N_("Hello,"),
        by_user if by else by_command,
        N_("Choose a name and a password here:"),
        "%(link)s",
        N_("The link works once, until %(time)s. Whoever has it can use it."),
    )
    return _Draft(N_("Invitation to the studio of %(site)s"), paragraphs, values).in_language(language)


def reset_text(settings: SiteSettings, user: User, link: AccountLink, secret: str) -> MailText:
    """Return the message with a link for a new password."""
    language = _language_of(settings, user)
    paragraphs = (
        N_("Hello %(name)s,"),
        N_("Choose a new password for the studio of %(site)s here:"),
        "%(link)s",
        N_("The link works once, until %(time)s. Your password stays as it is until then."),
        N_("If you did not ask for it, you need not do anything."),
    )
    values = _link_values(settings, link, secret, language)
    return _Draft(N_("New password for the studio of %(site)s"), paragraphs, values).in_language(language)


def text_for_user(session: Session, settings: SiteSettings, mail: Mail, user: User) -> MailText:
    """Return a message that a user may do without."""
    language = _language_of(settings, user)
    if mail.kind is MailKind.FAILED_WRITES:
        draft = _failed_writes(session, settings, mail)
    else:
        values = {"by": "", "note": "", **mail.values, "form": _form(settings, mail.values)}
        draft = _DRAFTS[mail.kind](settings, values, language)
    made, account = draft.in_language(language), settings.serve_url + ACCOUNT
    footer = _translations.text(language, N_("Which messages you get: %(address)s")) % {"address": account}
    return MailText(made.subject, f"{made.text}\n-- \n{footer}\n")


def _submitted(_settings: SiteSettings, values: Mapping[str, str], _language: str) -> _Draft:
    first = N_("%(by)s asks you to review “%(title)s”.")
    return _Draft(N_("Please review: %(title)s"), (first, "%(note)s", "%(form)s"), values)


def _sent_back(_settings: SiteSettings, values: Mapping[str, str], _language: str) -> _Draft:
    first = N_("%(by)s sent “%(title)s” back to you.")
    return _Draft(N_("Sent back: %(title)s"), (first, "%(note)s", "%(form)s"), values)


def _published(settings: SiteSettings, values: Mapping[str, str], language: str) -> _Draft:
    if scheduled_at := values.get("scheduled_at"):
        time = _moment(settings, parse_timestamp(scheduled_at, settings.zone), language)
        first = N_("“%(title)s”, which you submitted, is approved and will be published on %(time)s.")
        return _Draft(N_("Approved: %(title)s"), (first, "%(form)s"), {**values, "time": time})
    by_user, by_time = (
        N_("“%(title)s”, which you submitted, was published by %(by)s."),
        N_("“%(title)s”, which you submitted, was published."),
    )
    return _Draft(N_("Published: %(title)s"), (by_user if values["by"] else by_time, "%(form)s"), values)


def _note(_settings: SiteSettings, values: Mapping[str, str], _language: str) -> _Draft:
    quote = "\n".join(f"> {line}" for line in values.get("quote", "").splitlines())
    first = N_("%(by)s wrote a note on “%(title)s”:")
    return _Draft(N_("Note on %(title)s"), (first, "%(quote)s", "%(note)s", "%(form)s"), {**values, "quote": quote})


_DRAFTS: Mapping[MailKind, Callable[[SiteSettings, Mapping[str, str], str], _Draft]] = {
    MailKind.SUBMITTED: _submitted,
    MailKind.SENT_BACK: _sent_back,
    MailKind.PUBLISHED: _published,
    MailKind.NOTE: _note,
}


def _failed_writes(session: Session, settings: SiteSettings, mail: Mail) -> _Draft:
    failed = find_failed(session, mail.created_at, MAX_WRITES)
    listed = "\n".join(
        f"- {write.operation} {entry_label(session, write.kind, write.entry_id)}: "
        + "; ".join(f"{name}: {' '.join(messages)}" for name, messages in write.errors.items())
        for write in failed.entries
    )
    values = {
        "site": settings.name, "listed": listed, "num": str(failed.count), "more": str(failed.count - MAX_WRITES),
        "address": settings.serve_url + WRITES,
    }  # fmt: skip
    paragraphs = (
        N_("These changes were accepted and could not be applied. Nothing is lost; each can be tried again:"),
        "%(listed)s",
        N_("And %(more)s more.") if failed.count > MAX_WRITES else "",
        "%(address)s",
    )
    return _Draft(N_("Failed changes on %(site)s: %(num)s"), paragraphs, values)


def _link_values(settings: SiteSettings, link: AccountLink, secret: str, language: str) -> dict[str, str]:
    return {
        "site": settings.name, "name": link.label, "link": settings.serve_url + link_path(link.kind, secret),
        "time": _moment(settings, link.expires_at, language),
    }  # fmt: skip


def _form(settings: SiteSettings, values: Mapping[str, str]) -> str:
    """Return the address of the form of the entry that a message names."""
    kind = KINDS[EntryKind(values["kind"])]
    return settings.serve_url + kind.form_address(int(values["id"]), values["type"], values["locale"])


def _language_of(settings: SiteSettings, user: User) -> str:
    """Return the language that a user has chosen for the studio, else that of the site."""
    return user.language or _site_language(settings)


def _site_language(settings: SiteSettings) -> str:
    return settings.language_tag(settings.default_locale) or ENGLISH


def _moment(settings: SiteSettings, moment: datetime, language: str) -> str:
    from babel.dates import format_date, format_time  # most processes send no e-mail

    locale, local = babel_locale(language), moment.astimezone(settings.zone)
    return f"{format_date(local, 'medium', locale)} {format_time(local, 'short', locale=locale)} ({settings.timezone})"
