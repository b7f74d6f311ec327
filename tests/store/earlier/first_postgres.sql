
CREATE TABLE change_number (id BIGINT PRIMARY KEY CHECK (id = 1), number BIGINT NOT NULL, mark TEXT COLLATE "C" NOT NULL);

CREATE TABLE move (
  id BIGINT PRIMARY KEY CHECK (id = 1),
  state TEXT COLLATE "C" NOT NULL CHECK (state IN ('leaving', 'gone', 'arriving', 'arrived')),
  place TEXT COLLATE "C" NOT NULL, mark TEXT COLLATE "C" NOT NULL);

CREATE TABLE document (name TEXT COLLATE "C" PRIMARY KEY, value_json TEXT COLLATE "C" NOT NULL);

CREATE TABLE author (
  id BIGINT PRIMARY KEY, slug TEXT COLLATE "C" NOT NULL UNIQUE, first_name TEXT COLLATE "C" NOT NULL, last_name TEXT COLLATE "C" NOT NULL,
  email TEXT COLLATE "C" NOT NULL, bio TEXT COLLATE "C" NOT NULL, title TEXT COLLATE "C" NOT NULL, linkedin_url TEXT COLLATE "C" NOT NULL,
  facebook_url TEXT COLLATE "C" NOT NULL, pinterest_url TEXT COLLATE "C" NOT NULL, instagram_url TEXT COLLATE "C" NOT NULL,
  twitter_handle TEXT COLLATE "C" NOT NULL, profile_image TEXT COLLATE "C" NOT NULL);
CREATE INDEX author_email ON author (email);

CREATE TABLE term (
  id BIGINT PRIMARY KEY, kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('category', 'tag')),
  slug TEXT COLLATE "C" NOT NULL, name TEXT COLLATE "C" NOT NULL, name_key TEXT COLLATE "C" NOT NULL, UNIQUE (kind, slug), UNIQUE (kind, name_key));

CREATE TABLE post (
  id BIGINT PRIMARY KEY, group_id BIGINT NOT NULL, locale TEXT COLLATE "C" NOT NULL, slug TEXT COLLATE "C" NOT NULL,
  title TEXT COLLATE "C" NOT NULL, status TEXT COLLATE "C" NOT NULL CHECK (status IN ('draft', 'published', 'scheduled')),
  author_id BIGINT NOT NULL REFERENCES author (id),
  featured_image TEXT COLLATE "C" NOT NULL, featured_image_alt TEXT COLLATE "C" NOT NULL, summary TEXT COLLATE "C" NOT NULL,
  seo_title TEXT COLLATE "C" NOT NULL, meta_description TEXT COLLATE "C" NOT NULL, aliases_json TEXT COLLATE "C" NOT NULL, origin TEXT COLLATE "C" NOT NULL,
  reading_minutes BIGINT NOT NULL, body_digest TEXT COLLATE "C" NOT NULL, body_media TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, published_at BIGINT, scheduled_at BIGINT,
  deleted_at BIGINT, former_of BIGINT, body TEXT COLLATE "C" NOT NULL);
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
  id BIGINT PRIMARY KEY, page_type TEXT COLLATE "C" NOT NULL, slug TEXT COLLATE "C" NOT NULL, title TEXT COLLATE "C" NOT NULL,
  origin TEXT COLLATE "C" NOT NULL, created_at BIGINT NOT NULL, deleted_at BIGINT, part_of BIGINT, former_of BIGINT);
CREATE UNIQUE INDEX page_slug ON page (page_type, slug) WHERE deleted_at IS NULL;

CREATE TABLE page_version (
  id BIGINT PRIMARY KEY, page_id BIGINT NOT NULL REFERENCES page (id) ON DELETE CASCADE,
  locale TEXT COLLATE "C" NOT NULL, version TEXT COLLATE "C" NOT NULL CHECK (version IN ('live', 'draft')),
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('draft', 'published', 'scheduled')), fields_json TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, published_at BIGINT, scheduled_at BIGINT,
  UNIQUE (page_id, locale, version));
CREATE INDEX page_version_newest ON page_version (locale, version, published_at DESC, page_id);
CREATE INDEX page_version_due ON page_version (scheduled_at) WHERE status = 'scheduled';

CREATE TABLE former_name (
  kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('post', 'page')), place TEXT COLLATE "C" NOT NULL, slug TEXT COLLATE "C" NOT NULL,
  entry_id BIGINT NOT NULL, was_shown BIGINT NOT NULL, PRIMARY KEY (kind, place, slug));
CREATE INDEX former_name_of_entry ON former_name (entry_id, kind);

CREATE TABLE item (
  id BIGINT PRIMARY KEY, collection TEXT COLLATE "C" NOT NULL, position BIGINT NOT NULL DEFAULT 2147483647,
  origin TEXT COLLATE "C" NOT NULL, created_at BIGINT NOT NULL, deleted_at BIGINT, part_of BIGINT, former_of BIGINT);
CREATE INDEX item_collection ON item (collection, position, id) WHERE deleted_at IS NULL;

CREATE TABLE item_version (
  id BIGINT PRIMARY KEY, item_id BIGINT NOT NULL REFERENCES item (id) ON DELETE CASCADE,
  locale TEXT COLLATE "C" NOT NULL, version TEXT COLLATE "C" NOT NULL CHECK (version IN ('live', 'draft')),
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('draft', 'published', 'scheduled')), fields_json TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, published_at BIGINT, scheduled_at BIGINT,
  UNIQUE (item_id, locale, version));
CREATE INDEX item_version_due ON item_version (scheduled_at) WHERE status = 'scheduled';

CREATE TABLE media_file (
  name TEXT COLLATE "C" PRIMARY KEY, original_name TEXT COLLATE "C" NOT NULL, content_type TEXT COLLATE "C" NOT NULL, size_bytes BIGINT NOT NULL,
  width BIGINT, height BIGINT, created_at BIGINT NOT NULL);

CREATE TABLE media_source (
  url_digest TEXT COLLATE "C" NOT NULL, name TEXT COLLATE "C" NOT NULL REFERENCES media_file (name) ON DELETE CASCADE,
  PRIMARY KEY (url_digest, name));
CREATE INDEX media_source_name ON media_source (name);

CREATE TABLE loaded_file (
  path TEXT COLLATE "C" PRIMARY KEY, digest TEXT COLLATE "C" NOT NULL, context TEXT COLLATE "C" NOT NULL, entries_json TEXT COLLATE "C" NOT NULL,
  media_json TEXT COLLATE "C" NOT NULL, loaded_at BIGINT NOT NULL, stamp TEXT COLLATE "C" NOT NULL);

CREATE TABLE token (
  id BIGINT PRIMARY KEY, name TEXT COLLATE "C" NOT NULL UNIQUE, scope TEXT COLLATE "C" NOT NULL CHECK (scope IN ('read', 'write')),
  digest TEXT COLLATE "C" NOT NULL UNIQUE, limits_json TEXT COLLATE "C" NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT,
  revoked_at BIGINT, rotated_at BIGINT, former_digest TEXT COLLATE "C", former_until BIGINT);
CREATE INDEX token_former ON token (former_digest) WHERE former_digest IS NOT NULL;

CREATE TABLE write (
  sequence BIGINT PRIMARY KEY, id TEXT COLLATE "C" NOT NULL UNIQUE, kind TEXT COLLATE "C" NOT NULL, operation TEXT COLLATE "C" NOT NULL,
  entry_key TEXT COLLATE "C" NOT NULL, entry_id BIGINT NOT NULL, payload_json TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('accepted', 'applied', 'rejected', 'failed')),
  token_id BIGINT REFERENCES token (id), idempotency_key TEXT COLLATE "C", idempotency_digest TEXT COLLATE "C",
  owner TEXT COLLATE "C", attempt BIGINT NOT NULL, errors_json TEXT COLLATE "C" NOT NULL,
  warnings_json TEXT COLLATE "C" NOT NULL DEFAULT '{}',
  accepted_at BIGINT NOT NULL, finished_at BIGINT);
CREATE UNIQUE INDEX write_idempotency ON write (token_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX write_open ON write (entry_key, sequence) WHERE status = 'accepted';
CREATE INDEX write_of_entry ON write (kind, entry_id) WHERE status = 'accepted';

CREATE TABLE reservation (
  kind TEXT COLLATE "C" NOT NULL, name TEXT COLLATE "C" NOT NULL, write_id TEXT COLLATE "C" NOT NULL REFERENCES write (id) ON DELETE CASCADE,
  PRIMARY KEY (kind, name));
CREATE INDEX reservation_write ON reservation (write_id);

CREATE TABLE webhook (
  id BIGINT PRIMARY KEY, target TEXT COLLATE "C" NOT NULL, events_json TEXT COLLATE "C" NOT NULL, secrets_json TEXT COLLATE "C" NOT NULL,
  headers_json TEXT COLLATE "C" NOT NULL, created_at BIGINT NOT NULL, disabled_at BIGINT);

CREATE TABLE delivery (
  id TEXT COLLATE "C" PRIMARY KEY, webhook_id BIGINT NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
  write_id TEXT COLLATE "C" REFERENCES write (id) ON DELETE SET NULL, event TEXT COLLATE "C" NOT NULL, payload_json TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('waiting', 'delivered', 'failed')), attempt BIGINT NOT NULL,
  failures BIGINT NOT NULL, owner TEXT COLLATE "C", due_at BIGINT NOT NULL, created_at BIGINT NOT NULL, finished_at BIGINT);
CREATE INDEX delivery_claimed ON delivery (owner) WHERE owner IS NOT NULL;
CREATE INDEX delivery_due ON delivery (webhook_id, due_at) WHERE status = 'waiting';
CREATE INDEX delivery_of_webhook ON delivery (webhook_id, created_at);
CREATE INDEX delivery_of_write ON delivery (write_id) WHERE write_id IS NOT NULL;
CREATE INDEX delivery_finished ON delivery (finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE delivery_attempt (
  delivery_id TEXT COLLATE "C" NOT NULL REFERENCES delivery (id) ON DELETE CASCADE, attempt BIGINT NOT NULL,
  started_at BIGINT NOT NULL, duration_ms BIGINT, http_status BIGINT, answer TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (delivery_id, attempt));

INSERT INTO change_number VALUES (1, 0, upper(left(md5(gen_random_uuid()::text), 16)));

ALTER TABLE page_version
  ADD COLUMN fields_indexed JSONB NOT NULL GENERATED ALWAYS AS (fields_json::jsonb) STORED;
CREATE INDEX page_version_fields ON page_version USING gin (fields_indexed jsonb_path_ops);
ALTER TABLE item_version
  ADD COLUMN fields_indexed JSONB NOT NULL GENERATED ALWAYS AS (fields_json::jsonb) STORED;
CREATE INDEX item_version_fields ON item_version USING gin (fields_indexed jsonb_path_ops);
ALTER TABLE delivery ADD COLUMN rowid BIGINT NOT NULL;

CREATE TABLE post_search (rowid BIGINT PRIMARY KEY, words TSVECTOR NOT NULL);
CREATE INDEX post_search_words ON post_search USING gin (words);
CREATE TABLE page_search (rowid BIGINT PRIMARY KEY, words TSVECTOR NOT NULL);
CREATE INDEX page_search_words ON page_search USING gin (words);

CREATE TABLE last_id (name TEXT COLLATE "C" PRIMARY KEY, number BIGINT NOT NULL);

CREATE FUNCTION matching(words TEXT) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT string_agg('''' || left(word[1], 500) || '''' || coalesce(':*' || left(word[2], 0), ''), ' & ')::tsquery
  FROM regexp_matches(words, '"([^"]*)"( [*])?', 'g') AS word $$;

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

CREATE FUNCTION post_gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM former_name WHERE entry_id = old.id AND kind = 'post';
  RETURN NULL; END $$;
CREATE TRIGGER post_gone AFTER DELETE ON post FOR EACH ROW EXECUTE FUNCTION post_gone();

CREATE FUNCTION page_gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM former_name WHERE entry_id = old.id AND kind = 'page';
  RETURN NULL; END $$;
CREATE TRIGGER page_gone AFTER DELETE ON page FOR EACH ROW EXECUTE FUNCTION page_gone();

CREATE FUNCTION author_numbered() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  new.id := coalesce((SELECT max(id) FROM author), 0) + 1;
  RETURN new; END $$;
CREATE TRIGGER author_numbered BEFORE INSERT ON author FOR EACH ROW WHEN (new.id IS NULL)
  EXECUTE FUNCTION author_numbered();

CREATE FUNCTION term_numbered() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  new.id := coalesce((SELECT max(id) FROM term), 0) + 1;
  RETURN new; END $$;
CREATE TRIGGER term_numbered BEFORE INSERT ON term FOR EACH ROW WHEN (new.id IS NULL)
  EXECUTE FUNCTION term_numbered();

CREATE FUNCTION page_version_numbered() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  new.id := coalesce((SELECT max(id) FROM page_version), 0) + 1;
  RETURN new; END $$;
CREATE TRIGGER page_version_numbered BEFORE INSERT ON page_version FOR EACH ROW WHEN (new.id IS NULL)
  EXECUTE FUNCTION page_version_numbered();

CREATE FUNCTION item_version_numbered() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  new.id := coalesce((SELECT max(id) FROM item_version), 0) + 1;
  RETURN new; END $$;
CREATE TRIGGER item_version_numbered BEFORE INSERT ON item_version FOR EACH ROW WHEN (new.id IS NULL)
  EXECUTE FUNCTION item_version_numbered();

CREATE FUNCTION token_numbered() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  new.id := coalesce((SELECT max(id) FROM token), 0) + 1;
  RETURN new; END $$;
CREATE TRIGGER token_numbered BEFORE INSERT ON token FOR EACH ROW WHEN (new.id IS NULL)
  EXECUTE FUNCTION token_numbered();

CREATE FUNCTION webhook_numbered() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  new.id := coalesce((SELECT max(id) FROM webhook), 0) + 1;
  RETURN new; END $$;
CREATE TRIGGER webhook_numbered BEFORE INSERT ON webhook FOR EACH ROW WHEN (new.id IS NULL)
  EXECUTE FUNCTION webhook_numbered();

CREATE FUNCTION delivery_numbered() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  new.rowid := coalesce((SELECT max(rowid) FROM delivery), 0) + 1;
  RETURN new; END $$;
CREATE TRIGGER delivery_numbered BEFORE INSERT ON delivery FOR EACH ROW WHEN (new.rowid IS NULL)
  EXECUTE FUNCTION delivery_numbered();

CREATE FUNCTION post_numbered() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  new.id := 1 + greatest((SELECT max(id) FROM post),
    (SELECT number FROM last_id WHERE name = 'post'), 0);
  RETURN new; END $$;
CREATE TRIGGER post_numbered BEFORE INSERT ON post FOR EACH ROW WHEN (new.id IS NULL)
  EXECUTE FUNCTION post_numbered();
CREATE FUNCTION post_removed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO last_id VALUES ('post', old.id)
    ON CONFLICT (name) DO UPDATE SET number = excluded.number WHERE last_id.number < excluded.number;
  RETURN NULL; END $$;
CREATE TRIGGER post_removed AFTER DELETE ON post FOR EACH ROW EXECUTE FUNCTION post_removed();

CREATE FUNCTION page_numbered() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  new.id := 1 + greatest((SELECT max(id) FROM page),
    (SELECT number FROM last_id WHERE name = 'page'), 0);
  RETURN new; END $$;
CREATE TRIGGER page_numbered BEFORE INSERT ON page FOR EACH ROW WHEN (new.id IS NULL)
  EXECUTE FUNCTION page_numbered();
CREATE FUNCTION page_removed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO last_id VALUES ('page', old.id)
    ON CONFLICT (name) DO UPDATE SET number = excluded.number WHERE last_id.number < excluded.number;
  RETURN NULL; END $$;
CREATE TRIGGER page_removed AFTER DELETE ON page FOR EACH ROW EXECUTE FUNCTION page_removed();

CREATE FUNCTION item_numbered() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  new.id := 1 + greatest((SELECT max(id) FROM item),
    (SELECT number FROM last_id WHERE name = 'item'), 0);
  RETURN new; END $$;
CREATE TRIGGER item_numbered BEFORE INSERT ON item FOR EACH ROW WHEN (new.id IS NULL)
  EXECUTE FUNCTION item_numbered();
CREATE FUNCTION item_removed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO last_id VALUES ('item', old.id)
    ON CONFLICT (name) DO UPDATE SET number = excluded.number WHERE last_id.number < excluded.number;
  RETURN NULL; END $$;
CREATE TRIGGER item_removed AFTER DELETE ON item FOR EACH ROW EXECUTE FUNCTION item_removed();

CREATE FUNCTION write_numbered() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  new.sequence := 1 + greatest((SELECT max(sequence) FROM write),
    (SELECT number FROM last_id WHERE name = 'write'), 0);
  RETURN new; END $$;
CREATE TRIGGER write_numbered BEFORE INSERT ON write FOR EACH ROW WHEN (new.sequence IS NULL)
  EXECUTE FUNCTION write_numbered();
CREATE FUNCTION write_removed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO last_id VALUES ('write', old.sequence)
    ON CONFLICT (name) DO UPDATE SET number = excluded.number WHERE last_id.number < excluded.number;
  RETURN NULL; END $$;
CREATE TRIGGER write_removed AFTER DELETE ON write FOR EACH ROW EXECUTE FUNCTION write_removed();

CREATE TABLE row_digest (name TEXT COLLATE "C" NOT NULL, key TEXT COLLATE "C" NOT NULL, digest TEXT COLLATE "C" NOT NULL, PRIMARY KEY (name, key));

CREATE FUNCTION document_digested() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND old.name::text <> new.name::text) THEN
    DELETE FROM row_digest WHERE name = 'document' AND key = old.name::text;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO row_digest VALUES ('document', new.name::text, md5(new::text))
      ON CONFLICT (name, key) DO UPDATE SET digest = excluded.digest;
  END IF;
  RETURN NULL; END $$;
CREATE TRIGGER document_digested AFTER INSERT OR UPDATE OR DELETE ON document FOR EACH ROW
  EXECUTE FUNCTION document_digested();
ALTER TABLE document ENABLE ALWAYS TRIGGER document_digested;

CREATE FUNCTION author_digested() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND old.id::text <> new.id::text) THEN
    DELETE FROM row_digest WHERE name = 'author' AND key = old.id::text;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO row_digest VALUES ('author', new.id::text, md5(new::text))
      ON CONFLICT (name, key) DO UPDATE SET digest = excluded.digest;
  END IF;
  RETURN NULL; END $$;
CREATE TRIGGER author_digested AFTER INSERT OR UPDATE OR DELETE ON author FOR EACH ROW
  EXECUTE FUNCTION author_digested();
ALTER TABLE author ENABLE ALWAYS TRIGGER author_digested;

CREATE FUNCTION term_digested() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND old.id::text <> new.id::text) THEN
    DELETE FROM row_digest WHERE name = 'term' AND key = old.id::text;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO row_digest VALUES ('term', new.id::text, md5(new::text))
      ON CONFLICT (name, key) DO UPDATE SET digest = excluded.digest;
  END IF;
  RETURN NULL; END $$;
CREATE TRIGGER term_digested AFTER INSERT OR UPDATE OR DELETE ON term FOR EACH ROW
  EXECUTE FUNCTION term_digested();
ALTER TABLE term ENABLE ALWAYS TRIGGER term_digested;

CREATE FUNCTION post_digested() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND old.id::text <> new.id::text) THEN
    DELETE FROM row_digest WHERE name = 'post' AND key = old.id::text;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO row_digest VALUES ('post', new.id::text, md5(new::text))
      ON CONFLICT (name, key) DO UPDATE SET digest = excluded.digest;
  END IF;
  RETURN NULL; END $$;
CREATE TRIGGER post_digested AFTER INSERT OR UPDATE OR DELETE ON post FOR EACH ROW
  EXECUTE FUNCTION post_digested();
ALTER TABLE post ENABLE ALWAYS TRIGGER post_digested;

CREATE FUNCTION post_term_digested() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND old.post_id::text || chr(31) || old.term_id::text <> new.post_id::text || chr(31) || new.term_id::text) THEN
    DELETE FROM row_digest WHERE name = 'post_term' AND key = old.post_id::text || chr(31) || old.term_id::text;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO row_digest VALUES ('post_term', new.post_id::text || chr(31) || new.term_id::text, md5(new::text))
      ON CONFLICT (name, key) DO UPDATE SET digest = excluded.digest;
  END IF;
  RETURN NULL; END $$;
CREATE TRIGGER post_term_digested AFTER INSERT OR UPDATE OR DELETE ON post_term FOR EACH ROW
  EXECUTE FUNCTION post_term_digested();
ALTER TABLE post_term ENABLE ALWAYS TRIGGER post_term_digested;

CREATE FUNCTION page_digested() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND old.id::text <> new.id::text) THEN
    DELETE FROM row_digest WHERE name = 'page' AND key = old.id::text;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO row_digest VALUES ('page', new.id::text, md5(new::text))
      ON CONFLICT (name, key) DO UPDATE SET digest = excluded.digest;
  END IF;
  RETURN NULL; END $$;
CREATE TRIGGER page_digested AFTER INSERT OR UPDATE OR DELETE ON page FOR EACH ROW
  EXECUTE FUNCTION page_digested();
ALTER TABLE page ENABLE ALWAYS TRIGGER page_digested;

CREATE FUNCTION page_version_digested() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND old.id::text <> new.id::text) THEN
    DELETE FROM row_digest WHERE name = 'page_version' AND key = old.id::text;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO row_digest VALUES ('page_version', new.id::text, md5(new::text))
      ON CONFLICT (name, key) DO UPDATE SET digest = excluded.digest;
  END IF;
  RETURN NULL; END $$;
CREATE TRIGGER page_version_digested AFTER INSERT OR UPDATE OR DELETE ON page_version FOR EACH ROW
  EXECUTE FUNCTION page_version_digested();
ALTER TABLE page_version ENABLE ALWAYS TRIGGER page_version_digested;

CREATE FUNCTION former_name_digested() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND old.kind::text || chr(31) || old.place::text || chr(31) || old.slug::text <> new.kind::text || chr(31) || new.place::text || chr(31) || new.slug::text) THEN
    DELETE FROM row_digest WHERE name = 'former_name' AND key = old.kind::text || chr(31) || old.place::text || chr(31) || old.slug::text;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO row_digest VALUES ('former_name', new.kind::text || chr(31) || new.place::text || chr(31) || new.slug::text, md5(new::text))
      ON CONFLICT (name, key) DO UPDATE SET digest = excluded.digest;
  END IF;
  RETURN NULL; END $$;
CREATE TRIGGER former_name_digested AFTER INSERT OR UPDATE OR DELETE ON former_name FOR EACH ROW
  EXECUTE FUNCTION former_name_digested();
ALTER TABLE former_name ENABLE ALWAYS TRIGGER former_name_digested;

CREATE FUNCTION item_digested() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND old.id::text <> new.id::text) THEN
    DELETE FROM row_digest WHERE name = 'item' AND key = old.id::text;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO row_digest VALUES ('item', new.id::text, md5(new::text))
      ON CONFLICT (name, key) DO UPDATE SET digest = excluded.digest;
  END IF;
  RETURN NULL; END $$;
CREATE TRIGGER item_digested AFTER INSERT OR UPDATE OR DELETE ON item FOR EACH ROW
  EXECUTE FUNCTION item_digested();
ALTER TABLE item ENABLE ALWAYS TRIGGER item_digested;

CREATE FUNCTION item_version_digested() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND old.id::text <> new.id::text) THEN
    DELETE FROM row_digest WHERE name = 'item_version' AND key = old.id::text;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO row_digest VALUES ('item_version', new.id::text, md5(new::text))
      ON CONFLICT (name, key) DO UPDATE SET digest = excluded.digest;
  END IF;
  RETURN NULL; END $$;
CREATE TRIGGER item_version_digested AFTER INSERT OR UPDATE OR DELETE ON item_version FOR EACH ROW
  EXECUTE FUNCTION item_version_digested();
ALTER TABLE item_version ENABLE ALWAYS TRIGGER item_version_digested;

CREATE FUNCTION media_file_digested() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND old.name::text <> new.name::text) THEN
    DELETE FROM row_digest WHERE name = 'media_file' AND key = old.name::text;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO row_digest VALUES ('media_file', new.name::text, md5(new::text))
      ON CONFLICT (name, key) DO UPDATE SET digest = excluded.digest;
  END IF;
  RETURN NULL; END $$;
CREATE TRIGGER media_file_digested AFTER INSERT OR UPDATE OR DELETE ON media_file FOR EACH ROW
  EXECUTE FUNCTION media_file_digested();
ALTER TABLE media_file ENABLE ALWAYS TRIGGER media_file_digested;

CREATE FUNCTION media_source_digested() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND old.url_digest::text || chr(31) || old.name::text <> new.url_digest::text || chr(31) || new.name::text) THEN
    DELETE FROM row_digest WHERE name = 'media_source' AND key = old.url_digest::text || chr(31) || old.name::text;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO row_digest VALUES ('media_source', new.url_digest::text || chr(31) || new.name::text, md5(new::text))
      ON CONFLICT (name, key) DO UPDATE SET digest = excluded.digest;
  END IF;
  RETURN NULL; END $$;
CREATE TRIGGER media_source_digested AFTER INSERT OR UPDATE OR DELETE ON media_source FOR EACH ROW
  EXECUTE FUNCTION media_source_digested();
ALTER TABLE media_source ENABLE ALWAYS TRIGGER media_source_digested;

CREATE FUNCTION loaded_file_digested() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND old.path::text <> new.path::text) THEN
    DELETE FROM row_digest WHERE name = 'loaded_file' AND key = old.path::text;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO row_digest VALUES ('loaded_file', new.path::text, md5(new::text))
      ON CONFLICT (name, key) DO UPDATE SET digest = excluded.digest;
  END IF;
  RETURN NULL; END $$;
CREATE TRIGGER loaded_file_digested AFTER INSERT OR UPDATE OR DELETE ON loaded_file FOR EACH ROW
  EXECUTE FUNCTION loaded_file_digested();
ALTER TABLE loaded_file ENABLE ALWAYS TRIGGER loaded_file_digested;

CREATE FUNCTION token_digested() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND old.id::text <> new.id::text) THEN
    DELETE FROM row_digest WHERE name = 'token' AND key = old.id::text;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO row_digest VALUES ('token', new.id::text, md5(new::text))
      ON CONFLICT (name, key) DO UPDATE SET digest = excluded.digest;
  END IF;
  RETURN NULL; END $$;
CREATE TRIGGER token_digested AFTER INSERT OR UPDATE OR DELETE ON token FOR EACH ROW
  EXECUTE FUNCTION token_digested();
ALTER TABLE token ENABLE ALWAYS TRIGGER token_digested;

CREATE FUNCTION write_digested() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND old.sequence::text <> new.sequence::text) THEN
    DELETE FROM row_digest WHERE name = 'write' AND key = old.sequence::text;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO row_digest VALUES ('write', new.sequence::text, md5(new::text))
      ON CONFLICT (name, key) DO UPDATE SET digest = excluded.digest;
  END IF;
  RETURN NULL; END $$;
CREATE TRIGGER write_digested AFTER INSERT OR UPDATE OR DELETE ON write FOR EACH ROW
  EXECUTE FUNCTION write_digested();
ALTER TABLE write ENABLE ALWAYS TRIGGER write_digested;

CREATE FUNCTION reservation_digested() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND old.kind::text || chr(31) || old.name::text <> new.kind::text || chr(31) || new.name::text) THEN
    DELETE FROM row_digest WHERE name = 'reservation' AND key = old.kind::text || chr(31) || old.name::text;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO row_digest VALUES ('reservation', new.kind::text || chr(31) || new.name::text, md5(new::text))
      ON CONFLICT (name, key) DO UPDATE SET digest = excluded.digest;
  END IF;
  RETURN NULL; END $$;
CREATE TRIGGER reservation_digested AFTER INSERT OR UPDATE OR DELETE ON reservation FOR EACH ROW
  EXECUTE FUNCTION reservation_digested();
ALTER TABLE reservation ENABLE ALWAYS TRIGGER reservation_digested;

CREATE FUNCTION webhook_digested() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND old.id::text <> new.id::text) THEN
    DELETE FROM row_digest WHERE name = 'webhook' AND key = old.id::text;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO row_digest VALUES ('webhook', new.id::text, md5(new::text))
      ON CONFLICT (name, key) DO UPDATE SET digest = excluded.digest;
  END IF;
  RETURN NULL; END $$;
CREATE TRIGGER webhook_digested AFTER INSERT OR UPDATE OR DELETE ON webhook FOR EACH ROW
  EXECUTE FUNCTION webhook_digested();
ALTER TABLE webhook ENABLE ALWAYS TRIGGER webhook_digested;

CREATE FUNCTION delivery_digested() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND old.rowid::text <> new.rowid::text) THEN
    DELETE FROM row_digest WHERE name = 'delivery' AND key = old.rowid::text;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO row_digest VALUES ('delivery', new.rowid::text, md5(new::text))
      ON CONFLICT (name, key) DO UPDATE SET digest = excluded.digest;
  END IF;
  RETURN NULL; END $$;
CREATE TRIGGER delivery_digested AFTER INSERT OR UPDATE OR DELETE ON delivery FOR EACH ROW
  EXECUTE FUNCTION delivery_digested();
ALTER TABLE delivery ENABLE ALWAYS TRIGGER delivery_digested;

CREATE FUNCTION delivery_attempt_digested() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND old.delivery_id::text || chr(31) || old.attempt::text <> new.delivery_id::text || chr(31) || new.attempt::text) THEN
    DELETE FROM row_digest WHERE name = 'delivery_attempt' AND key = old.delivery_id::text || chr(31) || old.attempt::text;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO row_digest VALUES ('delivery_attempt', new.delivery_id::text || chr(31) || new.attempt::text, md5(new::text))
      ON CONFLICT (name, key) DO UPDATE SET digest = excluded.digest;
  END IF;
  RETURN NULL; END $$;
CREATE TRIGGER delivery_attempt_digested AFTER INSERT OR UPDATE OR DELETE ON delivery_attempt FOR EACH ROW
  EXECUTE FUNCTION delivery_attempt_digested();
ALTER TABLE delivery_attempt ENABLE ALWAYS TRIGGER delivery_attempt_digested;
