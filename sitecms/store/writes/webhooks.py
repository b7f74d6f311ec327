"""Webhooks: which addresses receive which events."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from sitecms.clock import from_microseconds, to_microseconds
from sitecms.content.webhooks.webhook import SigningSecret, Webhook
from sitecms.errors import NotFound
from sitecms.store.database import Session, Transaction
from sitecms.store.models.writes import WebhookRow
from sitecms.store.prepared import prepared

_COLUMNS = [getattr(WebhookRow, name) for name in Webhook.__struct_fields__]


@prepared
def _all_webhooks() -> Any:
    return WebhookRow.select(*_COLUMNS).order_by(WebhookRow.id)


def _webhook(row: tuple[Any, ...]) -> Webhook:
    webhook = Webhook(*row)
    secrets = ((value, None if expires_at is None else from_microseconds(expires_at)) for value, expires_at in row[3])
    return replace(webhook, events=tuple(webhook.events), secrets=tuple(SigningSecret(*secret) for secret in secrets))


def _pairs(secrets: Sequence[SigningSecret]) -> list[tuple[str, int | None]]:
    return [(each.value, to_microseconds(each.expires_at) if each.expires_at else None) for each in secrets]


def all_webhooks(session: Session) -> tuple[Webhook, ...]:
    """Return all webhooks, in order of creation."""
    return tuple(_webhook(row) for row in session.rows(_all_webhooks()))


def get_webhook(session: Session, webhook_id: int) -> Webhook:
    """Return the webhook with this id. Raises NotFound."""
    row = session.row(WebhookRow.select(*_COLUMNS).where(WebhookRow.id == webhook_id))
    if row is None:
        raise NotFound(f"There is no webhook {webhook_id}. List the webhooks: sitecms webhook list")
    return _webhook(row)


def insert_webhook(
    transaction: Transaction, target: str, events: Sequence[str], secret: str, headers: Mapping[str, str], at: datetime
) -> int:
    """Insert a webhook and return its id."""
    row = {"target": target, "events": list(events), "secrets": [(secret, None)], "headers": dict(headers)}
    return transaction.insert(WebhookRow, {**row, "created_at": at})


def remove_webhook(transaction: Transaction, webhook_id: int) -> None:
    """Remove a webhook with all its deliveries and attempts."""
    transaction.run(WebhookRow.delete().where(WebhookRow.id == webhook_id))


def set_secrets(transaction: Transaction, webhook_id: int, secrets: Sequence[SigningSecret]) -> None:
    """Store the secrets that sign deliveries from now on, newest first."""
    transaction.run(WebhookRow.update(secrets=_pairs(secrets)).where(WebhookRow.id == webhook_id))


def set_disabled(transaction: Transaction, webhook_id: int, at: datetime | None) -> None:
    """Disable a webhook, or enable it again (None). While it is disabled, no events are stored and nothing is sent."""
    transaction.run(WebhookRow.update(disabled_at=at).where(WebhookRow.id == webhook_id))
