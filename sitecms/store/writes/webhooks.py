"""Webhooks: which addresses receive which events."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import orjson

from sitecms.clock import from_microseconds, to_microseconds
from sitecms.content.webhooks.webhook import SigningSecret, Webhook
from sitecms.errors import NotFound
from sitecms.store.database import Session, Transaction

_SELECT = "SELECT id, target, events_json, secrets_json, headers_json, created_at, disabled_at FROM webhook"
_INSERT = """
INSERT INTO webhook (target, events_json, secrets_json, headers_json, created_at) VALUES (?, ?, ?, ?, ?) RETURNING id"""


def _webhook(row: tuple[Any, ...]) -> Webhook:
    return Webhook(
        id=row[0],
        target=row[1],
        events=tuple(orjson.loads(row[2])),
        secrets=tuple(SigningSecret(value, _time(expires_at)) for value, expires_at in orjson.loads(row[3])),
        headers=orjson.loads(row[4]),
        created_at=from_microseconds(row[5]),
        disabled_at=_time(row[6]),
    )


def _time(value: int | None) -> datetime | None:
    return None if value is None else from_microseconds(value)


def _secrets(secrets: Sequence[SigningSecret]) -> str:
    pairs = [(each.value, to_microseconds(each.expires_at) if each.expires_at else None) for each in secrets]
    return orjson.dumps(pairs).decode()


def all_webhooks(session: Session) -> tuple[Webhook, ...]:
    """Return all webhooks, in order of creation."""
    return tuple(_webhook(row) for row in session.sql(f"{_SELECT} ORDER BY id"))


def get_webhook(session: Session, webhook_id: int) -> Webhook:
    """Return the webhook with this id. Raises NotFound."""
    row = session.sql_row(f"{_SELECT} WHERE id = ?", webhook_id)
    if row is None:
        raise NotFound(f"There is no webhook {webhook_id}. List the webhooks: sitecms webhook list")
    return _webhook(row)


def insert_webhook(
    transaction: Transaction, target: str, events: Sequence[str], secret: str, headers: Mapping[str, str], at: datetime
) -> int:
    """Insert a webhook and return its id."""
    secrets = _secrets((SigningSecret(secret),))
    columns = orjson.dumps(list(events)).decode(), secrets, orjson.dumps(dict(headers)).decode()
    return int(transaction.sql(_INSERT, target, *columns, to_microseconds(at))[0][0])


def remove_webhook(transaction: Transaction, webhook_id: int) -> None:
    """Remove a webhook with all its deliveries and attempts."""
    transaction.sql("DELETE FROM webhook WHERE id = ?", webhook_id)


def set_secrets(transaction: Transaction, webhook_id: int, secrets: Sequence[SigningSecret]) -> None:
    """Store the secrets that sign deliveries from now on, newest first."""
    transaction.sql("UPDATE webhook SET secrets_json = ? WHERE id = ?", _secrets(secrets), webhook_id)


def set_disabled(transaction: Transaction, webhook_id: int, at: datetime | None) -> None:
    """Disable a webhook, or enable it again (None). While it is disabled, no events are stored and nothing is sent."""
    disabled_at = None if at is None else to_microseconds(at)
    transaction.sql("UPDATE webhook SET disabled_at = ? WHERE id = ?", disabled_at, webhook_id)
