"""The last builds of the site on this machine, and requests for a build now.

The store has the last request, which each host that builds answers once. Files in the state folder hold the number of
the request that was answered here, and what the last builds changed and why.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from sitecms.clock import from_microseconds, to_microseconds
from sitecms.files import make_private_folder, write_atomically
from sitecms.store.database import Session, Transaction
from sitecms.store.models.site_state import DocumentRow

REQUEST_LASTS = timedelta(hours=1)
MOST_BUILDS, MOST_PAGES, MOST_PROBLEMS = 30, 30, 20
BUILD_LOCK = "rebuild"
"""The lock of the worker that builds, in the folder of the locks of workers."""
_REQUEST = "build_request"
_ANSWERED = "build-answered"
_LOG = "builds.json"


class BuildRequest(Struct, frozen=True):
    """A request of a user for a build; `number` counts them."""

    number: int
    user_name: str
    at: datetime


class BuildRecord(Struct, frozen=True):
    """The changes of a build: the number of pages by reason, the first of them with their reasons, and failures.

    `error` says why a build ended without a site.
    """

    finished_at: datetime
    seconds: float
    written: int = 0
    pruned: int = 0
    failed: int = 0
    reasons: Mapping[str, int] = {}
    pages: tuple[tuple[str, str], ...] = ()
    problems: tuple[str, ...] = ()
    error: str = ""


def request_build(transaction: Transaction, user_name: str, at: datetime) -> int:
    """Ask every host that builds for a build now; return the number of the request."""
    former = find_build_request(transaction)
    number = former.number + 1 if former else 1
    values = {"number": number, "user_name": user_name, "at": to_microseconds(at)}
    row = DocumentRow.insert(name=_REQUEST, value=values)
    transaction.run(row.on_conflict(conflict_target=[DocumentRow.name], update={DocumentRow.value: values}))
    return number


def find_build_request(session: Session) -> BuildRequest | None:
    """Return the last request for a build."""
    row = session.row(DocumentRow.select(DocumentRow.value).where(DocumentRow.name == _REQUEST))
    return BuildRequest(row[0]["number"], row[0]["user_name"], from_microseconds(row[0]["at"])) if row else None


def open_request(session: Session, state: Path, at: datetime) -> BuildRequest | None:
    """Return the request that is to be answered here; one of long ago was meant for other hosts, or for none."""
    request = find_build_request(session)
    if request is None or request.number == answered_request(state) or at - request.at > REQUEST_LASTS:
        return None
    return request


def answered_request(state: Path) -> int:
    """Return the number of the last request that was answered here; 0 for none."""
    try:
        return int((state / _ANSWERED).read_text("ascii"))
    except (OSError, ValueError):
        return 0


def save_answered_request(state: Path, number: int) -> None:
    """Note that a request was answered here, whether its build succeeded or not."""
    make_private_folder(state)
    write_atomically(state / _ANSWERED, str(number).encode())


def save_build_record(state: Path, record: BuildRecord) -> None:
    """Keep the record of a build; of many, the last ones. Raises OSError."""
    make_private_folder(state)
    records: Sequence[Any] = [record, *find_build_records(state)][:MOST_BUILDS]
    write_atomically(state / _LOG, msgspec.json.encode(records))


def find_build_records(state: Path) -> tuple[BuildRecord, ...]:
    """Return the last builds, the newest first; none if they cannot be read."""
    try:
        return msgspec.json.decode((state / _LOG).read_bytes(), type=tuple[BuildRecord, ...])
    except (OSError, msgspec.MsgspecError):
        return ()
