INSERT INTO term (id, kind, slug, name, name_key) VALUES (2, 'category', 'sea', 'Sea', 'sea');
INSERT INTO post (id, group_id, locale, slug, title, status, author_id, featured_image, featured_image_alt, summary,
  seo_title, meta_description, aliases_json, origin, reading_minutes, body_digest, body_media, created_at, updated_at,
  published_at, scheduled_at, deleted_at, former_of, body) VALUES
  (2, 1, 'es', 'calma', 'Calma', 'scheduled', 1, '/media/a.png', 'Mar', 'Resumen', 'SEO', 'Meta', '["/viejo/", "/\"/"]',
  'api', 3, 'd', 'a.png b.png', 6, 7, 8, 9, NULL, NULL, '<p>La <em>calma</em>.</p>'),
  (3, 1, 'es', 'calma', 'Antes', 'published', 1, '', '', '', '', '', '[]', 'file', 1, '', '', 5, 5, 5, NULL, 10, 2, ''),
  (9, 9, 'en', 'gone', 'Gone', 'draft', 1, '', '', '', '', '', '[]', 'file', 1, '', '', 5, 5, NULL, NULL, NULL, NULL, '');
INSERT INTO post_term VALUES (2, 2, 0, 'Sea'), (2, 1, 1, 'MOON'), (3, 1, 0, '');
INSERT INTO post_address VALUES (2, '/es/"calma"/', 'tag:1'), (3, '', 'tag:2');
INSERT INTO post_source VALUES (2, 'La *calma*.');
INSERT INTO post_fields VALUES (2, '{"mood": "calm", "next": {"uri": "/v2/pages/*/about/"}}');
INSERT INTO studio_user (id, name, role, author, password_hash, created_at) VALUES (1, 'mira', 'editor', '', '', 1);
INSERT INTO working_copy VALUES (2, '{"title": "La calma", "tags": ["moon"]}', 1, 11);
INSERT INTO revision VALUES (1, 'post', 2, 'es', 't', 1, '{"at": 1, "kind": "edit", "source": "api", "name": ""}',
  '{"at": 2, "kind": "edit", "source": "api", "name": ""}', '', '$state');
UPDATE post SET slug = 'calma-chicha' WHERE id = 2;
DELETE FROM post WHERE id = 9;
