"""The step that brings posts into the tables `entry` and `version`, with their bodies and terms beside them.

Both tables are made again, since SQLite changes no condition of a column. Posts keep their ids, and versions of pages
and items theirs. A working copy becomes the draft of its post. Indexes and triggers follow the rows, so that copying
them fires none, and digests are computed at the end.
"""

from sitecms.store.schema import earlier_triggers, postgres, sqlite

_TABLES = """
CREATE TABLE new_entry (
  kind TEXT NOT NULL CHECK (kind IN ('post', 'page', 'item')), id INTEGER NOT NULL, type TEXT NOT NULL, slug TEXT,
  title TEXT NOT NULL DEFAULT '', titles_json TEXT NOT NULL DEFAULT '{}', addresses_json TEXT NOT NULL DEFAULT '{}',
  position INTEGER NOT NULL DEFAULT 2147483647, origin TEXT NOT NULL, created_at INTEGER NOT NULL, deleted_at INTEGER,
  part_of INTEGER, former_of INTEGER, group_id INTEGER, locale TEXT, PRIMARY KEY (id, kind)) WITHOUT ROWID;

CREATE TABLE new_version (
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, entry_id INTEGER NOT NULL, locale TEXT NOT NULL,
  version TEXT NOT NULL CHECK (version IN ('live', 'draft')),
  status TEXT NOT NULL CHECK (status IN ('draft', 'published', 'scheduled')), fields_json TEXT NOT NULL,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, published_at INTEGER, scheduled_at INTEGER, slug TEXT,
  deleted_at INTEGER, title TEXT NOT NULL DEFAULT '', author_id INTEGER REFERENCES author (id),
  featured_image TEXT NOT NULL DEFAULT '', featured_image_alt TEXT NOT NULL DEFAULT '',
  summary TEXT NOT NULL DEFAULT '', seo_title TEXT NOT NULL DEFAULT '', meta_description TEXT NOT NULL DEFAULT '',
  reading_minutes INTEGER, body_digest TEXT, body_media TEXT, saved_by INTEGER REFERENCES studio_user (id),
  FOREIGN KEY (entry_id, kind) REFERENCES new_entry (id, kind) ON DELETE CASCADE);
"""
_JSON_TEXT = {"sqlite": "json_quote({})", "postgres": "to_json({})::text"}
_ENTRIES = """
INSERT INTO new_entry (kind, id, type, slug, title, titles_json, addresses_json, position, origin, created_at,
  deleted_at, part_of, former_of)
SELECT kind, id, type, slug, title, titles_json, addresses_json, position, origin, created_at, deleted_at, part_of,
  former_of
FROM entry;
INSERT INTO new_entry (kind, id, type, slug, addresses_json, origin, created_at, deleted_at, former_of, group_id,
  locale)
SELECT 'post', id, '', slug, '{{' || rtrim(
    CASE WHEN path <> '' THEN '"paths":{{' || {locale} || ':' || {path} || '}},' ELSE '' END ||
    CASE WHEN aliases_json <> '[]' THEN '"aliases":{{' || {locale} || ':' || aliases_json || '}},' ELSE '' END ||
    CASE WHEN guid <> '' THEN '"guid":' || {guid} ELSE '' END, ',') || '}}',
  origin, created_at, deleted_at, former_of, group_id, locale
FROM post LEFT JOIN post_address ON post_id = id;
"""
_VERSIONS = """
INSERT INTO new_version (id, kind, entry_id, locale, version, status, fields_json, created_at, updated_at, published_at,
  scheduled_at, slug, deleted_at)
SELECT version.id, version.kind, entry_id, version.locale, version, status, fields_json, version.created_at, updated_at,
  published_at, scheduled_at, slug, deleted_at
FROM version JOIN new_entry ON new_entry.kind = version.kind AND new_entry.id = entry_id;
INSERT INTO new_version (id, kind, entry_id, locale, version, status, fields_json, created_at, updated_at, published_at,
  scheduled_at, slug, deleted_at, title, author_id, featured_image, featured_image_alt, summary, seo_title,
  meta_description, reading_minutes, body_digest, body_media)
SELECT row_number() OVER (ORDER BY id) + (SELECT coalesce(max(id), 0) FROM version), 'post', id, locale, 'live', status,
  coalesce(fields_json, '{}'), created_at, updated_at, published_at, scheduled_at, slug, deleted_at, title, author_id,
  featured_image, featured_image_alt, summary, seo_title, meta_description, reading_minutes, body_digest, body_media
FROM post LEFT JOIN post_fields ON post_id = id;
INSERT INTO new_version (id, kind, entry_id, locale, version, status, fields_json, created_at, updated_at, slug,
  deleted_at, saved_by)
SELECT row_number() OVER (ORDER BY id) + (SELECT max(id) FROM new_version), 'post', id, locale, 'draft', 'draft',
  values_json, saved_at, saved_at, slug, deleted_at, user_id
FROM working_copy JOIN post ON post_id = id;
"""
_RENAMED = """
DROP TABLE version;
DROP TABLE entry;
ALTER TABLE new_entry RENAME TO entry;
ALTER TABLE new_version RENAME TO version;
CREATE UNIQUE INDEX entry_slug ON entry (kind, type, slug) WHERE deleted_at IS NULL;
CREATE INDEX entry_place ON entry (kind, type, position, id) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX entry_group ON entry (group_id, locale) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX version_of_entry ON version (entry_id, kind, locale, version);
CREATE INDEX version_newest ON version (locale, version, published_at DESC, entry_id) WHERE kind = 'page';
CREATE INDEX version_due ON version (scheduled_at) WHERE status = 'scheduled';

CREATE TABLE version_body (
  version_id INTEGER PRIMARY KEY REFERENCES version (id) ON DELETE CASCADE, html TEXT NOT NULL, markdown TEXT);
INSERT INTO version_body
SELECT version.id, body, markdown FROM version JOIN post ON post.id = entry_id
LEFT JOIN post_source ON post_source.post_id = entry_id WHERE kind = 'post' AND version = 'live';

CREATE TABLE version_term (
  version_id INTEGER NOT NULL REFERENCES version (id) ON DELETE CASCADE,
  term_id INTEGER NOT NULL REFERENCES term (id), position INTEGER NOT NULL, name TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (version_id, term_id)) WITHOUT ROWID;
CREATE INDEX version_term_versions ON version_term (term_id, version_id);
INSERT INTO version_term SELECT version.id, term_id, position, name FROM version JOIN post_term ON post_id = entry_id
WHERE kind = 'post' AND version = 'live';
"""
_FORMER = ("post_term", "post_source", "post_address", "post_fields", "working_copy", "post")
_DROPPED = (
    "".join(f"DROP TABLE {table};\n" for table in _FORMER)
    + """
CREATE INDEX post_newest ON version (locale, status, published_at DESC, slug, entry_id)
  WHERE kind = 'post' AND version = 'live' AND deleted_at IS NULL;
CREATE INDEX post_by_author ON version (author_id, locale, status, published_at DESC, slug, entry_id)
  WHERE kind = 'post' AND version = 'live' AND deleted_at IS NULL;
"""
)
_KEYS = {
    "entry": ("id", "kind"),
    "version": ("id",),
    "version_body": ("version_id",),
    "version_term": ("version_id", "term_id"),
}
_FORGOTTEN = "DELETE FROM row_digest WHERE name IN ({});\n".format(
    ", ".join(f"'{table}'" for table in (*_FORMER, "entry", "version"))
)
_FUNCTIONS = (
    *(f"{table}_digested" for table in (*_FORMER, "entry", "version")),
    *(f"post_{event}" for event in (
        "moved", "gone", "numbered", "removed", "readdressed", "address_gone", "history_gone"
    )),
    "version_numbered", "entry_moved", "entry_readdressed", "version_readdressed", "entry_gone", "entry_made",
)  # fmt: skip

_SHOWN = """
CREATE INDEX post_shown ON version (entry_id, locale, version, status, deleted_at, published_at, slug, kind)
  WHERE kind = 'post';
CREATE INDEX version_shown ON version (id, locale, version, status, kind, entry_id, published_at);
"""
_IS_STALE = "UPDATE change_number SET is_search_stale = 1;\n"
SQLITE_SEARCHED = (
    """
DROP INDEX post_shown;
DROP INDEX version_shown;
CREATE INDEX version_shown ON version (id, kind, locale, version, status, deleted_at, published_at, slug, entry_id);
INSERT INTO post_search (post_search) VALUES ('delete-all');
"""
    + _IS_STALE
)
"""The index of posts has the ids of their versions, no longer those of posts; it is built when the store is opened."""
POSTGRES_SEARCHED = "DELETE FROM post_search;\n" + _IS_STALE


def _rows(engine: str) -> str:
    names = {name: _JSON_TEXT[engine].format(name) for name in ("locale", "path", "guid")}
    return _ENTRIES.format(**names) + _VERSIONS + _RENAMED


SQLITE = "".join(
    (
        _TABLES,
        _rows("sqlite"),
        "INSERT INTO last_id SELECT name, seq FROM sqlite_sequence WHERE name = 'post';\n",
        _DROPPED,
        _FORGOTTEN,
        *sqlite.all_digests(_KEYS),
        _SHOWN,
        sqlite.COPIES,
        earlier_triggers.SQLITE_FORMER_NAMES,
        sqlite.LAST_IDS,
        *sqlite.digested(_KEYS),
    )
)
POSTGRES = "".join(
    (
        postgres.translated(_TABLES),
        postgres.translated(_rows("postgres")),
        """
INSERT INTO last_id SELECT 'post', max(id) FROM post HAVING count(*) > 0
  ON CONFLICT (name) DO UPDATE SET number = greatest(last_id.number, excluded.number);
""",
        _DROPPED,
        _FORGOTTEN,
        *(f"DROP FUNCTION IF EXISTS {name}();\n" for name in _FUNCTIONS),
        postgres.FIELDS,
        postgres.numbered("version"),
        postgres.COPIES,
        earlier_triggers.POSTGRES_FORMER_NAMES,
        postgres.ENTRY_MADE,
        *postgres.all_digests(_KEYS),
        *postgres.digested(_KEYS),
    )
)
