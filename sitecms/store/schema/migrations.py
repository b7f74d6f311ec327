"""Steps that bring the tables of an earlier version to those that `store.models` declares.

A new store has the tables of the models at once (`store.schema.new_store`). A step is applied once, in one transaction
with the number of its version. A step that has been released is never edited; a change of a model is a new step at the
end, with a script for each engine. `tests/store/test_migrations.py` compares the tables that both ways lead to.
"""

from collections.abc import Mapping
from typing import NamedTuple

from sitecms.errors import StoreUnusable
from sitecms.store.schema import (
    earlier_triggers,
    entry_tables,
    history_states,
    post_tables,
    postgres,
    sqlite,
    team_tables,
)

_ADDRESSES = """
ALTER TABLE page ADD COLUMN addresses_json TEXT NOT NULL DEFAULT '{}';
ALTER TABLE item ADD COLUMN addresses_json TEXT NOT NULL DEFAULT '{}';
ALTER TABLE author ADD COLUMN aliases_json TEXT NOT NULL DEFAULT '[]';
ALTER TABLE term ADD COLUMN aliases_json TEXT NOT NULL DEFAULT '[]';

CREATE TABLE post_address (
  post_id INTEGER PRIMARY KEY REFERENCES post (id) ON DELETE CASCADE, path TEXT NOT NULL, guid TEXT NOT NULL);

CREATE TABLE former_address (
  kind TEXT NOT NULL CHECK (kind IN ('post', 'page', 'item')), place TEXT NOT NULL, locale TEXT NOT NULL,
  path TEXT NOT NULL, slug TEXT NOT NULL, published_at INTEGER NOT NULL, entry_id INTEGER NOT NULL,
  PRIMARY KEY (kind, place, locale, path, slug, published_at)) WITHOUT ROWID;
CREATE INDEX former_address_of_entry ON former_address (entry_id, kind);
"""
_SOURCES = """
CREATE TABLE post_source (
  post_id INTEGER PRIMARY KEY REFERENCES post (id) ON DELETE CASCADE, markdown TEXT NOT NULL);
"""
_PEOPLE = """
CREATE TABLE studio_user (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL CHECK (role IN ('writer', 'editor', 'admin')),
  author TEXT NOT NULL, password_hash TEXT NOT NULL, created_at INTEGER NOT NULL, signed_in_at INTEGER,
  removed_at INTEGER);
CREATE UNIQUE INDEX studio_user_name ON studio_user (name) WHERE removed_at IS NULL;

CREATE TABLE studio_session (
  digest TEXT PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES studio_user (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL, seen_at INTEGER NOT NULL, address TEXT NOT NULL, client TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX studio_session_user ON studio_session (user_id);

CREATE TABLE audit_entry (
  id INTEGER PRIMARY KEY, at INTEGER NOT NULL, user_id INTEGER, user_name TEXT NOT NULL, action TEXT NOT NULL,
  subject TEXT NOT NULL, detail TEXT NOT NULL);

CREATE TABLE working_copy (
  post_id INTEGER PRIMARY KEY REFERENCES post (id) ON DELETE CASCADE, values_json TEXT NOT NULL,
  user_id INTEGER NOT NULL REFERENCES studio_user (id), saved_at INTEGER NOT NULL);

ALTER TABLE write ADD COLUMN user_id INTEGER;
"""
_SEARCH_NUMBER = """
ALTER TABLE change_number ADD COLUMN search INTEGER NOT NULL DEFAULT 0;
"""
_POST_FIELDS = """
CREATE TABLE post_fields (
  post_id INTEGER PRIMARY KEY REFERENCES post (id) ON DELETE CASCADE, fields_json TEXT NOT NULL);
"""
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
_MEDIA_DETAILS = """
ALTER TABLE media_file ADD COLUMN alt TEXT NOT NULL DEFAULT '';
ALTER TABLE media_file ADD COLUMN is_decorative INTEGER NOT NULL DEFAULT 0;
ALTER TABLE media_file ADD COLUMN focus_x INTEGER NOT NULL DEFAULT 50;
ALTER TABLE media_file ADD COLUMN focus_y INTEGER NOT NULL DEFAULT 50;
ALTER TABLE media_file ADD COLUMN loaded_details TEXT NOT NULL DEFAULT '';
"""
"""Alt texts and focal points of media files; `loaded_details` is what content/media.yaml said when it was loaded."""
_MEDIA_UPLOADS = "ALTER TABLE media_file ADD COLUMN is_uploaded INTEGER NOT NULL DEFAULT 0;\n"
"""Files that users uploaded stay until a user deletes them."""
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
_PAGE_TITLES = "ALTER TABLE page ADD COLUMN titles_json TEXT NOT NULL DEFAULT '{}';\n"
_POST_SHOWN = """
DROP INDEX post_shown;
CREATE INDEX post_shown ON post (id, locale, status, deleted_at, published_at, slug);
"""
_FORM_SESSIONS = """
ALTER TABLE unsaved_form RENAME COLUMN sitting TO form_session;
ALTER TABLE presence RENAME COLUMN sitting TO form_session;
UPDATE unsaved_form SET fields_json = replace(fields_json, '["sitting",', '["form_session",');
"""
_LOADED_TEXTS = "CREATE TABLE loaded_text (path TEXT PRIMARY KEY, packed TEXT NOT NULL) WITHOUT ROWID;\n"
"""The texts of loaded files, with which a load merges what both a file and somebody else changed."""
_FILE_CHANGES = """
CREATE TABLE file_change (
  kind TEXT NOT NULL, entry_id INTEGER NOT NULL, number INTEGER NOT NULL, problem TEXT NOT NULL DEFAULT '',
  written TEXT NOT NULL DEFAULT '', editor TEXT NOT NULL DEFAULT '', PRIMARY KEY (kind, entry_id)) WITHOUT ROWID;
CREATE INDEX file_change_open ON file_change (number);
"""
_LOAD_CONFLICTS = """
CREATE TABLE load_conflict (
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, entry_id INTEGER NOT NULL, locale TEXT NOT NULL, field TEXT NOT NULL,
  value_json TEXT NOT NULL, former_json TEXT NOT NULL, path TEXT NOT NULL, written_json TEXT NOT NULL,
  found_at INTEGER NOT NULL, FOREIGN KEY (entry_id, kind) REFERENCES entry (id, kind) ON DELETE CASCADE);
CREATE INDEX load_conflict_of_entry ON load_conflict (entry_id, kind);
"""
"""Changes of a studio or program that a file replaced with its own, until somebody decides."""
_SETTINGS_CHANGES = """
CREATE TABLE settings_change (
  id INTEGER PRIMARY KEY, file TEXT NOT NULL, at INTEGER NOT NULL, user_name TEXT NOT NULL, changes_json TEXT NOT NULL,
  undone INTEGER NOT NULL DEFAULT 0);
"""
"""Changes of settings by users of the studio, with what takes them back."""
_FILE_ACTIONS = "ALTER TABLE file_change ADD COLUMN action TEXT NOT NULL DEFAULT '';\n"
"""The actions after which files change that no history has."""
_FILE_OF_ENTRY = """
CREATE INDEX loaded_file_of_entry ON loaded_file (entries_json) WHERE length(entries_json) < 60;
"""
_USER_LANGUAGE = "ALTER TABLE studio_user ADD COLUMN language TEXT NOT NULL DEFAULT '';\n"
_SAVED_FILTERS = f"""
CREATE TABLE saved_filter (
  id INTEGER PRIMARY KEY, user_id {_USER}, place TEXT NOT NULL, name TEXT NOT NULL, query TEXT NOT NULL);
CREATE UNIQUE INDEX saved_filter_of_user ON saved_filter (user_id, place, name);
"""
"""Filters of lists that users gave names."""
_MEDIA_TAGS = "ALTER TABLE media_file ADD COLUMN tags_json TEXT NOT NULL DEFAULT '[]';\n"
_LINK_KINDS = "kind IN ('invitation', 'reset', 'first')"
_LINK_KEY = {"account_link": ("digest",)}
_SQLITE_FIRST_LINK = f"""
CREATE TABLE new_link (
  digest TEXT PRIMARY KEY, kind TEXT NOT NULL CHECK ({_LINK_KINDS}), label TEXT NOT NULL, role TEXT NOT NULL,
  author TEXT NOT NULL, user_id INTEGER REFERENCES studio_user (id) ON DELETE CASCADE,
  made_by INTEGER REFERENCES studio_user (id), created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
  used_at INTEGER) WITHOUT ROWID;
INSERT INTO new_link SELECT * FROM account_link;
DROP TABLE account_link;
ALTER TABLE new_link RENAME TO account_link;
{"".join(sqlite.digested(_LINK_KEY))}"""
_POSTGRES_FIRST_LINK = f"""
ALTER TABLE account_link DROP CONSTRAINT account_link_kind_check;
ALTER TABLE account_link ADD CONSTRAINT account_link_kind_check CHECK ({_LINK_KINDS});
"""
_FIRST_VERSION = 1
_ID = ("id",)
_POST_ID = ("post_id",)
_Keys = Mapping[str, tuple[str, ...]]
_DIGESTED: _Keys = {
    **dict.fromkeys(
        ("author", "term", "studio_user", "version", "token", "webhook", "audit_entry", "revision", "unsaved_form"), _ID
    ),
    **dict.fromkeys(("document", "media_file"), ("name",)),
    **dict.fromkeys(("loaded_file", "loaded_text"), ("path",)),
    **dict.fromkeys(("studio_session", "recovery_code", "account_link"), ("digest",)),
    "entry": ("id", "kind"),
    "version_body": ("version_id",),
    "version_term": ("version_id", "term_id"),
    "former_name": ("kind", "place", "slug"),
    "former_address": ("kind", "place", "locale", "path", "slug", "published_at"),
    "former_archive": ("kind", "slug"),
    "media_source": ("url_digest", "name"),
    "write": ("sequence",),
    "reservation": ("kind", "name"),
    "delivery": ("rowid",),
    "delivery_attempt": ("delivery_id", "attempt"),
    "second_factor": ("user_id",),
    "known_device": ("digest", "user_id"),
    "file_change": ("kind", "entry_id"),
}
"""The tables whose rows had digests, with their keys, when one trigger began to add those of a whole statement."""
_STATEMENT_DIGESTS = "".join(
    (
        *(f"DROP FUNCTION {table}_digested() CASCADE;\n" for table in _DIGESTED),
        "DROP FUNCTION entry_made() CASCADE;\n",
        postgres.ENTRY_MADE,
        *postgres.digested(_DIGESTED),
    )
)
_FORMER_ADDRESSES = """
CREATE TABLE new_address (
  kind TEXT NOT NULL CHECK (kind IN ('post', 'page', 'item')), type TEXT NOT NULL, locale TEXT NOT NULL,
  path TEXT NOT NULL, slug TEXT NOT NULL, published_at INTEGER NOT NULL, entry_id INTEGER NOT NULL,
  was_shown INTEGER NOT NULL, number INTEGER NOT NULL,
  PRIMARY KEY (kind, type, locale, path, slug, published_at)) WITHOUT ROWID;
INSERT INTO new_address
SELECT former.kind, CASE former.kind WHEN 'item' THEN entry.type ELSE place END, former.locale, path, former.slug,
  published_at, entry_id, 1,
  CASE WHEN EXISTS (
    SELECT 1 FROM former_name AS name
    WHERE name.kind = former.kind AND name.slug = former.slug AND name.entry_id = former.entry_id) THEN 1 ELSE 0 END
FROM former_address AS former JOIN entry ON entry.kind = former.kind AND id = entry_id;
INSERT INTO new_address
SELECT name.kind, CASE WHEN name.kind = 'post' THEN '' ELSE place END,
  CASE WHEN name.kind = 'post' THEN place ELSE locale END, '', name.slug,
  CASE was_shown WHEN 1 THEN coalesce(max(published_at), min(created_at)) ELSE 0 END, name.entry_id, was_shown, 1
FROM former_name AS name JOIN version ON version.kind = name.kind AND version.entry_id = name.entry_id
WHERE NOT EXISTS (
  SELECT 1 FROM former_address AS former
  WHERE former.kind = name.kind AND former.slug = name.slug AND former.entry_id = name.entry_id)
GROUP BY name.kind, place, locale, name.slug, name.entry_id, was_shown
ON CONFLICT DO NOTHING;
"""
"""One table of former addresses; `number` puts those of the entry that had a slug last before others'."""
_FORMER_ADDRESS_ENDS = """
DROP TABLE former_name;
DROP TABLE former_address;
DELETE FROM row_digest WHERE name IN ('former_name', 'former_address');
ALTER TABLE new_address RENAME TO former_address;
CREATE INDEX former_address_of_entry ON former_address (entry_id, kind);
CREATE INDEX former_address_last ON former_address (number);
"""
_FORMER_ADDRESS_KEY = {"former_address": ("kind", "type", "locale", "path", "slug", "published_at")}
_ENDED_TRIGGERS = ("entry_moved", "entry_readdressed", "version_readdressed", "entry_gone")
_SQLITE_FORMER_ADDRESSES = "".join(
    (
        *(f"DROP TRIGGER {name};\n" for name in _ENDED_TRIGGERS),
        _FORMER_ADDRESSES,
        _FORMER_ADDRESS_ENDS,
        sqlite.FORMER_ADDRESSES,
        *sqlite.all_digests(_FORMER_ADDRESS_KEY),
        *sqlite.digested(_FORMER_ADDRESS_KEY),
    )
)
_POSTGRES_FORMER_ADDRESSES = "".join(
    (
        *(f"DROP FUNCTION {name}() CASCADE;\n" for name in _ENDED_TRIGGERS),
        *(f"DROP FUNCTION {table}_digested() CASCADE;\n" for table in ("former_name", "former_address")),
        postgres.translated(_FORMER_ADDRESSES),
        _FORMER_ADDRESS_ENDS,
        postgres.FORMER_ADDRESSES,
        *postgres.all_digests(_FORMER_ADDRESS_KEY),
        *postgres.digested(_FORMER_ADDRESS_KEY),
    )
)


class MigrationStep(NamedTuple):
    """One change of the tables, as a script for each engine, and of texts that SQL cannot read."""

    name: str
    sqlite: str
    postgres: str
    rewriting: history_states.Rewriting | None = None


Steps = tuple[MigrationStep, ...]


def _step(
    name: str, tables: str, *, added: _Keys | None = None, changed: _Keys | None = None, numbered: tuple[str, ...] = ()
) -> MigrationStep:
    """Return the step with these tables. Those that it has `added` get digests, rows of those `changed` new ones."""
    marks = (f"UPDATE row_digest SET digest = NULL WHERE name = '{table}';\n" for table in changed or {})
    ids = map(postgres.numbered, numbered)
    return MigrationStep(
        name,
        "".join((tables, *sqlite.digested(added or {}), *marks)),
        "".join(
            (postgres.translated(tables), *ids, *postgres.digested(added or {}), *postgres.new_digests(changed or {}))
        ),
    )


def _extended(step: MigrationStep, *, sqlite: str, postgres: str = "") -> MigrationStep:
    """Return the step with what only one engine has, after its tables."""
    return step._replace(sqlite=step.sqlite + sqlite, postgres=step.postgres + postgres)


def last_version(steps: Steps) -> int:
    """Return the version of a store that has had these steps."""
    return _FIRST_VERSION + len(steps)


def steps_after(version: int, steps: Steps) -> Steps:
    """Return those of the steps that a store of this version has not had; a new store needs none."""
    return steps[version - _FIRST_VERSION :] if version else ()


STEPS: Steps = (
    _extended(
        _step(
            "addresses",
            _ADDRESSES,
            added={
                "post_address": _POST_ID,
                "former_address": ("kind", "place", "locale", "path", "slug", "published_at"),
            },
            changed=dict.fromkeys(("page", "item", "author", "term"), _ID),
        ),
        sqlite=earlier_triggers.SQLITE_FORMER_ADDRESSES,
        postgres=earlier_triggers.POSTGRES_FORMER_ADDRESSES,
    ),
    _step("sources", _SOURCES, added={"post_source": _POST_ID}),
    _step(
        "people",
        _PEOPLE,
        added={"studio_user": _ID, "studio_session": ("digest",), "audit_entry": _ID, "working_copy": _POST_ID},
        changed={"write": ("sequence",)},
        numbered=("studio_user", "audit_entry"),
    ),
    _step("search_number", _SEARCH_NUMBER),
    _step("post_fields", _POST_FIELDS, added={"post_fields": _POST_ID}),
    _extended(
        _step("history", _HISTORY, added={"revision": _ID, "unsaved_form": _ID}, numbered=("revision", "unsaved_form")),
        sqlite=earlier_triggers.SQLITE_HISTORY_ENDS,
        postgres=earlier_triggers.POSTGRES_HISTORY_ENDS,
    ),
    _step(
        "accounts",
        _ACCOUNTS,
        added={
            "second_factor": ("user_id",),
            "recovery_code": ("digest",),
            "account_link": ("digest",),
            "known_device": ("digest", "user_id"),
        },
        changed={"studio_user": _ID, "studio_session": ("digest",)},
    ),
    _step("media_details", _MEDIA_DETAILS, changed={"media_file": ("name",)}),
    _step("media_uploads", _MEDIA_UPLOADS, changed={"media_file": ("name",)}),
    _step("search_rules", _SEARCH_RULES),
    _step("write_retries", _RETRIES, changed={"write": ("sequence",)}),
    _extended(
        _step(
            "clone",
            _CLONE,
            added={"former_archive": ("kind", "slug")},
            changed={"author": _ID, "term": _ID, "post_term": ("post_id", "term_id"), "loaded_file": ("path",)},
        ),
        sqlite=_POST_SHOWN,
    ),
    _step("page_titles", _PAGE_TITLES, changed={"page": _ID}),
    _extended(
        _step("entries", entry_tables.TABLES, added={"entry": ("id", "kind"), "version": _ID}, numbered=("version",)),
        sqlite=entry_tables.SQLITE,
        postgres=entry_tables.POSTGRES,
    ),
    _step("form_sessions", _FORM_SESSIONS),
    MigrationStep("posts", post_tables.SQLITE, post_tables.POSTGRES),
    _step("loaded_texts", _LOADED_TEXTS, added={"loaded_text": ("path",)}),
    _step("file_changes", _FILE_CHANGES, added={"file_change": ("kind", "entry_id")}),
    MigrationStep("statement_digests", sqlite="", postgres=_STATEMENT_DIGESTS),
    MigrationStep("former_addresses", _SQLITE_FORMER_ADDRESSES, _POSTGRES_FORMER_ADDRESSES),
    _step("file_actions", _FILE_ACTIONS, changed={"file_change": ("kind", "entry_id")}),
    _step("load_conflicts", _LOAD_CONFLICTS, added={"load_conflict": _ID}, numbered=("load_conflict",)),
    _step("file_of_entry", _FILE_OF_ENTRY),
    MigrationStep("first_link", _SQLITE_FIRST_LINK, _POSTGRES_FIRST_LINK),
    MigrationStep("own_paths", sqlite.OWN_PATHS + sqlite.FILL_OWN_PATHS, postgres.OWN_PATHS + postgres.FILL_OWN_PATHS),
    _step("user_language", _USER_LANGUAGE, changed={"studio_user": _ID}),
    _step("saved_filters", _SAVED_FILTERS, added={"saved_filter": _ID}, numbered=("saved_filter",)),
    _step("settings_changes", _SETTINGS_CHANGES, added={"settings_change": _ID}, numbered=("settings_change",)),
    _step("user_email", team_tables.USER_EMAIL, changed={"studio_user": _ID, **_LINK_KEY}),
    _step("mail", team_tables.MAIL, added={"mail": _ID}, changed={"studio_user": _ID}, numbered=("mail",)),
    _step("reviews", team_tables.REVIEWS, added={"review": _ID, "note": _ID}, numbered=("review", "note")),
    _step("media_tags", _MEDIA_TAGS, changed={"media_file": ("name",)}),
    MigrationStep("history_states", "", "", history_states.REWRITING),
    MigrationStep("searched_versions", post_tables.SQLITE_SEARCHED, post_tables.POSTGRES_SEARCHED),
)
LATEST = last_version(STEPS)


def newer_version_error(place: str, version: int) -> StoreUnusable:
    """Return the error for a store that a newer version has changed."""
    return StoreUnusable(
        f"{place} was created by a newer version of sitecms (store version {version}, this one reads up to "
        f"{LATEST}). Nothing was changed; install the newer version."
    )
