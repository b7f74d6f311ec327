"""The store's tables as ordered migration steps; each is applied once, in one transaction with its version number.

A step that has been released is never edited; a change of tables is a new step, with a script for each engine. Times
are microseconds since 1970 UTC, `..._json` columns hold JSON text, `deleted_at` marks an entry in the trash.

When an entry gets another slug, a trigger keeps the former one in `former_name`: `place` is a post's locale, or a
page's type ("" for a Single Page). Triggers also keep former own paths, and the slug and time of publication that the
address of an entry was made of, in `former_address`. Slugs as `~7` are temporary, for entries that exchange theirs.
"""

from typing import NamedTuple

from sitecms.errors import StoreUnusable
from sitecms.store.schema import postgres, sqlite


class MigrationStep(NamedTuple):
    """One change of the tables, as a script for each engine."""

    name: str
    sqlite: str
    postgres: str


_HISTORY = """
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
"""Former states of entries, forms that are not saved yet, and open forms.

`packed` is compressed JSON in Base64 (`store.entries.revisions`), `media` the names of the media files in it.
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
_WITH_HISTORY = ("post", "page", "item")
_HISTORY_SQLITE = "".join(
    (_HISTORY, *(_GONE_IN_SQLITE.format(table=table) for table in _WITH_HISTORY), *sqlite.digested(sqlite.HISTORY_KEYS))
)
_HISTORY_POSTGRES = "".join(
    (
        postgres.shared(_HISTORY),
        *(postgres.NUMBERED.format(table=table, column="id") for table in sqlite.HISTORY_KEYS),
        *(_GONE_IN_POSTGRES.format(table=table) for table in _WITH_HISTORY),
        *postgres.digested(sqlite.HISTORY_KEYS),
    )
)
_USER = "INTEGER NOT NULL REFERENCES studio_user (id) ON DELETE CASCADE"
_ACCOUNTS = f"""
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
"""Second factors, links to invite users and reset passwords, and known devices.

`last_step` is the number of the 30 seconds whose code was accepted last, `made_by` NULL the command line.
"""
_CHANGED = ("studio_user", "studio_session")
_ACCOUNTS_SQLITE = "".join(
    (
        _ACCOUNTS,
        *sqlite.digested(sqlite.ACCOUNT_KEYS),
        *(f"UPDATE row_digest SET digest = NULL WHERE name = '{table}';\n" for table in _CHANGED),
    )
)
_ACCOUNTS_POSTGRES = "".join(
    (
        postgres.shared(_ACCOUNTS),
        *postgres.digested(sqlite.ACCOUNT_KEYS),
        *(
            postgres.NEW_DIGESTS.format(table=table, key=postgres.key_text("it", sqlite.PEOPLE_KEYS[table]))
            for table in _CHANGED
        ),
    )
)
_MEDIA_DETAILS = """
ALTER TABLE media_file ADD COLUMN alt TEXT NOT NULL DEFAULT '';
ALTER TABLE media_file ADD COLUMN is_decorative INTEGER NOT NULL DEFAULT 0;
ALTER TABLE media_file ADD COLUMN focus_x INTEGER NOT NULL DEFAULT 50;
ALTER TABLE media_file ADD COLUMN focus_y INTEGER NOT NULL DEFAULT 50;
ALTER TABLE media_file ADD COLUMN loaded_details TEXT NOT NULL DEFAULT '';
"""
"""Alt texts and focal points of media files; `loaded_details` is what content/media.yaml said when it was loaded."""
_MEDIA_DETAILS_SQLITE = f"{_MEDIA_DETAILS}UPDATE row_digest SET digest = NULL WHERE name = 'media_file';\n"
_MEDIA_DIGESTS = postgres.NEW_DIGESTS.format(table="media_file", key=postgres.key_text("it", ("name",)))
_MEDIA_DETAILS_POSTGRES = postgres.shared(_MEDIA_DETAILS) + _MEDIA_DIGESTS
_MEDIA_UPLOADS = "ALTER TABLE media_file ADD COLUMN is_uploaded INTEGER NOT NULL DEFAULT 0;\n"
"""Files that users uploaded stay until a user deletes them."""
_MEDIA_UPLOADS_SQLITE = f"{_MEDIA_UPLOADS}UPDATE row_digest SET digest = NULL WHERE name = 'media_file';\n"
_MEDIA_UPLOADS_POSTGRES = postgres.shared(_MEDIA_UPLOADS) + _MEDIA_DIGESTS
_SEARCH_RULES = """
ALTER TABLE change_number RENAME COLUMN search TO is_search_stale;
UPDATE change_number SET is_search_stale =
  CASE WHEN EXISTS (SELECT 1 FROM post) OR EXISTS (SELECT 1 FROM page) THEN 1 ELSE 0 END;
"""
"""Words are folded otherwise: `actions.operations.reindex` builds the index again before the store is used."""
_RETRIES = """
ALTER TABLE write ADD COLUMN not_before INTEGER;
ALTER TABLE write ADD COLUMN failing_since INTEGER;
"""
"""Writes whose remote media are tried again: when, and since when they could not be fetched."""
_RETRIES_SQLITE = f"{_RETRIES}UPDATE row_digest SET digest = NULL WHERE name = 'write';\n"
_RETRIES_POSTGRES = postgres.shared(_RETRIES) + postgres.NEW_DIGESTS.format(
    table="write", key=postgres.key_text("it", ("sequence",))
)
_CLONE = """
DROP INDEX post_newest;
CREATE INDEX post_newest ON post (locale, status, published_at DESC, slug) WHERE deleted_at IS NULL;
DROP INDEX post_by_author;
CREATE INDEX post_by_author ON post (author_id, locale, status, published_at DESC, slug) WHERE deleted_at IS NULL;
ALTER TABLE author ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
ALTER TABLE term ADD COLUMN base TEXT NOT NULL DEFAULT '';
ALTER TABLE term ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
UPDATE term SET base = slug;
ALTER TABLE post_term ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE loaded_file ADD COLUMN dates TEXT NOT NULL DEFAULT '';

CREATE TABLE former_archive (
  kind TEXT NOT NULL, slug TEXT NOT NULL, owner_id INTEGER NOT NULL, PRIMARY KEY (kind, slug)) WITHOUT ROWID;
"""
"""Rules by which a build follows from the folder alone.

`base` is the slug that the name of a term gives, "" where its slug was chosen; `position` is the place in a file, 0
without one; `name` is a post's spelling of a term; `dates` are those that Git has for a file.
"""
_CLONE_CHANGED = {table: sqlite.KEYS[table] for table in ("author", "term", "post_term", "loaded_file")}
_CLONE_SQLITE = "".join(
    (
        _CLONE,
        "DROP INDEX post_shown;\n",
        "CREATE INDEX post_shown ON post (id, locale, status, deleted_at, published_at, slug);\n",
        *sqlite.digested(sqlite.CLONE_KEYS),
        *(f"UPDATE row_digest SET digest = NULL WHERE name = '{table}';\n" for table in _CLONE_CHANGED),
    )
)
_CLONE_POSTGRES = "".join(
    (
        postgres.shared(_CLONE),
        *postgres.digested(sqlite.CLONE_KEYS),
        *(
            postgres.NEW_DIGESTS.format(table=table, key=postgres.key_text("it", key))
            for table, key in _CLONE_CHANGED.items()
        ),
    )
)

_PAGE_TITLES = "ALTER TABLE page ADD COLUMN titles_json TEXT NOT NULL DEFAULT '{}';\n"
_PAGE_TITLES_SQLITE = _PAGE_TITLES + "UPDATE row_digest SET digest = NULL WHERE name = 'page';\n"
_PAGE_TITLES_POSTGRES = postgres.shared(_PAGE_TITLES) + postgres.NEW_DIGESTS.format(
    table="page", key=postgres.key_text("it", sqlite.KEYS["page"])
)

STEPS: tuple[MigrationStep, ...] = (
    MigrationStep("tables", sqlite.TABLES, postgres.TABLES),
    MigrationStep("addresses", sqlite.ADDRESSES, postgres.ADDRESSES),
    MigrationStep("sources", sqlite.SOURCES, postgres.SOURCES),
    MigrationStep("people", sqlite.PEOPLE, postgres.PEOPLE),
    MigrationStep("search_number", sqlite.SEARCH_NUMBER, sqlite.SEARCH_NUMBER),
    MigrationStep("post_fields", sqlite.POST_FIELDS, postgres.POST_FIELDS),
    MigrationStep("history", _HISTORY_SQLITE, _HISTORY_POSTGRES),
    MigrationStep("accounts", _ACCOUNTS_SQLITE, _ACCOUNTS_POSTGRES),
    MigrationStep("media_details", _MEDIA_DETAILS_SQLITE, _MEDIA_DETAILS_POSTGRES),
    MigrationStep("media_uploads", _MEDIA_UPLOADS_SQLITE, _MEDIA_UPLOADS_POSTGRES),
    MigrationStep("search_rules", _SEARCH_RULES, _SEARCH_RULES),
    MigrationStep("write_retries", _RETRIES_SQLITE, _RETRIES_POSTGRES),
    MigrationStep("clone", _CLONE_SQLITE, _CLONE_POSTGRES),
    MigrationStep("page_titles", _PAGE_TITLES_SQLITE, _PAGE_TITLES_POSTGRES),
)
LATEST = len(STEPS)


def steps_after(version: int) -> tuple[MigrationStep, ...]:
    """Return the steps from `version` to LATEST, in order."""
    return STEPS[version:]


def newer_version_error(place: str, version: int) -> StoreUnusable:
    """Return the error for a store that a newer version has changed."""
    return StoreUnusable(
        f"{place} was created by a newer version of sitecms (store version {version}, this one reads up to "
        f"{LATEST}). Nothing was changed; install the newer version."
    )
