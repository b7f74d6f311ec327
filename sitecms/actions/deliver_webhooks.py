"""Delivery of messages to the receivers of webhooks (API reference, Webhooks).

A message is claimed, sent outside any transaction, and settled; each attempt is logged. Nothing of it waits for the
disk: after a power cut a message is sent again, with the same id. Each receiver has threads of its own, so that a
receiver that does not answer delays no other.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta

import orjson
import structlog
from msgspec import Struct, field

from sitecms import __version__
from sitecms.actions.plugin_events import with_payload
from sitecms.clock import Clock
from sitecms.content.webhooks.webhook import (
    MAX_ANSWER_BYTES,
    AttemptOutcome,
    Delivery,
    DeliveryStatus,
    Webhook,
    signed_headers,
    trial_body,
)
from sitecms.guarded_http.client import PostRules, post
from sitecms.guarded_http.errors import ExchangeFailed
from sitecms.plugins.site_plugins import SitePlugins
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Database, Transaction
from sitecms.store.engines.locks import Locks
from sitecms.store.maintenance.metrics import DELIVERY_ATTEMPT, Metrics
from sitecms.store.writes.claims import Membership
from sitecms.store.writes.deliveries import (
    claim_delivery,
    correct_waits,
    delivery_owners,
    due_webhooks,
    fail_waiting,
    log_outcome,
    release_deliveries,
    settle,
    wait_too_long,
)
from sitecms.store.writes.webhooks import get_webhook, set_disabled

LEASE_GRACE_SECONDS = 45.0
THREADS_PER_RECEIVER = 2
_CLOCK_CHECK_SECONDS = 10.0  # between searches for messages that a wrong clock has put off
_USER_AGENT = f"sitecms/{__version__}"
_log = structlog.get_logger("sitecms.webhooks")


class Sender(Struct, frozen=True):
    """Settings of sending: `retry_seconds` are the waits between attempts; `plugins` may add to messages."""

    rules: PostRules
    retry_seconds: tuple[float, ...]
    metrics: Metrics = field(default_factory=Metrics)
    plugins: SitePlugins = SitePlugins()

    @property
    def lease(self) -> timedelta:
        """Duration of a claim, well beyond the longest attempt."""
        return timedelta(seconds=self.rules.total_seconds + LEASE_GRACE_SECONDS)


def make_sender(settings: SiteSettings, metrics: Metrics | None = None) -> Sender:
    """Return the sender that the settings describe."""
    rules = PostRules(settings.webhooks.allow_hosts, total_seconds=settings.webhooks.timeout_seconds)
    return Sender(rules, settings.webhooks.retry_seconds, metrics or Metrics(), settings.plugins)


def deliver_next(database: Database, webhook_id: int, sender: Sender, clock: Clock, owner: str) -> bool:
    """Claim and try the receiver's message that is due the longest; return False if none is due."""
    with database.writing(counts_as_change=False, is_durable=False) as transaction:
        delivery = claim_delivery(transaction, webhook_id, owner, clock(), sender.lease)
        if delivery is None:
            return False
        webhook = get_webhook(transaction, webhook_id)
    outcome = send(webhook, delivery.id, _body_of(delivery, sender), sender, clock())
    with database.writing(counts_as_change=False, is_durable=False) as transaction:
        log_outcome(transaction, delivery, outcome)
        status = _settle(transaction, delivery, outcome, sender, clock())
    _report(delivery, outcome, "retry" if status is DeliveryStatus.WAITING else status.value, sender)
    return True


def _body_of(delivery: Delivery, sender: Sender) -> bytes:
    """Return the message with what plug-ins add to it; without what is no JSON."""
    body = with_payload(delivery.body, sender.plugins, _log_problem)
    try:
        return orjson.dumps(body)
    except TypeError as error:
        _log_problem(f"a plug-in added what is no JSON to the data of a message: {error}")
        return orjson.dumps(delivery.body)


def _log_problem(problem: str) -> None:
    _log.warning("plugin_failed", problem=problem)


def _report(delivery: Delivery, outcome: AttemptOutcome, became: str, sender: Sender) -> None:
    """Count and log an attempt, without target and answer: either may hold a secret."""
    sender.metrics.observe(DELIVERY_ATTEMPT, outcome.duration_ms / 1000, became)
    log = _log.warning if became == DeliveryStatus.FAILED else _log.info
    log(
        "delivery_attempt",
        delivery=delivery.id,
        webhook=delivery.webhook_id,
        write=delivery.write_id,
        attempt=delivery.attempt,
        outcome=became,
        status=outcome.http_status,
        ms=outcome.duration_ms,
    )


def send(webhook: Webhook, message_id: str, body: bytes, sender: Sender, at: datetime) -> AttemptOutcome:
    """Make one attempt, signed with the time `at`."""
    headers = {
        "User-Agent": _USER_AGENT,
        **webhook.headers,
        **signed_headers(webhook.secrets_at(at), message_id, at, body),
    }
    started = time.monotonic()
    try:
        answer = post(webhook.target, body, headers, sender.rules, MAX_ANSWER_BYTES)
    except ExchangeFailed as error:
        return AttemptOutcome(_milliseconds_since(started), None, error.reason[:MAX_ANSWER_BYTES])
    return AttemptOutcome(_milliseconds_since(started), answer.status, answer.beginning.decode("utf-8", "replace"))


def send_trial(webhook: Webhook, message_id: str, sender: Sender, at: datetime) -> AttemptOutcome:
    """Send a test message, which is not stored."""
    return send(webhook, message_id, orjson.dumps(trial_body(webhook.target)), sender, at)


def _settle(
    transaction: Transaction, delivery: Delivery, outcome: AttemptOutcome, sender: Sender, at: datetime
) -> DeliveryStatus:
    """Store the outcome of an attempt; return the status of the message."""
    failures = delivery.failures if outcome.is_accepted else delivery.failures + 1
    status, due_at = DeliveryStatus.DELIVERED if outcome.is_accepted else DeliveryStatus.FAILED, at
    if not outcome.is_accepted and not outcome.is_gone and failures <= len(sender.retry_seconds):
        status, due_at = DeliveryStatus.WAITING, at + timedelta(seconds=sender.retry_seconds[failures - 1])
    settle(transaction, delivery, status, failures, due_at, at)
    if outcome.is_gone:
        set_disabled(transaction, delivery.webhook_id, at)
        fail_waiting(transaction, delivery.webhook_id, at)
    return status


def _milliseconds_since(started: float) -> int:
    return round((time.monotonic() - started) * 1000)


class Deliverer:
    """Delivery threads of one worker; several workers may deliver for one store. A thread ends when nothing is due."""

    def __init__(self, database: Database, get_sender: Callable[[], Sender], clock: Clock, locks: Locks) -> None:
        self._database = database
        self._locks = locks
        self._membership = Membership(locks)
        self._get_sender = get_sender
        self._clock = clock
        self._lock = threading.Lock()
        self._running: Counter[int] = Counter()
        self._threads: set[threading.Thread] = set()
        self._stopping = threading.Event()
        self._next_clock_check = 0.0

    def dispatch(self) -> None:
        """Start threads for receivers that messages are due for, and return at once."""
        self._release_dead()
        self._correct_due_times()
        due = self._database.read(due_webhooks, self._clock())
        for webhook_id, waiting in due:
            self._start_threads(webhook_id, min(waiting, THREADS_PER_RECEIVER))

    def ask_to_stop(self) -> None:
        """Start no more deliveries, without waiting for those that run."""
        self._stopping.set()

    def stop(self, timeout_seconds: float) -> None:
        """Start no more deliveries and wait for those that run; others repeat what is cut off."""
        self._stopping.set()
        deadline = time.monotonic() + timeout_seconds
        with self._lock:
            threads = tuple(self._threads)
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        self._membership.leave()

    def _release_dead(self) -> None:
        """Release the claims of dead workers."""
        dead = [owner for owner in self._database.read(delivery_owners) if not self._locks.is_held(owner)]
        if dead:
            with self._database.writing(counts_as_change=False) as transaction:
                for owner in dead:
                    release_deliveries(transaction, owner, self._clock())

    def _correct_due_times(self) -> None:
        """Reschedule messages that a clock has put off that was ahead and has been corrected since."""
        if time.monotonic() < self._next_clock_check:
            return
        self._next_clock_check = time.monotonic() + _CLOCK_CHECK_SECONDS
        at, waits = self._clock(), self._get_sender().retry_seconds
        put_off = self._database.read(wait_too_long, at, waits)
        if put_off:
            with self._database.writing(counts_as_change=False) as transaction:
                correct_waits(transaction, at, waits)

    def _start_threads(self, webhook_id: int, wanted: int) -> None:
        with self._lock:
            for _ in range(wanted - self._running[webhook_id]):
                name = f"webhook-{webhook_id}"
                thread = threading.Thread(target=self._deliver, args=(webhook_id,), name=name, daemon=True)
                self._running[webhook_id] += 1
                self._threads.add(thread)
                thread.start()

    def _deliver(self, webhook_id: int) -> None:
        try:
            is_more_due = True
            while is_more_due and not self._stopping.is_set():
                owner = self._membership.name()
                is_more_due = deliver_next(self._database, webhook_id, self._get_sender(), self._clock, owner)
        except Exception:  # noqa: BLE001 - the message is due again after its lease, whatever it was
            _log.exception("delivery_failed", webhook=webhook_id)
        finally:
            self._database.close()
            with self._lock:
                self._running[webhook_id] -= 1
                self._threads.discard(threading.current_thread())
