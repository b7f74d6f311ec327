"""The step that brings pages and items, with their versions, into the tables `entry` and `version`.

Entries keep their ids, which are counted by kind, and versions of pages keep theirs, which the search index has.
Triggers follow the rows, so that copying them fires none but those of the digests.
"""

TABLES = """
CREATE TABLE entry (
  kind TEXT NOT NULL CHECK (kind IN ('page', 'item')), id INTEGER NOT NULL, type TEXT NOT NULL, slug TEXT,
  title TEXT NOT NULL DEFAULT '', titles_json TEXT NOT NULL DEFAULT '{}', addresses_json TEXT NOT NULL DEFAULT '{}',
  position INTEGER NOT NULL DEFAULT 2147483647, origin TEXT NOT NULL, created_at INTEGER NOT NULL, deleted_at INTEGER,
  part_of INTEGER, former_of INTEGER, PRIMARY KEY (id, kind)) WITHOUT ROWID;
CREATE UNIQUE INDEX entry_slug ON entry (kind, type, slug) WHERE deleted_at IS NULL;
CREATE INDEX entry_place ON entry (kind, type, position, id) WHERE deleted_at IS NULL;

CREATE TABLE version (
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, entry_id INTEGER NOT NULL, locale TEXT NOT NULL,
  version TEXT NOT NULL CHECK (version IN ('live', 'draft')),
  status TEXT NOT NULL CHECK (status IN ('draft', 'published', 'scheduled')), fields_json TEXT NOT NULL,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, published_at INTEGER, scheduled_at INTEGER,
  FOREIGN KEY (entry_id, kind) REFERENCES entry (id, kind) ON DELETE CASCADE);
CREATE UNIQUE INDEX version_of_entry ON version (entry_id, kind, locale, version);
CREATE INDEX version_newest ON version (locale, version, published_at DESC, entry_id) WHERE kind = 'page';
CREATE INDEX version_due ON version (scheduled_at) WHERE status = 'scheduled';
"""
_ROWS = """
INSERT INTO entry (kind, id, type, slug, title, titles_json, addresses_json, origin, created_at, deleted_at, part_of,
  former_of)
SELECT 'page', id, page_type, slug, title, titles_json, addresses_json, origin, created_at, deleted_at, part_of,
  former_of
FROM page;
INSERT INTO entry (kind, id, type, addresses_json, position, origin, created_at, deleted_at, part_of, former_of)
SELECT 'item', id, collection, addresses_json, position, origin, created_at, deleted_at, part_of, former_of FROM item;
INSERT INTO version (id, kind, entry_id, locale, version, status, fields_json, created_at, updated_at, published_at,
  scheduled_at)
SELECT id, 'page', page_id, locale, version, status, fields_json, created_at, updated_at, published_at, scheduled_at
FROM page_version;
INSERT INTO version (id, kind, entry_id, locale, version, status, fields_json, created_at, updated_at, published_at,
  scheduled_at)
SELECT id + (SELECT coalesce(max(id), 0) FROM page_version), 'item', item_id, locale, version, status, fields_json,
  created_at, updated_at, published_at, scheduled_at
FROM item_version;
"""
_DROPPED = """
DROP TABLE page_version;
DROP TABLE item_version;
DROP TABLE page;
DROP TABLE item;
DELETE FROM row_digest WHERE name IN ('page', 'item', 'page_version', 'item_version');
"""
SQLITE = (
    """
CREATE TABLE last_id (name TEXT NOT NULL PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO last_id SELECT name, seq FROM sqlite_sequence WHERE name IN ('page', 'item');
"""
    + _ROWS
    + _DROPPED
    + "CREATE INDEX version_shown ON version (id, locale, version, status, kind, entry_id, published_at);\n"
)
_FUNCTIONS = (
    *(f"{table}_{event}" for table in ("page", "item") for event in (
        "numbered", "removed", "digested", "readdressed", "address_gone", "history_gone"
    )),
    *("page_moved", "page_gone", "page_version_readdressed", "page_version_numbered", "item_version_numbered"),
    *("page_version_digested", "item_version_digested"),
)  # fmt: skip
_LAST_IDS = """
INSERT INTO last_id SELECT kind, max(id) FROM entry GROUP BY kind
  ON CONFLICT (name) DO UPDATE SET number = greatest(last_id.number, excluded.number);
"""
POSTGRES = (
    """
ALTER TABLE version ADD COLUMN fields_indexed JSONB NOT NULL GENERATED ALWAYS AS (fields_json::jsonb) STORED;
CREATE INDEX version_fields ON version USING gin (fields_indexed jsonb_path_ops);
CREATE STATISTICS entry_types (dependencies) ON kind, type FROM entry;
"""
    + _ROWS
    + _LAST_IDS
    + _DROPPED
    + "".join(f"DROP FUNCTION {name}();\n" for name in _FUNCTIONS)
)
