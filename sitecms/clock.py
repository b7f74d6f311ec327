"""Time: aware UTC datetimes in code, microseconds in the store, ISO 8601 in files and answers."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta

TIME_EXPECTED = "expected an ISO 8601 time such as 2026-03-01T08:00:00Z"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
_SPACE_BEFORE_OFFSET = re.compile(r"(?<=[0-9]) (?=[+-][0-9]{2}:?[0-9]{2}$)")

Clock = Callable[[], datetime]


def now() -> datetime:
    """Return the current time, aware UTC. It is passed as a `Clock` argument, so that tests can set it."""
    return datetime.now(UTC)


def to_microseconds(moment: datetime) -> int:
    """Return the exact number of microseconds since 1970 UTC."""
    return (moment - EPOCH) // MICROSECOND


def from_microseconds(value: int) -> datetime:
    """Return the aware UTC time `value` microseconds after 1970."""
    return EPOCH + timedelta(microseconds=value)


def format_timestamp(moment: datetime) -> str:
    """Return `2026-03-01T08:00:00Z`, with six digits of fraction if there is one (API reference, Read shapes)."""
    if moment.tzinfo is not UTC:
        moment = moment.astimezone(UTC)
    return moment.isoformat()[: -len("+00:00")] + "Z"


def parse_timestamp(value: str | date | datetime) -> datetime:
    """Return an aware UTC time from ISO 8601 text, a date or a datetime.

    A time without zone is UTC; a date alone is its midnight. A space may precede the zone, as in `08:00:00 +0200`.
    Raises ValueError with the expected form.
    """
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(_SPACE_BEFORE_OFFSET.sub("", value.strip()))
        except ValueError:
            raise ValueError(TIME_EXPECTED) from None
    if not isinstance(value, datetime):
        value = datetime.combine(value, time())
    try:
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError:
        raise ValueError(TIME_EXPECTED) from None
