"""Deliveries survive kill -9: each arrives at least once, and repeated ones have the same id."""

import subprocess
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from sitecms.actions.writing.entry_events import record_event
from sitecms.clock import now
from sitecms.content.webhooks.event import Event, EventKind
from sitecms.content.webhooks.webhook import DeliveryStatus
from sitecms.runtime import Runtime
from sitecms.store.writes.deliveries import find_deliveries
from sitecms.store.writes.webhooks import insert_webhook
from tests.support.waiting import PATIENCE_SECONDS

if TYPE_CHECKING:
    from tests.support.webhooks import Receiver

KILLS, MESSAGES = 3, 120
pytestmark = pytest.mark.slow


def test_no_delivery_is_lost_with_its_worker(runtime: Runtime, make_receiver: Callable[..., "Receiver"]) -> None:
    """Workers are killed while they send; the next ones send their deliveries without waiting."""
    store, folder, receiver = runtime.database, runtime.settings.folder, make_receiver()
    with (folder / "site.toml").open("a", encoding="utf-8") as file:
        file.write(f'[webhooks]\nallow_hosts = ["{receiver.host}"]\n')
    with store.writing() as transaction:
        webhook_id = insert_webhook(transaction, receiver.url, ["*"], "whsec_MfKQ9r8GKYqrTwjUPD8I", {}, now())

    def start() -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "-m", "sitecms", "worker", str(folder)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def waiting() -> int:
        with store.reading() as session:
            return len(find_deliveries(session, webhook_id, DeliveryStatus.WAITING, MESSAGES))

    for _ in range(KILLS):
        workers = [start(), start()]
        with store.writing() as transaction:
            for number in range(MESSAGES // KILLS):
                record_event(transaction, Event(EventKind.POST_PUBLISHED, {"id": str(number)}), now())
        before, end = len(receiver.received), time.monotonic() + PATIENCE_SECONDS
        while len(receiver.received) < before + 10 and time.monotonic() < end:
            time.sleep(0.005)
        for worker in workers:
            worker.kill()
            worker.wait()
    assert waiting() > 0
    last, started = start(), time.monotonic()
    try:
        while waiting() and time.monotonic() < started + PATIENCE_SECONDS:
            time.sleep(0.05)
        assert waiting() == 0
    finally:
        last.kill()
        last.wait()
    with store.reading() as session:
        kept = find_deliveries(session, webhook_id, None, 2 * MESSAGES)
    assert {delivery.status for delivery in kept} == {DeliveryStatus.DELIVERED}
    assert len(kept) == MESSAGES
    assert {message.headers["webhook-id"] for message in receiver.received} == {delivery.id for delivery in kept}
    assert len(receiver.received) <= MESSAGES + 4 * KILLS  # 2 workers with 2 threads each time
