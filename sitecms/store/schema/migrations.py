"""The store's tables as ordered migration steps; each is applied once, in one transaction with its version number.

A step that has been released is never edited; a change of tables is a new step, with a script for each engine. Times
are microseconds since 1970 UTC, `..._json` columns hold JSON text, `deleted_at` marks an entry in the trash.

When an entry gets another slug, a trigger keeps the former one in `former_name`: `place` is a post's locale, or a
page's type ("" for a Single Page). Triggers also keep former own paths, and the slug and time of publication that the
address of an entry was made of, in `former_address`. Slugs as `~7` are temporary, for entries that exchange theirs.
"""

from typing import NamedTuple

from sitecms.errors import StoreUnusable
from sitecms.store.schema import postgres as postgres
from sitecms.store.schema import sqlite as sqlite


class Step(NamedTuple):
    """One change of the tables, as a script for each engine."""

    name: str
    sqlite: str
    postgres: str


STEPS: tuple[Step, ...] = (
    Step("tables", sqlite.TABLES, postgres.TABLES),
    Step("addresses", sqlite.ADDRESSES, postgres.ADDRESSES),
    Step("sources", sqlite.SOURCES, postgres.SOURCES),
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
