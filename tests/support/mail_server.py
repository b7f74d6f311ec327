"""A real mail server on loopback: it takes messages by SMTP, with STARTTLS, TLS and AUTH, and answers by its script."""

import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword

from sitecms.settings.mail import MailSecurity, MailSettings
from tests.support.ports import free_port
from tests.support.waiting import PATIENCE_SECONDS

USER, PASSWORD = "studio", "a secret of the server"
OK = "250 OK"


class Arrived(NamedTuple):
    """A message as it arrived: the envelope, its headers, and its text."""

    sender: str
    recipients: list[str]
    message: EmailMessage
    was_encrypted: bool
    user: str

    @property
    def text(self) -> str:
        """The plain text."""
        return str(self.message.get_content()).replace("\r\n", "\n")


class MailServer:
    """A server whose `script` has the answers to messages, one each, the last one for good.

    An answer to the address of a message begins with "to ", as "to 550 No such person".
    """

    def __init__(
        self, *script: str, security: MailSecurity = MailSecurity.NONE, certificate: Path | None = None, port: int = 0
    ) -> None:
        self.script, self.security = list(script) or [OK], security
        self.arrived: list[Arrived] = []
        self.port = port or free_port()
        self._lock = threading.Lock()
        options: dict[str, Any] = {}
        if certificate is not None:
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(certificate, certificate.with_name("key.pem"))
            is_late = security is MailSecurity.STARTTLS
            options = {"tls_context": context, "require_starttls": True} if is_late else {"ssl_context": context}
            options |= {"authenticator": self._authenticate, "auth_required": is_late, "auth_require_tls": is_late}
        self._controller = Controller(
            self, hostname="127.0.0.1", port=self.port, ready_timeout=PATIENCE_SECONDS, **options
        )
        self._controller.start()

    def settings(self, **changes: Any) -> MailSettings:
        """Return the settings with which messages are sent to this server."""
        user = USER if self.security is not MailSecurity.NONE else ""
        values = {
            "host": "127.0.0.1", "port": self.port, "security": self.security, "user": user,
            "sender": "Tide <studio@tide.example>", "timeout_seconds": 10.0, "retry_seconds": (60.0, 300.0),
        }  # fmt: skip
        return MailSettings(**{**values, **changes})

    def close(self) -> None:
        """Take no more messages."""
        self._controller.stop()

    def _answer(self, is_address: bool) -> str:
        """Return the next answer, if it is one to this command."""
        with self._lock:
            answer = self.script[0]
            if answer.startswith("to ") != is_address:
                return OK
            if len(self.script) > 1:
                self.script.pop(0)
            return answer.removeprefix("to ")

    @staticmethod
    def _authenticate(_server: Any, _session: Any, _envelope: Any, _mechanism: str, data: LoginPassword) -> AuthResult:
        is_right = (data.login, data.password) == (USER.encode(), PASSWORD.encode())
        return AuthResult(success=is_right, handled=is_right, auth_data=data)

    async def handle_RCPT(  # noqa: N802 - the name that the server looks for
        self, _server: Any, _session: Any, envelope: Any, address: str, _options: Any
    ) -> str:
        """Take an address, or answer by the script."""
        answer = self._answer(is_address=True)
        if answer == OK:
            envelope.rcpt_tos.append(address)
        return answer

    async def handle_DATA(  # noqa: N802 - the name that the server looks for
        self, server: Any, session: Any, envelope: Any
    ) -> str:
        """Take a message, or answer by the script."""
        answer = self._answer(is_address=False)
        if answer == OK:
            message = message_from_bytes(envelope.content, policy=default)
            assert isinstance(message, EmailMessage)
            is_encrypted = server.transport.get_extra_info("sslcontext") is not None
            login = getattr(session.auth_data, "login", b"").decode()
            self.arrived.append(Arrived(envelope.mail_from, envelope.rcpt_tos, message, is_encrypted, login))
        return answer


@pytest.fixture
def make_mail_server() -> Iterator[Callable[..., MailServer]]:
    """Start mail servers, each with its script."""
    started: list[MailServer] = []

    def start(*script: str, **options: Any) -> MailServer:
        started.append(MailServer(*script, **options))
        return started[-1]

    yield start
    for server in started:
        server.close()


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a certificate for 127.0.0.1 that signs itself, with its key beside it."""
    path = tmp_path_factory.mktemp("certificate") / "certificate.pem"
    command: list[str | Path] = [
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
        "-subj", "/CN=tide", "-addext", "subjectAltName=IP:127.0.0.1", "-out", path,
        "-keyout", path.with_name("key.pem"),
    ]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE_SECONDS)
    return path
