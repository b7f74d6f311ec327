"""A copy of the store while others write: what one read transaction sees, page by page, in a new file."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sitecms.store.engines.sqlite.connection import PRAGMAS, checked_number, connector, translating

PAGES_AT_ONCE = 2000


@dataclass(frozen=True, slots=True)
class StoreCopy:
    """What was copied: the change number it stands at, and the version of its tables."""

    change_number: int
    version: int


def copy_store(path: Path, target: Path, tick: Callable[[int, int], None] | None = None) -> StoreCopy:
    """Copy the store at `path` into the new file `target`. Writers go on; nothing they do meanwhile is in the copy.

    `tick` is told pages done and pages in all. Damage is copied too. Raises StoreUnusable where the
    file cannot be read.
    """

    def told(left: int, total: int, _is_done: bool) -> None:
        if tick:
            tick(total - left, total)

    source, copy = connector(path, {**PRAGMAS, "query_only": 1}), connector(target, {"synchronous": "off"})
    with translating(path):
        try:
            connection: Any = source.connection()
            connection.execute("BEGIN")
            # The snapshot begins here.
            number = checked_number(path, connection.execute_scalar("SELECT number FROM change_number"))
            version = int(connection.execute_scalar("PRAGMA user_version"))
            connection.backup(copy.connection(), PAGES_AT_ONCE, None, told)
            connection.execute("COMMIT")
        finally:
            if source.connection().in_transaction:
                source.connection().execute("ROLLBACK")
            copy.close()
            source.close()
    return StoreCopy(number, version)
