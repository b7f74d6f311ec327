"""Hand a message over to its receiver: claimed, sent outside any transaction, and settled, each attempt in the log.
None of it waits for the disk: after a power cut a message is sent once more, with the same id.

What was taken (any 2xx) is done; what was not is due anew after the next wait of the settings, until there is none
left. A redirect is no answer. 410 turns the subscription off (decisions, Webhooks).
"""

import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import orjson
import structlog

from sitecms.clock import Clock
from sitecms.content.webhooks.signature import signed_headers, trial_body
from sitecms.content.webhooks.webhook import MAX_ANSWER_BYTES, Delivery, DeliveryStatus, Outcome, Webhook
from sitecms.errors import FetchFailed
from sitecms.media.fetching.webhook_post import PostRules, post
from sitecms.settings.site import WebhookSettings
from sitecms.store.database import Database, Transaction
from sitecms.store.maintenance.counters import Counters
from sitecms.store.writes.deliveries import claim_delivery, give_up_waiting, log_outcome, settle
from sitecms.store.writes.webhooks import get_webhook, set_disabled

LEASE_GRACE_SECONDS = 45.0
_log = structlog.get_logger("sitecms.webhooks")


@dataclass(frozen=True, slots=True)
class Sender:
    """How messages are sent: `retry_seconds` are the waits between attempts."""

    rules: PostRules
    retry_seconds: tuple[float, ...]
    counters: Counters = field(default_factory=Counters)

    @property
    def lease(self) -> timedelta:
        """How long a claim holds: well beyond what an attempt can take."""
        return timedelta(seconds=self.rules.total_seconds + LEASE_GRACE_SECONDS)


def make_sender(settings: WebhookSettings, counters: Counters | None = None) -> Sender:
    """As the settings have it."""
    rules = PostRules(settings.allow_hosts, total_seconds=settings.timeout_seconds)
    return Sender(rules, settings.retry_seconds, counters or Counters())


def deliver_next(database: Database, webhook_id: int, sender: Sender, clock: Clock, owner: str) -> bool:
    """Try the receiver's message that is due the longest, claimed by the owner; False if none is."""
    with database.writing(counts_as_change=False, is_durable=False) as transaction:
        delivery = claim_delivery(transaction, webhook_id, owner, clock(), sender.lease)
        if delivery is None:
            return False
        webhook = get_webhook(transaction, webhook_id)
    outcome = send(webhook, delivery.id, orjson.dumps(delivery.body), sender, clock())
    with database.writing(counts_as_change=False, is_durable=False) as transaction:
        log_outcome(transaction, delivery, outcome)
        status = _settle(transaction, delivery, outcome, sender, clock())
    _tell(delivery, outcome, "retry" if status is DeliveryStatus.WAITING else status.value, sender)
    return True


def _tell(delivery: Delivery, outcome: Outcome, became: str, sender: Sender) -> None:
    """Neither the target nor the answer goes into the log: either may hold a secret."""
    sender.counters.observe(("delivery_attempt", became), outcome.duration_ms * 1_000_000)
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


def send(webhook: Webhook, message_id: str, body: bytes, sender: Sender, at: datetime) -> Outcome:
    """One attempt, signed as of `at`."""
    headers = {**webhook.headers, **signed_headers(webhook.secrets_at(at), message_id, at, body)}
    started = time.monotonic()
    try:
        answer = post(webhook.target, body, headers, sender.rules, MAX_ANSWER_BYTES)
    except FetchFailed as error:
        return Outcome(_milliseconds_since(started), None, error.reason[:MAX_ANSWER_BYTES])
    return Outcome(_milliseconds_since(started), answer.status, answer.beginning.decode("utf-8", "replace"))


def send_trial(webhook: Webhook, message_id: str, sender: Sender, at: datetime) -> Outcome:
    """A message that tells of nothing, to see whether the receiver takes it; it is not kept."""
    return send(webhook, message_id, orjson.dumps(trial_body(webhook.target)), sender, at)


def _settle(
    transaction: Transaction, delivery: Delivery, outcome: Outcome, sender: Sender, at: datetime
) -> DeliveryStatus:
    """How the message stands now."""
    failures = delivery.failures if outcome.taken else delivery.failures + 1
    status, due_at = DeliveryStatus.DELIVERED if outcome.taken else DeliveryStatus.FAILED, at
    if not outcome.taken and not outcome.gone and failures <= len(sender.retry_seconds):
        status, due_at = DeliveryStatus.WAITING, at + timedelta(seconds=sender.retry_seconds[failures - 1])
    settle(transaction, delivery, status, failures, due_at, at)
    if outcome.gone:
        set_disabled(transaction, delivery.webhook_id, at)
        give_up_waiting(transaction, delivery.webhook_id, at)
    return status


def _milliseconds_since(started: float) -> int:
    return round((time.monotonic() - started) * 1000)
