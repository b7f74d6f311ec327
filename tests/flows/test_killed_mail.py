"""E-mail survives kill -9: each message arrives at least once, and repeated ones have the same Message-ID."""

import subprocess
import sys
from collections.abc import Callable

import pytest

from sitecms.actions.mailing.queue import mail_user
from sitecms.clock import now
from sitecms.content.mail import MailKind, MailStatus
from sitecms.content.query import Window
from sitecms.content.user import Role
from sitecms.runtime import Runtime
from sitecms.store.accounts.mails import find_mails
from sitecms.store.accounts.users import insert_user
from tests.support.mail_server import MailServer
from tests.support.waiting import until

KILLS, MESSAGES = 3, 60
pytestmark = pytest.mark.slow


def test_no_message_is_lost_with_its_worker(runtime: Runtime, make_mail_server: Callable[..., MailServer]) -> None:
    """Workers are killed while they send; the next one sends what they had claimed without waiting."""
    store, folder, server = runtime.database, runtime.settings.folder, make_mail_server()
    with (folder / "site.toml").open("a", encoding="utf-8") as file:
        file.write(
            f'[mail]\nhost = "127.0.0.1"\nport = {server.port}\nsecurity = "none"\nsender = "studio@tide.example"\n'
            '[serve]\nurl = "https://studio.tide.example"\n'
        )
    with store.writing() as transaction:
        user = insert_user(transaction, "ed", Role.EDITOR, "", "x", now(), "ed@tide.example")

    def start() -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "-m", "sitecms", "worker", str(folder)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def waiting() -> int:
        with store.reading() as session:
            return find_mails(session, MailStatus.WAITING, Window(0)).count

    values = {"kind": "post", "type": "", "id": "3", "locale": "en", "by": "ann"}
    for kill in range(KILLS):
        workers = [start(), start()]
        with store.writing() as transaction:
            for number in range(MESSAGES // KILLS):
                title = f"{kill}-{number}"
                mail_user(transaction, user, MailKind.SUBMITTED, {**values, "title": title}, now())
        before = len(server.arrived)
        assert until(lambda: len(server.arrived) > before + 3, pause=0.005)  # noqa: B023 - called at once
        for worker in workers:
            worker.kill()
            worker.wait()
    assert waiting() > 0
    last = start()
    try:
        assert until(lambda: waiting() == 0)
    finally:
        last.kill()
        last.wait()
    with store.reading() as session:
        stored = find_mails(session, None, Window(2 * MESSAGES)).entries
    assert [each.status for each in stored] == [MailStatus.SENT] * MESSAGES
    subjects = {str(each.message["Subject"]) for each in server.arrived}
    assert len(subjects) == len({str(each.message["Message-ID"]) for each in server.arrived}) == MESSAGES
    assert len(server.arrived) <= MESSAGES + 2 * KILLS  # one message of each worker
