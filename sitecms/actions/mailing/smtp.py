"""The mail server: one message handed over by SMTP, encrypted and signed in as the settings say."""

import smtplib
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from email.errors import MessageError
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from sitecms.content.mail import MAX_PROBLEM_LENGTH
from sitecms.settings.mail import MAIL_PASSWORD, MailSecurity, MailSettings, mail_password

TIMEOUTS_PER_MESSAGE = 4
"""The time limits of one answer that a whole message may take."""
_PERMANENT = range(500, 600)


class NotSent(Exception):
    """A message that the server did not take; where that `is_final`, the server refuses its address or its text."""

    def __init__(self, reason: str, *, is_final: bool = False) -> None:
        super().__init__("".join(char if char.isprintable() else " " for char in reason)[:MAX_PROBLEM_LENGTH])
        self.is_final = is_final


def make_message(
    settings: MailSettings, recipient: str, subject: str, text: str, message_id: str, at: datetime
) -> EmailMessage:
    """Return a message in plain text. A line break in the subject becomes a space: it cannot end the header."""
    message = EmailMessage(policy=SMTP)
    message["From"] = settings.sender
    message["To"] = recipient
    message["Subject"] = " ".join("".join(char if char.isprintable() else " " for char in subject).split())
    message["Date"] = format_datetime(at)
    message["Message-ID"] = f"<{message_id}@{_domain(settings)}>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(text)
    return message


def send_message(settings: MailSettings, message: EmailMessage) -> None:
    """Hand a message over to the server. Raises NotSent."""
    try:
        with _connection(settings) as smtp:
            if settings.security is MailSecurity.STARTTLS:
                smtp.starttls(context=ssl.create_default_context())
            if settings.user:
                _sign_in(smtp, settings)
            smtp.send_message(message, settings.sender_address)
    except smtplib.SMTPRecipientsRefused as error:
        code, reply = next(iter(error.recipients.values()))
        raise NotSent(f"the address is refused: {code} {_text(reply)}", is_final=code in _PERMANENT) from None
    except smtplib.SMTPDataError as error:
        is_final = error.smtp_code in _PERMANENT
        raise NotSent(
            f"the message is refused: {error.smtp_code} {_text(error.smtp_error)}", is_final=is_final
        ) from None
    except smtplib.SMTPResponseException as error:
        raise NotSent(f"the server answered {error.smtp_code} {_text(error.smtp_error)}") from None
    except (smtplib.SMTPException, ssl.SSLError, OSError, MessageError, ValueError) as error:
        raise NotSent(f"{settings.host}: {error or type(error).__name__}") from None


def _sign_in(smtp: smtplib.SMTP, settings: MailSettings) -> None:
    if settings.lacks_password:
        raise NotSent(f"the server wants a password, and {MAIL_PASSWORD} is not set in the environment of the worker")
    smtp.login(settings.user, mail_password())


@contextmanager
def _connection(settings: MailSettings) -> Iterator[smtplib.SMTP]:
    """Connect to the server, and close the connection, after a limited time whatever the server does."""
    host, port, wait, name = settings.host, settings.port, settings.timeout_seconds, _domain(settings)
    if settings.security is MailSecurity.TLS:
        context = ssl.create_default_context()
        smtp: smtplib.SMTP = smtplib.SMTP_SSL(host, port, name, timeout=wait, context=context)
    else:
        smtp = smtplib.SMTP(host, port, name, timeout=wait)
    limit = threading.Timer(wait * TIMEOUTS_PER_MESSAGE, _hang_up, (smtp,))
    limit.daemon = True
    limit.start()
    try:
        yield smtp
        with suppress(smtplib.SMTPException, OSError):
            smtp.quit()
    finally:
        limit.cancel()
        smtp.close()


def _hang_up(smtp: smtplib.SMTP) -> None:
    """End a connection that takes too long; its thread gets an error."""
    with suppress(OSError, AttributeError):
        if smtp.sock is not None:
            smtp.sock.shutdown(socket.SHUT_RDWR)


def _domain(settings: MailSettings) -> str:
    return settings.sender_address.rpartition("@")[2]


def _text(reply: bytes | str) -> str:
    return reply.decode("utf-8", "replace") if isinstance(reply, bytes) else reply
