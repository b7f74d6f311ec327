"""Parsing of times in many formats, and inference of a time zone from pairs of local and UTC times."""

import re
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from email.utils import parsedate_to_datetime
from zoneinfo import ZoneInfo, available_timezones

from sitecms.clock import parse_timestamp

_LOCAL = re.compile(
    r"\s*(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T\s]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?"
    r"\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?\s*$",
    re.I,
)
_MAIL_YEAR = re.compile(r"(?<![-\d])(?:19|20)\d\d(?!\d)")
_USUAL = (
    "UTC", "Europe/London", "Europe/Berlin", "Europe/Helsinki", "Europe/Moscow", "Europe/Istanbul",
    "Africa/Johannesburg", "Africa/Lagos", "Asia/Dubai", "Asia/Karachi", "Asia/Kolkata", "Asia/Dhaka",
    "Asia/Bangkok", "Asia/Shanghai", "Asia/Tokyo", "Australia/Brisbane", "Australia/Sydney", "Australia/Adelaide",
    "Australia/Perth", "Pacific/Auckland", "America/New_York", "America/Chicago", "America/Denver",
    "America/Phoenix", "America/Los_Angeles", "America/Anchorage", "Pacific/Honolulu", "America/Sao_Paulo",
    "America/Argentina/Buenos_Aires", "America/Santiago", "America/Bogota", "America/Mexico_City",
    "America/Caracas", "America/Halifax", "America/St_Johns", "Atlantic/Azores",
)  # fmt: skip


def read_time(text: str, zone: tzinfo) -> datetime | None:
    """Return the time as aware UTC; None for text that is not a time, such as `0000-00-00 00:00:00`.

    Accepts ISO 8601 and its usual variants (`2013/7/13 20:46:25 +0800`, a date alone), and the form of e-mails. A time
    without a zone is of `zone`. None too for what not every zone can show (`parse_timestamp`), as the zero date of Go.
    """
    match = _LOCAL.match(text)
    try:
        if not match and not _MAIL_YEAR.search(text):  # such as the year -0001 of what was never published
            return None
        if not match:
            return parse_timestamp(parsedate_to_datetime(text), zone)
        year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
        micro = int((match[7] or "0").ljust(6, "0")[:6])
        offset = _offset(match[8]) if match[8] else None
        return parse_timestamp(datetime(year, month, day, hour, minute, second, micro, offset), zone)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def offset_of(text: str) -> tzinfo | None:
    """Return the offset from UTC that a time in ISO 8601 or a variant of it states; None for one without."""
    match = _LOCAL.match(text)
    return _offset(match[8]) if match and match[8] else None


def _offset(text: str) -> tzinfo:
    if text.upper() in ("Z", "UTC", "GMT"):
        return UTC
    digits = text[1:].replace(":", "")
    span = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-span if text[0] == "-" else span)


def zone_of(name: str) -> tzinfo | None:
    """Return the zone of an IANA name or an offset as `+02:00`; None for another text."""
    if re.fullmatch(r"[+-]\d{2}:?\d{2}", name):
        return _offset(name)
    try:
        return ZoneInfo(name) if name else None
    except (ValueError, OSError, KeyError):
        return None


def infer_zone(pairs: Iterable[tuple[datetime, datetime]]) -> str:
    """Return the IANA name of the zone in which these local times are these UTC times; "" without pairs.

    Both are naive. Usual zones come first; if no zone explains most of the pairs, a fixed offset does.
    """
    offsets = [(utc, round((local - utc).total_seconds() / 900) * 900) for local, utc in pairs]
    if not offsets:
        return ""
    most, _count = Counter(offset for _utc, offset in offsets).most_common(1)[0]
    if {offset for _utc, offset in offsets} == {0}:
        return "UTC"
    sample = offsets[:: max(1, len(offsets) // 200)]
    best, best_hits = "", 0
    for name in (*_USUAL, *sorted(available_timezones() - set(_USUAL))):
        zone = zone_of(name)
        if zone is None:
            continue
        hits = sum(
            (
                zone.utcoffset(utc.replace(tzinfo=UTC).astimezone(zone).replace(tzinfo=None)) or timedelta()
            ).total_seconds()
            == offset
            for utc, offset in sample
        )
        if hits > best_hits:
            best, best_hits = name, hits
        if hits == len(sample):
            break
    if best_hits >= 0.9 * len(sample):
        return best
    return _fixed_zone(most) or best


def iana_name(name: str) -> str:
    """Return the name of a zone that this machine knows, also for an offset as `+02:00`; "" for any other text."""
    zone = zone_of(name)
    if zone is None:
        return ""
    offset = zone.utcoffset(None) or timedelta()
    return name if isinstance(zone, ZoneInfo) else _fixed_zone(round(offset.total_seconds()))


def _fixed_zone(seconds: int) -> str:
    """Return the IANA name of a fixed offset; "" for one that has none."""
    hours, rest = divmod(seconds, 3600)
    if rest or not -12 <= hours <= 14:
        return ""
    return f"Etc/GMT{-hours:+d}" if hours else "UTC"
