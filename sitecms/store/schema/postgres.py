"""Parts of PostgreSQL's tables that the models cannot declare: triggers, generated columns, the search index.

Text is compared byte by byte, as in SQLite. The fields of pages and items are stored twice: as text, which keeps the
order of the fields, and as `jsonb`, for filters and sorting, which posts do not have.

Triggers give out ids, but for entries (`store.entries.entry_rows`), since a sequence would not take back the ids of a
transaction that was undone: the same writes give the same ids on both engines. Entries and writes never get an id a
second time: `last_id` keeps the highest one of each kind of entry, and of writes if its row is gone. In other tables
the next id follows the highest one that exists. This relies on one writer at a time.

Triggers keep a digest of each row in `row_digest` (`store.maintenance.row_digests`), also in sessions with the role of
a replica. One adds the digests of all rows that a statement inserts; logical replication, which skips it, must bring
`row_digest` too. Triggers of former addresses are as in `store.schema.sqlite`.
"""

from collections.abc import Iterator, Mapping

from sitecms.store.models import MODELS
from sitecms.store.models.table import IdField, LastingIdField
from sitecms.store.schema.columns import KEYS, SEPARATOR

TEXT = 'TEXT COLLATE "C"'
_FROM_SQLITE = {"INTEGER": "BIGINT", "TEXT": TEXT, " AUTOINCREMENT": "", " WITHOUT ROWID": ""}
FIELDS = """
ALTER TABLE version ADD COLUMN fields_indexed JSONB NOT NULL
  GENERATED ALWAYS AS (CASE WHEN kind = 'post' THEN '{}' ELSE fields_json::jsonb END) STORED;
CREATE INDEX version_fields ON version USING gin (fields_indexed jsonb_path_ops);
CREATE STATISTICS entry_types (dependencies) ON kind, type FROM entry;
"""
_OWN = """
INSERT INTO change_number (id, number, mark) VALUES (1, 0, upper(left(md5(gen_random_uuid()::text), 16)));

ALTER TABLE delivery ADD COLUMN rowid BIGINT NOT NULL;

CREATE TABLE post_search (rowid BIGINT PRIMARY KEY, words TSVECTOR NOT NULL);
CREATE INDEX post_search_words ON post_search USING gin (words);
CREATE TABLE page_search (rowid BIGINT PRIMARY KEY, words TSVECTOR NOT NULL);
CREATE INDEX page_search_words ON page_search USING gin (words);

CREATE TABLE last_id (name TEXT PRIMARY KEY, number BIGINT NOT NULL);
"""
# Words are cut to the length that `store.engines.postgres.search_vector` cuts them to.
_SEARCH = """
CREATE FUNCTION matching(words TEXT) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT string_agg('\'\'' || left(word[1], 500) || '\'\'' || coalesce(':*' || left(word[2], 0), ''), ' & ')::tsquery
  FROM regexp_matches(words, '"([^"]*)"( [*])?', 'g') AS word $$;
"""
_NUMBERED = """
CREATE FUNCTION {table}_numbered() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  new.{column} := coalesce((SELECT max({column}) FROM {table}), 0) + 1;
  RETURN new; END $$;
CREATE TRIGGER {table}_numbered BEFORE INSERT ON {table} FOR EACH ROW WHEN (new.{column} IS NULL)
  EXECUTE FUNCTION {table}_numbered();
"""
_NUMBERED_FOR_GOOD = """
CREATE FUNCTION {table}_numbered() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  new.{column} := 1 + greatest((SELECT max({column}) FROM {table}),
    (SELECT number FROM last_id WHERE name = '{table}'), 0);
  RETURN new; END $$;
CREATE TRIGGER {table}_numbered BEFORE INSERT ON {table} FOR EACH ROW WHEN (new.{column} IS NULL)
  EXECUTE FUNCTION {table}_numbered();
CREATE FUNCTION {table}_removed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO last_id VALUES ('{table}', old.{column})
    ON CONFLICT (name) DO UPDATE SET number = excluded.number WHERE last_id.number < excluded.number;
  RETURN NULL; END $$;
CREATE TRIGGER {table}_removed AFTER DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION {table}_removed();
"""
_DIGESTS = """
CREATE TABLE row_digest (name TEXT NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (name, key));
"""
_DIGESTED = """
CREATE FUNCTION {table}_digested() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO row_digest SELECT '{table}', {added}, md5(added::text) FROM added
      ON CONFLICT (name, key) DO UPDATE SET digest = excluded.digest;
    RETURN NULL;
  END IF;
  IF TG_OP = 'DELETE' OR {old} <> {new} THEN
    DELETE FROM row_digest WHERE name = '{table}' AND key = {old};
  END IF;
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO row_digest VALUES ('{table}', {new}, md5(new::text))
      ON CONFLICT (name, key) DO UPDATE SET digest = excluded.digest;
  END IF;
  RETURN NULL; END $$;
CREATE TRIGGER {table}_added AFTER INSERT ON {table} REFERENCING NEW TABLE AS added
  EXECUTE FUNCTION {table}_digested();
CREATE TRIGGER {table}_digested AFTER UPDATE OR DELETE ON {table} FOR EACH ROW
  EXECUTE FUNCTION {table}_digested();
ALTER TABLE {table} ENABLE ALWAYS TRIGGER {table}_added, ENABLE ALWAYS TRIGGER {table}_digested;
"""
_KEEP = """
    ON CONFLICT (kind, type, locale, path, slug, published_at) DO UPDATE
    SET entry_id = excluded.entry_id, was_shown = excluded.was_shown, number = excluded.number
    WHERE excluded.was_shown >= former_address.was_shown;
  RETURN NULL; END $$;
"""
_NUMBER = "(SELECT coalesce(max(number), 0) + 1 FROM former_address)"
ENTRY_MADE = """
CREATE FUNCTION entry_made() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO last_id SELECT kind, max(id) FROM added GROUP BY kind
    ON CONFLICT (name) DO UPDATE SET number = excluded.number WHERE last_id.number < excluded.number;
  RETURN NULL; END $$;
CREATE TRIGGER entry_made AFTER INSERT ON entry REFERENCING NEW TABLE AS added EXECUTE FUNCTION entry_made();
"""
COPIES = """
CREATE FUNCTION entry_copied() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE version SET slug = new.slug, deleted_at = new.deleted_at WHERE entry_id = new.id AND kind = new.kind;
  RETURN NULL; END $$;
CREATE TRIGGER entry_copied AFTER UPDATE OF slug, deleted_at ON entry FOR EACH ROW
  WHEN ((old.slug, old.deleted_at) IS DISTINCT FROM (new.slug, new.deleted_at)) EXECUTE FUNCTION entry_copied();
"""
FORMER_ADDRESSES = f"""
CREATE FUNCTION entry_readdressed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO former_address
    SELECT old.kind, old.type, locale, coalesce(path, ''), coalesce(old.slug, ''), coalesce(published_at, 0), old.id,
      (published_at IS NOT NULL)::int, {_NUMBER}
    FROM (SELECT locale, max(published_at) AS published_at, old.addresses_json::jsonb -> 'paths' ->> locale AS path
      FROM version WHERE kind = old.kind AND entry_id = old.id GROUP BY locale) AS versions
    WHERE old.slug IS NOT NULL OR (path IS NOT NULL AND published_at IS NOT NULL) {_KEEP}
CREATE TRIGGER entry_readdressed AFTER UPDATE OF slug, type, locale, addresses_json ON entry FOR EACH ROW
  WHEN ((old.slug, old.type, old.locale, old.addresses_json)
      IS DISTINCT FROM (new.slug, new.type, new.locale, new.addresses_json)
    AND (old.slug IS NULL OR old.slug NOT LIKE '~%'))
  EXECUTE FUNCTION entry_readdressed();
CREATE FUNCTION version_readdressed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO former_address SELECT kind, type, old.locale,
      coalesce(addresses_json::jsonb -> 'paths' ->> old.locale, ''), slug, old.published_at, id, 1, {_NUMBER}
    FROM entry WHERE kind = old.kind AND id = old.entry_id AND slug NOT LIKE '~%' {_KEEP}
CREATE TRIGGER version_readdressed AFTER UPDATE OF published_at ON version FOR EACH ROW
  WHEN (old.version = 'live' AND old.published_at IS NOT NULL
    AND old.published_at IS DISTINCT FROM new.published_at)
  EXECUTE FUNCTION version_readdressed();
CREATE FUNCTION entry_gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM former_address WHERE entry_id = old.id AND kind = old.kind;
  DELETE FROM revision WHERE kind = old.kind AND entry_id = old.id;
  RETURN NULL; END $$;
CREATE TRIGGER entry_gone AFTER DELETE ON entry FOR EACH ROW EXECUTE FUNCTION entry_gone();
"""
_OWN_PATHS_OF = "jsonb_each_text(coalesce({row}.addresses_json::jsonb -> 'paths', '{{}}')) AS own (locale, path)"
_LOWER = 'lower(own.path COLLATE "C")'
_OWN_PATHS = """
CREATE TABLE own_path (
  path TEXT NOT NULL, kind TEXT NOT NULL, entry_id BIGINT NOT NULL, PRIMARY KEY (path, kind, entry_id));
""".replace("TEXT", TEXT)
OWN_PATHS = f"""{_OWN_PATHS}
CREATE FUNCTION own_path_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM own_path WHERE kind = old.kind AND entry_id = old.id
      AND path IN (SELECT {_LOWER} FROM {_OWN_PATHS_OF.format(row="old")});
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO own_path SELECT DISTINCT {_LOWER}, new.kind, new.id FROM {_OWN_PATHS_OF.format(row="new")};
  END IF;
  RETURN NULL; END $$;
CREATE TRIGGER own_path_made AFTER INSERT ON entry FOR EACH ROW
  WHEN (new.addresses_json <> '{{}}') EXECUTE FUNCTION own_path_changed();
CREATE TRIGGER own_path_changed AFTER UPDATE OF addresses_json ON entry FOR EACH ROW
  WHEN (old.addresses_json <> new.addresses_json) EXECUTE FUNCTION own_path_changed();
CREATE TRIGGER own_path_gone AFTER DELETE ON entry FOR EACH ROW
  WHEN (old.addresses_json <> '{{}}') EXECUTE FUNCTION own_path_changed();
"""
FILL_OWN_PATHS = f"""
INSERT INTO own_path SELECT DISTINCT {_LOWER}, entry.kind, entry.id FROM entry, {_OWN_PATHS_OF.format(row="entry")};
"""
_ALL_DIGESTS = """
INSERT INTO row_digest SELECT '{table}', {key}, md5(it::text) FROM {table} AS it;
"""
_NEW_DIGESTS = """
UPDATE row_digest SET digest = md5(it::text) FROM {table} AS it
WHERE row_digest.name = '{table}' AND row_digest.key = {key};
"""


def key_text(row: str, columns: tuple[str, ...]) -> str:
    """Return the key of a row as `row_digest` has it, in SQL."""
    return f" || chr({ord(SEPARATOR)}) || ".join(f"{row}.{column}::text" for column in columns)


def digested(keys: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Yield the triggers that keep the digests of rows of these tables."""
    for name, key in keys.items():
        rows = {row: key_text(row, key) for row in ("added", "new", "old")}
        yield _DIGESTED.format(table=name, **rows)


def numbered(table: str, column: str = "id") -> str:
    """Return the trigger that gives the next number to a new row."""
    return _NUMBERED.format(table=table, column=column)


def new_digests(keys: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Yield statements that compute the digests of all rows of these tables, whose columns have changed."""
    for table, key in keys.items():
        yield _NEW_DIGESTS.format(table=table, key=key_text("it", key))


def all_digests(keys: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Yield statements that add the digests of all rows of these tables."""
    for table, key in keys.items():
        yield _ALL_DIGESTS.format(table=table, key=key_text("it", key))


def translated(tables: str) -> str:
    """Return declarations that were written for SQLite as PostgreSQL has them."""
    for sqlite_word, postgres_word in _FROM_SQLITE.items():
        tables = tables.replace(sqlite_word, postgres_word)
    return tables


def _numbering() -> Iterator[str]:
    for model in MODELS:
        key, table = model._meta.primary_key, model._meta.table_name
        if isinstance(key, IdField):
            yield numbered(table)
        elif isinstance(key, LastingIdField):
            yield _NUMBERED_FOR_GOOD.format(table=table, column=key.column_name)
    yield numbered("delivery", "rowid")


def additions() -> str:
    """Return the script that completes the tables of a new store."""
    parts = (
        FIELDS,
        _OWN.replace("TEXT", TEXT),
        _SEARCH,
        *_numbering(),
        COPIES,
        FORMER_ADDRESSES,
        ENTRY_MADE,
        OWN_PATHS,
        _DIGESTS.replace("TEXT", TEXT),
        *digested(KEYS),
    )
    return "".join(parts)
