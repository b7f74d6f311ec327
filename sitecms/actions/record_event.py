"""Record that something happened, in the transaction in which it does: a message for each receiver that wants it.

Messages are sent once the transaction is committed (`actions.deliver_webhook`); with it they are undone.
"""

from datetime import datetime

from sitecms.content.event import Event
from sitecms.content.signature import message_body, new_message_id
from sitecms.content.webhook import Delivery
from sitecms.store.database import Transaction
from sitecms.store.deliveries import insert_delivery
from sitecms.store.site_changes import note_site_change
from sitecms.store.webhooks import all_webhooks


def record_event(transaction: Transaction, event: Event, at: datetime, write_id: str | None = None) -> int:
    """Keep one message for each subscription that matches; how many. `write_id` is the write it followed from."""
    if event.changes_site:
        note_site_change(transaction)
    wanting = [webhook for webhook in all_webhooks(transaction) if webhook.wants(event.kind)]
    for webhook in wanting:
        body = message_body(event, webhook.target)
        message = Delivery(new_message_id(), webhook.id, event.kind, body, due_at=at, created_at=at, write_id=write_id)
        insert_delivery(transaction, message)
    return len(wanting)
