"""Messages reach a real mail server, encrypted and signed in as the settings say, and nothing is sent otherwise."""

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from socket import create_server

import pytest

from sitecms.actions.mailing.smtp import NotSent, make_message, send_message
from sitecms.settings.mail import MAIL_PASSWORD, MailSecurity, MailSettings
from tests.support.mail_server import PASSWORD, USER, MailServer
from tests.support.waiting import PATIENCE_SECONDS

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
MakeServer = Callable[..., MailServer]


def send(settings: MailSettings, subject: str = "Ebb", text: str = "The tide is out.\n.\nStill out.\n") -> None:
    send_message(settings, make_message(settings, "mira@tide.example", subject, text, "7.1", NOON))


@pytest.mark.parametrize("security", [MailSecurity.STARTTLS, MailSecurity.TLS])
def test_a_message_is_sent_encrypted_and_signed_in(
    make_mail_server: MakeServer, certificate: Path, monkeypatch: pytest.MonkeyPatch, security: MailSecurity
) -> None:
    """With name and address of the sender, date and a stable Message-ID, in plain text."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    monkeypatch.setenv(MAIL_PASSWORD, PASSWORD)
    server = make_mail_server(security=security, certificate=certificate)
    send(server.settings(), "Flut – 潮")
    (arrived,) = server.arrived
    assert (arrived.was_encrypted, arrived.user) == (True, USER)
    assert (arrived.sender, arrived.recipients) == ("studio@tide.example", ["mira@tide.example"])
    headers = {name: str(arrived.message[name]) for name in ("From", "To", "Subject", "Date", "Message-ID")}
    assert headers == {
        "From": "Tide <studio@tide.example>", "To": "mira@tide.example", "Subject": "Flut – 潮",
        "Date": "Sun, 01 Mar 2026 12:00:00 +0000", "Message-ID": "<7.1@tide.example>",
    }  # fmt: skip
    assert arrived.text == "The tide is out.\n.\nStill out.\n"
    assert arrived.message.get_content_type() == "text/plain"


def test_without_encryption_nothing_is_signed_in(make_mail_server: MakeServer) -> None:
    """A relay on this machine takes messages without a password."""
    server = make_mail_server()
    send(server.settings())
    assert [(each.was_encrypted, each.user) for each in server.arrived] == [(False, "")]


@pytest.mark.parametrize("security", [MailSecurity.STARTTLS, MailSecurity.TLS])
def test_a_certificate_that_nobody_vouches_for_ends_the_attempt(
    make_mail_server: MakeServer, certificate: Path, monkeypatch: pytest.MonkeyPatch, security: MailSecurity
) -> None:
    """Before the password is sent."""
    monkeypatch.setenv(MAIL_PASSWORD, PASSWORD)
    server = make_mail_server(security=security, certificate=certificate)
    with pytest.raises(NotSent, match="certificate verify failed") as caught:
        send(server.settings())
    assert not caught.value.is_final
    assert server.arrived == []


def test_a_server_without_starttls_gets_nothing(make_mail_server: MakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody in between may have taken the offer away, so there is no fallback."""
    monkeypatch.setenv(MAIL_PASSWORD, PASSWORD)
    server = make_mail_server()
    with pytest.raises(NotSent, match="STARTTLS extension not supported"):
        send(server.settings(security=MailSecurity.STARTTLS, user=USER))
    assert server.arrived == []


def test_a_wrong_or_missing_password_says_so_without_it(
    make_mail_server: MakeServer, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The attempt is repeated later: the owner can correct it."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    monkeypatch.delenv(MAIL_PASSWORD, raising=False)
    server = make_mail_server(security=MailSecurity.TLS, certificate=certificate)
    with pytest.raises(NotSent, match=f"{MAIL_PASSWORD} is not set"):
        send(server.settings())
    monkeypatch.setenv(MAIL_PASSWORD, "guessed wrongly")
    with pytest.raises(NotSent, match="535") as caught:
        send(server.settings())
    assert "guessed" not in str(caught.value)
    assert not caught.value.is_final
    assert server.arrived == []


@pytest.mark.parametrize(
    ("answer", "is_final"),
    [
        ("to 550 No such person", True), ("to 450 Greylisted", False), ("554 Spam", True), ("451 Later", False),
        ("550 \x1b[31mRed", True),
    ],
)  # fmt: skip
def test_refusals_say_whether_another_attempt_makes_sense(
    make_mail_server: MakeServer, answer: str, is_final: bool
) -> None:
    """With what the server answered, in printable characters."""
    server = make_mail_server(answer)
    with pytest.raises(NotSent) as caught:
        send(server.settings())
    assert caught.value.is_final is is_final
    assert answer.split()[-1].removeprefix("\x1b") in str(caught.value)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("subject", ["Ebb\r\nBcc: all@tide.example", "Ebb\nX: y", "Ebb\x00\x0b\x1f", "Ebb\u2028X: y"])
def test_a_subject_adds_no_header(make_mail_server: MakeServer, subject: str) -> None:
    """Titles are what somebody typed; line breaks and control characters become spaces."""
    server = make_mail_server()
    send(server.settings(), subject)
    (arrived,) = server.arrived
    assert arrived.recipients == ["mira@tide.example"]
    assert set(arrived.message.keys()) == {
        "From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "Content-Type", "Content-Transfer-Encoding",
        "MIME-Version",
    }  # fmt: skip
    assert str(arrived.message["Subject"]).startswith("Ebb")


def test_a_server_that_is_gone_or_silent_costs_a_limited_time() -> None:
    """Nobody listens; or somebody who never says a word."""
    with create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        settings = MailSettings("127.0.0.1", port, MailSecurity.NONE, "", "studio@tide.example", 0.3)
        started = time.monotonic()
        with pytest.raises(NotSent, match="timed out"):
            send(settings)
        assert time.monotonic() - started < PATIENCE_SECONDS
    with pytest.raises(NotSent, match="refused"):
        send(settings)


def test_a_server_that_answers_byte_by_byte_is_hung_up_on() -> None:
    """Each byte comes in time, the message would take for ever."""
    stop = threading.Event()

    def trickle() -> None:
        connection, _address = server.accept()
        with connection:
            connection.sendall(b"220 tide\r\n")
            while not stop.wait(0.05):
                try:
                    connection.sendall(b"2")
                except OSError:
                    return

    with create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=trickle)
        thread.start()
        port = server.getsockname()[1]
        try:
            with pytest.raises(NotSent):
                send(MailSettings("127.0.0.1", port, MailSecurity.NONE, "", "studio@tide.example", 0.25))
        finally:
            stop.set()
            thread.join(PATIENCE_SECONDS)
