"""Record events in the transaction in which they happen: one message for each webhook that is subscribed to the event.

Messages are sent once the transaction is committed (`actions.events.deliver_webhook`); with it they are undone.
"""

from collections.abc import Sequence
from datetime import datetime

from sitecms.content.webhooks.event import Event
from sitecms.content.webhooks.signature import message_body, new_message_id
from sitecms.content.webhooks.webhook import Delivery
from sitecms.store.database import Transaction
from sitecms.store.site_state.site_changes import note_site_change
from sitecms.store.writes.deliveries import insert_deliveries
from sitecms.store.writes.webhooks import all_webhooks


def record_event(transaction: Transaction, event: Event, at: datetime, write_id: str | None = None) -> int:
    """Record one event; return the number of its messages. `write_id` names the write that caused it."""
    return record_events(transaction, (event,), at, write_id)


def record_events(transaction: Transaction, events: Sequence[Event], at: datetime, write_id: str | None = None) -> int:
    """Record events in their order; return the number of their messages."""
    if any(event.changes_site for event in events):
        note_site_change(transaction)
    webhooks = all_webhooks(transaction)
    return insert_deliveries(
        transaction,
        (
            Delivery(
                new_message_id(), webhook.id, event.kind, message_body(event, webhook.target), at, at, write_id=write_id
            )
            for event in events
            for webhook in webhooks
            if webhook.wants(event.kind)
        ),
    )
