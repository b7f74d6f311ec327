"""Webhooks as they are stored: subscriptions, deliveries, attempts; and the messages to receivers.

Messages are signed by Standard Webhooks (version 1).
"""

import hashlib
import hmac
import secrets
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum

from msgspec import Struct, field

from sitecms.content.field_value import FieldValue
from sitecms.content.webhooks.event import Event, EventKind, matches

SECRET_PREFIX = "whsec_"  # noqa: S105 - not a secret itself
_SECRET_BYTES = 32
MAX_ANSWER_BYTES = 1024


def new_signing_secret() -> str:
    """Return a new random secret, `whsec_` and 32 bytes as base64."""
    return SECRET_PREFIX + b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def new_message_id() -> str:
    """Return the `webhook-id` of a new message."""
    return f"msg_{secrets.token_hex(12)}"


def message_body(event: Event, target: str) -> Mapping[str, FieldValue]:
    """Return the body of a message: `{"data": {...}, "webhook": {"event", "target"}}`."""
    return {"data": dict(event.data), "webhook": {"event": event.kind.value, "target": target}}


def trial_body(target: str) -> Mapping[str, FieldValue]:
    """Return the body of a test message (`sitecms webhook test`): its event is `webhook.test`."""
    data: dict[str, FieldValue] = {"message": "A test: nothing has happened."}
    return {"data": data, "webhook": {"event": "webhook.test", "target": target}}


def signed_headers(keys: Iterable[str], message_id: str, at: datetime, body: bytes) -> dict[str, str]:
    """Return `webhook-id`, `webhook-timestamp` (seconds) and `webhook-signature`, one for each secret."""
    timestamp = int(at.timestamp())
    signatures = " ".join(sign(key, message_id, timestamp, body) for key in keys)
    return {"webhook-id": message_id, "webhook-timestamp": str(timestamp), "webhook-signature": signatures}


def sign(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """Return `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`."""
    signed = b".".join((message_id.encode(), str(timestamp).encode(), body))
    return "v1," + b64encode(hmac.new(_key(secret), signed, hashlib.sha256).digest()).decode()


def _key(secret: str) -> bytes:
    return b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)


class SigningSecret(Struct, frozen=True):
    """A signing secret, `whsec_...`; a replaced one signs beside its successor until it expires."""

    value: str
    expires_at: datetime | None = None


class Webhook(Struct, frozen=True):
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
    """Status of a delivery: `waiting` for its first or next attempt, delivered, or failed permanently."""

    WAITING = "waiting"
    DELIVERED = "delivered"
    FAILED = "failed"


class Delivery(Struct, frozen=True):
    """One message to one receiver; `id` is its `webhook-id`, the same in every attempt.

    `attempt` counts the attempts begun, `failures` those that failed since the delivery was last queued again. While an
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


class AttemptOutcome(Struct, frozen=True):
    """The outcome of an attempt. Without an HTTP status there was no answer, and `answer` is our reason."""

    duration_ms: int
    http_status: int | None
    answer: str

    @property
    def is_accepted(self) -> bool:
        """True if the receiver accepted the message (any 2xx)."""
        return self.http_status is not None and 200 <= self.http_status < 300

    @property
    def is_gone(self) -> bool:
        """True if the receiver wants no more messages (410)."""
        return self.http_status == 410


class Attempt(Struct, frozen=True):
    """An attempt in the log; `outcome` is None while it is under way, and forever if its worker was killed."""

    number: int
    started_at: datetime
    outcome: AttemptOutcome | None = field(default=None)
