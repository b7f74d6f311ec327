"""The tables as SQLite has them, and those that PostgreSQL shares (see `store.schema.migrations`).

`store.schema.postgres` makes its tables of the shared ones. A post's body is the last column of its row, so that SQLite
reads the others without it; what lists and builds need of the body has columns of its own.

The indexes `..._shown` contain all columns that search reads of a match, and matches may be all entries: only the
entries of the page of results are read. The index of posts collects words in 4 MB of memory, not 1, so that a load
writes and merges fewer segments.

Triggers record each row that changes in `row_digest`; the digests are computed when the transaction ends
(`store.engines.sqlite.digests`).
"""

from collections.abc import Iterator, Mapping

SHARED_TABLES = """
CREATE TABLE change_number (id INTEGER PRIMARY KEY CHECK (id = 1), number INTEGER NOT NULL, mark TEXT NOT NULL);

CREATE TABLE move (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  state TEXT NOT NULL CHECK (state IN ('leaving', 'gone', 'arriving', 'arrived')),
  place TEXT NOT NULL, mark TEXT NOT NULL);

CREATE TABLE document (name TEXT PRIMARY KEY, value_json TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE author (
  id INTEGER PRIMARY KEY, slug TEXT NOT NULL UNIQUE, first_name TEXT NOT NULL, last_name TEXT NOT NULL,
  email TEXT NOT NULL, bio TEXT NOT NULL, title TEXT NOT NULL, linkedin_url TEXT NOT NULL,
  facebook_url TEXT NOT NULL, pinterest_url TEXT NOT NULL, instagram_url TEXT NOT NULL,
  twitter_handle TEXT NOT NULL, profile_image TEXT NOT NULL);
CREATE INDEX author_email ON author (email);

CREATE TABLE term (
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL CHECK (kind IN ('category', 'tag')),
  slug TEXT NOT NULL, name TEXT NOT NULL, name_key TEXT NOT NULL, UNIQUE (kind, slug), UNIQUE (kind, name_key));

CREATE TABLE post (
  id INTEGER PRIMARY KEY AUTOINCREMENT, group_id INTEGER NOT NULL, locale TEXT NOT NULL, slug TEXT NOT NULL,
  title TEXT NOT NULL, status TEXT NOT NULL CHECK (status IN ('draft', 'published', 'scheduled')),
  author_id INTEGER NOT NULL REFERENCES author (id),
  featured_image TEXT NOT NULL, featured_image_alt TEXT NOT NULL, summary TEXT NOT NULL,
  seo_title TEXT NOT NULL, meta_description TEXT NOT NULL, aliases_json TEXT NOT NULL, origin TEXT NOT NULL,
  reading_minutes INTEGER NOT NULL, body_digest TEXT NOT NULL, body_media TEXT NOT NULL,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, published_at INTEGER, scheduled_at INTEGER,
  deleted_at INTEGER, former_of INTEGER, body TEXT NOT NULL);
CREATE UNIQUE INDEX post_slug ON post (slug) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX post_group ON post (group_id, locale) WHERE deleted_at IS NULL;
CREATE INDEX post_newest ON post (locale, status, published_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX post_by_author ON post (author_id, locale, status, published_at DESC, id DESC)
  WHERE deleted_at IS NULL;
CREATE INDEX post_due ON post (scheduled_at) WHERE status = 'scheduled' AND deleted_at IS NULL;

CREATE TABLE post_term (
  post_id INTEGER NOT NULL REFERENCES post (id) ON DELETE CASCADE, term_id INTEGER NOT NULL REFERENCES term (id),
  position INTEGER NOT NULL, PRIMARY KEY (post_id, term_id)) WITHOUT ROWID;
CREATE INDEX post_term_posts ON post_term (term_id, post_id);

CREATE TABLE page (
  id INTEGER PRIMARY KEY AUTOINCREMENT, page_type TEXT NOT NULL, slug TEXT NOT NULL, title TEXT NOT NULL,
  origin TEXT NOT NULL, created_at INTEGER NOT NULL, deleted_at INTEGER, part_of INTEGER, former_of INTEGER);
CREATE UNIQUE INDEX page_slug ON page (page_type, slug) WHERE deleted_at IS NULL;

CREATE TABLE page_version (
  id INTEGER PRIMARY KEY, page_id INTEGER NOT NULL REFERENCES page (id) ON DELETE CASCADE,
  locale TEXT NOT NULL, version TEXT NOT NULL CHECK (version IN ('live', 'draft')),
  status TEXT NOT NULL CHECK (status IN ('draft', 'published', 'scheduled')), fields_json TEXT NOT NULL,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, published_at INTEGER, scheduled_at INTEGER,
  UNIQUE (page_id, locale, version));
CREATE INDEX page_version_newest ON page_version (locale, version, published_at DESC, page_id);
CREATE INDEX page_version_due ON page_version (scheduled_at) WHERE status = 'scheduled';

CREATE TABLE former_name (
  kind TEXT NOT NULL CHECK (kind IN ('post', 'page')), place TEXT NOT NULL, slug TEXT NOT NULL,
  entry_id INTEGER NOT NULL, was_shown INTEGER NOT NULL, PRIMARY KEY (kind, place, slug)) WITHOUT ROWID;
CREATE INDEX former_name_of_entry ON former_name (entry_id, kind);

CREATE TABLE item (
  id INTEGER PRIMARY KEY AUTOINCREMENT, collection TEXT NOT NULL, position INTEGER NOT NULL DEFAULT 2147483647,
  origin TEXT NOT NULL, created_at INTEGER NOT NULL, deleted_at INTEGER, part_of INTEGER, former_of INTEGER);
CREATE INDEX item_collection ON item (collection, position, id) WHERE deleted_at IS NULL;

CREATE TABLE item_version (
  id INTEGER PRIMARY KEY, item_id INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
  locale TEXT NOT NULL, version TEXT NOT NULL CHECK (version IN ('live', 'draft')),
  status TEXT NOT NULL CHECK (status IN ('draft', 'published', 'scheduled')), fields_json TEXT NOT NULL,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, published_at INTEGER, scheduled_at INTEGER,
  UNIQUE (item_id, locale, version));
CREATE INDEX item_version_due ON item_version (scheduled_at) WHERE status = 'scheduled';

CREATE TABLE media_file (
  name TEXT PRIMARY KEY, original_name TEXT NOT NULL, content_type TEXT NOT NULL, size_bytes INTEGER NOT NULL,
  width INTEGER, height INTEGER, created_at INTEGER NOT NULL) WITHOUT ROWID;

CREATE TABLE media_source (
  url_digest TEXT NOT NULL, name TEXT NOT NULL REFERENCES media_file (name) ON DELETE CASCADE,
  PRIMARY KEY (url_digest, name)) WITHOUT ROWID;
CREATE INDEX media_source_name ON media_source (name);

CREATE TABLE loaded_file (
  path TEXT PRIMARY KEY, digest TEXT NOT NULL, context TEXT NOT NULL, entries_json TEXT NOT NULL,
  media_json TEXT NOT NULL, loaded_at INTEGER NOT NULL, stamp TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE token (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, scope TEXT NOT NULL CHECK (scope IN ('read', 'write')),
  digest TEXT NOT NULL UNIQUE, limits_json TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER,
  revoked_at INTEGER, rotated_at INTEGER, former_digest TEXT, former_until INTEGER);
CREATE INDEX token_former ON token (former_digest) WHERE former_digest IS NOT NULL;

CREATE TABLE write (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, operation TEXT NOT NULL,
  entry_key TEXT NOT NULL, entry_id INTEGER NOT NULL, payload_json TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('accepted', 'applied', 'rejected', 'failed')),
  token_id INTEGER REFERENCES token (id), idempotency_key TEXT, idempotency_digest TEXT,
  owner TEXT, attempt INTEGER NOT NULL, errors_json TEXT NOT NULL,
  warnings_json TEXT NOT NULL DEFAULT '{}',
  accepted_at INTEGER NOT NULL, finished_at INTEGER);
CREATE UNIQUE INDEX write_idempotency ON write (token_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX write_open ON write (entry_key, sequence) WHERE status = 'accepted';
CREATE INDEX write_of_entry ON write (kind, entry_id) WHERE status = 'accepted';

CREATE TABLE reservation (
  kind TEXT NOT NULL, name TEXT NOT NULL, write_id TEXT NOT NULL REFERENCES write (id) ON DELETE CASCADE,
  PRIMARY KEY (kind, name)) WITHOUT ROWID;
CREATE INDEX reservation_write ON reservation (write_id);

CREATE TABLE webhook (
  id INTEGER PRIMARY KEY, target TEXT NOT NULL, events_json TEXT NOT NULL, secrets_json TEXT NOT NULL,
  headers_json TEXT NOT NULL, created_at INTEGER NOT NULL, disabled_at INTEGER);

CREATE TABLE delivery (
  id TEXT PRIMARY KEY, webhook_id INTEGER NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
  write_id TEXT REFERENCES write (id) ON DELETE SET NULL, event TEXT NOT NULL, payload_json TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('waiting', 'delivered', 'failed')), attempt INTEGER NOT NULL,
  failures INTEGER NOT NULL, owner TEXT, due_at INTEGER NOT NULL, created_at INTEGER NOT NULL, finished_at INTEGER);
CREATE INDEX delivery_claimed ON delivery (owner) WHERE owner IS NOT NULL;
CREATE INDEX delivery_due ON delivery (webhook_id, due_at) WHERE status = 'waiting';
CREATE INDEX delivery_of_webhook ON delivery (webhook_id, created_at);
CREATE INDEX delivery_of_write ON delivery (write_id) WHERE write_id IS NOT NULL;
CREATE INDEX delivery_finished ON delivery (finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE delivery_attempt (
  delivery_id TEXT NOT NULL REFERENCES delivery (id) ON DELETE CASCADE, attempt INTEGER NOT NULL,
  started_at INTEGER NOT NULL, duration_ms INTEGER, http_status INTEGER, answer TEXT NOT NULL,
  PRIMARY KEY (delivery_id, attempt)) WITHOUT ROWID;
"""
SHARED_ADDRESSES = """
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
"""The second step. Posts have a table of their own for own paths and feed ids: the body stays the last column."""
SHARED_SOURCES = """
CREATE TABLE post_source (
  post_id INTEGER PRIMARY KEY REFERENCES post (id) ON DELETE CASCADE, markdown TEXT NOT NULL);
"""
"""The third step: the text of posts that came as Markdown, as it was written. Other bodies are HTML."""
SHARED_PEOPLE = """
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
"""The fourth step: users of the studio, their sessions and actions, and unpublished changes of published posts.

Removed users stay, since other rows name them. `user_id` of a write is that of the user who sent it, without a foreign
key: the table is older than that of users, and copies of stores fill tables in order of age.
"""
SEARCH_NUMBER = """
ALTER TABLE change_number ADD COLUMN search INTEGER NOT NULL DEFAULT 0;
"""
"""The fifth step, for both engines: the number of changes of the search index of posts (`store.search.index`)."""
SHARED_POST_FIELDS = """
CREATE TABLE post_fields (
  post_id INTEGER PRIMARY KEY REFERENCES post (id) ON DELETE CASCADE, fields_json TEXT NOT NULL);
"""
"""The sixth step: values of the fields that schema/post.yaml declares."""
FIRST_KEYS: Mapping[str, tuple[str, ...]] = {
    "document": ("name",),
    "author": ("id",),
    "term": ("id",),
    "post": ("id",),
    "post_term": ("post_id", "term_id"),
    "page": ("id",),
    "page_version": ("id",),
    "former_name": ("kind", "place", "slug"),
    "item": ("id",),
    "item_version": ("id",),
    "media_file": ("name",),
    "media_source": ("url_digest", "name"),
    "loaded_file": ("path",),
    "token": ("id",),
    "write": ("sequence",),
    "reservation": ("kind", "name"),
    "webhook": ("id",),
    "delivery": ("rowid",),
    "delivery_attempt": ("delivery_id", "attempt"),
}
ADDRESS_KEYS: Mapping[str, tuple[str, ...]] = {
    "post_address": ("post_id",),
    "former_address": ("kind", "place", "locale", "path", "slug", "published_at"),
}
SOURCE_KEYS: Mapping[str, tuple[str, ...]] = {"post_source": ("post_id",)}
PEOPLE_KEYS: Mapping[str, tuple[str, ...]] = {
    "studio_user": ("id",),
    "studio_session": ("digest",),
    "audit_entry": ("id",),
    "working_copy": ("post_id",),
}
HISTORY_KEYS: Mapping[str, tuple[str, ...]] = {"revision": ("id",), "unsaved_form": ("id",)}
POST_FIELDS_KEYS: Mapping[str, tuple[str, ...]] = {"post_fields": ("post_id",)}
_SECRET_KEYS = {"second_factor": ("user_id",), "recovery_code": ("digest",), "account_link": ("digest",)}
ACCOUNT_KEYS: Mapping[str, tuple[str, ...]] = {**_SECRET_KEYS, "known_device": ("digest", "user_id")}
CLONE_KEYS: Mapping[str, tuple[str, ...]] = {"former_archive": ("kind", "slug")}
_ALL_KEYS = (
    FIRST_KEYS, ADDRESS_KEYS, SOURCE_KEYS, PEOPLE_KEYS, POST_FIELDS_KEYS, HISTORY_KEYS, ACCOUNT_KEYS, CLONE_KEYS
)  # fmt: skip
KEYS: Mapping[str, tuple[str, ...]] = {table: key for keys in _ALL_KEYS for table, key in keys.items()}
"""The key columns of each table whose rows have a digest, with which `sitecms verify` compares each row."""
SEPARATOR = "\x1f"
"""Separates the values of a key of several columns; none of them contains it."""


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
INSERT INTO post_search (post_search, rank) VALUES ('hashsize', 4194304);
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


def digested(keys: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Yield the triggers that record changes of rows of these tables."""
    for name, key in keys.items():
        yield _DIGESTED.format(table=name, new=_key("new", key), old=_key("old", key))


TABLES = "".join((SHARED_TABLES, _OWN, _DIGESTS, *digested(FIRST_KEYS)))

_FORMER = """
CREATE TRIGGER post_readdressed AFTER UPDATE OF published_at, slug, locale ON post
  WHEN old.published_at IS NOT NULL AND old.slug NOT LIKE '~%'
    AND (old.published_at, old.slug, old.locale) IS NOT (new.published_at, new.slug, new.locale)
  BEGIN
    INSERT INTO former_address VALUES ('post', '', old.locale,
      coalesce((SELECT path FROM post_address WHERE post_id = old.id), ''), old.slug, old.published_at, old.id)
    ON CONFLICT (kind, place, locale, path, slug, published_at) DO UPDATE SET entry_id = excluded.entry_id; END;
CREATE TRIGGER page_readdressed AFTER UPDATE OF slug, page_type, addresses_json ON page
  WHEN (old.slug, old.page_type, old.addresses_json) <> (new.slug, new.page_type, new.addresses_json)
    AND old.slug NOT LIKE '~%'
  BEGIN
    INSERT INTO former_address SELECT 'page', old.page_type, locale,
      coalesce((SELECT value FROM json_each(old.addresses_json, '$.paths') WHERE key = locale), ''),
      old.slug, published_at, old.id
    FROM page_version WHERE page_id = old.id AND version = 'live' AND published_at IS NOT NULL
    ON CONFLICT (kind, place, locale, path, slug, published_at) DO UPDATE SET entry_id = excluded.entry_id; END;
CREATE TRIGGER page_version_readdressed AFTER UPDATE OF published_at ON page_version
  WHEN old.version = 'live' AND old.published_at IS NOT NULL AND old.published_at IS NOT new.published_at
  BEGIN
    INSERT INTO former_address SELECT 'page', page_type, old.locale,
      coalesce((SELECT value FROM json_each(addresses_json, '$.paths') WHERE key = old.locale), ''),
      slug, old.published_at, id
    FROM page WHERE id = old.page_id
    ON CONFLICT (kind, place, locale, path, slug, published_at) DO UPDATE SET entry_id = excluded.entry_id; END;
CREATE TRIGGER item_readdressed AFTER UPDATE OF addresses_json ON item
  WHEN old.addresses_json <> new.addresses_json
  BEGIN
    INSERT INTO former_address SELECT 'item', '', locale, value, '', published_at, old.id
    FROM item_version JOIN json_each(old.addresses_json, '$.paths') ON key = locale
    WHERE item_id = old.id AND version = 'live' AND published_at IS NOT NULL
    ON CONFLICT (kind, place, locale, path, slug, published_at) DO UPDATE SET entry_id = excluded.entry_id; END;
"""
_ADDRESS_GONE = """
CREATE TRIGGER {table}_address_gone AFTER DELETE ON {table}
  BEGIN DELETE FROM former_address WHERE entry_id = old.id AND kind = '{table}'; END;
"""
ADDRESSES = "".join(
    (
        SHARED_ADDRESSES,
        _FORMER,
        *(_ADDRESS_GONE.format(table=table) for table in ("post", "page", "item")),
        *digested(ADDRESS_KEYS),
        "UPDATE row_digest SET digest = NULL WHERE name IN ('page', 'item', 'author', 'term');\n",
    )
)
SOURCES = "".join((SHARED_SOURCES, *digested(SOURCE_KEYS)))
PEOPLE = "".join((SHARED_PEOPLE, *digested(PEOPLE_KEYS), "UPDATE row_digest SET digest = NULL WHERE name = 'write';\n"))
POST_FIELDS = "".join((SHARED_POST_FIELDS, *digested(POST_FIELDS_KEYS)))
