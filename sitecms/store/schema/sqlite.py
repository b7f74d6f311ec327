"""Parts of SQLite's tables that the models cannot declare: triggers, covering indexes, row digests, the search index.

The index `version_shown` contains all columns that search reads of a match, and matches may be all entries: only the
entries of the page of results are read. The index of posts collects words in 4 MB of memory, not 1, so that a load
writes and merges fewer segments.

Triggers record each row that changes in `row_digest`; the digests are computed when the transaction ends
(`store.engines.sqlite.digests`). When the slug, the type, the locale or an own path of an entry changes, or the time of
publication of a version, a trigger keeps the former address, or the parts that it was made of, in `former_address`; an
item, which has no slug, has an address of its own only where it has an own path. Slugs as `~7` are temporary, for
entries that exchange theirs. Others keep `own_path`, by which the entry at an address is found: own paths with ASCII in
lower case, those of entries in the trash too.
`last_id` keeps the highest ids of entries that were ever given out, SQLite itself that of
writes.
"""

from collections.abc import Iterator, Mapping

from sitecms.store.schema.columns import KEYS, SEPARATOR

INDEXES = """
CREATE INDEX version_shown ON version (id, kind, locale, version, status, deleted_at, published_at, slug, entry_id);
"""
_OWN = """
INSERT INTO change_number (id, number, mark) VALUES (1, 0, hex(randomblob(8)));
CREATE TABLE last_id (name TEXT NOT NULL PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;

CREATE VIRTUAL TABLE post_search USING fts5 (
  title, body, content='', contentless_delete=1, prefix='1 2 3 4', tokenize=ascii);
CREATE VIRTUAL TABLE page_search USING fts5 (
  title, body, content='', contentless_delete=1, prefix='1 2 3 4', tokenize=ascii);
INSERT INTO post_search (post_search, rank) VALUES ('hashsize', 4194304);
"""
_DIGESTS = """
CREATE TABLE row_digest (name TEXT NOT NULL, key NOT NULL, digest BLOB, PRIMARY KEY (name, key)) WITHOUT ROWID;
CREATE INDEX row_digest_open ON row_digest (name, key) WHERE digest IS NULL;
"""
_ALL_DIGESTS = "INSERT INTO row_digest SELECT '{table}', {key}, NULL FROM {table};\n"
# Without the plus, the type of the column `old.id` would keep SQLite from using the index on the untyped `key`.
_DIGESTED = """
CREATE TRIGGER {table}_inserted AFTER INSERT ON {table}
  BEGIN INSERT OR REPLACE INTO row_digest VALUES ('{table}', {new}, NULL); END;
CREATE TRIGGER {table}_updated AFTER UPDATE ON {table}
  BEGIN DELETE FROM row_digest WHERE name = '{table}' AND key = +{old};\
 INSERT OR REPLACE INTO row_digest VALUES ('{table}', {new}, NULL); END;
CREATE TRIGGER {table}_deleted AFTER DELETE ON {table}
  BEGIN DELETE FROM row_digest WHERE name = '{table}' AND key = +{old}; END;
"""
COPIES = """
CREATE TRIGGER entry_copied AFTER UPDATE OF slug, deleted_at ON entry
  WHEN (old.slug, old.deleted_at) IS NOT (new.slug, new.deleted_at)
  BEGIN
    UPDATE version SET slug = new.slug, deleted_at = new.deleted_at WHERE entry_id = new.id AND kind = new.kind; END;
"""
LAST_IDS = """
CREATE TRIGGER entry_made AFTER INSERT ON entry
  BEGIN
    INSERT INTO last_id VALUES (new.kind, new.id)
    ON CONFLICT (name) DO UPDATE SET number = excluded.number WHERE number < excluded.number; END;
"""
FORMER_ADDRESSES = """
CREATE TRIGGER entry_readdressed AFTER UPDATE OF slug, type, locale, addresses_json ON entry
  WHEN (old.slug, old.type, old.locale, old.addresses_json)
    IS NOT (new.slug, new.type, new.locale, new.addresses_json)
    AND (old.slug IS NULL OR old.slug NOT LIKE '~%')
  BEGIN
    INSERT INTO former_address
    SELECT old.kind, old.type, locale, coalesce(path, ''), coalesce(old.slug, ''), coalesce(published_at, 0), old.id,
      published_at IS NOT NULL, (SELECT coalesce(max(number), 0) + 1 FROM former_address)
    FROM (SELECT locale, max(published_at) AS published_at,
        (SELECT value FROM json_each(old.addresses_json, '$.paths') WHERE key = locale) AS path
      FROM version WHERE kind = old.kind AND entry_id = old.id GROUP BY locale) AS versions
    WHERE old.slug IS NOT NULL OR (path IS NOT NULL AND published_at IS NOT NULL)
    ON CONFLICT (kind, type, locale, path, slug, published_at) DO UPDATE
    SET entry_id = excluded.entry_id, was_shown = excluded.was_shown, number = excluded.number
    WHERE excluded.was_shown >= was_shown; END;
CREATE TRIGGER version_readdressed AFTER UPDATE OF published_at ON version
  WHEN old.version = 'live' AND old.published_at IS NOT NULL AND old.published_at IS NOT new.published_at
  BEGIN
    INSERT INTO former_address SELECT kind, type, old.locale,
      coalesce((SELECT value FROM json_each(addresses_json, '$.paths') WHERE key = old.locale), ''),
      slug, old.published_at, id, 1, (SELECT coalesce(max(number), 0) + 1 FROM former_address)
    FROM entry WHERE kind = old.kind AND id = old.entry_id AND slug NOT LIKE '~%'
    ON CONFLICT (kind, type, locale, path, slug, published_at) DO UPDATE
    SET entry_id = excluded.entry_id, was_shown = 1, number = excluded.number; END;
CREATE TRIGGER entry_gone AFTER DELETE ON entry
  BEGIN
    DELETE FROM former_address WHERE entry_id = old.id AND kind = old.kind;\
    DELETE FROM revision WHERE kind = old.kind AND entry_id = old.id; END;
"""
OWN_PATHS = """
CREATE TABLE own_path (
  path TEXT NOT NULL, kind TEXT NOT NULL, entry_id INTEGER NOT NULL, PRIMARY KEY (path, kind, entry_id)) WITHOUT ROWID;
CREATE TRIGGER own_path_made AFTER INSERT ON entry WHEN new.addresses_json <> '{}'
  BEGIN
    INSERT INTO own_path SELECT DISTINCT lower(value), new.kind, new.id
    FROM json_each(new.addresses_json, '$.paths'); END;
CREATE TRIGGER own_path_changed AFTER UPDATE OF addresses_json ON entry WHEN old.addresses_json <> new.addresses_json
  BEGIN
    DELETE FROM own_path WHERE kind = old.kind AND entry_id = old.id
      AND path IN (SELECT lower(value) FROM json_each(old.addresses_json, '$.paths'));\
    INSERT INTO own_path SELECT DISTINCT lower(value), new.kind, new.id
    FROM json_each(new.addresses_json, '$.paths'); END;
CREATE TRIGGER own_path_gone AFTER DELETE ON entry WHEN old.addresses_json <> '{}'
  BEGIN
    DELETE FROM own_path WHERE kind = old.kind AND entry_id = old.id
      AND path IN (SELECT lower(value) FROM json_each(old.addresses_json, '$.paths')); END;
"""
FILL_OWN_PATHS = """
INSERT INTO own_path SELECT DISTINCT lower(own.value), entry.kind, entry.id
FROM entry, json_each(entry.addresses_json, '$.paths') AS own;
"""


def _key(row: str, columns: tuple[str, ...]) -> str:
    return f" || char({ord(SEPARATOR)}) || ".join(f"{row}.{column}" for column in columns)


def digested(keys: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Yield the triggers that record changes of rows of these tables."""
    for name, key in keys.items():
        yield _DIGESTED.format(table=name, new=_key("new", key), old=_key("old", key))


def all_digests(keys: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Yield statements that let the digests of all rows of these tables be computed."""
    for name, key in keys.items():
        yield _ALL_DIGESTS.format(table=name, key=_key(name, key))


def additions() -> str:
    """Return the script that completes the tables of a new store."""
    return "".join((INDEXES, _OWN, _DIGESTS, COPIES, LAST_IDS, FORMER_ADDRESSES, OWN_PATHS, *digested(KEYS)))
