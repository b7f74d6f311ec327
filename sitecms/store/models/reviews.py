"""The models of reviews of entries, and of notes on them."""

from peewee import SQL, Check, Index, IntegerField, TextField

from sitecms.content.kinds import EntryKind
from sitecms.content.review import ReviewState
from sitecms.store.models.accounts import UserRow
from sitecms.store.models.entries import EntryRow
from sitecms.store.models.table import ChoiceField, IdField, ParentKey, Table, TimeField, reference, text_with_default

_OF_ENTRY = SQL("FOREIGN KEY (entry_id, kind) REFERENCES entry (id, kind) ON DELETE CASCADE")


class ReviewRow(Table):
    """Row of a `content.review.Review`."""

    id = IdField()
    kind = ChoiceField(EntryKind)
    entry_id = IntegerField()
    locale = TextField()
    state = ChoiceField(ReviewState, constraints=[Check("state IN ('waiting', 'sent-back')")])
    submitted_by = reference(UserRow, on_delete=None, column_name="submitted_by")
    submitted_at = TimeField()
    assigned_to = reference(UserRow, on_delete=None, null=True, column_name="assigned_to")
    decided_by = reference(UserRow, on_delete=None, null=True, column_name="decided_by")
    decided_at = TimeField(null=True)

    PARENTS = (ParentKey(("entry_id", "kind"), EntryRow, ("id", "kind")),)

    class Meta:
        table_name = "review"
        constraints = (_OF_ENTRY,)
        indexes = (Index("review_of_entry", "review", ["entry_id", "kind", "locale"], unique=True),)


class NoteRow(Table):
    """Row of a `content.review.Note`."""

    id = IdField()
    kind = ChoiceField(EntryKind)
    entry_id = IntegerField()
    locale = TextField()
    parent_id = IntegerField(null=True)
    user_id = reference(UserRow, on_delete=None)
    written_at = TimeField()
    text = TextField()
    quote = text_with_default("")
    done_at = TimeField(null=True)
    done_by = reference(UserRow, on_delete=None, null=True, column_name="done_by")

    PARENTS = (ParentKey(("entry_id", "kind"), EntryRow, ("id", "kind")),)

    class Meta:
        table_name = "note"
        constraints = (_OF_ENTRY,)
        indexes = (Index("note_of_entry", "note", ["entry_id", "kind", "locale"]),)
