"""Tables of histories, of forms that are not saved yet, and of open forms, for both engines."""

from sitecms.store.schema import postgres, sqlite

_SHARED = """
CREATE TABLE revision (
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, entry_id INTEGER NOT NULL, locale TEXT NOT NULL, token TEXT NOT NULL,
  was_public INTEGER NOT NULL, made_json TEXT NOT NULL, ended_json TEXT NOT NULL, media TEXT NOT NULL,
  packed TEXT NOT NULL);
CREATE INDEX revision_of_entry ON revision (kind, entry_id, locale, id DESC, was_public);

CREATE TABLE unsaved_form (
  id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES studio_user (id) ON DELETE CASCADE, place TEXT NOT NULL,
  sitting TEXT NOT NULL, fields_json TEXT NOT NULL, saved_at INTEGER NOT NULL, UNIQUE (user_id, place, sitting));

CREATE TABLE presence (
  user_id INTEGER NOT NULL REFERENCES studio_user (id) ON DELETE CASCADE, sitting TEXT NOT NULL, place TEXT NOT NULL,
  has_changes INTEGER NOT NULL, seen_at INTEGER NOT NULL, PRIMARY KEY (user_id, sitting)) WITHOUT ROWID;
"""
"""`packed` is compressed JSON in Base64 (`store.entries.revisions`), `media` the names of the media files in it.
"""
_GONE_IN_SQLITE = """
CREATE TRIGGER {table}_history_gone AFTER DELETE ON {table}
  BEGIN DELETE FROM revision WHERE kind = '{table}' AND entry_id = old.id; END;
"""
_GONE_IN_POSTGRES = """
CREATE FUNCTION {table}_history_gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM revision WHERE kind = '{table}' AND entry_id = old.id;
  RETURN NULL; END $$;
CREATE TRIGGER {table}_history_gone AFTER DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION {table}_history_gone();
"""
_TABLES = ("post", "page", "item")
SQLITE = "".join(
    (_SHARED, *(_GONE_IN_SQLITE.format(table=table) for table in _TABLES), *sqlite.digested(sqlite.HISTORY_KEYS))
)
POSTGRES = "".join(
    (
        postgres.shared(_SHARED),
        *(postgres.NUMBERED.format(table=table, column="id") for table in sqlite.HISTORY_KEYS),
        *(_GONE_IN_POSTGRES.format(table=table) for table in _TABLES),
        *postgres.digested(sqlite.HISTORY_KEYS),
    )
)
"""The seventh step: former states of entries, forms that are not saved yet, and open forms."""
