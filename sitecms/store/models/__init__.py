"""Peewee models of all tables: the one declaration of their columns, keys, indexes and conditions.

A new store is made from them (`store.schema.new_store`), and queries are built with them. What Peewee cannot declare
stands in `store.schema.sqlite` and `store.schema.postgres`. A change of a model needs a step in
`store.schema.migrations`, which brings stores of before to the same tables.

Times are microseconds since 1970 UTC, `..._json` columns hold JSON text, `deleted_at` marks an entry in the trash. The
order of the fields is that of the columns, over which SQLite's row digests are made.
"""

from sitecms.store.models.accounts import (
    AccountLinkRow,
    AuditEntryRow,
    KnownDeviceRow,
    MailRow,
    PresenceRow,
    RecoveryCodeRow,
    SavedFilterRow,
    SecondFactorRow,
    SignInStepRow,
    UnsavedFormRow,
    UserRow,
    UserSessionRow,
)
from sitecms.store.models.entries import (
    AuthorRow,
    EntryRow,
    FormerAddressRow,
    FormerArchiveRow,
    LoadConflictRow,
    MediaRow,
    MediaSourceRow,
    RevisionRow,
    TermRow,
    VersionBodyRow,
    VersionRow,
    VersionTermRow,
)
from sitecms.store.models.reviews import NoteRow, ReviewRow
from sitecms.store.models.site_state import (
    ChangeNumberRow,
    DocumentRow,
    FileChangeRow,
    LoadedFileRow,
    LoadedTextRow,
    MoveRow,
    SettingsChangeRow,
)
from sitecms.store.models.table import Table
from sitecms.store.models.writes import DeliveryAttemptRow, DeliveryRow, ReservationRow, TokenRow, WebhookRow, WriteRow

MODELS: tuple[type[Table], ...] = (
    ChangeNumberRow,
    MoveRow,
    DocumentRow,
    AuthorRow,
    TermRow,
    UserRow,
    EntryRow,
    VersionRow,
    VersionBodyRow,
    VersionTermRow,
    MediaRow,
    MediaSourceRow,
    LoadedFileRow,
    TokenRow,
    WriteRow,
    ReservationRow,
    WebhookRow,
    DeliveryRow,
    DeliveryAttemptRow,
    FormerAddressRow,
    UserSessionRow,
    AuditEntryRow,
    RevisionRow,
    UnsavedFormRow,
    PresenceRow,
    SecondFactorRow,
    RecoveryCodeRow,
    AccountLinkRow,
    SignInStepRow,
    KnownDeviceRow,
    FormerArchiveRow,
    LoadedTextRow,
    FileChangeRow,
    LoadConflictRow,
    SavedFilterRow,
    SettingsChangeRow,
    MailRow,
    ReviewRow,
    NoteRow,
)
"""All tables, each after those that it refers to: stores are copied in this order."""
