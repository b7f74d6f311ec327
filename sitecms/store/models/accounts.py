"""The models of users, their sessions, e-mails to them, and what they have not saved yet."""

from peewee import SQL, Check, CompositeKey, Index, IntegerField, TextField

from sitecms.content.account_link import LinkKind
from sitecms.content.mail import MailKind, MailStatus
from sitecms.content.user import Role
from sitecms.store.models.table import (
    ChoiceField,
    FlagField,
    IdField,
    JsonField,
    Table,
    TimeField,
    number_with_default,
    reference,
    text_with_default,
)

IS_WAITING = SQL("status = 'waiting'")
"""The condition of e-mails that wait, as their index has it."""


class UserRow(Table):
    """Row of a `content.user.User`. Removed users stay, since other rows name them."""

    id = IdField()
    name = TextField()
    role = ChoiceField(Role, constraints=[Check("role IN ('writer', 'editor', 'admin')")])
    author = TextField()
    password_hash = TextField()
    created_at = TimeField()
    signed_in_at = TimeField(null=True)
    removed_at = TimeField(null=True)
    deactivated_at = TimeField(null=True)
    language = text_with_default("")
    email = text_with_default("")
    unwanted_mail = text_with_default("")

    class Meta:
        table_name = "studio_user"
        indexes = (Index("studio_user_name", "studio_user", ["name"], unique=True, where=SQL("removed_at IS NULL")),)


class UserSessionRow(Table):
    """Row of a `content.user.UserSession`; `confirmed_at` is when the password was typed last."""

    digest = TextField(primary_key=True)
    user_id = reference(UserRow)
    created_at = TimeField()
    seen_at = TimeField()
    address = TextField()
    client = TextField()
    confirmed_at = TimeField(constraints=[SQL("DEFAULT 0")])

    class Meta:
        table_name = "studio_session"
        without_rowid = True
        indexes = (Index("studio_session_user", "studio_session", ["user_id"]),)


class AuditEntryRow(Table):
    """An action of a user in the log."""

    id = IdField()
    at = TimeField()
    user_id = IntegerField(null=True)
    user_name = TextField()
    action = TextField()
    subject = TextField()
    detail = TextField()

    class Meta:
        table_name = "audit_entry"
        indexes = (
            Index("audit_entry_user", "audit_entry", ["user_name", "id"]),
            Index("audit_entry_at", "audit_entry", ["at"]),
        )


class UnsavedFormRow(Table):
    """Unsaved values of a form that a user has open; `form_session` is one opening of it in a window."""

    id = IdField()
    user_id = reference(UserRow)
    place = TextField()
    form_session = TextField()
    fields = JsonField(column_name="fields_json")
    saved_at = TimeField()

    class Meta:
        table_name = "unsaved_form"
        indexes = (Index("unsaved_form_of_user", "unsaved_form", ["user_id", "place", "form_session"], unique=True),)


class PresenceRow(Table):
    """A form that a user has open."""

    user_id = reference(UserRow)
    form_session = TextField()
    place = TextField()
    has_changes = FlagField()
    seen_at = TimeField()

    class Meta:
        table_name = "presence"
        primary_key = CompositeKey("user_id", "form_session")
        without_rowid = True


class SecondFactorRow(Table):
    """The secret of a user's app; `last_step` is the number of the 30 seconds whose code was accepted last."""

    user_id = reference(UserRow, primary_key=True)
    secret = TextField()
    created_at = TimeField()
    turned_on_at = TimeField(null=True)
    last_step = number_with_default(0)

    class Meta:
        table_name = "second_factor"


class RecoveryCodeRow(Table):
    """A code, by its digest, that a user may use once in place of the app."""

    digest = TextField(primary_key=True)
    user_id = reference(UserRow)

    class Meta:
        table_name = "recovery_code"
        without_rowid = True
        indexes = (Index("recovery_code_user", "recovery_code", ["user_id"]),)


class AccountLinkRow(Table):
    """Row of a `content.account_link.AccountLink`; the command line made it where `made_by` is NULL."""

    digest = TextField(primary_key=True)
    kind = ChoiceField(LinkKind, constraints=[Check("kind IN ('invitation', 'reset', 'first')")])
    label = TextField()
    role = ChoiceField(Role)
    author = TextField()
    user_id = reference(UserRow, null=True)
    made_by = reference(UserRow, on_delete=None, null=True, column_name="made_by")
    created_at = TimeField()
    expires_at = TimeField()
    used_at = TimeField(null=True)
    email = text_with_default("")

    class Meta:
        table_name = "account_link"
        without_rowid = True


class MailRow(Table):
    """Row of a `content.mail.Mail`."""

    id = IdField()
    kind = ChoiceField(MailKind)
    user_id = reference(UserRow, null=True)
    link_digest = TextField(null=True)
    address = TextField()
    values = JsonField(column_name="values_json")
    status = ChoiceField(MailStatus, constraints=[Check("status IN ('waiting', 'sent', 'failed', 'dropped')")])
    attempt = number_with_default(0)
    failures = number_with_default(0)
    owner = TextField(null=True)
    due_at = TimeField()
    created_at = TimeField()
    finished_at = TimeField(null=True)
    problem = text_with_default("")

    class Meta:
        table_name = "mail"
        indexes = (
            Index("mail_due", "mail", ["due_at"], where=IS_WAITING),
            Index("mail_finished", "mail", ["finished_at"], where=SQL("finished_at IS NOT NULL")),
        )


class SignInStepRow(Table):
    """A sign-in whose password was right and whose code is missing."""

    digest = TextField(primary_key=True)
    user_id = reference(UserRow)
    created_at = TimeField()
    attempts = number_with_default(0)

    class Meta:
        table_name = "sign_in_step"
        without_rowid = True


class KnownDeviceRow(Table):
    """A browser, by the digest of its cookie, in which a user has signed in."""

    digest = TextField()
    user_id = reference(UserRow)
    seen_at = TimeField()

    class Meta:
        table_name = "known_device"
        primary_key = CompositeKey("digest", "user_id")
        without_rowid = True


class SavedFilterRow(Table):
    """A filter of a list that a user gave a name; `place` is the path of the list, `query` that of its address."""

    id = IdField()
    user_id = reference(UserRow)
    place = TextField()
    name = TextField()
    query = TextField()

    class Meta:
        table_name = "saved_filter"
        indexes = (Index("saved_filter_of_user", "saved_filter", ["user_id", "place", "name"], unique=True),)
