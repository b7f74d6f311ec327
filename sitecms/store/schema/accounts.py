"""Tables of second factors, links to invite users and reset passwords, and known devices, for both engines."""

from sitecms.store.schema import postgres, sqlite

_USER = "INTEGER NOT NULL REFERENCES studio_user (id) ON DELETE CASCADE"
_SHARED = f"""
ALTER TABLE studio_user ADD COLUMN deactivated_at INTEGER;
ALTER TABLE studio_session ADD COLUMN confirmed_at INTEGER NOT NULL DEFAULT 0;
CREATE INDEX audit_entry_user ON audit_entry (user_name, id);
CREATE INDEX audit_entry_at ON audit_entry (at);

CREATE TABLE second_factor (
  user_id INTEGER PRIMARY KEY REFERENCES studio_user (id) ON DELETE CASCADE, secret TEXT NOT NULL,
  created_at INTEGER NOT NULL, turned_on_at INTEGER, last_step INTEGER NOT NULL DEFAULT 0);

CREATE TABLE recovery_code (digest TEXT PRIMARY KEY, user_id {_USER}) WITHOUT ROWID;
CREATE INDEX recovery_code_user ON recovery_code (user_id);

CREATE TABLE account_link (
  digest TEXT PRIMARY KEY, kind TEXT NOT NULL CHECK (kind IN ('invitation', 'reset')), label TEXT NOT NULL,
  role TEXT NOT NULL, author TEXT NOT NULL, user_id INTEGER REFERENCES studio_user (id) ON DELETE CASCADE,
  made_by INTEGER REFERENCES studio_user (id), created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
  used_at INTEGER) WITHOUT ROWID;

CREATE TABLE sign_in_step (
  digest TEXT PRIMARY KEY, user_id {_USER}, created_at INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0)
  WITHOUT ROWID;

CREATE TABLE known_device (
  digest TEXT NOT NULL, user_id {_USER}, seen_at INTEGER NOT NULL, PRIMARY KEY (digest, user_id)) WITHOUT ROWID;
"""
"""`last_step` is the number of the 30 seconds whose code was accepted last, `made_by` NULL the command line."""
_CHANGED = ("studio_user", "studio_session")
SQLITE = "".join(
    (
        _SHARED,
        *sqlite.digested(sqlite.ACCOUNT_KEYS),
        *(f"UPDATE row_digest SET digest = NULL WHERE name = '{table}';\n" for table in _CHANGED),
    )
)
POSTGRES = "".join(
    (
        postgres.shared(_SHARED),
        *postgres.digested(sqlite.ACCOUNT_KEYS),
        *(
            postgres.NEW_DIGESTS.format(table=table, key=postgres.key_text("it", sqlite.PEOPLE_KEYS[table]))
            for table in _CHANGED
        ),
    )
)
"""The eighth step."""
