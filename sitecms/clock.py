"""Time: aware UTC datetimes in code, microseconds in the store, ISO 8601 in files and answers."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, tzinfo

TIME_EXPECTED = "expected an ISO 8601 time such as 2026-03-01T08:00:00Z"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
_DAY = timedelta(days=1)  # more than the offset of any time zone
_RANGE_EXPECTED = f"expected a time from {date.min + 2 * _DAY} to {date.max - 2 * _DAY}"
_SPACE_BEFORE_OFFSET = re.compile(r"(?<=[0-9]) (?=[+-][0-9]{2}:?[0-9]{2}$)")

_FORM = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?P<separator>[T ])[0-9]{2}:[0-9]{2}(?P<seconds>:[0-9]{2}(?:\.[0-9]+)?)?"
    r" ?(?P<offset>Z|[+-][0-9]{2}:?[0-9]{2})?$"
)

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


def format_local_time(moment: datetime, zone: tzinfo) -> str:
    """Return `2026-03-01T09:00:00+01:00`, the time in a zone with its offset, as messages to people state it."""
    return moment.astimezone(zone).isoformat().replace("+00:00", "Z")


def format_as_written(moment: datetime, written: object, zone: tzinfo) -> str:
    """Return the time in the form of another one in a file: with Z, an offset or no zone, with T or a space.

    A form that cannot say the moment is left, as is that of anything but a time: then it is the time in the site's
    zone with its offset.
    """
    match = _FORM.match(written.strip()) if isinstance(written, str) else None
    if match is None:
        return format_local_time(moment, zone)
    separator, seconds, offset = match.group("separator", "seconds", "offset")
    local = moment.astimezone(_zone_of(written, offset, zone))
    plain = local.isoformat(separator)[: -len("+00:00")]
    plain = plain if seconds else plain.removesuffix(":00")
    text = plain if not offset else f"{plain}Z" if offset == "Z" else f"{plain}{local.isoformat()[-len('+00:00') :]}"
    try:
        return text if parse_timestamp(text, zone) == moment else format_local_time(moment, zone)
    except ValueError:
        return format_local_time(moment, zone)


def _zone_of(written: object, offset: str | None, zone: tzinfo) -> tzinfo:
    """Return the zone of a time in a file: the site's, unless its offset is that of another one."""
    if offset == "Z":
        return UTC
    there = datetime.fromisoformat(_SPACE_BEFORE_OFFSET.sub("", str(written).strip()))
    is_own = there.utcoffset() in (None, there.astimezone(zone).utcoffset() if offset else None)
    return zone if is_own or there.tzinfo is None else there.tzinfo


def parse_timestamp(value: str | date | datetime, zone: tzinfo) -> datetime:
    """Return an aware UTC time from ISO 8601 text, a date or a datetime.

    A time without a zone is of `zone`; a day alone is its midnight. A time that the clocks there skip is that much
    later, and of one that they show twice the first is meant. A space may precede the offset, as in `08:00:00 +0200`.
    Raises ValueError, with what is expected, also for a time that not every time zone can show.
    """
    read = _read(value)
    margin = _DAY if read.tzinfo else 2 * _DAY
    if not date.min + margin <= read.date() <= date.max - margin:
        raise ValueError(_RANGE_EXPECTED)
    return read if read.tzinfo else read.replace(tzinfo=zone).astimezone(UTC)


def parse_wall_clock(value: str | date | datetime, zone: tzinfo) -> datetime:
    """Return a time as a clock on the wall shows it, without a zone: as it is written, or else the time in `zone`.

    Accepts what `parse_timestamp` accepts and, without a zone, any day of the calendar. Raises ValueError.
    """
    read = _read(value)
    return parse_timestamp(read, zone).astimezone(zone).replace(tzinfo=None) if read.tzinfo else read


def _read(value: str | date | datetime) -> datetime:
    """Return a time in UTC, or as it is written where it has no zone."""
    try:
        if isinstance(value, str):
            value = datetime.fromisoformat(_SPACE_BEFORE_OFFSET.sub("", value.strip()))
        read = value if isinstance(value, datetime) else datetime.combine(value, time())
        return read.astimezone(UTC) if read.tzinfo else read
    except OverflowError:
        raise ValueError(_RANGE_EXPECTED) from None
    except ValueError:
        raise ValueError(TIME_EXPECTED) from None
