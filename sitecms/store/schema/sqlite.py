"""The tables as SQLite has them (see `store.schema.migrations`).

The indexes `..._shown` contain all columns that search reads of a match, and matches may be all entries: only the
entries of the page of results are read.

Triggers record each row that changes in `row_digest`; the digests are computed when the transaction ends
(`store.engines.sqlite.digests`).
"""

from sitecms.store.schema import declarations
from sitecms.store.schema.declarations import KEYS, SEPARATOR

_OWN = """
INSERT INTO change_number VALUES (1, 0, hex(randomblob(8)));
CREATE INDEX post_shown ON post (id, locale, status, deleted_at, published_at);
CREATE INDEX page_version_shown ON page_version (id, locale, version, status, page_id, published_at);

CREATE TRIGGER post_moved AFTER UPDATE OF slug, locale ON post
  WHEN (old.slug, old.locale) <> (new.slug, new.locale) AND old.slug NOT LIKE '~%'
  BEGIN
    INSERT INTO former_name VALUES ('post', old.locale, old.slug, old.id, old.published_at IS NOT NULL)
    ON CONFLICT (kind, place, slug) DO UPDATE SET entry_id = excluded.entry_id, was_shown = excluded.was_shown
    WHERE excluded.was_shown >= was_shown; END;
CREATE TRIGGER page_moved AFTER UPDATE OF slug, page_type ON page
  WHEN (old.slug, old.page_type) <> (new.slug, new.page_type) AND old.slug NOT LIKE '~%'
  BEGIN
    INSERT INTO former_name VALUES ('page', old.page_type, old.slug, old.id,
      EXISTS (SELECT 1 FROM page_version WHERE page_id = old.id AND published_at IS NOT NULL))
    ON CONFLICT (kind, place, slug) DO UPDATE SET entry_id = excluded.entry_id, was_shown = excluded.was_shown
    WHERE excluded.was_shown >= was_shown; END;
CREATE TRIGGER post_gone AFTER DELETE ON post
  BEGIN DELETE FROM former_name WHERE entry_id = old.id AND kind = 'post'; END;
CREATE TRIGGER page_gone AFTER DELETE ON page
  BEGIN DELETE FROM former_name WHERE entry_id = old.id AND kind = 'page'; END;

CREATE VIRTUAL TABLE post_search USING fts5 (
  title, body, content='', contentless_delete=1, prefix='1 2 3 4', tokenize=ascii);
CREATE VIRTUAL TABLE page_search USING fts5 (
  title, body, content='', contentless_delete=1, prefix='1 2 3 4', tokenize=ascii);
"""
_DIGESTS = """
CREATE TABLE row_digest (name TEXT NOT NULL, key NOT NULL, digest BLOB, PRIMARY KEY (name, key)) WITHOUT ROWID;
CREATE INDEX row_digest_open ON row_digest (name, key) WHERE digest IS NULL;
"""
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


def _key(row: str, columns: tuple[str, ...]) -> str:
    return f" || char({ord(SEPARATOR)}) || ".join(f"{row}.{column}" for column in columns)


TABLES = "".join(
    (
        declarations.TABLES,
        _OWN,
        _DIGESTS,
        *(_DIGESTED.format(table=name, new=_key("new", key), old=_key("old", key)) for name, key in KEYS.items()),
    )
)
