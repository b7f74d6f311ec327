"""Times of sources and their zones."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from sitecms.importing.formats.times import iana_name, infer_zone, read_time, zone_of

SEVEN = datetime(2013, 7, 13, 7, 5, 6, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "2013-07-13 07:05:06",
        "2013-07-13T07:05:06Z",
        "2013/7/13 15:05:06 +0800",
        "2013-07-13T09:05:06+02:00",
        "Sat, 13 Jul 2013 07:05:06 +0000",
    ],
)
def test_usual_forms_are_read(text: str) -> None:
    """A time without a zone is of the one that is given; others are not."""
    assert read_time(text, UTC) == SEVEN
    has_zone = any(mark in text for mark in ("+", "Z"))
    assert (read_time(text, ZoneInfo("Asia/Tokyo")) == SEVEN) == has_zone


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0000-00-00 00:00:00",
        "0001-01-01T00:00:00Z",
        "9999-12-31 23:59:59",
        "Mon, 30 Nov -0001 00:00:00 +0000",
        "soon",
        "2013-02-30",
    ],
)
def test_what_is_no_time_is_none(text: str) -> None:
    """Times of what was never published are no error."""
    assert read_time(text, UTC) is None


@pytest.mark.parametrize("name", ["Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Sydney"])
def test_the_zone_is_inferred_over_a_year(name: str) -> None:
    """Local and UTC times of all months tell the zone, daylight saving included."""
    moments = [SEVEN + timedelta(days=17 * number) for number in range(30)]
    pairs = [(at.astimezone(ZoneInfo(name)).replace(tzinfo=None), at.replace(tzinfo=None)) for at in moments]
    assert infer_zone(pairs) == name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Europe/Berlin", "Europe/Berlin"),
        ("+02:00", "Etc/GMT-2"),
        ("-0300", "Etc/GMT+3"),
        ("+00:00", "UTC"),
        ("Nowhere", ""),
    ],
)
def test_a_zone_has_a_name_that_settings_take(name: str, expected: str) -> None:
    """Offsets have names, too."""
    assert iana_name(name) == expected
    assert (zone_of(name) is None) == (not expected)
