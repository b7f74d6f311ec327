"""Triggers that released steps created for entries. Later steps replaced them; a step never changes."""

_KINDS = ("post", "page", "item")
_SQLITE_FORMER = """
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
_SQLITE_ADDRESS_GONE = """
CREATE TRIGGER {table}_address_gone AFTER DELETE ON {table}
  BEGIN DELETE FROM former_address WHERE entry_id = old.id AND kind = '{table}'; END;
"""
_SQLITE_HISTORY_GONE = """
CREATE TRIGGER {table}_history_gone AFTER DELETE ON {table}
  BEGIN DELETE FROM revision WHERE kind = '{table}' AND entry_id = old.id; END;
"""
_KEEP = """
    ON CONFLICT (kind, place, locale, path, slug, published_at) DO UPDATE SET entry_id = excluded.entry_id;
  RETURN NULL; END $$;
"""
_POSTGRES_FORMER = f"""
CREATE FUNCTION post_readdressed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO former_address VALUES ('post', '', old.locale,
      coalesce((SELECT path FROM post_address WHERE post_id = old.id), ''), old.slug, old.published_at, old.id) {_KEEP}
CREATE TRIGGER post_readdressed AFTER UPDATE OF published_at, slug, locale ON post FOR EACH ROW
  WHEN (old.published_at IS NOT NULL AND old.slug NOT LIKE '~%'
    AND (old.published_at, old.slug, old.locale) IS DISTINCT FROM (new.published_at, new.slug, new.locale))
  EXECUTE FUNCTION post_readdressed();
CREATE FUNCTION page_readdressed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO former_address SELECT 'page', old.page_type, locale,
      coalesce(old.addresses_json::jsonb -> 'paths' ->> locale, ''), old.slug, published_at, old.id
    FROM page_version WHERE page_id = old.id AND version = 'live' AND published_at IS NOT NULL {_KEEP}
CREATE TRIGGER page_readdressed AFTER UPDATE OF slug, page_type, addresses_json ON page FOR EACH ROW
  WHEN ((old.slug, old.page_type, old.addresses_json) <> (new.slug, new.page_type, new.addresses_json)
    AND old.slug NOT LIKE '~%')
  EXECUTE FUNCTION page_readdressed();
CREATE FUNCTION page_version_readdressed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO former_address SELECT 'page', page_type, old.locale,
      coalesce(addresses_json::jsonb -> 'paths' ->> old.locale, ''), slug, old.published_at, id
    FROM page WHERE id = old.page_id {_KEEP}
CREATE TRIGGER page_version_readdressed AFTER UPDATE OF published_at ON page_version FOR EACH ROW
  WHEN (old.version = 'live' AND old.published_at IS NOT NULL
    AND old.published_at IS DISTINCT FROM new.published_at)
  EXECUTE FUNCTION page_version_readdressed();
CREATE FUNCTION item_readdressed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO former_address SELECT 'item', '', locale, value, '', published_at, old.id
    FROM item_version JOIN jsonb_each_text(old.addresses_json::jsonb -> 'paths') ON key = locale
    WHERE item_id = old.id AND version = 'live' AND published_at IS NOT NULL {_KEEP}
CREATE TRIGGER item_readdressed AFTER UPDATE OF addresses_json ON item FOR EACH ROW
  WHEN (old.addresses_json <> new.addresses_json) EXECUTE FUNCTION item_readdressed();
"""
_POSTGRES_ADDRESS_GONE = """
CREATE FUNCTION {table}_address_gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM former_address WHERE entry_id = old.id AND kind = '{table}';
  RETURN NULL; END $$;
CREATE TRIGGER {table}_address_gone AFTER DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION {table}_address_gone();
"""
_POSTGRES_HISTORY_GONE = """
CREATE FUNCTION {table}_history_gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM revision WHERE kind = '{table}' AND entry_id = old.id;
  RETURN NULL; END $$;
CREATE TRIGGER {table}_history_gone AFTER DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION {table}_history_gone();
"""
SQLITE_FORMER_NAMES = """
CREATE TRIGGER entry_moved AFTER UPDATE OF slug, type, locale ON entry
  WHEN (old.slug, old.type, old.locale) IS NOT (new.slug, new.type, new.locale) AND old.slug NOT LIKE '~%'
  BEGIN
    INSERT INTO former_name VALUES (old.kind, coalesce(old.locale, old.type), old.slug, old.id,
      EXISTS (SELECT 1 FROM version WHERE kind = old.kind AND entry_id = old.id AND published_at IS NOT NULL))
    ON CONFLICT (kind, place, slug) DO UPDATE SET entry_id = excluded.entry_id, was_shown = excluded.was_shown
    WHERE excluded.was_shown >= was_shown; END;
CREATE TRIGGER entry_readdressed AFTER UPDATE OF slug, type, locale, addresses_json ON entry
  WHEN (old.slug, old.type, old.locale, old.addresses_json)
    IS NOT (new.slug, new.type, new.locale, new.addresses_json)
    AND (old.slug IS NULL OR old.slug NOT LIKE '~%')
  BEGIN
    INSERT INTO former_address
    SELECT old.kind, iif(old.slug IS NULL, '', old.type), locale, coalesce(path, ''), coalesce(old.slug, ''),
      published_at, old.id
    FROM (SELECT locale, published_at,
        (SELECT value FROM json_each(old.addresses_json, '$.paths') WHERE key = locale) AS path
      FROM version
      WHERE kind = old.kind AND entry_id = old.id AND version = 'live' AND published_at IS NOT NULL) AS live
    WHERE old.slug IS NOT NULL OR path IS NOT NULL
    ON CONFLICT (kind, place, locale, path, slug, published_at) DO UPDATE SET entry_id = excluded.entry_id; END;
CREATE TRIGGER version_readdressed AFTER UPDATE OF published_at ON version
  WHEN old.version = 'live' AND old.published_at IS NOT NULL AND old.published_at IS NOT new.published_at
  BEGIN
    INSERT INTO former_address SELECT kind, type, old.locale,
      coalesce((SELECT value FROM json_each(addresses_json, '$.paths') WHERE key = old.locale), ''),
      slug, old.published_at, id
    FROM entry WHERE kind = old.kind AND id = old.entry_id AND slug NOT LIKE '~%'
    ON CONFLICT (kind, place, locale, path, slug, published_at) DO UPDATE SET entry_id = excluded.entry_id; END;
CREATE TRIGGER entry_gone AFTER DELETE ON entry
  BEGIN
    DELETE FROM former_name WHERE entry_id = old.id AND kind = old.kind;\
    DELETE FROM former_address WHERE entry_id = old.id AND kind = old.kind;\
    DELETE FROM revision WHERE kind = old.kind AND entry_id = old.id; END;
"""
POSTGRES_FORMER_NAMES = f"""
CREATE FUNCTION entry_moved() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO former_name VALUES (old.kind, coalesce(old.locale, old.type), old.slug, old.id, (EXISTS (
      SELECT 1 FROM version WHERE kind = old.kind AND entry_id = old.id AND published_at IS NOT NULL))::int)
    ON CONFLICT (kind, place, slug) DO UPDATE SET entry_id = excluded.entry_id, was_shown = excluded.was_shown
    WHERE excluded.was_shown >= former_name.was_shown;
  RETURN NULL; END $$;
CREATE TRIGGER entry_moved AFTER UPDATE OF slug, type, locale ON entry FOR EACH ROW
  WHEN ((old.slug, old.type, old.locale) IS DISTINCT FROM (new.slug, new.type, new.locale)
    AND old.slug NOT LIKE '~%')
  EXECUTE FUNCTION entry_moved();
CREATE FUNCTION entry_readdressed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO former_address
    SELECT old.kind, CASE WHEN old.slug IS NULL THEN '' ELSE old.type END, locale, coalesce(path, ''),
      coalesce(old.slug, ''), published_at, old.id
    FROM (SELECT locale, published_at, old.addresses_json::jsonb -> 'paths' ->> locale AS path FROM version
      WHERE kind = old.kind AND entry_id = old.id AND version = 'live' AND published_at IS NOT NULL) AS live
    WHERE old.slug IS NOT NULL OR path IS NOT NULL {_KEEP}
CREATE TRIGGER entry_readdressed AFTER UPDATE OF slug, type, locale, addresses_json ON entry FOR EACH ROW
  WHEN ((old.slug, old.type, old.locale, old.addresses_json)
      IS DISTINCT FROM (new.slug, new.type, new.locale, new.addresses_json)
    AND (old.slug IS NULL OR old.slug NOT LIKE '~%'))
  EXECUTE FUNCTION entry_readdressed();
CREATE FUNCTION version_readdressed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO former_address SELECT kind, type, old.locale,
      coalesce(addresses_json::jsonb -> 'paths' ->> old.locale, ''), slug, old.published_at, id
    FROM entry WHERE kind = old.kind AND id = old.entry_id AND slug NOT LIKE '~%' {_KEEP}
CREATE TRIGGER version_readdressed AFTER UPDATE OF published_at ON version FOR EACH ROW
  WHEN (old.version = 'live' AND old.published_at IS NOT NULL
    AND old.published_at IS DISTINCT FROM new.published_at)
  EXECUTE FUNCTION version_readdressed();
CREATE FUNCTION entry_gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM former_name WHERE entry_id = old.id AND kind = old.kind;
  DELETE FROM former_address WHERE entry_id = old.id AND kind = old.kind;
  DELETE FROM revision WHERE kind = old.kind AND entry_id = old.id;
  RETURN NULL; END $$;
CREATE TRIGGER entry_gone AFTER DELETE ON entry FOR EACH ROW EXECUTE FUNCTION entry_gone();
"""
SQLITE_FORMER_ADDRESSES = "".join((_SQLITE_FORMER, *(_SQLITE_ADDRESS_GONE.format(table=kind) for kind in _KINDS)))
SQLITE_HISTORY_ENDS = "".join(_SQLITE_HISTORY_GONE.format(table=kind) for kind in _KINDS)
POSTGRES_FORMER_ADDRESSES = "".join((_POSTGRES_FORMER, *(_POSTGRES_ADDRESS_GONE.format(table=kind) for kind in _KINDS)))
POSTGRES_HISTORY_ENDS = "".join(_POSTGRES_HISTORY_GONE.format(table=kind) for kind in _KINDS)
