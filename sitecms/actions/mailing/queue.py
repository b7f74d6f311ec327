"""E-mails that changes cause, stored in the transaction of the change."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from sitecms.content.mail import MailKind, MailStatus
from sitecms.content.user import Role, User
from sitecms.store.accounts.mails import Recipient, find_last_mail, insert_mail
from sitecms.store.accounts.users import find_users
from sitecms.store.database import Transaction

BUNDLE, PAUSE = timedelta(minutes=5), timedelta(hours=1)
"""Time in which failed changes come into one message, and the least time between two such messages."""


def mail_user(transaction: Transaction, user: User, kind: MailKind, values: Mapping[str, str], at: datetime) -> None:
    """Store an e-mail to a user, unless the user has no address or wants none of that kind."""
    if user.wants(kind):
        insert_mail(transaction, kind, Recipient(user.email, user.id), values, at)


def mail_failed_write(transaction: Transaction, at: datetime) -> None:
    """Have the admins told of failed changes: one message for all of some minutes, and one an hour at most."""
    for user in find_users(transaction):
        if user.role is not Role.ADMIN or not user.wants(MailKind.FAILED_WRITES):
            continue
        last = find_last_mail(transaction, MailKind.FAILED_WRITES, user.id)
        if last is not None and last.status is MailStatus.WAITING and not last.attempt:
            continue
        due_at = max(at + BUNDLE, last.created_at + PAUSE) if last else at + BUNDLE
        insert_mail(transaction, MailKind.FAILED_WRITES, Recipient(user.email, user.id), {}, at, due_at)
