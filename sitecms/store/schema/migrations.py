"""The store's tables as ordered migration steps; each is applied once, in one transaction with its version number.

A step that has been released is never edited; a change of tables is a new step, with a script for each engine. Times
are microseconds since 1970 UTC, `..._json` columns hold JSON text, `deleted_at` marks an entry in the trash.

When an entry gets another slug, a trigger keeps the former one in `former_name`: `place` is a post's locale, or a
page's type ("" for a Single Page). Triggers also keep former own paths, and the slug and time of publication that the
address of an entry was made of, in `former_address`. Slugs as `~7` are temporary, for entries that exchange theirs.
"""

from typing import NamedTuple

from sitecms.errors import StoreUnusable
from sitecms.store.schema import accounts as accounts
from sitecms.store.schema import history as history
from sitecms.store.schema import postgres as postgres
from sitecms.store.schema import sqlite as sqlite


class Step(NamedTuple):
    """One change of the tables, as a script for each engine."""

    name: str
    sqlite: str
    postgres: str


_MEDIA_DETAILS = """
ALTER TABLE media_file ADD COLUMN alt TEXT NOT NULL DEFAULT '';
ALTER TABLE media_file ADD COLUMN is_decorative INTEGER NOT NULL DEFAULT 0;
ALTER TABLE media_file ADD COLUMN focus_x INTEGER NOT NULL DEFAULT 50;
ALTER TABLE media_file ADD COLUMN focus_y INTEGER NOT NULL DEFAULT 50;
ALTER TABLE media_file ADD COLUMN loaded_details TEXT NOT NULL DEFAULT '';
"""
"""Alt texts and focal points of media files; `loaded_details` is what content/media.yaml said when it was loaded."""
_MEDIA_DETAILS_SQLITE = f"{_MEDIA_DETAILS}UPDATE row_digest SET digest = NULL WHERE name = 'media_file';\n"
_MEDIA_DIGESTS = postgres.NEW_DIGESTS.format(table="media_file", key=postgres.key_text("it", ("name",)))
_MEDIA_DETAILS_POSTGRES = postgres.shared(_MEDIA_DETAILS) + _MEDIA_DIGESTS
_MEDIA_UPLOADS = "ALTER TABLE media_file ADD COLUMN is_uploaded INTEGER NOT NULL DEFAULT 0;\n"
"""Files that users uploaded stay until a user deletes them."""
_MEDIA_UPLOADS_SQLITE = f"{_MEDIA_UPLOADS}UPDATE row_digest SET digest = NULL WHERE name = 'media_file';\n"
_MEDIA_UPLOADS_POSTGRES = postgres.shared(_MEDIA_UPLOADS) + _MEDIA_DIGESTS

STEPS: tuple[Step, ...] = (
    Step("tables", sqlite.TABLES, postgres.TABLES),
    Step("addresses", sqlite.ADDRESSES, postgres.ADDRESSES),
    Step("sources", sqlite.SOURCES, postgres.SOURCES),
    Step("people", sqlite.PEOPLE, postgres.PEOPLE),
    Step("search_number", sqlite.SEARCH_NUMBER, sqlite.SEARCH_NUMBER),
    Step("post_fields", sqlite.POST_FIELDS, postgres.POST_FIELDS),
    Step("history", history.SQLITE, history.POSTGRES),
    Step("accounts", accounts.SQLITE, accounts.POSTGRES),
    Step("media_details", _MEDIA_DETAILS_SQLITE, _MEDIA_DETAILS_POSTGRES),
    Step("media_uploads", _MEDIA_UPLOADS_SQLITE, _MEDIA_UPLOADS_POSTGRES),
)
LATEST = len(STEPS)


def steps_after(version: int) -> tuple[Step, ...]:
    """Return the steps from `version` to LATEST, in order."""
    return STEPS[version:]


def newer_version_error(place: str, version: int) -> StoreUnusable:
    """Return the error for a store that a newer version has changed."""
    return StoreUnusable(
        f"{place} was created by a newer version of sitecms (store version {version}, this one reads up to "
        f"{LATEST}). Nothing was changed; install the newer version."
    )
