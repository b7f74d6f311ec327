"""Status and times of an entry, as its file states them and as they are at the moment of the load."""

from collections.abc import Mapping
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from sitecms.clock import format_local_time, from_microseconds, parse_timestamp
from sitecms.content.change import Times
from sitecms.content.status import Status
from sitecms.documents import Locate, Step, place_of, read_front_matter, read_yaml
from sitecms.errors import FileError, InvalidFiles
from sitecms.store.site_state.loaded_files import FileDates


def read_times(data: Mapping[str, Any], zone: tzinfo, locale: str = "") -> Times:
    """Return the times that a file sets; those that it sets by locale, for this one.

    Raises ValueError for what is no time, which files that were checked have not.
    """

    def read(name: str) -> datetime | None:
        value = data.get(name)
        named = value.get(locale) if isinstance(value, dict) else value
        return parse_timestamp(named, zone) if named else None

    return Times(read("created"), read("updated"), read("published"), read("scheduled"))


def read_status(status: str | None, times: Times, otherwise: Status = Status.DRAFT) -> Status:
    """Return the stated status; else scheduled with a scheduled time, published with a published one."""
    if status:
        return Status(status)
    if times.scheduled_at:
        return Status.SCHEDULED
    return Status.PUBLISHED if times.published_at else otherwise


def is_to_come(at: datetime, status: Status, times: Times) -> bool:
    """Return whether an entry is stated to be published, at a time that has not come yet."""
    return status is Status.PUBLISHED and times.published_at is not None and times.published_at > at


def schedule_note(at: datetime, status: Status, times: Times, zone: tzinfo) -> str:
    """Return a note on an entry that is scheduled because its `published` time is to come; "" on any other."""
    if times.published_at is None or not is_to_come(at, status, times):
        return ""
    moment = format_local_time(times.published_at, zone)
    return f"is scheduled for {moment}, its published time (to show it now, state a time that has passed)"


def as_of(at: datetime, status: Status, times: Times) -> tuple[Status, Times]:
    """Return status and times at that moment.

    An entry that is scheduled for the moment or before is published at its time; one with a later published time is
    scheduled.
    """
    if is_to_come(at, status, times):
        return Status.SCHEDULED, replace(times, published_at=None, scheduled_at=times.published_at)
    due = times.scheduled_at
    if status is not Status.SCHEDULED or due is None or due > at:
        return status, times
    return Status.PUBLISHED, replace(times, published_at=due, scheduled_at=None)


def at_load(at: datetime, status: Status, times: Times, dates: FileDates) -> tuple[Status, Times]:
    """Return status and times at the moment of a load, with those that follow from the history of the file."""
    status, times = as_of(at, status, times)
    return status, with_history(at, status, times, dates)


def with_history(at: datetime, status: Status, times: Times, dates: FileDates) -> Times:
    """Return the times of a published entry with those that follow from the history of its file (reference, Times).

    It was published with the first commit, and updated with the last one or when it was published.
    """
    if status is not Status.PUBLISHED:
        return times
    published_at = times.published_at or _moment(dates.first, at)
    if published_at is None or times.updated_at is not None:
        return replace(times, published_at=published_at)
    updated_at = max(_moment(dates.last, at) or published_at, published_at)
    return replace(times, published_at=published_at, updated_at=updated_at)


def states_own_times(file: Path, path: str) -> bool:
    """Return whether a post or page says when it was published and updated, or is a draft, whatever its history is."""
    try:
        data = read_front_matter(file, path).data if path.endswith(".md") else read_yaml(file, path)
    except InvalidFiles:
        return False
    if not isinstance(data, dict):
        return False
    return data.get("status") == Status.DRAFT or all(
        isinstance(data.get(name), str) for name in ("published", "updated")
    )


def _moment(seconds: int, at: datetime) -> datetime | None:
    """Return the time of a commit; None without one, or of one that is to come."""
    return from_microseconds(seconds * 1_000_000) if 0 < seconds <= at.timestamp() else None


def check_schedule(path: str, status: Status, times: Times, locate: Locate, place: tuple[Step, ...] = ()) -> None:
    """Raise InvalidFiles for a scheduled entry without a time, which would never be published."""
    if status is Status.SCHEDULED and times.scheduled_at is None:
        here = (*place, "status")
        remedy = "add the time, as scheduled: 2026-03-01T08:00:00Z"
        raise InvalidFiles([FileError(path, place_of(here), "is scheduled, but for no time", remedy, locate(here))])
