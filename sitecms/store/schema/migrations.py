"""The store's tables, as ordered steps: each is applied once, in one transaction with its version number.

A step that has been released is never edited; a change of tables is a new step, with a script for each engine. Times
are microseconds since 1970 UTC, `..._json` columns hold JSON text, `deleted_at` marks an entry in the trash.

Names that readers have seen are kept by triggers when an entry gives them up, whoever renames it: `place` is a post's
locale, a page's type ("" for a Single Page). A slug `~7` is no name: entries that trade theirs pass through it.
"""

from typing import NamedTuple

from sitecms.errors import StoreUnusable
from sitecms.store.schema import postgres as postgres
from sitecms.store.schema import sqlite as sqlite


class Step(NamedTuple):
    """One change of the tables, in the words of each engine."""

    name: str
    sqlite: str
    postgres: str


STEPS: tuple[Step, ...] = (Step("tables", sqlite.TABLES, postgres.TABLES),)
LATEST = len(STEPS)


def steps_after(version: int) -> tuple[Step, ...]:
    """What brings a store from `version` to LATEST, in order."""
    return STEPS[version:]


def made_by_newer(place: str, version: int) -> StoreUnusable:
    """The refusal of a store that this version does not know."""
    return StoreUnusable(
        f"{place} was made by a newer version of sitecms (store version {version}, this one knows "
        f"{LATEST}). Nothing was changed; install the newer version."
    )
