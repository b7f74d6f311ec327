"""Messages survive kill -9 of workers: each arrives at least once, and repeated ones have the same id."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from sitecms.actions.mailing.queue import mail_user
from sitecms.actions.writing.entry_events import record_event
from sitecms.clock import now
from sitecms.content.mail import MailKind, MailStatus
from sitecms.content.query import Window
from sitecms.content.user import Role
from sitecms.content.webhooks.event import Event, EventKind
from sitecms.content.webhooks.webhook import DeliveryStatus
from sitecms.runtime import Runtime
from sitecms.store.accounts.mails import find_mails
from sitecms.store.accounts.users import insert_user
from sitecms.store.writes.deliveries import find_deliveries
from sitecms.store.writes.webhooks import insert_webhook
from tests.support.commands import CommandServer
from tests.support.mail_server import MailServer
from tests.support.waiting import PATIENCE_SECONDS, until
from tests.support.webhooks import Receiver

KILLS, MESSAGES = 3, 60
pytestmark = pytest.mark.slow


def send_with_kills(
    commands: CommandServer,
    folder: Path,
    queue: Callable[[int], None],
    arrived: Sequence[object],
    waiting: Callable[[], int],
) -> None:
    """Queue messages, and kill two workers while they send them, several times; one more sends what is left."""
    for kill in range(KILLS):
        workers = [commands.start("worker", folder) for _ in range(2)]
        before = len(arrived)
        queue(kill)
        assert until(lambda: len(arrived) > before + 3, pause=0.005)  # noqa: B023 - called at once
        for worker in workers:
            worker.kill()
            worker.communicate(PATIENCE_SECONDS)
    assert waiting() > 0
    last = commands.start("worker", folder)
    try:
        assert until(lambda: waiting() == 0)
    finally:
        last.kill()
        last.communicate(PATIENCE_SECONDS)


def test_no_delivery_is_lost_with_its_worker(
    runtime: Runtime, make_receiver: Callable[..., Receiver], command_server: CommandServer
) -> None:
    """The next worker sends the deliveries of a dead one without waiting."""
    store, folder, receiver = runtime.database, runtime.settings.folder, make_receiver()
    with (folder / "site.toml").open("a", encoding="utf-8") as file:
        file.write(f'[webhooks]\nallow_hosts = ["{receiver.host}"]\n')
    webhook_id = store.write(insert_webhook, receiver.url, ["*"], "whsec_MfKQ9r8GKYqrTwjUPD8I", {}, now())

    def queue(_kill: int) -> None:
        with store.writing() as transaction:
            for number in range(MESSAGES // KILLS):
                record_event(transaction, Event(EventKind.POST_PUBLISHED, {"id": str(number)}), now())

    def waiting() -> int:
        return len(store.read(find_deliveries, webhook_id, DeliveryStatus.WAITING, MESSAGES))

    send_with_kills(command_server, folder, queue, receiver.received, waiting)
    kept = store.read(find_deliveries, webhook_id, None, 2 * MESSAGES)
    assert [delivery.status for delivery in kept] == [DeliveryStatus.DELIVERED] * MESSAGES
    assert {message.headers["webhook-id"] for message in receiver.received} == {delivery.id for delivery in kept}
    assert len(receiver.received) <= MESSAGES + 4 * KILLS  # 2 workers with 2 threads each time


def test_no_mail_is_lost_with_its_worker(
    runtime: Runtime, make_mail_server: Callable[..., MailServer], command_server: CommandServer
) -> None:
    """The next worker sends what a dead one had claimed without waiting, with the same Message-ID."""
    store, folder, server = runtime.database, runtime.settings.folder, make_mail_server()
    with (folder / "site.toml").open("a", encoding="utf-8") as file:
        file.write(
            f'[mail]\nhost = "127.0.0.1"\nport = {server.port}\nsecurity = "none"\nsender = "studio@tide.example"\n'
            '[serve]\nurl = "https://studio.tide.example"\n'
        )
    user = store.write(insert_user, "ed", Role.EDITOR, "", "x", now(), "ed@tide.example")
    values = {"kind": "post", "type": "", "id": "3", "locale": "en", "by": "ann"}

    def queue(kill: int) -> None:
        with store.writing() as transaction:
            for number in range(MESSAGES // KILLS):
                title = f"{kill}-{number}"
                mail_user(transaction, user, MailKind.SUBMITTED, {**values, "title": title}, now())

    def waiting() -> int:
        return store.read(find_mails, MailStatus.WAITING, Window(0)).count

    send_with_kills(command_server, folder, queue, server.arrived, waiting)
    stored = store.read(find_mails, None, Window(2 * MESSAGES)).entries
    assert [each.status for each in stored] == [MailStatus.SENT] * MESSAGES
    subjects = {str(each.message["Subject"]) for each in server.arrived}
    assert len(subjects) == len({str(each.message["Message-ID"]) for each in server.arrived}) == MESSAGES
    assert len(server.arrived) <= MESSAGES + 2 * KILLS  # one message of each worker
