"""Changes to what readers of the site see, and the builds that show them.

The store counts the changes. A file in the state folder holds the number of the last build: each host that builds has
an output folder of its own. The results of the last build are saved there too, for status reports and metrics.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
from msgspec import Struct
from msgspec.structs import asdict

from sitecms.clock import format_timestamp, parse_timestamp
from sitecms.files import make_private_folder, write_atomically
from sitecms.store.database import Session, Transaction
from sitecms.store.models.site_state import DocumentRow
from sitecms.store.prepared import prepared

_CHANGES = "site_changes"
_BUILT = "site-built"
_NAME = "last-build.json"


@prepared
def _increment() -> Any:
    number = DocumentRow.value.cast("BIGINT") + 1
    first = DocumentRow.insert(name=_CHANGES, value=1)
    return first.on_conflict(conflict_target=[DocumentRow.name], update={DocumentRow.value: number.cast("TEXT")})


def count_site_change(transaction: Transaction) -> None:
    """Count a change to what readers see."""
    transaction.run(_increment())


def site_changes(session: Session) -> int:
    """Return the number of the last change."""
    row = session.row(DocumentRow.select(DocumentRow.value).where(DocumentRow.name == _CHANGES))
    return int(row[0]) if row else 0


def save_built_change(state: Path, number: int) -> None:
    """Save that the site in this output folder contains all changes up to that number."""
    write_atomically(state / _BUILT, str(number).encode())


def built_change(state: Path) -> int:
    """Return the number of the last change that the site contains; 0 if it is unknown or was never built here."""
    try:
        return int((state / _BUILT).read_text("ascii"))
    except (OSError, ValueError):
        return 0


class LastBuild(Struct, frozen=True):
    """Results of a build. `files` and `size_bytes` count the whole published site; `phases` are seconds."""

    finished_at: datetime
    output: str
    seconds: float
    written: int
    failed: int
    files: int
    size_bytes: int
    phases: Mapping[str, float]


def save_last_build(state: Path, build: LastBuild) -> None:
    """Save the results in the state folder, atomically."""
    data = {**asdict(build), "finished_at": format_timestamp(build.finished_at)}
    make_private_folder(state)
    write_atomically(state / _NAME, orjson.dumps(data))


def find_last_build(state: Path) -> LastBuild | None:
    """Return the results of the last build; None if there was none or they cannot be read."""
    try:
        data = orjson.loads((state / _NAME).read_bytes())
        return LastBuild(**{**data, "finished_at": parse_timestamp(data["finished_at"], UTC)})
    except (OSError, ValueError, LookupError, TypeError):
        return None
