
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

CREATE TABLE row_digest (name TEXT NOT NULL, key NOT NULL, digest BLOB, PRIMARY KEY (name, key)) WITHOUT ROWID;
CREATE INDEX row_digest_open ON row_digest (name, key) WHERE digest IS NULL;

CREATE TRIGGER document_inserted AFTER INSERT ON document
  BEGIN INSERT OR REPLACE INTO row_digest VALUES ('document', new.name, NULL); END;
CREATE TRIGGER document_updated AFTER UPDATE ON document
  BEGIN DELETE FROM row_digest WHERE name = 'document' AND key = +old.name; INSERT OR REPLACE INTO row_digest VALUES ('document', new.name, NULL); END;
CREATE TRIGGER document_deleted AFTER DELETE ON document
  BEGIN DELETE FROM row_digest WHERE name = 'document' AND key = +old.name; END;

CREATE TRIGGER author_inserted AFTER INSERT ON author
  BEGIN INSERT OR REPLACE INTO row_digest VALUES ('author', new.id, NULL); END;
CREATE TRIGGER author_updated AFTER UPDATE ON author
  BEGIN DELETE FROM row_digest WHERE name = 'author' AND key = +old.id; INSERT OR REPLACE INTO row_digest VALUES ('author', new.id, NULL); END;
CREATE TRIGGER author_deleted AFTER DELETE ON author
  BEGIN DELETE FROM row_digest WHERE name = 'author' AND key = +old.id; END;

CREATE TRIGGER term_inserted AFTER INSERT ON term
  BEGIN INSERT OR REPLACE INTO row_digest VALUES ('term', new.id, NULL); END;
CREATE TRIGGER term_updated AFTER UPDATE ON term
  BEGIN DELETE FROM row_digest WHERE name = 'term' AND key = +old.id; INSERT OR REPLACE INTO row_digest VALUES ('term', new.id, NULL); END;
CREATE TRIGGER term_deleted AFTER DELETE ON term
  BEGIN DELETE FROM row_digest WHERE name = 'term' AND key = +old.id; END;

CREATE TRIGGER post_inserted AFTER INSERT ON post
  BEGIN INSERT OR REPLACE INTO row_digest VALUES ('post', new.id, NULL); END;
CREATE TRIGGER post_updated AFTER UPDATE ON post
  BEGIN DELETE FROM row_digest WHERE name = 'post' AND key = +old.id; INSERT OR REPLACE INTO row_digest VALUES ('post', new.id, NULL); END;
CREATE TRIGGER post_deleted AFTER DELETE ON post
  BEGIN DELETE FROM row_digest WHERE name = 'post' AND key = +old.id; END;

CREATE TRIGGER post_term_inserted AFTER INSERT ON post_term
  BEGIN INSERT OR REPLACE INTO row_digest VALUES ('post_term', new.post_id || char(31) || new.term_id, NULL); END;
CREATE TRIGGER post_term_updated AFTER UPDATE ON post_term
  BEGIN DELETE FROM row_digest WHERE name = 'post_term' AND key = +old.post_id || char(31) || old.term_id; INSERT OR REPLACE INTO row_digest VALUES ('post_term', new.post_id || char(31) || new.term_id, NULL); END;
CREATE TRIGGER post_term_deleted AFTER DELETE ON post_term
  BEGIN DELETE FROM row_digest WHERE name = 'post_term' AND key = +old.post_id || char(31) || old.term_id; END;

CREATE TRIGGER page_inserted AFTER INSERT ON page
  BEGIN INSERT OR REPLACE INTO row_digest VALUES ('page', new.id, NULL); END;
CREATE TRIGGER page_updated AFTER UPDATE ON page
  BEGIN DELETE FROM row_digest WHERE name = 'page' AND key = +old.id; INSERT OR REPLACE INTO row_digest VALUES ('page', new.id, NULL); END;
CREATE TRIGGER page_deleted AFTER DELETE ON page
  BEGIN DELETE FROM row_digest WHERE name = 'page' AND key = +old.id; END;

CREATE TRIGGER page_version_inserted AFTER INSERT ON page_version
  BEGIN INSERT OR REPLACE INTO row_digest VALUES ('page_version', new.id, NULL); END;
CREATE TRIGGER page_version_updated AFTER UPDATE ON page_version
  BEGIN DELETE FROM row_digest WHERE name = 'page_version' AND key = +old.id; INSERT OR REPLACE INTO row_digest VALUES ('page_version', new.id, NULL); END;
CREATE TRIGGER page_version_deleted AFTER DELETE ON page_version
  BEGIN DELETE FROM row_digest WHERE name = 'page_version' AND key = +old.id; END;

CREATE TRIGGER former_name_inserted AFTER INSERT ON former_name
  BEGIN INSERT OR REPLACE INTO row_digest VALUES ('former_name', new.kind || char(31) || new.place || char(31) || new.slug, NULL); END;
CREATE TRIGGER former_name_updated AFTER UPDATE ON former_name
  BEGIN DELETE FROM row_digest WHERE name = 'former_name' AND key = +old.kind || char(31) || old.place || char(31) || old.slug; INSERT OR REPLACE INTO row_digest VALUES ('former_name', new.kind || char(31) || new.place || char(31) || new.slug, NULL); END;
CREATE TRIGGER former_name_deleted AFTER DELETE ON former_name
  BEGIN DELETE FROM row_digest WHERE name = 'former_name' AND key = +old.kind || char(31) || old.place || char(31) || old.slug; END;

CREATE TRIGGER item_inserted AFTER INSERT ON item
  BEGIN INSERT OR REPLACE INTO row_digest VALUES ('item', new.id, NULL); END;
CREATE TRIGGER item_updated AFTER UPDATE ON item
  BEGIN DELETE FROM row_digest WHERE name = 'item' AND key = +old.id; INSERT OR REPLACE INTO row_digest VALUES ('item', new.id, NULL); END;
CREATE TRIGGER item_deleted AFTER DELETE ON item
  BEGIN DELETE FROM row_digest WHERE name = 'item' AND key = +old.id; END;

CREATE TRIGGER item_version_inserted AFTER INSERT ON item_version
  BEGIN INSERT OR REPLACE INTO row_digest VALUES ('item_version', new.id, NULL); END;
CREATE TRIGGER item_version_updated AFTER UPDATE ON item_version
  BEGIN DELETE FROM row_digest WHERE name = 'item_version' AND key = +old.id; INSERT OR REPLACE INTO row_digest VALUES ('item_version', new.id, NULL); END;
CREATE TRIGGER item_version_deleted AFTER DELETE ON item_version
  BEGIN DELETE FROM row_digest WHERE name = 'item_version' AND key = +old.id; END;

CREATE TRIGGER media_file_inserted AFTER INSERT ON media_file
  BEGIN INSERT OR REPLACE INTO row_digest VALUES ('media_file', new.name, NULL); END;
CREATE TRIGGER media_file_updated AFTER UPDATE ON media_file
  BEGIN DELETE FROM row_digest WHERE name = 'media_file' AND key = +old.name; INSERT OR REPLACE INTO row_digest VALUES ('media_file', new.name, NULL); END;
CREATE TRIGGER media_file_deleted AFTER DELETE ON media_file
  BEGIN DELETE FROM row_digest WHERE name = 'media_file' AND key = +old.name; END;

CREATE TRIGGER media_source_inserted AFTER INSERT ON media_source
  BEGIN INSERT OR REPLACE INTO row_digest VALUES ('media_source', new.url_digest || char(31) || new.name, NULL); END;
CREATE TRIGGER media_source_updated AFTER UPDATE ON media_source
  BEGIN DELETE FROM row_digest WHERE name = 'media_source' AND key = +old.url_digest || char(31) || old.name; INSERT OR REPLACE INTO row_digest VALUES ('media_source', new.url_digest || char(31) || new.name, NULL); END;
CREATE TRIGGER media_source_deleted AFTER DELETE ON media_source
  BEGIN DELETE FROM row_digest WHERE name = 'media_source' AND key = +old.url_digest || char(31) || old.name; END;

CREATE TRIGGER loaded_file_inserted AFTER INSERT ON loaded_file
  BEGIN INSERT OR REPLACE INTO row_digest VALUES ('loaded_file', new.path, NULL); END;
CREATE TRIGGER loaded_file_updated AFTER UPDATE ON loaded_file
  BEGIN DELETE FROM row_digest WHERE name = 'loaded_file' AND key = +old.path; INSERT OR REPLACE INTO row_digest VALUES ('loaded_file', new.path, NULL); END;
CREATE TRIGGER loaded_file_deleted AFTER DELETE ON loaded_file
  BEGIN DELETE FROM row_digest WHERE name = 'loaded_file' AND key = +old.path; END;

CREATE TRIGGER token_inserted AFTER INSERT ON token
  BEGIN INSERT OR REPLACE INTO row_digest VALUES ('token', new.id, NULL); END;
CREATE TRIGGER token_updated AFTER UPDATE ON token
  BEGIN DELETE FROM row_digest WHERE name = 'token' AND key = +old.id; INSERT OR REPLACE INTO row_digest VALUES ('token', new.id, NULL); END;
CREATE TRIGGER token_deleted AFTER DELETE ON token
  BEGIN DELETE FROM row_digest WHERE name = 'token' AND key = +old.id; END;

CREATE TRIGGER write_inserted AFTER INSERT ON write
  BEGIN INSERT OR REPLACE INTO row_digest VALUES ('write', new.sequence, NULL); END;
CREATE TRIGGER write_updated AFTER UPDATE ON write
  BEGIN DELETE FROM row_digest WHERE name = 'write' AND key = +old.sequence; INSERT OR REPLACE INTO row_digest VALUES ('write', new.sequence, NULL); END;
CREATE TRIGGER write_deleted AFTER DELETE ON write
  BEGIN DELETE FROM row_digest WHERE name = 'write' AND key = +old.sequence; END;

CREATE TRIGGER reservation_inserted AFTER INSERT ON reservation
  BEGIN INSERT OR REPLACE INTO row_digest VALUES ('reservation', new.kind || char(31) || new.name, NULL); END;
CREATE TRIGGER reservation_updated AFTER UPDATE ON reservation
  BEGIN DELETE FROM row_digest WHERE name = 'reservation' AND key = +old.kind || char(31) || old.name; INSERT OR REPLACE INTO row_digest VALUES ('reservation', new.kind || char(31) || new.name, NULL); END;
CREATE TRIGGER reservation_deleted AFTER DELETE ON reservation
  BEGIN DELETE FROM row_digest WHERE name = 'reservation' AND key = +old.kind || char(31) || old.name; END;

CREATE TRIGGER webhook_inserted AFTER INSERT ON webhook
  BEGIN INSERT OR REPLACE INTO row_digest VALUES ('webhook', new.id, NULL); END;
CREATE TRIGGER webhook_updated AFTER UPDATE ON webhook
  BEGIN DELETE FROM row_digest WHERE name = 'webhook' AND key = +old.id; INSERT OR REPLACE INTO row_digest VALUES ('webhook', new.id, NULL); END;
CREATE TRIGGER webhook_deleted AFTER DELETE ON webhook
  BEGIN DELETE FROM row_digest WHERE name = 'webhook' AND key = +old.id; END;

CREATE TRIGGER delivery_inserted AFTER INSERT ON delivery
  BEGIN INSERT OR REPLACE INTO row_digest VALUES ('delivery', new.rowid, NULL); END;
CREATE TRIGGER delivery_updated AFTER UPDATE ON delivery
  BEGIN DELETE FROM row_digest WHERE name = 'delivery' AND key = +old.rowid; INSERT OR REPLACE INTO row_digest VALUES ('delivery', new.rowid, NULL); END;
CREATE TRIGGER delivery_deleted AFTER DELETE ON delivery
  BEGIN DELETE FROM row_digest WHERE name = 'delivery' AND key = +old.rowid; END;

CREATE TRIGGER delivery_attempt_inserted AFTER INSERT ON delivery_attempt
  BEGIN INSERT OR REPLACE INTO row_digest VALUES ('delivery_attempt', new.delivery_id || char(31) || new.attempt, NULL); END;
CREATE TRIGGER delivery_attempt_updated AFTER UPDATE ON delivery_attempt
  BEGIN DELETE FROM row_digest WHERE name = 'delivery_attempt' AND key = +old.delivery_id || char(31) || old.attempt; INSERT OR REPLACE INTO row_digest VALUES ('delivery_attempt', new.delivery_id || char(31) || new.attempt, NULL); END;
CREATE TRIGGER delivery_attempt_deleted AFTER DELETE ON delivery_attempt
  BEGIN DELETE FROM row_digest WHERE name = 'delivery_attempt' AND key = +old.delivery_id || char(31) || old.attempt; END;
