"""Tables of people who work together, as steps add them: e-mail, reviews and notes."""

USER_EMAIL = """
ALTER TABLE studio_user ADD COLUMN email TEXT NOT NULL DEFAULT '';
ALTER TABLE account_link ADD COLUMN email TEXT NOT NULL DEFAULT '';
"""
MAIL = """
ALTER TABLE studio_user ADD COLUMN unwanted_mail TEXT NOT NULL DEFAULT '';

CREATE TABLE mail (
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, user_id INTEGER REFERENCES studio_user (id) ON DELETE CASCADE,
  link_digest TEXT, address TEXT NOT NULL, values_json TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('waiting', 'sent', 'failed', 'dropped')), attempt INTEGER NOT NULL DEFAULT 0,
  failures INTEGER NOT NULL DEFAULT 0, owner TEXT, due_at INTEGER NOT NULL, created_at INTEGER NOT NULL,
  finished_at INTEGER, problem TEXT NOT NULL DEFAULT '');
CREATE INDEX mail_due ON mail (due_at) WHERE status = 'waiting';
CREATE INDEX mail_finished ON mail (finished_at) WHERE finished_at IS NOT NULL;
"""
"""E-mails, which are made when they are sent; `unwanted_mail` are the kinds that a user does without."""
_OF_ENTRY = "FOREIGN KEY (entry_id, kind) REFERENCES entry (id, kind) ON DELETE CASCADE"
REVIEWS = f"""
CREATE TABLE review (
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, entry_id INTEGER NOT NULL, locale TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'sent-back')),
  submitted_by INTEGER NOT NULL REFERENCES studio_user (id), submitted_at INTEGER NOT NULL,
  assigned_to INTEGER REFERENCES studio_user (id), decided_by INTEGER REFERENCES studio_user (id), decided_at INTEGER,
  {_OF_ENTRY});
CREATE UNIQUE INDEX review_of_entry ON review (entry_id, kind, locale);

CREATE TABLE note (
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, entry_id INTEGER NOT NULL, locale TEXT NOT NULL, parent_id INTEGER,
  user_id INTEGER NOT NULL REFERENCES studio_user (id), written_at INTEGER NOT NULL, text TEXT NOT NULL,
  quote TEXT NOT NULL DEFAULT '', done_at INTEGER, done_by INTEGER REFERENCES studio_user (id),
  {_OF_ENTRY});
CREATE INDEX note_of_entry ON note (entry_id, kind, locale);
"""
"""Reviews of entries, and notes on them with answers."""
