"""Times of fields in the time zone of a form, as pickers of browsers show and send them.

A stored time is in UTC without a zone, `2026-03-01T08:00:00`. The form says in which zone it shows times.
"""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo


def local_date(stored: str, zone: str) -> str:
    """Return a stored time as a field `datetime-local` has it; "" for a text that is no stored time."""
    try:
        moment = datetime.fromisoformat(stored).replace(tzinfo=UTC).astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    except (ValueError, KeyError, OverflowError, OSError):
        return ""
    exact = moment.second or moment.microsecond
    return moment.isoformat() if exact else moment.isoformat(timespec="minutes")


def stored_date(typed: str, shown: str, zone: str) -> str:
    """Return what was typed as it is stored; `shown` stays where it is the same time.

    A text that is no time without a zone stays as it was typed, for the field to accept or refuse.
    """
    if typed == (local_date(shown, zone) or shown):
        return shown
    try:
        moment = datetime.fromisoformat(typed.strip())
        if moment.tzinfo is not None:
            return typed
        return moment.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC).replace(tzinfo=None).isoformat()
    except (ValueError, KeyError, OverflowError, OSError):
        return typed
