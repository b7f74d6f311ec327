"""Time as sitecms knows it: aware UTC datetimes, microseconds in the store, ISO 8601 on the wire."""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta

TIME_EXPECTED = "expected an ISO 8601 time such as 2026-03-01T08:00:00Z"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)

Clock = Callable[[], datetime]


def now() -> datetime:
    """The current time, aware UTC. Passed as a `Clock` to what needs it, so that tests can set it."""
    return datetime.now(UTC)


def to_microseconds(moment: datetime) -> int:
    """Microseconds since 1970 UTC, exact."""
    return (moment - EPOCH) // MICROSECOND


def from_microseconds(value: int) -> datetime:
    """The aware UTC time `value` microseconds after 1970."""
    return EPOCH + timedelta(microseconds=value)


def format_timestamp(moment: datetime) -> str:
    """`2026-03-01T08:00:00Z`, with six digits of fraction only when there is one (decisions, Read shapes)."""
    if moment.tzinfo is not UTC:
        moment = moment.astimezone(UTC)
    return moment.isoformat()[: -len("+00:00")] + "Z"


def parse_timestamp(value: str | date | datetime) -> datetime:
    """An aware UTC time from ISO 8601 text, or from what a YAML reader made of it.

    A time without zone is UTC; a date alone is its midnight. Raises ValueError saying what would be right.
    """
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            raise ValueError(TIME_EXPECTED) from None
    if not isinstance(value, datetime):
        value = datetime.combine(value, time())
    try:
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError:
        raise ValueError(TIME_EXPECTED) from None
