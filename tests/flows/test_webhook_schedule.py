"""Messages of a real worker: the schedule of the settings, receivers that are gone or dead, and sending once more."""

import base64
import hashlib
import hmac
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from sitecms.actions.writing.entry_events import record_event
from sitecms.clock import now
from sitecms.content.webhooks.event import Event, EventKind
from sitecms.content.webhooks.webhook import Attempt, Delivery, DeliveryStatus
from sitecms.runtime import Runtime
from sitecms.store.database import Database
from sitecms.store.writes.deliveries import find_attempts, find_deliveries
from sitecms.store.writes.webhooks import get_webhook, insert_webhook

if TYPE_CHECKING:
    from tests.support.webhooks import Receiver

pytestmark = pytest.mark.slow
MakeReceiver = Callable[..., "Receiver"]
Until = Callable[..., bool]
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
WAITS = (0.2, 0.4, 0.6, 0.8)
TIMEOUT_SECONDS = 25.0  # a receiver hangs for 30


@pytest.fixture
def begin(runtime: Runtime) -> Iterator[Callable[..., None]]:
    """Start a worker that may reach these receivers, with short waits, and subscribe each of them to everything."""
    started: list[subprocess.Popen[bytes]] = []

    def start(*receivers: "Receiver", timeout_seconds: float) -> None:
        hosts = ", ".join(f'"{receiver.host}"' for receiver in receivers)
        lines = f"allow_hosts = [{hosts}]\ntimeout_seconds = {timeout_seconds}\nretry_seconds = {[*WAITS]}\n"
        with (runtime.settings.folder / "site.toml").open("a", encoding="utf-8") as file:
            file.write(f"[webhooks]\n{lines}")
        with runtime.database.writing() as transaction:
            for receiver in receivers:
                insert_webhook(transaction, receiver.url, ["*"], SECRET, {}, now())
        command = [sys.executable, "-m", "sitecms", "worker", str(runtime.settings.folder)]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE))
        assert started[-1].stdout is not None
        started[-1].stdout.readline()

    yield start
    for worker in started:
        worker.terminate()
        worker.communicate(timeout=60)


def happen(store: Database, times: int = 1) -> None:
    """Something that everybody is told of."""
    with store.writing() as transaction:
        for number in range(times):
            record_event(transaction, Event(EventKind.POST_PUBLISHED, {"id": "ebb", "_id": number}), now())


def messages(store: Database, webhook_id: int) -> tuple[Delivery, ...]:
    """Oldest first."""
    with store.reading() as session:
        return find_deliveries(session, webhook_id, None, 1000)[::-1]


def attempts(store: Database, message_id: str) -> tuple[Attempt, ...]:
    """As the log has them."""
    with store.reading() as session:
        return find_attempts(session, message_id)


def signature(message_id: str, timestamp: str, body: bytes) -> str:
    """As Standard Webhooks has it, written out once more."""
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    digest = hmac.new(key, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(digest).decode()}"


def test_the_schedule_of_the_settings(
    begin: Callable[..., None], make_receiver: MakeReceiver, store: Database, until: Until
) -> None:
    """500, 500, no answer, 302, 200: each wait at least, one id, signed anew each time, every attempt in the log."""
    receiver = make_receiver(500, 500, "hang", 302, 200)
    begin(receiver, timeout_seconds=3.0)
    happen(store)
    assert until(lambda: messages(store, 1)[0].status is DeliveryStatus.DELIVERED)
    (kept,) = messages(store, 1)
    log = attempts(store, kept.id)
    assert [attempt.outcome and attempt.outcome.http_status for attempt in log] == [500, 500, None, 302, 200]
    for before, after, wait in zip(log[:-1], log[1:], WAITS, strict=True):
        assert before.outcome is not None
        ended = before.started_at.timestamp() + before.outcome.duration_ms / 1000
        assert after.started_at.timestamp() >= ended + wait - 0.01
    assert log[2].outcome is not None
    assert 2900 <= log[2].outcome.duration_ms < 60_000
    assert len(receiver.received) == 5
    ends = [*(attempt.started_at for attempt in log[1:]), now()]
    for message, attempt, end in zip(receiver.received, log, ends, strict=True):
        facts = message.headers["webhook-id"], message.headers["webhook-timestamp"], message.body
        assert facts[0] == kept.id
        assert int(attempt.started_at.timestamp()) <= int(facts[1]) <= end.timestamp()
        assert message.headers["webhook-signature"] == signature(*facts)
    assert {message.path for message in receiver.received} == {"/in"}  # where the redirect led, nothing went


def test_410_ends_it_and_a_replay_comes_again(
    begin: Callable[..., None], make_receiver: MakeReceiver, store: Database, runtime: Runtime, until: Until
) -> None:
    """One that is gone hears once and no more; another hears a delivered and a failed message again on demand."""
    gone, failing = make_receiver(410), make_receiver(200, 503)
    begin(gone, failing, timeout_seconds=TIMEOUT_SECONDS)
    happen(store)
    assert until(lambda: get(store, 1) is not None and messages(store, 2)[0].status is DeliveryStatus.DELIVERED)
    happen(store)
    assert until(lambda: messages(store, 2)[1].status is DeliveryStatus.FAILED)
    assert (len(gone.received), [each.status for each in messages(store, 1)]) == (1, [DeliveryStatus.FAILED])
    assert len(failing.received) == 1 + 1 + len(WAITS)
    failing.script = [200]
    told, missed = (message.id for message in messages(store, 2))
    for which in (told, "2"):
        command = [sys.executable, "-m", "sitecms", "webhook", "replay", str(runtime.settings.folder), which]
        subprocess.run(command, check=True, capture_output=True)
    assert until(lambda: {each.status for each in messages(store, 2)} == {DeliveryStatus.DELIVERED})
    assert until(lambda: len(failing.received) == 8)
    ids = [message.headers["webhook-id"] for message in failing.received]
    assert (ids.count(told), ids.count(missed)) == (2, 6)
    assert len(gone.received) == 1


def get(store: Database, webhook_id: int) -> object:
    """When the subscription was turned off."""
    with store.reading() as session:
        return get_webhook(session, webhook_id).disabled_at


def test_a_dead_receiver_delays_no_live_one(
    begin: Callable[..., None], make_receiver: MakeReceiver, store: Database, until: Until
) -> None:
    """One accepts and never answers: thirty messages reach the other before the first attempt at it is given up."""
    dead, live = make_receiver("hang"), make_receiver()
    begin(dead, live, timeout_seconds=TIMEOUT_SECONDS)
    happen(store)
    assert until(lambda: len(dead.received) == 1)
    hung = time.monotonic()
    longest = 0.0
    for _ in range(3):
        begun, before = time.monotonic(), len(live.received)
        happen(store, times=10)
        assert until(lambda before=before: len(live.received) >= before + 10, pause=0.005)
        longest = max(longest, time.monotonic() - begun)
    assert longest < TIMEOUT_SECONDS / 2, longest
    assert time.monotonic() - hung < TIMEOUT_SECONDS
    assert {each.status for each in messages(store, 1)} == {DeliveryStatus.WAITING}
    assert until(lambda: {each.status for each in messages(store, 2)} == {DeliveryStatus.DELIVERED})
