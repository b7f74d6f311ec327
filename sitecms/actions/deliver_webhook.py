"""Hand a message over to its receiver: claimed, sent outside any transaction, and settled, each attempt in the log.

What was taken (any 2xx) is done; what was not is due anew after the next wait of the settings, until there is none
left. A redirect is no answer. 410 turns the subscription off (decisions, Webhooks).
"""

import time
from dataclasses import dataclass
from datetime import datetime, timedelta

import orjson

from sitecms.clock import Clock
from sitecms.content.signature import signed_headers, trial_body
from sitecms.content.webhook import MAX_ANSWER_BYTES, Delivery, DeliveryStatus, Outcome, Webhook
from sitecms.errors import FetchFailed
from sitecms.media.posting import PostRules, post
from sitecms.settings import WebhookSettings
from sitecms.store.database import Database, Transaction
from sitecms.store.deliveries import claim_delivery, give_up_waiting, log_outcome, settle
from sitecms.store.webhooks import get_webhook, set_disabled

LEASE_GRACE_SECONDS = 45.0


@dataclass(frozen=True, slots=True)
class Sender:
    """How messages are sent: `retry_seconds` are the waits between attempts."""

    rules: PostRules
    retry_seconds: tuple[float, ...]

    @property
    def lease(self) -> timedelta:
        """How long a claim holds: well beyond what an attempt can take."""
        return timedelta(seconds=self.rules.total_seconds + LEASE_GRACE_SECONDS)


def make_sender(settings: WebhookSettings) -> Sender:
    """As the settings have it."""
    return Sender(PostRules(settings.allow_hosts, total_seconds=settings.timeout_seconds), settings.retry_seconds)


def deliver_next(database: Database, webhook_id: int, sender: Sender, clock: Clock, owner: str) -> bool:
    """Try the receiver's message that is due the longest, claimed by the owner; False if none is."""
    with database.writing(is_shown=False) as transaction:
        delivery = claim_delivery(transaction, webhook_id, owner, clock(), sender.lease)
        if delivery is None:
            return False
        webhook = get_webhook(transaction, webhook_id)
    outcome = send(webhook, delivery.id, orjson.dumps(delivery.body), sender, clock())
    with database.writing(is_shown=False) as transaction:
        log_outcome(transaction, delivery, outcome)
        _settle(transaction, delivery, outcome, sender, clock())
    return True


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


def _settle(transaction: Transaction, delivery: Delivery, outcome: Outcome, sender: Sender, at: datetime) -> None:
    failures = delivery.failures if outcome.taken else delivery.failures + 1
    status, due_at = DeliveryStatus.DELIVERED if outcome.taken else DeliveryStatus.FAILED, at
    if not outcome.taken and not outcome.gone and failures <= len(sender.retry_seconds):
        status, due_at = DeliveryStatus.WAITING, at + timedelta(seconds=sender.retry_seconds[failures - 1])
    settle(transaction, delivery, status, failures, due_at, at)
    if outcome.gone:
        set_disabled(transaction, delivery.webhook_id, at)
        give_up_waiting(transaction, delivery.webhook_id, at)


def _milliseconds_since(started: float) -> int:
    return round((time.monotonic() - started) * 1000)
