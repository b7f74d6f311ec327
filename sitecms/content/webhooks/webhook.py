"""Webhooks as they are stored: subscriptions, deliveries, and attempts to deliver."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from sitecms.content.field_value import FieldValue
from sitecms.content.webhooks.event import EventKind, matches

MAX_ANSWER_BYTES = 1024


@dataclass(frozen=True, slots=True)
class SigningSecret:
    """A signing secret, `whsec_...`; a replaced one signs beside its successor until it expires."""

    value: str
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Webhook:
    """A subscription. `events` may be catch-alls, `headers` are sent with every message, secrets are newest first."""

    id: int
    target: str
    events: tuple[str, ...]
    secrets: tuple[SigningSecret, ...]
    headers: Mapping[str, str]
    created_at: datetime
    disabled_at: datetime | None = None

    def wants(self, kind: EventKind) -> bool:
        """Return whether the webhook receives events of this kind."""
        return self.disabled_at is None and any(matches(name, kind) for name in self.events)

    def secrets_at(self, at: datetime) -> tuple[str, ...]:
        """Return the secrets that sign at that time."""
        return tuple(secret.value for secret in self.secrets if secret.expires_at is None or at < secret.expires_at)


class DeliveryStatus(StrEnum):
    """Status of a delivery: `waiting` for its first or next attempt, delivered, or failed for good."""

    WAITING = "waiting"
    DELIVERED = "delivered"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Delivery:
    """One message to one receiver; `id` is its `webhook-id`, the same in every attempt.

    `attempt` counts the attempts begun, `failures` those that failed since the delivery was last queued anew. While an
    attempt is under way, `due_at` is the time at which it counts as lost.
    """

    id: str
    webhook_id: int
    event: EventKind
    body: Mapping[str, FieldValue]
    due_at: datetime
    created_at: datetime
    status: DeliveryStatus = DeliveryStatus.WAITING
    attempt: int = 0
    failures: int = 0
    finished_at: datetime | None = None
    write_id: str | None = None


@dataclass(frozen=True, slots=True)
class AttemptOutcome:
    """The outcome of an attempt. Without an HTTP status there was no answer, and `answer` is our reason."""

    duration_ms: int
    http_status: int | None
    answer: str

    @property
    def taken(self) -> bool:
        """True if the receiver took the message (any 2xx)."""
        return self.http_status is not None and 200 <= self.http_status < 300

    @property
    def gone(self) -> bool:
        """True if the receiver wants no more messages (410)."""
        return self.http_status == 410


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt in the log; `outcome` is None while it is under way, and forever if its worker was killed."""

    number: int
    started_at: datetime
    outcome: AttemptOutcome | None = field(default=None)
