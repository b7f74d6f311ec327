"""Names of time zones in settings."""

from zoneinfo import ZoneInfo

from sitecms.documents import nearest


def is_timezone(name: str) -> bool:
    """Return whether this is the name of a time zone."""
    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError):  # ZoneInfoNotFoundError is a KeyError
        return False
    return True


def timezone_remedy(name: str) -> str:
    """Return what to do about a name that is none."""
    from zoneinfo import available_timezones

    suggestion = nearest(name, available_timezones())
    return f'did you mean "{suggestion}"?' if suggestion else "expected an IANA name such as Europe/Lisbon"
