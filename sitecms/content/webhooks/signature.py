"""Messages to receivers of webhooks: their body, and their signature by Standard Webhooks (version 1)."""

import hashlib
import hmac
import secrets
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from datetime import datetime

from sitecms.content.field_value import FieldValue
from sitecms.content.webhooks.event import Event

SECRET_PREFIX = "whsec_"  # noqa: S105 - not a secret itself
_SECRET_BYTES = 32


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
