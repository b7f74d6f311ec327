"""Times as files, forms and options state them: which zone they are of, and which of them are refused."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sitecms.clock import format_as_written, format_local_time, format_timestamp, parse_timestamp, parse_wall_clock

BERLIN, NEW_YORK, TOKYO = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York"), ZoneInfo("Asia/Tokyo")
ZONES = st.sampled_from(sorted(available_timezones())).map(ZoneInfo)
DAYS = st.dates(date(1, 1, 3), date(9999, 12, 29))
TIMES = st.datetimes(datetime.fromisoformat("0001-01-03"), datetime.fromisoformat("9999-12-29"))


@pytest.mark.parametrize(
    ("written", "zone", "expected"),
    [
        ("2026-03-01", NEW_YORK, "2026-03-01T05:00:00Z"),
        ("2026-03-01 21:00", NEW_YORK, "2026-03-02T02:00:00Z"),
        (" 2026-07-01T08:00:00.5 ", BERLIN, "2026-07-01T06:00:00.500000Z"),
        ("2026-03-01T08:00:00Z", NEW_YORK, "2026-03-01T08:00:00Z"),
        ("2026-03-01T08:00:00 +0200", NEW_YORK, "2026-03-01T06:00:00Z"),
        (date(2026, 3, 1), TOKYO, "2026-02-28T15:00:00Z"),
        (datetime.fromisoformat("2026-03-01T08:00"), TOKYO, "2026-02-28T23:00:00Z"),
        (datetime(2026, 3, 1, 8, tzinfo=UTC), TOKYO, "2026-03-01T08:00:00Z"),
    ],
)
def test_a_time_without_a_zone_is_of_the_zone_that_is_given(written: str | date, zone: ZoneInfo, expected: str) -> None:
    """A day alone is its midnight there; a time that states its zone is of that one."""
    assert format_timestamp(parse_timestamp(written, zone)) == expected


@pytest.mark.parametrize(
    ("written", "zone", "shown"),
    [
        ("2026-03-29T02:30", BERLIN, "2026-03-29T03:30:00+02:00"),  # skipped in spring
        ("2026-10-25T02:30", BERLIN, "2026-10-25T02:30:00+02:00"),  # twice in autumn: the first
        ("2018-11-04", ZoneInfo("America/Sao_Paulo"), "2018-11-04T01:00:00-02:00"),  # a day without midnight
        ("2025-11-02", ZoneInfo("America/Havana"), "2025-11-02T00:00:00-04:00"),  # a day with two
        ("2011-12-30", ZoneInfo("Pacific/Apia"), "2011-12-31T00:00:00+14:00"),  # a day that was skipped
        ("1850-01-01", BERLIN, "1850-01-01T00:00:00+00:53:28"),
        ("2026-03-01", UTC, "2026-03-01T00:00:00Z"),
    ],
)
def test_times_that_clocks_skip_or_show_twice(written: str, zone: ZoneInfo, shown: str) -> None:
    """As `zoneinfo` has it: a skipped time is as much later, of two the first is meant."""
    assert format_local_time(parse_timestamp(written, zone), zone) == shown


@pytest.mark.parametrize("zone", [UTC, NEW_YORK, TOKYO])
@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("0001-01-01T00:00:00Z", "from 0001-01-03 to 9999-12-29"),
        ("0001-01-01T00:00:00+14:00", "from 0001-01-03 to 9999-12-29"),
        ("0001-01-02", "from 0001-01-03 to 9999-12-29"),
        ("9999-12-30T12:00", "from 0001-01-03 to 9999-12-29"),
        ("9999-12-31T23:59:59Z", "from 0001-01-03 to 9999-12-29"),
        ("9999-12-31T23:59:59-12:00", "from 0001-01-03 to 9999-12-29"),
        ("yesterday", "an ISO 8601 time"),
        ("2026-02-30", "an ISO 8601 time"),
        ("", "an ISO 8601 time"),
    ],
)
def test_what_some_zone_cannot_show_is_refused_in_each(written: str, expected: str, zone: ZoneInfo) -> None:
    """So the zone of a site may change, and a file is right or wrong whatever it is."""
    with pytest.raises(ValueError, match=expected):
        parse_timestamp(written, zone)


@given(DAYS, ZONES, ZONES)
@example(date(1, 1, 3), ZoneInfo("Etc/GMT-14"), ZoneInfo("Etc/GMT+12"))
@example(date(9999, 12, 29), ZoneInfo("Etc/GMT+12"), ZoneInfo("Etc/GMT-14"))
def test_a_day_is_that_day_in_its_zone_and_can_be_shown_in_any(day: date, zone: ZoneInfo, other: ZoneInfo) -> None:
    """Nothing of it is lost where it is written as a time in UTC, and read again."""
    moment = parse_timestamp(day.isoformat(), zone)
    is_skipped = moment.astimezone(zone).replace(tzinfo=None) - datetime.combine(day, datetime.min.time()) >= _A_DAY
    assert is_skipped or moment.astimezone(zone).date() == day
    assert parse_timestamp(format_timestamp(moment), other) == moment
    assert parse_timestamp(format_local_time(moment, other), zone) == moment


_A_DAY = timedelta(days=1)


@given(st.datetimes(), ZONES)
def test_a_wall_clock_shows_what_is_written(written: datetime, zone: ZoneInfo) -> None:
    """Whatever the zone, at the edge of the calendar too."""
    assert parse_wall_clock(written.isoformat(), zone) == written
    assert parse_wall_clock(written.date().isoformat(), zone) == datetime.combine(written, datetime.min.time())


@given(TIMES, ZONES, ZONES)
def test_a_time_with_a_zone_is_brought_to_the_zone_of_the_clock(
    written: datetime, zone: ZoneInfo, other: ZoneInfo
) -> None:
    """A clock in that zone shows it."""
    moment = written.replace(tzinfo=zone)
    assert parse_wall_clock(moment.astimezone(UTC).isoformat(), other) == moment.astimezone(other).replace(tzinfo=None)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("2026-01-01T08:00:00Z", "2026-10-25T00:30:00Z"),
        ("2026-01-01T08:00:00+01:00", "2026-10-25T02:30:00+02:00"),
        ("2026-01-01 08:00", "2026-10-25 02:30"),
        ("2026-01-01T08:00:00.5", "2026-10-25T02:30:00"),
        ("2026-01-01", "2026-10-25T02:30:00+02:00"),
        (None, "2026-10-25T02:30:00+02:00"),
    ],
)
def test_time_in_the_form_of_another(written: object, text: str) -> None:
    """Zone, separator and seconds are as in the other one."""
    moment, zone = datetime(2026, 10, 25, 0, 30, tzinfo=UTC), ZoneInfo("Europe/Berlin")
    assert format_as_written(moment, written, zone) == text


def test_time_that_its_form_cannot_say_has_an_offset() -> None:
    """The second 02:30 of the day that has two, and a fraction of a second beside a time without one."""
    zone = ZoneInfo("Europe/Berlin")
    second = datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
    assert format_as_written(second, "2026-01-01 08:00", zone) == "2026-10-25T02:30:00+01:00"
    assert format_as_written(second.replace(microsecond=5), "2026-01-01T08:00Z", zone) == "2026-10-25T01:30:00.000005Z"
