"""The tables as PostgreSQL has them (see `store.schema.migrations`): the same names and columns as with SQLite.

Text is compared byte by byte, as in SQLite. The fields of pages and items are stored twice: as text, which keeps the
order of the fields, and as `jsonb`, for filters and sorting.

Triggers give out ids, since a sequence would not take back the ids of a transaction that was undone: the same writes
give the same ids on both engines. Entries and writes never get an id a second time: `last_id` keeps the highest one
that was ever given out, if its row is gone. In other tables the next id follows the highest one that exists. This
relies on one writer at a time.

Triggers keep a digest of each row in `row_digest`, also of rows that replication brings
(`store.maintenance.row_digests`).
"""

from sitecms.store.schema.digested_tables import KEYS, SEPARATOR

_TEXT = 'TEXT COLLATE "C"'
_PLAIN = """
CREATE TABLE change_number (id BIGINT PRIMARY KEY CHECK (id = 1), number BIGINT NOT NULL, mark TEXT NOT NULL);
INSERT INTO change_number VALUES (1, 0, upper(left(md5(gen_random_uuid()::text), 16)));

CREATE TABLE move (
  id BIGINT PRIMARY KEY CHECK (id = 1),
  state TEXT NOT NULL CHECK (state IN ('leaving', 'gone', 'arriving', 'arrived')),
  place TEXT NOT NULL, mark TEXT NOT NULL);

CREATE TABLE document (name TEXT PRIMARY KEY, value_json TEXT NOT NULL);

CREATE TABLE author (
  id BIGINT PRIMARY KEY, slug TEXT NOT NULL UNIQUE, first_name TEXT NOT NULL, last_name TEXT NOT NULL,
  email TEXT NOT NULL, bio TEXT NOT NULL, title TEXT NOT NULL, linkedin_url TEXT NOT NULL,
  facebook_url TEXT NOT NULL, pinterest_url TEXT NOT NULL, instagram_url TEXT NOT NULL,
  twitter_handle TEXT NOT NULL, profile_image TEXT NOT NULL);
CREATE INDEX author_email ON author (email);

CREATE TABLE term (
  id BIGINT PRIMARY KEY, kind TEXT NOT NULL CHECK (kind IN ('category', 'tag')),
  slug TEXT NOT NULL, name TEXT NOT NULL, name_key TEXT NOT NULL, UNIQUE (kind, slug), UNIQUE (kind, name_key));

CREATE TABLE post (
  id BIGINT PRIMARY KEY, group_id BIGINT NOT NULL, locale TEXT NOT NULL, slug TEXT NOT NULL,
  title TEXT NOT NULL, status TEXT NOT NULL CHECK (status IN ('draft', 'published', 'scheduled')),
  author_id BIGINT NOT NULL REFERENCES author (id),
  featured_image TEXT NOT NULL, featured_image_alt TEXT NOT NULL, summary TEXT NOT NULL,
  seo_title TEXT NOT NULL, meta_description TEXT NOT NULL, aliases_json TEXT NOT NULL, origin TEXT NOT NULL,
  reading_minutes BIGINT NOT NULL, body_digest TEXT NOT NULL, body_media TEXT NOT NULL,
  created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, published_at BIGINT, scheduled_at BIGINT,
  deleted_at BIGINT, former_of BIGINT, body TEXT NOT NULL);
CREATE UNIQUE INDEX post_slug ON post (slug) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX post_group ON post (group_id, locale) WHERE deleted_at IS NULL;
CREATE INDEX post_newest ON post (locale, status, published_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX post_by_author ON post (author_id, locale, status, published_at DESC, id DESC)
  WHERE deleted_at IS NULL;
CREATE INDEX post_due ON post (scheduled_at) WHERE status = 'scheduled' AND deleted_at IS NULL;

CREATE TABLE post_term (
  post_id BIGINT NOT NULL REFERENCES post (id) ON DELETE CASCADE, term_id BIGINT NOT NULL REFERENCES term (id),
  position BIGINT NOT NULL, PRIMARY KEY (post_id, term_id));
CREATE INDEX post_term_posts ON post_term (term_id, post_id);

CREATE TABLE page (
  id BIGINT PRIMARY KEY, page_type TEXT NOT NULL, slug TEXT NOT NULL, title TEXT NOT NULL,
  origin TEXT NOT NULL, created_at BIGINT NOT NULL, deleted_at BIGINT, part_of BIGINT, former_of BIGINT);
CREATE UNIQUE INDEX page_slug ON page (page_type, slug) WHERE deleted_at IS NULL;

CREATE TABLE page_version (
  id BIGINT PRIMARY KEY, page_id BIGINT NOT NULL REFERENCES page (id) ON DELETE CASCADE,
  locale TEXT NOT NULL, version TEXT NOT NULL CHECK (version IN ('live', 'draft')),
  status TEXT NOT NULL CHECK (status IN ('draft', 'published', 'scheduled')), fields_json TEXT NOT NULL,
  fields_indexed JSONB NOT NULL GENERATED ALWAYS AS (fields_json::jsonb) STORED,
  created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, published_at BIGINT, scheduled_at BIGINT,
  UNIQUE (page_id, locale, version));
CREATE INDEX page_version_newest ON page_version (locale, version, published_at DESC, page_id);
CREATE INDEX page_version_fields ON page_version USING gin (fields_indexed jsonb_path_ops);
CREATE INDEX page_version_due ON page_version (scheduled_at) WHERE status = 'scheduled';

CREATE TABLE former_name (
  kind TEXT NOT NULL CHECK (kind IN ('post', 'page')), place TEXT NOT NULL, slug TEXT NOT NULL,
  entry_id BIGINT NOT NULL, was_shown BIGINT NOT NULL, PRIMARY KEY (kind, place, slug));
CREATE INDEX former_name_of_entry ON former_name (entry_id, kind);

CREATE TABLE item (
  id BIGINT PRIMARY KEY, collection TEXT NOT NULL, position BIGINT NOT NULL DEFAULT 2147483647,
  origin TEXT NOT NULL, created_at BIGINT NOT NULL, deleted_at BIGINT, part_of BIGINT, former_of BIGINT);
CREATE INDEX item_collection ON item (collection, position, id) WHERE deleted_at IS NULL;

CREATE TABLE item_version (
  id BIGINT PRIMARY KEY, item_id BIGINT NOT NULL REFERENCES item (id) ON DELETE CASCADE,
  locale TEXT NOT NULL, version TEXT NOT NULL CHECK (version IN ('live', 'draft')),
  status TEXT NOT NULL CHECK (status IN ('draft', 'published', 'scheduled')), fields_json TEXT NOT NULL,
  fields_indexed JSONB NOT NULL GENERATED ALWAYS AS (fields_json::jsonb) STORED,
  created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, published_at BIGINT, scheduled_at BIGINT,
  UNIQUE (item_id, locale, version));
CREATE INDEX item_version_fields ON item_version USING gin (fields_indexed jsonb_path_ops);
CREATE INDEX item_version_due ON item_version (scheduled_at) WHERE status = 'scheduled';

CREATE TABLE media_file (
  name TEXT PRIMARY KEY, original_name TEXT NOT NULL, content_type TEXT NOT NULL, size_bytes BIGINT NOT NULL,
  width BIGINT, height BIGINT, created_at BIGINT NOT NULL);

CREATE TABLE media_source (
  url_digest TEXT NOT NULL, name TEXT NOT NULL REFERENCES media_file (name) ON DELETE CASCADE,
  PRIMARY KEY (url_digest, name));
CREATE INDEX media_source_name ON media_source (name);

CREATE TABLE loaded_file (
  path TEXT PRIMARY KEY, digest TEXT NOT NULL, context TEXT NOT NULL, entries_json TEXT NOT NULL,
  media_json TEXT NOT NULL, loaded_at BIGINT NOT NULL, stamp TEXT NOT NULL);


CREATE TABLE token (
  id BIGINT PRIMARY KEY, name TEXT NOT NULL UNIQUE, scope TEXT NOT NULL CHECK (scope IN ('read', 'write')),
  digest TEXT NOT NULL UNIQUE, limits_json TEXT NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT,
  revoked_at BIGINT, rotated_at BIGINT, former_digest TEXT, former_until BIGINT);
CREATE INDEX token_former ON token (former_digest) WHERE former_digest IS NOT NULL;

CREATE TABLE write (
  sequence BIGINT PRIMARY KEY, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, operation TEXT NOT NULL,
  entry_key TEXT NOT NULL, entry_id BIGINT NOT NULL, payload_json TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('accepted', 'applied', 'rejected', 'failed')),
  token_id BIGINT REFERENCES token (id), idempotency_key TEXT, idempotency_digest TEXT,
  owner TEXT, attempt BIGINT NOT NULL, errors_json TEXT NOT NULL,
  warnings_json TEXT NOT NULL DEFAULT '{}',
  accepted_at BIGINT NOT NULL, finished_at BIGINT);
CREATE UNIQUE INDEX write_idempotency ON write (token_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX write_open ON write (entry_key, sequence) WHERE status = 'accepted';
CREATE INDEX write_of_entry ON write (kind, entry_id) WHERE status = 'accepted';

CREATE TABLE reservation (
  kind TEXT NOT NULL, name TEXT NOT NULL, write_id TEXT NOT NULL REFERENCES write (id) ON DELETE CASCADE,
  PRIMARY KEY (kind, name));
CREATE INDEX reservation_write ON reservation (write_id);

CREATE TABLE webhook (
  id BIGINT PRIMARY KEY, target TEXT NOT NULL, events_json TEXT NOT NULL, secrets_json TEXT NOT NULL,
  headers_json TEXT NOT NULL, created_at BIGINT NOT NULL, disabled_at BIGINT);

CREATE TABLE delivery (
  id TEXT PRIMARY KEY, webhook_id BIGINT NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
  write_id TEXT REFERENCES write (id) ON DELETE SET NULL, event TEXT NOT NULL, payload_json TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('waiting', 'delivered', 'failed')), attempt BIGINT NOT NULL,
  failures BIGINT NOT NULL, owner TEXT, due_at BIGINT NOT NULL, created_at BIGINT NOT NULL, finished_at BIGINT,
  rowid BIGINT NOT NULL);
CREATE INDEX delivery_claimed ON delivery (owner) WHERE owner IS NOT NULL;
CREATE INDEX delivery_due ON delivery (webhook_id, due_at) WHERE status = 'waiting';
CREATE INDEX delivery_of_webhook ON delivery (webhook_id, created_at);
CREATE INDEX delivery_of_write ON delivery (write_id) WHERE write_id IS NOT NULL;
CREATE INDEX delivery_finished ON delivery (finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE delivery_attempt (
  delivery_id TEXT NOT NULL REFERENCES delivery (id) ON DELETE CASCADE, attempt BIGINT NOT NULL,
  started_at BIGINT NOT NULL, duration_ms BIGINT, http_status BIGINT, answer TEXT NOT NULL,
  PRIMARY KEY (delivery_id, attempt));

CREATE TABLE post_search (rowid BIGINT PRIMARY KEY, words TSVECTOR NOT NULL);
CREATE INDEX post_search_words ON post_search USING gin (words);
CREATE TABLE page_search (rowid BIGINT PRIMARY KEY, words TSVECTOR NOT NULL);
CREATE INDEX page_search_words ON page_search USING gin (words);

CREATE TABLE last_id (name TEXT PRIMARY KEY, number BIGINT NOT NULL);

CREATE UNLOGGED TABLE hint (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, data BYTEA NOT NULL);
"""
# Words as `store.engines.postgres.search_vector` holds them, cut as there.
_SEARCH = """
CREATE FUNCTION matching(words TEXT) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT string_agg('\'\'' || left(word[1], 500) || '\'\'' || coalesce(':*' || left(word[2], 0), ''), ' & ')::tsquery
  FROM regexp_matches(words, '"([^"]*)"( [*])?', 'g') AS word $$;
"""
_MOVED = """
CREATE FUNCTION post_moved() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO former_name VALUES ('post', old.locale, old.slug, old.id, (old.published_at IS NOT NULL)::int)
    ON CONFLICT (kind, place, slug) DO UPDATE SET entry_id = excluded.entry_id, was_shown = excluded.was_shown
    WHERE excluded.was_shown >= former_name.was_shown;
  RETURN NULL; END $$;
CREATE TRIGGER post_moved AFTER UPDATE OF slug, locale ON post FOR EACH ROW
  WHEN ((old.slug, old.locale) <> (new.slug, new.locale) AND old.slug NOT LIKE '~%')
  EXECUTE FUNCTION post_moved();
CREATE FUNCTION page_moved() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO former_name VALUES ('page', old.page_type, old.slug, old.id,
      (EXISTS (SELECT 1 FROM page_version WHERE page_id = old.id AND published_at IS NOT NULL))::int)
    ON CONFLICT (kind, place, slug) DO UPDATE SET entry_id = excluded.entry_id, was_shown = excluded.was_shown
    WHERE excluded.was_shown >= former_name.was_shown;
  RETURN NULL; END $$;
CREATE TRIGGER page_moved AFTER UPDATE OF slug, page_type ON page FOR EACH ROW
  WHEN ((old.slug, old.page_type) <> (new.slug, new.page_type) AND old.slug NOT LIKE '~%')
  EXECUTE FUNCTION page_moved();
"""
_GONE = """
CREATE FUNCTION {table}_gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM former_name WHERE entry_id = old.id AND kind = '{table}';
  RETURN NULL; END $$;
CREATE TRIGGER {table}_gone AFTER DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION {table}_gone();
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
  IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND {old} <> {new}) THEN
    DELETE FROM row_digest WHERE name = '{table}' AND key = {old};
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO row_digest VALUES ('{table}', {new}, md5(new::text))
      ON CONFLICT (name, key) DO UPDATE SET digest = excluded.digest;
  END IF;
  RETURN NULL; END $$;
CREATE TRIGGER {table}_digested AFTER INSERT OR UPDATE OR DELETE ON {table} FOR EACH ROW
  EXECUTE FUNCTION {table}_digested();
ALTER TABLE {table} ENABLE ALWAYS TRIGGER {table}_digested;
"""
_IDS = ("author", "term", "page_version", "item_version", "token", "webhook")
_IDS_FOR_GOOD = (("post", "id"), ("page", "id"), ("item", "id"), ("write", "sequence"))


def key_text(row: str, columns: tuple[str, ...]) -> str:
    """Return the key of a row as `row_digest` has it, in SQL."""
    return f" || chr({ord(SEPARATOR)}) || ".join(f"{row}.{column}::text" for column in columns)


TABLES = "".join(
    (
        _PLAIN.replace("TEXT", _TEXT),
        _SEARCH,
        _MOVED,
        *(_GONE.format(table=table) for table in ("post", "page")),
        *(_NUMBERED.format(table=table, column="id") for table in _IDS),
        _NUMBERED.format(table="delivery", column="rowid"),
        *(_NUMBERED_FOR_GOOD.format(table=table, column=column) for table, column in _IDS_FOR_GOOD),
        _DIGESTS.replace("TEXT", _TEXT),
        *(
            _DIGESTED.format(table=name, new=key_text("new", key), old=key_text("old", key))
            for name, key in KEYS.items()
        ),
    )
)
