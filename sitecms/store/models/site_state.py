"""The models of what the store keeps beside entries: changes, relocation, documents, files."""

from peewee import SQL, BigIntegerField, Check, CompositeKey, Index, IntegerField, TextField

from sitecms.store.models.table import IdField, JsonField, Table, TimeField, number_with_default, text_with_default

_ONE_ROW = Check("id = 1")
IS_OF_ONE_ENTRY = SQL("length(entries_json) < 60")  # lists are longer than an index of PostgreSQL takes


class ChangeNumberRow(Table):
    """The one row with the number of committed changes; `mark` is another text after each change.

    `is_search_stale`: `actions.operations.reindex` builds the search index again before the store is used.
    """

    id = IntegerField(primary_key=True, constraints=[_ONE_ROW])
    number = IntegerField()
    mark = TextField()
    is_search_stale = number_with_default(0)

    class Meta:
        table_name = "change_number"


class MoveRow(Table):
    """The relocation that the store takes part in, or came by."""

    id = IntegerField(primary_key=True, constraints=[_ONE_ROW])
    state = TextField(constraints=[Check("state IN ('leaving', 'gone', 'arriving', 'arrived')")])
    place = TextField()
    mark = TextField()

    class Meta:
        table_name = "move"


class DocumentRow(Table):
    """A JSON document by its name."""

    name = TextField(primary_key=True)
    value = JsonField(column_name="value_json")

    class Meta:
        table_name = "document"
        without_rowid = True


class LoadedFileRow(Table):
    """Row of a `store.site_state.loaded_files.LoadedFile`, which parses its JSON texts on demand."""

    path = TextField(primary_key=True)
    digest = TextField()
    context = TextField()
    entries_json = TextField()
    media_json = TextField()
    loaded_us = BigIntegerField(column_name="loaded_at")
    stamp = TextField()
    dates_json = text_with_default("", column_name="dates")

    class Meta:
        table_name = "loaded_file"
        without_rowid = True
        indexes = (Index("loaded_file_of_entry", "loaded_file", ["entries_json"], where=IS_OF_ONE_ENTRY),)


class LoadedTextRow(Table):
    """What a loaded file said, apart from its record, which every load reads. `packed` is compressed."""

    path = TextField(primary_key=True)
    packed = TextField()

    class Meta:
        table_name = "loaded_text"
        without_rowid = True


class FileChangeRow(Table):
    """Row of a `store.site_state.file_changes.FileChange`."""

    kind = TextField()
    entry_id = IntegerField()
    number = IntegerField()
    problem = text_with_default("")
    written = text_with_default("")
    editor = text_with_default("")
    action = text_with_default("")

    class Meta:
        table_name = "file_change"
        primary_key = CompositeKey("kind", "entry_id")
        without_rowid = True
        indexes = (Index("file_change_open", "file_change", ["number"]),)


class SettingsChangeRow(Table):
    """Row of a `store.site_state.settings_changes.SettingsChange`."""

    id = IdField()
    file = TextField()
    at = TimeField()
    user_name = TextField()
    changes = JsonField(column_name="changes_json")
    undone = number_with_default(0)

    class Meta:
        table_name = "settings_change"
