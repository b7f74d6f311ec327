"""Settings of e-mail, [mail]: the server that takes the messages of the studio. The password is in the environment."""

import os
from collections.abc import Iterator, Mapping
from email.utils import parseaddr
from enum import StrEnum
from typing import Any

from msgspec import Struct

from sitecms.email_address import InvalidAddress, email_address

MAIL_PASSWORD = "SITECMS_MAIL_PASSWORD"  # noqa: S105 - the name of a variable
_LOCAL = ("localhost", "127.0.0.1", "::1")
_SENDER = 'expected an address such as "studio@tide.example", or "Tide <studio@tide.example>"'


class MailSecurity(StrEnum):
    """How the connection is encrypted: by STARTTLS, from its begin, or not at all."""

    STARTTLS = "starttls"
    TLS = "tls"
    NONE = "none"


_PORTS = {MailSecurity.STARTTLS: 587, MailSecurity.TLS: 465, MailSecurity.NONE: 25}


class MailSettings(Struct, frozen=True):
    """Settings of e-mail; without a `host` none is sent. `retry_seconds` are the waits between attempts."""

    host: str = ""
    port: int = 587
    security: MailSecurity = MailSecurity.STARTTLS
    user: str = ""
    sender: str = ""
    timeout_seconds: int | float = 30.0
    retry_seconds: tuple[int | float, ...] = ()

    @property
    def is_on(self) -> bool:
        """True if e-mail can be sent."""
        return bool(self.host)

    @property
    def sender_address(self) -> str:
        """The address of the sender, without a name."""
        return parseaddr(self.sender)[1]

    @property
    def lacks_password(self) -> bool:
        """True if the server wants a password, and the environment has none."""
        return bool(self.user) and not mail_password()


def mail_port(table: Mapping[str, Any]) -> int:
    """Return the port in [mail], or the usual one."""
    return table["port"] or _PORTS[MailSecurity(table["security"])]


def mail_password() -> str:
    """Return the password of the mail server, "" for none. It stands in the environment alone."""
    return os.environ.get(MAIL_PASSWORD, "")


def mail_problems(data: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield key, problem and remedy of each setting in [mail] that cannot be used."""
    table = data["mail"]
    if not table["host"]:
        return
    address = parseaddr(table["sender"])[1]
    try:
        is_address = bool(email_address(address)) and table["sender"].isprintable()
    except InvalidAddress:
        is_address = False
    if not is_address:
        yield "sender", f'is "{table["sender"]}", which is no address', _SENDER
    if not data["serve"]["url"]:
        yield "host", "is set, and links in messages need the address of the studio", "set url under [serve]"
    if table["user"] and table["security"] == MailSecurity.NONE and table["host"] not in _LOCAL:
        yield "security", 'is "none", which would send the password in clear', 'write "starttls" or "tls"'
