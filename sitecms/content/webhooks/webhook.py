"""Webhooks as kept: who is told of what, each message on its way, and every attempt to hand it over."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from sitecms.content.field_value import FieldValue
from sitecms.content.webhooks.event import EventKind, matches

MAX_ANSWER_BYTES = 1024


@dataclass(frozen=True, slots=True)
class SigningSecret:
    """`whsec_...`; one that was replaced signs beside its successor until it expires."""

    value: str
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Webhook:
    """A subscription. `events` may be catch-alls, `headers` go with every message, secrets are newest first."""

    id: int
    target: str
    events: tuple[str, ...]
    secrets: tuple[SigningSecret, ...]
    headers: Mapping[str, str]
    created_at: datetime
    disabled_at: datetime | None = None

    def wants(self, kind: EventKind) -> bool:
        """Whether it is told of events of this kind."""
        return self.disabled_at is None and any(matches(name, kind) for name in self.events)

    def secrets_at(self, at: datetime) -> tuple[str, ...]:
        """Those that sign at that time."""
        return tuple(secret.value for secret in self.secrets if secret.expires_at is None or at < secret.expires_at)


class DeliveryStatus(StrEnum):
    """`waiting` for its first or next attempt, until it was taken or given up."""

    WAITING = "waiting"
    DELIVERED = "delivered"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Delivery:
    """One message to one receiver; `id` is its `webhook-id`, the same in every attempt.

    `attempt` counts the attempts begun, `failures` those that failed since it was last to be sent anew. While an
    attempt is under way `due_at` is when it counts as lost.
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
class Outcome:
    """How an attempt ended. Without an HTTP status there was no answer, and `answer` says why in our words."""

    duration_ms: int
    http_status: int | None
    answer: str

    @property
    def taken(self) -> bool:
        """Whether the receiver has the message: any 2xx."""
        return self.http_status is not None and 200 <= self.http_status < 300

    @property
    def gone(self) -> bool:
        """Whether the receiver wants to be told no more (410)."""
        return self.http_status == 410


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt as logged; `outcome` is None while it is under way, and for good if its worker was killed."""

    number: int
    started_at: datetime
    outcome: Outcome | None = field(default=None)
