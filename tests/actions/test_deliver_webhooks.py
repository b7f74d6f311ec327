"""Messages reach their receivers: signed, tried again, never redirected, and no receiver delays another."""

import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest

from sitecms.actions.deliver_webhooks import THREADS_PER_RECEIVER, Deliverer, Sender, deliver_next, send_trial
from sitecms.actions.writing.entry_events import EventCause, record_event, record_saved
from sitecms.actions.writing.publish_scheduled import publish_scheduled
from sitecms.actions.writing.trash import delete_with_event
from sitecms.clock import now
from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status
from sitecms.content.webhooks.event import Event, EventKind
from sitecms.content.webhooks.webhook import Attempt, Delivery, DeliveryStatus, SigningSecret, new_signing_secret, sign
from sitecms.guarded_http.client import PostRules
from sitecms.runtime import Runtime
from sitecms.store.database import Database
from sitecms.store.opening import open_database
from sitecms.store.writes.claims import site_locks
from sitecms.store.writes.deliveries import (
    claim_delivery,
    find_attempts,
    find_deliveries,
    replay_delivery,
    replay_failed,
)
from sitecms.store.writes.webhooks import get_webhook, insert_webhook, set_disabled, set_secrets
from tests.actions.conftest import SiteFolder
from tests.support.waiting import PATIENCE_SECONDS, until
from tests.support.webhooks import Receiver

MakeReceiver = Callable[..., Receiver]
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
EVENT = Event(EventKind.POST_PUBLISHED, {"id": "ebb", "_id": 3})
WAITS = (5.0, 300.0, 1800.0)


def sender(*receivers: Receiver, waits: tuple[float, ...] = WAITS, seconds: float = 5.0) -> Sender:
    """May reach these receivers, though they are private."""
    return Sender(PostRules(tuple(receiver.host for receiver in receivers), total_seconds=seconds), waits)


def subscribe(store: Database, url: str, *events: str, headers: dict[str, str] | None = None) -> int:
    return store.write(insert_webhook, url, events or ("*",), SECRET, headers or {}, now())


def happen(store: Database, event: Event = EVENT, at: datetime | None = None, times: int = 1) -> None:
    with store.writing() as transaction:
        for _ in range(times):
            record_event(transaction, event, at or now())


def messages(store: Database, webhook_id: int) -> tuple[Delivery, ...]:
    """Oldest first."""
    return store.read(find_deliveries, webhook_id, None, 10_000)[::-1]


def attempts(store: Database, message_id: str) -> tuple[Attempt, ...]:
    return store.read(find_attempts, message_id)


def at_time(moment: datetime) -> Callable[[], datetime]:
    """A clock that stands still."""
    return lambda: moment


def test_a_message_is_signed_and_carries_the_headers_of_its_subscription(
    store: Database, make_receiver: MakeReceiver, noon: datetime
) -> None:
    """What arrived is signed, byte for byte, with the time of the attempt."""
    receiver = make_receiver(204)
    webhook_id = subscribe(store, receiver.url, headers={"X-Team": "news"})
    happen(store, at=noon)
    assert deliver_next(store, webhook_id, sender(receiver), at_time(noon), "me")
    (message,) = receiver.received
    assert message.json == {
        "data": {"id": "ebb", "_id": 3},
        "webhook": {"event": "post.published", "target": receiver.url},
    }
    (kept,) = messages(store, webhook_id)
    assert message.headers["webhook-id"] == kept.id
    assert message.headers["webhook-timestamp"] == str(int(noon.timestamp()))
    assert message.headers["webhook-signature"] == sign(SECRET, kept.id, int(noon.timestamp()), message.body)
    assert (message.headers["x-team"], message.headers["content-type"]) == ("news", "application/json")
    assert (kept.status, kept.attempt, kept.failures) == (DeliveryStatus.DELIVERED, 1, 0)
    assert not deliver_next(store, webhook_id, sender(receiver), at_time(noon + timedelta(days=9)), "me")


def test_an_undone_transaction_sends_no_message(store: Database, make_receiver: MakeReceiver) -> None:
    """A message is part of the transaction of its event."""
    webhook_id = subscribe(store, make_receiver().url)

    def fail() -> None:
        with store.writing() as transaction:
            assert record_event(transaction, EVENT, now()) == 1
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert messages(store, webhook_id) == ()


def test_only_subscribed_receivers_get_a_message(store: Database, make_receiver: MakeReceiver) -> None:
    """By name or catch-all, once however many names match; a disabled subscription gets none."""
    url = make_receiver().url
    both, pages_only = subscribe(store, url, "post.published", "post.*"), subscribe(store, url, "page.*")
    off = subscribe(store, url, "*")
    store.write(set_disabled, off, now())
    happen(store)
    assert [len(messages(store, hook)) for hook in (both, pages_only, off)] == [1, 0, 0]


def test_failed_attempts_are_retried_after_the_waits(
    store: Database, make_receiver: MakeReceiver, noon: datetime
) -> None:
    """500, 500, no answer, 302, 200: each attempt after the next wait, with one id and one body."""
    receiver = make_receiver(500, 500, "hang", 302, 200)
    waits = (5.0, 300.0, 1800.0, 7200.0)
    quick = sender(receiver, waits=waits, seconds=0.5)
    webhook_id = subscribe(store, receiver.url)
    happen(store, at=noon)
    at = noon
    for number, wait in enumerate((*waits, None), 1):
        assert deliver_next(store, webhook_id, quick, at_time(at), "me")
        assert len(receiver.received) == number
        if wait:
            at += timedelta(seconds=wait)
            early = at_time(at - timedelta(microseconds=1))
            assert not deliver_next(store, webhook_id, quick, early, "me")
    assert len({(message.headers["webhook-id"], message.body, message.path) for message in receiver.received}) == 1
    (kept,) = messages(store, webhook_id)
    assert (kept.status, kept.attempt) == (DeliveryStatus.DELIVERED, 5)
    outcomes = [attempt.outcome for attempt in attempts(store, kept.id)]
    assert [outcome.http_status for outcome in outcomes if outcome] == [500, 500, None, 302, 200]
    assert next(outcome.answer for outcome in outcomes if outcome and outcome.http_status) == "Answer \x1b 500"
    assert outcomes[2] is not None
    assert 400 <= outcomes[2].duration_ms < 20_000  # the receiver hangs for 30 s


def test_a_message_fails_after_the_last_wait_and_can_be_replayed(
    store: Database, make_receiver: MakeReceiver, noon: datetime
) -> None:
    """A replay has the same id, and all its attempts again; all that failed can be sent with one command."""
    receiver = make_receiver(500)
    webhook_id = subscribe(store, receiver.url)
    happen(store, at=noon)
    at = noon
    while deliver_next(store, webhook_id, sender(receiver), at_time(at), "me"):
        at += timedelta(days=1)
    assert len(receiver.received) == 1 + len(WAITS)
    (kept,) = messages(store, webhook_id)
    assert (kept.status, kept.failures, kept.finished_at) == (DeliveryStatus.FAILED, 4, at - timedelta(days=1))
    assert store.write(replay_failed, webhook_id, at) == 1
    assert deliver_next(store, webhook_id, sender(receiver), at_time(at), "me")
    assert messages(store, webhook_id)[0].status is DeliveryStatus.WAITING
    receiver.script = [200]
    store.write(replay_delivery, kept.id, at)
    assert deliver_next(store, webhook_id, sender(receiver), at_time(at), "me")
    assert messages(store, webhook_id)[0].status is DeliveryStatus.DELIVERED
    assert {message.headers["webhook-id"] for message in receiver.received} == {kept.id}


def test_410_disables_the_subscription(store: Database, make_receiver: MakeReceiver, noon: datetime) -> None:
    """Its waiting messages fail, and it gets no new ones."""
    receiver = make_receiver(410)
    webhook_id = subscribe(store, receiver.url)
    happen(store, at=noon, times=3)
    assert deliver_next(store, webhook_id, sender(receiver), at_time(noon), "me")
    assert not deliver_next(store, webhook_id, sender(receiver), at_time(noon + timedelta(days=9)), "me")
    happen(store, at=noon)
    assert store.read(get_webhook, webhook_id).disabled_at == noon
    assert [message.status for message in messages(store, webhook_id)] == [DeliveryStatus.FAILED] * 3
    assert len(receiver.received) == 1


def test_a_private_receiver_is_refused_unless_the_settings_allow_it(
    store: Database, make_receiver: MakeReceiver, noon: datetime
) -> None:
    """Checked at each attempt; the log says why."""
    receiver = make_receiver()
    webhook_id = subscribe(store, receiver.url)
    happen(store, at=noon)
    assert deliver_next(store, webhook_id, sender(), at_time(noon), "me")
    (kept,) = messages(store, webhook_id)
    assert (receiver.received, kept.status) == ([], DeliveryStatus.WAITING)
    (attempt,) = attempts(store, kept.id)
    assert attempt.outcome is not None
    assert "not public" in attempt.outcome.answer
    assert deliver_next(store, webhook_id, sender(receiver), at_time(noon + timedelta(seconds=5)), "me")
    assert len(receiver.received) == 1


def test_both_secrets_sign_during_a_rotation(store: Database, make_receiver: MakeReceiver, noon: datetime) -> None:
    """Until the former one expires."""
    receiver = make_receiver()
    webhook_id, other = subscribe(store, receiver.url), new_signing_secret()
    store.write(set_secrets, webhook_id, [SigningSecret(other), SigningSecret(SECRET, noon + timedelta(hours=1))])
    for at in (noon, noon + timedelta(hours=1)):
        happen(store, at=at)
        assert deliver_next(store, webhook_id, sender(receiver), at_time(at), "me")
    first, second = receiver.received
    signed = [
        {
            sign(key, message.headers["webhook-id"], int(message.headers["webhook-timestamp"]), message.body)
            for key in keys
        }
        for message, keys in ((first, (other, SECRET)), (second, (other,)))
    ]
    assert [set(message.headers["webhook-signature"].split(" ")) for message in (first, second)] == signed


def test_a_test_message_is_not_stored(store: Database, make_receiver: MakeReceiver, noon: datetime) -> None:
    """It is signed like any message."""
    receiver = make_receiver(201)
    webhook_id = subscribe(store, receiver.url)
    hook = store.read(get_webhook, webhook_id)
    assert send_trial(hook, "msg_1", sender(receiver), noon).is_accepted
    assert receiver.received[0].json["webhook"]["event"] == "webhook.test"
    assert messages(store, webhook_id) == ()


def test_a_message_of_a_killed_worker_is_sent_by_another(
    store: Database, make_receiver: MakeReceiver, noon: datetime
) -> None:
    """Once its lease is over; the lost attempt stays in the log, and costs none of the waits."""
    receiver = make_receiver()
    webhook_id = subscribe(store, receiver.url)
    happen(store, at=noon)
    sending = sender(receiver)
    assert store.write(claim_delivery, webhook_id, "me", noon, sending.lease) is not None
    assert not deliver_next(store, webhook_id, sending, at_time(noon + timedelta(seconds=40)), "me")
    assert deliver_next(store, webhook_id, sending, at_time(noon + sending.lease), "me")
    (kept,) = messages(store, webhook_id)
    assert (kept.status, kept.failures) == (DeliveryStatus.DELIVERED, 0)
    assert [attempt.outcome is None for attempt in attempts(store, kept.id)] == [True, False]


def test_messages_of_a_dead_worker_are_sent_at_once(runtime: Runtime, make_receiver: MakeReceiver) -> None:
    """A worker whose lock is free is dead; messages of living workers are left to them."""
    store, receiver, owners = runtime.database, make_receiver(), site_locks(runtime.settings)
    webhook_id = subscribe(store, receiver.url)
    happen(store, times=2)
    dead, alive, sending = owners.acquire_unique(), owners.acquire_unique(), sender(receiver)
    with store.writing() as transaction:
        for owner in (dead, alive):
            assert claim_delivery(transaction, webhook_id, owner.name, now(), sending.lease) is not None
    worker = Deliverer(store, lambda: sending, now, owners)
    worker.dispatch()
    assert receiver.received == []
    dead.release()
    worker.dispatch()
    assert until(lambda: messages(store, webhook_id)[0].status is DeliveryStatus.DELIVERED)
    assert messages(store, webhook_id)[1].status is DeliveryStatus.WAITING
    assert len(receiver.received) == 1
    worker.stop(PATIENCE_SECONDS)
    alive.release()


def test_several_workers_deliver_each_message_once(runtime: Runtime, make_receiver: MakeReceiver) -> None:
    """Forty messages, three workers with connections of their own."""
    store, receiver = runtime.database, make_receiver()
    webhook_id = subscribe(store, receiver.url)
    happen(store, times=40)
    others = [open_database(store.address) for _ in range(3)]
    workers = [Deliverer(database, lambda: sender(receiver), now, site_locks(runtime.settings)) for database in others]
    for worker in workers:
        worker.dispatch()
    assert until(lambda: all(message.status is DeliveryStatus.DELIVERED for message in messages(store, webhook_id)))
    for worker, database in zip(workers, others, strict=True):
        worker.stop(PATIENCE_SECONDS)
        database.close()
    assert len(receiver.received) == 40
    assert {message.headers["webhook-id"] for message in receiver.received} == {
        message.id for message in messages(store, webhook_id)
    }


def test_a_dead_receiver_delays_no_other(runtime: Runtime, make_receiver: MakeReceiver) -> None:
    """It holds its own threads and no more; twenty messages reach the live one meanwhile."""
    store, dead, live = runtime.database, make_receiver("hang"), make_receiver()
    for receiver in (dead, live):
        subscribe(store, receiver.url)
    happen(store, times=20)
    worker = Deliverer(store, lambda: sender(dead, live, seconds=60.0), now, site_locks(runtime.settings))
    started = time.monotonic()
    worker.dispatch()
    worker.dispatch()
    assert until(lambda: len(live.received) == 20)
    assert time.monotonic() - started < 30
    assert until(lambda: len(dead.received) == THREADS_PER_RECEIVER)
    names = [thread.name for thread in threading.enumerate() if thread.name.startswith("webhook-")]
    assert names.count("webhook-1") == THREADS_PER_RECEIVER
    dead.over.set()
    worker.stop(PATIENCE_SECONDS)


def test_scheduled_entries_have_one_event_under_two_workers(folder: SiteFolder) -> None:
    """A post, its variant, a page and an item, published by two processes at once: one message each."""
    time_due = "2026-06-01T08:00:00Z"
    folder.post("one", status="scheduled", scheduled=time_due)
    folder.post("uno", status="scheduled", scheduled=time_due, locale="es", translation_of="one")
    folder.guide("start", status="scheduled", scheduled=time_due)
    folder.items("team", {"status": "scheduled", "scheduled": time_due, "fields": {"name": "Ann"}})
    assert folder.load().errors == ()
    webhook_id = subscribe(folder.database, "https://hooks.example/")
    at = datetime.fromisoformat(time_due)
    databases = [open_database(folder.database.address) for _ in range(2)]
    gate = threading.Barrier(2)

    def publish(database: Database) -> int:
        gate.wait()
        try:
            return publish_scheduled(database, at, folder.settings)
        finally:
            database.close()

    with ThreadPoolExecutor(2) as pool:
        assert sum(pool.map(publish, databases)) == 4
    told = {message.event.value: message.body["data"] for message in messages(folder.database, webhook_id)}
    assert len(messages(folder.database, webhook_id)) == len(told) == 4
    assert told["post.localization.published"] == {"id": "uno", "_id": folder.find("uno").id, "locale": "es"}
    assert told["post.published"] == {"id": "one", "_id": folder.find("one").id}
    page, item = json.loads(json.dumps([told["page.published"], told["collectionitem.published"]]))
    assert (page["id"], page["status"], page["editor"], page["published"]) == (
        "start",
        "published",
        "sitecms",
        time_due,
    )
    assert (item["id"], item["label"], item["status"]) == ("team", "Ann", "published")


def test_saving_and_deleting_have_events(folder: SiteFolder) -> None:
    """A draft over a published page is a draft event; a deleted entry has one event, whatever its locales."""
    folder.guide("start")
    folder.post("one", status="draft")
    folder.items("team", "Ann")
    assert folder.load().errors == ()
    webhook_id = subscribe(folder.database, "https://hooks.example/")
    cause = EventCause("en", folder.now, "newsroom", write_id=None)
    page_id, (item_id,) = folder.page("start")[0].id, folder.ids("team").values()
    with folder.database.writing() as transaction:
        record_saved(transaction, EntryKind.PAGE, page_id, "en", Status.PUBLISHED, cause)
        record_saved(transaction, EntryKind.POST, folder.find("one").id, "en", Status.DRAFT, cause)
        for kind, entry_id in (("post", folder.find("one").id), ("page", page_id), ("item", item_id)):
            delete_with_event(transaction, EntryKind(kind), entry_id, cause)
    told = messages(folder.database, webhook_id)
    assert [message.event.value for message in told] == [
        "page.published", "post.draft", "post.delete", "page.delete", "collectionitem.delete",
    ]  # fmt: skip
    bodies = json.loads(json.dumps([message.body["data"] for message in told]))
    assert [body.get("status") for body in bodies] == ["published", None, None, "deleted", "deleted"]
    assert [body.get("editor") for body in bodies] == ["newsroom", None, None, "newsroom", "newsroom"]
    assert folder.slugs() == []


def test_a_corrected_clock_delays_no_message(runtime: Runtime, make_receiver: MakeReceiver) -> None:
    """Messages of the time when it ran ahead are due at once; failed ones wait their usual time."""
    store, receiver, ahead = runtime.database, make_receiver(500, 200), timedelta(days=3)
    webhook_id = subscribe(store, receiver.url)
    owners = site_locks(runtime.settings)
    before, worker = (
        Deliverer(store, lambda: sender(receiver), clock, owners) for clock in (lambda: now() + ahead, now)
    )
    happen(store, at=now() + ahead)
    before.dispatch()
    assert until(lambda: messages(store, webhook_id)[0].failures == 1)
    before.stop(PATIENCE_SECONDS)  # to its clock, the corrected wait would be over
    happen(store, at=now() + ahead)
    worker.dispatch()
    assert until(lambda: any(message.status is DeliveryStatus.DELIVERED for message in messages(store, webhook_id)))
    assert len(receiver.received) == 2
    (failed,) = (message for message in messages(store, webhook_id) if message.failures)
    assert timedelta(0) < failed.due_at - now() <= timedelta(seconds=WAITS[0])
    worker.stop(PATIENCE_SECONDS)
