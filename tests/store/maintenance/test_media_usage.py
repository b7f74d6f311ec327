"""Every place that can name a media file keeps it from being deleted, and every report says the same."""

import json
import os

import pytest

from sitecms.actions.operations.housekeeping import remove_unused_media
from sitecms.actions.operations.verify.checks import VerifyKind, media_findings, media_state
from sitecms.clock import now
from sitecms.media.library import MediaLibrary, open_library
from sitecms.runtime import Runtime
from sitecms.site.check.content import library_findings
from sitecms.store.database import Database
from sitecms.store.maintenance.media_usage import PLACES, MediaUse, used_media
from sitecms.store.schema.columns import CONTENT_TABLES
from tests.support.reading import execute

NAME = f"{'0123456789abcdef' * 2}.png"
ADDRESS = f"/media/{NAME}"
TEXTS = (
    ADDRESS,
    f"https://tide.example{ADDRESS}",
    f'<p>Ebb <img src="{ADDRESS}" alt=""></p>',
    f'<a href="{ADDRESS}">flow</a>',
    f'<img srcset="/media/{"f" * 32}.png 1x, {ADDRESS} 2x" src="x.png" alt="">',
    f"![Ebb]({ADDRESS})",
    f'{{"seo": {{"image": "{ADDRESS}"}}, "rows": [[1, "{ADDRESS}"]]}}',
)
SETUP = """
INSERT INTO author VALUES (1, 'ann', '', '', '', '', '', '', '', '', '', '', '', '[]', 0);
INSERT INTO entry (kind, id, type, slug, origin, created_at, group_id, locale)
  VALUES ('post', 1, '', 'ebb', '', 1, 1, 'en');
INSERT INTO version (id, kind, entry_id, locale, version, status, fields_json, created_at, updated_at, author_id)
  VALUES (1, 'post', 1, 'en', 'live', 'draft', '{}', 1, 1, 1);
INSERT INTO version_body VALUES (1, '', NULL);
INSERT INTO write (id, kind, operation, entry_key, entry_id, payload_json, status, attempt, errors_json, accepted_at)
  VALUES ('w', 'post', 'create', 'k', 1, '{}', 'accepted', 0, '{}', 1);
INSERT INTO loaded_file (path, digest, context, entries_json, media_json, loaded_at, stamp)
  VALUES ('a.md', '', '', '[]', '{}', 1, '');
INSERT INTO studio_user (id, name, role, author, password_hash, created_at) VALUES (1, 'mira', 'editor', '', '', 1);
INSERT INTO revision VALUES (1, 'post', 1, 'en', '', 0, '{}', '{}', '', '');
INSERT INTO unsaved_form VALUES (1, 1, '', '', '[]', 1);
INSERT INTO document VALUES ('schema', '{}')
"""
COLUMNS = [
    tuple(column.split(".")) if "." in column else (place.rows.partition(" ")[0], column)
    for place in PLACES
    for column in place.texts
]
NAMELESS = {  # columns of text that people fill, and that no file is named in
    "author": {"slug", "first_name", "last_name", "email", "twitter_handle", "aliases_json"},
    "version": {"kind", "locale", "version", "slug", "status", "body_digest", "body_media", "saved_by"},
    "version_body": {"markdown"},  # the body is rendered from it
}


@pytest.fixture
def filled(store: Database) -> Database:
    """A store with a row in each table that can name media files."""
    with store.writing() as transaction:
        for statement in SETUP.split(";"):
            transaction.sql(statement)
    return store


@pytest.fixture
def library(runtime: Runtime) -> MediaLibrary:
    """The site's library with one old file, of which the store has no row."""
    library = open_library(runtime.settings)
    library.folder.mkdir(parents=True, exist_ok=True)
    (library.folder / NAME).write_bytes(b"old")
    os.utime(library.folder / NAME, (1, 1))
    return library


def answers(store: Database, library: MediaLibrary, runtime: Runtime) -> list[bool]:
    """Return whether verification, check and deletion take the file for used."""
    at = now()
    with store.reading() as session:
        verified = media_findings(media_state(session, runtime.settings.folder), library, at)
        checked = list(library_findings(session, runtime.settings, at))
    is_extra = any(finding.kind is VerifyKind.MEDIA_EXTRA for finding in verified)
    return [not is_extra, not checked, not remove_unused_media(store, library, at)]


def value_of(column: str, text: str) -> str:
    """Return the value of a column that holds the text."""
    if column == "media_json":
        return json.dumps({"media/ebb.png": [NAME, 3, 1]} if text else {})
    return json.dumps(text) if column.endswith("_json") else text


@pytest.mark.parametrize(("table", "column"), COLUMNS)
def test_a_file_named_anywhere_is_used_in_every_answer(
    filled: Database, library: MediaLibrary, runtime: Runtime, table: str, column: str
) -> None:
    """Whatever the form of the text, of which the columns take turns; and in none when the text is gone."""
    for text in (TEXTS[COLUMNS.index((table, column)) % len(TEXTS)], ""):
        execute(filled, f"UPDATE {table} SET {column} = ?", value_of(column, text))
        assert answers(filled, library, runtime) == [bool(text)] * 3, text


@pytest.mark.parametrize(("table", "column"), [("version_body", "html"), ("version", "fields_json")])
def test_files_of_the_trash_are_used(
    filled: Database, library: MediaLibrary, runtime: Runtime, table: str, column: str
) -> None:
    """Entries can be restored from it, and former versions stand in it."""
    with filled.writing() as transaction:
        transaction.sql("UPDATE entry SET deleted_at = 1")
        transaction.sql(f"UPDATE {table} SET {column} = ?", value_of(column, TEXTS[2]))
    assert answers(filled, library, runtime) == [True] * 3


def test_an_entry_that_shows_a_file_comes_before_a_mere_mention(filled: Database) -> None:
    """Reports name it; a text that only looks like a name is no address of a file."""
    execute(filled, "UPDATE version_body SET html = ?", f"The digest {NAME} is no address.")
    assert filled.read(used_media) == {NAME: MediaUse("post ebb (id 1)", is_shown=False)}
    with filled.writing() as transaction:
        transaction.sql("UPDATE author SET bio = ?", ADDRESS)
        transaction.sql("UPDATE write SET payload_json = ?", json.dumps(ADDRESS))
    assert filled.read(used_media) == {NAME: MediaUse("author ann", is_shown=True)}


def test_every_text_of_an_author_and_a_post_is_read() -> None:
    """A new column is either read or known to name no file."""
    others = ("_at", "_id", "_of", "_minutes")
    for table in CONTENT_TABLES:
        if table.name in NAMELESS:
            read = {column for name, column in COLUMNS if name == table.name}
            texts = {
                column for column in table.columns if not column.endswith(others) and column not in ("id", "position")
            }
            assert texts - read == NAMELESS[table.name]
