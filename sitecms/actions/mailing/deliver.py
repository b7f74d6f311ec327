"""Delivery of e-mail: one thread of a worker sends what waits, one message after the other.

An e-mail is claimed, made and sent outside any transaction, and settled. A code in it is made with the claim, and
stored as a digest: a repeated attempt sends another one, which takes the place of the first. After a crash a message
may be sent twice, with the same Message-ID; none is lost.
"""

import threading
from datetime import datetime, timedelta
from email.message import EmailMessage

import structlog

from sitecms.actions.mailing.smtp import TIMEOUTS_PER_MESSAGE, NotSent, make_message, send_message
from sitecms.actions.mailing.texts import MailText, invitation_text, reset_text, text_for_user
from sitecms.clock import Clock
from sitecms.content.account_link import LIFETIMES, LinkKind, new_link
from sitecms.content.mail import Mail, MailKind, MailStatus
from sitecms.content.user import User
from sitecms.settings.current import CurrentSettings
from sitecms.settings.mail import MailSettings
from sitecms.settings.site import SiteSettings
from sitecms.store.accounts import links, mails
from sitecms.store.accounts.users import find_user_by_id
from sitecms.store.database import Database, Transaction
from sitecms.store.engines.locks import Locks
from sitecms.store.writes.claims import Membership

LEASE_GRACE = timedelta(seconds=60)
NOT_SET_UP = "No mail server is set up under [mail]."
_GONE = "The link was used or withdrawn."
_UNWANTED = "The user is gone or deactivated, has no address, or does without such messages."
_log = structlog.get_logger("sitecms.mail")


class _NoReason(Exception):
    """An e-mail that nobody needs any more."""


def deliver_next(database: Database, settings: SiteSettings, clock: Clock, owner: str) -> bool:
    """Claim and try the e-mail that is due the longest; return False if none is due."""
    at, server = clock(), settings.mail
    lease = timedelta(seconds=server.timeout_seconds * (TIMEOUTS_PER_MESSAGE + 2)) + LEASE_GRACE
    with database.writing(counts_as_change=False) as transaction:
        mail = mails.claim_mail(transaction, owner, at, lease)
    if mail is None:
        return False
    with database.writing(counts_as_change=False) as transaction:  # one that cannot be made stays claimed
        try:
            message = _made(transaction, settings, mail, at)
        except _NoReason as error:
            mails.settle_mail(transaction, mail, MailStatus.DROPPED, str(error), at, at)
            return True
    outcome = _attempt(server, message)
    status, due_at = _next_status(server, mail, outcome, clock())
    with database.writing(counts_as_change=False) as transaction:
        mails.settle_mail(transaction, mail, status, str(outcome or ""), due_at, clock())
    log = _log.warning if status is MailStatus.FAILED else _log.info
    log("mail_attempt", mail=mail.id, kind=mail.kind.value, attempt=mail.attempt, outcome=status.value)
    return True


def _attempt(server: MailSettings, message: EmailMessage) -> NotSent | None:
    """Send a message; return what went wrong, or None."""
    try:
        send_message(server, message)
    except NotSent as error:
        return error
    return None


def _next_status(
    server: MailSettings, mail: Mail, outcome: NotSent | None, at: datetime
) -> tuple[MailStatus, datetime]:
    """Return the status of an e-mail after its attempt, and the time of the next one."""
    if outcome is None:
        return MailStatus.SENT, at
    if outcome.is_final or mail.failures >= len(server.retry_seconds):
        return MailStatus.FAILED, at
    return MailStatus.WAITING, at + timedelta(seconds=server.retry_seconds[mail.failures])


def _made(transaction: Transaction, settings: SiteSettings, mail: Mail, at: datetime) -> EmailMessage:
    """Return the message of a claimed e-mail. Raises _NoReason."""
    address, content = _content(transaction, settings, mail, at)
    mails.note_address(transaction, mail, address)
    message_id = f"{mail.id}.{int(mail.created_at.timestamp() * 1_000_000)}"
    return make_message(settings.mail, address, content.subject, content.text, message_id, at)


def _content(transaction: Transaction, settings: SiteSettings, mail: Mail, at: datetime) -> tuple[str, MailText]:
    """Return the address that an e-mail is sent to, and its text."""
    if mail.kind is MailKind.INVITATION:
        return mail.address, _invitation(transaction, settings, mail, at)
    user = find_user_by_id(transaction, mail.user_id or 0)
    if mail.kind is MailKind.RESET and user is not None and user.is_active and user.email:
        return user.email, _reset(transaction, settings, user, at)
    if mail.kind is MailKind.RESET or user is None or not user.wants(mail.kind):
        raise _NoReason(_UNWANTED)
    return user.email, text_for_user(transaction, settings, mail, user)


def _invitation(transaction: Transaction, settings: SiteSettings, mail: Mail, at: datetime) -> MailText:
    """Return an invitation with a new code."""
    former = links.find_link(transaction, mail.link_digest or "", LinkKind.INVITATION)
    if former is None or former.used_at is not None:
        raise _NoReason(_GONE)
    secret, link = new_link(former.kind, at, former.label, former.role, former.author)
    mails.renew_link(transaction, mail, link.digest, at + LIFETIMES[former.kind])
    return invitation_text(settings, mail, link, secret)


def _reset(transaction: Transaction, settings: SiteSettings, user: User, at: datetime) -> MailText:
    """Return the message with a link for a new password, which takes the place of earlier ones."""
    links.delete_links_for(transaction, user.id)
    secret, link = new_link(LinkKind.RESET, at, user.name, user.role, user.author, user.id)
    links.insert_link(transaction, link)
    return reset_text(settings, user, link, secret)


class Mailer:
    """The thread of one worker that sends e-mail; several workers may send for one store. It ends when nothing is due.

    Without a mail server, what waits is dropped, so that none of it is sent when one is set up much later.
    """

    def __init__(self, database: Database, current: CurrentSettings, clock: Clock, locks: Locks) -> None:
        self._database, self._current, self._clock, self._locks = database, current, clock, locks
        self._membership = Membership(locks)
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def dispatch(self) -> None:
        """Start the thread if an e-mail is due, and return at once."""
        self._release_dead()
        is_due = self._database.read(mails.is_mail_due, self._clock())
        if not is_due or self._stopping.is_set() or (self._thread is not None and self._thread.is_alive()):
            return
        if not self._current.now().mail.is_on:
            with self._database.writing(counts_as_change=False) as transaction:
                mails.drop_waiting(transaction, NOT_SET_UP, self._clock())
            return
        self._thread = threading.Thread(target=self._deliver, name="mail", daemon=True)
        self._thread.start()

    def ask_to_stop(self) -> None:
        """Start no more deliveries, without waiting for the one that runs."""
        self._stopping.set()

    def stop(self, timeout_seconds: float) -> None:
        """Start no more deliveries and wait for the one that runs; others repeat what is cut off."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(timeout_seconds)
        self._membership.leave()

    def _release_dead(self) -> None:
        """Release the claims of dead workers."""
        dead = [owner for owner in self._database.read(mails.mail_owners) if not self._locks.is_held(owner)]
        if dead:
            with self._database.writing(counts_as_change=False) as transaction:
                for owner in dead:
                    mails.release_mails(transaction, owner, self._clock())

    def _deliver(self) -> None:
        try:
            is_more_due = True
            while is_more_due and not self._stopping.is_set():
                owner = self._membership.name()
                is_more_due = deliver_next(self._database, self._current.now(), self._clock, owner)
        except Exception:  # noqa: BLE001 - the e-mail is due again after its lease, whatever it was
            _log.exception("mail_failed")
        finally:
            self._database.close()
