"""The models of accepted writes, tokens, and deliveries of webhooks."""

from peewee import SQL, Check, CompositeKey, Index, IntegerField, TextField

from sitecms.content.kinds import EntryKind
from sitecms.content.token import Scope
from sitecms.content.webhooks.event import EventKind
from sitecms.content.webhooks.webhook import DeliveryStatus
from sitecms.content.writes import Operation, WriteStatus
from sitecms.store.models.table import (
    ChoiceField,
    IdField,
    JsonField,
    LastingIdField,
    MessagesField,
    Table,
    TimeField,
    reference,
)

IS_OPEN = SQL("status = 'accepted'")
"""The condition of open writes, as their indexes have it."""
IS_WAITING = SQL("status = 'waiting'")
"""The condition of deliveries that wait, as their index has it."""


class TokenRow(Table):
    """Row of a `content.token.Token`, with the digest of its secret."""

    id = IdField()
    name = TextField()
    scope = ChoiceField(Scope, constraints=[Check("scope IN ('read', 'write')")])
    digest = TextField()
    limits = JsonField(column_name="limits_json")
    created_at = TimeField()
    expires_at = TimeField(null=True)
    revoked_at = TimeField(null=True)
    rotated_at = TimeField(null=True)
    former_digest = TextField(null=True)
    former_until = TimeField(null=True)

    class Meta:
        table_name = "token"
        indexes = (
            Index("token_name", "token", ["name"], unique=True),
            Index("token_digest", "token", ["digest"], unique=True),
            Index("token_former", "token", ["former_digest"], where=SQL("former_digest IS NOT NULL")),
        )


class WriteRow(Table):
    """Row of a `content.writes.Write`.

    Copies of stores fill tables in order of age, and the table of users is younger: `user_id` has no foreign key.
    `not_before` and `failing_since`: when its remote media are tried again, and since when they cannot be fetched.
    """

    sequence = LastingIdField()
    id = TextField()
    kind = ChoiceField(EntryKind)
    operation = ChoiceField(Operation)
    entry_key = TextField()
    entry_id = IntegerField()
    payload = TextField(column_name="payload_json")
    status = ChoiceField(WriteStatus, constraints=[Check("status IN ('accepted', 'applied', 'rejected', 'failed')")])
    token_id = reference(TokenRow, on_delete=None, null=True)
    idempotency_key = TextField(null=True)
    idempotency_digest = TextField(null=True)
    owner = TextField(null=True)
    attempt = IntegerField()
    errors = MessagesField(column_name="errors_json")
    warnings = JsonField(column_name="warnings_json", constraints=[SQL("DEFAULT '{}'")])
    accepted_at = TimeField()
    finished_at = TimeField(null=True)
    user_id = IntegerField(null=True)
    not_before = TimeField(null=True)
    failing_since = TimeField(null=True)

    class Meta:
        table_name = "write"
        indexes = (
            Index("write_id", "write", ["id"], unique=True),
            Index(
                "write_idempotency",
                "write",
                ["token_id", "idempotency_key"],
                unique=True,
                where=SQL("idempotency_key IS NOT NULL"),
            ),
            Index("write_open", "write", ["entry_key", "sequence"], where=IS_OPEN),
            Index("write_of_entry", "write", ["kind", "entry_id"], where=IS_OPEN),
        )


class ReservationRow(Table):
    """A slug or id that an accepted write will need."""

    kind = ChoiceField(EntryKind)
    name = TextField()
    write_id = reference(WriteRow, field="id")

    class Meta:
        table_name = "reservation"
        primary_key = CompositeKey("kind", "name")
        without_rowid = True
        indexes = (Index("reservation_write", "reservation", ["write_id"]),)


class WebhookRow(Table):
    """Row of a `content.webhooks.webhook.Webhook`."""

    id = IdField()
    target = TextField()
    events = JsonField(column_name="events_json")
    secrets = JsonField(column_name="secrets_json")
    headers = JsonField(column_name="headers_json")
    created_at = TimeField()
    disabled_at = TimeField(null=True)

    class Meta:
        table_name = "webhook"


class DeliveryRow(Table):
    """Row of a `content.webhooks.webhook.Delivery`. Its order of insertion is a column `rowid` on both engines."""

    id = TextField(primary_key=True)
    webhook_id = reference(WebhookRow)
    write_id = reference(WriteRow, field="id", on_delete="SET NULL", null=True)
    event = ChoiceField(EventKind)
    body = JsonField(column_name="payload_json")
    status = ChoiceField(DeliveryStatus, constraints=[Check("status IN ('waiting', 'delivered', 'failed')")])
    attempt = IntegerField()
    failures = IntegerField()
    owner = TextField(null=True)
    due_at = TimeField()
    created_at = TimeField()
    finished_at = TimeField(null=True)

    class Meta:
        table_name = "delivery"
        indexes = (
            Index("delivery_claimed", "delivery", ["owner"], where=SQL("owner IS NOT NULL")),
            Index("delivery_due", "delivery", ["webhook_id", "due_at"], where=IS_WAITING),
            Index("delivery_of_webhook", "delivery", ["webhook_id", "created_at"]),
            Index("delivery_of_write", "delivery", ["write_id"], where=SQL("write_id IS NOT NULL")),
            Index("delivery_finished", "delivery", ["finished_at"], where=SQL("finished_at IS NOT NULL")),
        )


class DeliveryAttemptRow(Table):
    """One try to send a delivery."""

    delivery_id = reference(DeliveryRow)
    attempt = IntegerField()
    started_at = TimeField()
    duration_ms = IntegerField(null=True)
    http_status = IntegerField(null=True)
    answer = TextField()

    class Meta:
        table_name = "delivery_attempt"
        primary_key = CompositeKey("delivery_id", "attempt")
        without_rowid = True
