"""The calendar: what is published and scheduled in a month, in the time zone of the site."""

import calendar
import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

from babel import Locale
from babel.core import get_global
from babel.dates import format_date, format_skeleton, get_day_names
from flask import Response
from msgspec import Struct

from sitecms.content.user import Action
from sitecms.settings.site import SiteSettings
from sitecms.store.listings.calendar import DatedEntry, find_dated
from sitecms.store.site_state.documents import load_content_schema
from sitecms.studio.entry_place import address_for
from sitecms.studio.texts import language
from sitecms.studio.visit import Route, Visit
from sitecms.translations import babel_locale

CALENDAR = "/studio/calendar/"
SHOWN_AT_ONCE = 5
"""Entries of a day that are not folded."""
_MONTH = re.compile(r"(19\d\d|2[01]\d\d)-(0[1-9]|1[0-2])")


class CalendarEntry(Struct, frozen=True):
    """An entry of a day; `address` is that of its form, "" for users who may not open it."""

    dated: DatedEntry
    address: str


class Day(Struct, frozen=True):
    """A day of the calendar: its label, and its entries by time; `more` are folded."""

    day: date
    label: str
    is_in_month: bool
    is_today: bool
    entries: Sequence[CalendarEntry]
    more: Sequence[CalendarEntry]


class Month(Struct, frozen=True):
    """A month: its label, and its value in addresses, as `2026-11`."""

    label: str
    value: str


def show_calendar(visit: Visit) -> Response:
    """Show a month."""
    settings = visit.studio.runtime.settings
    today = visit.at.astimezone(settings.zone).date()
    match = _MONTH.fullmatch(visit.query("month"))
    year, month = (int(match[1]), int(match[2])) if match else (today.year, today.month)
    weeks = calendar.Calendar(first_weekday(settings)).monthdatescalendar(year, month)
    entries = _by_day(visit, weeks[0][0], weeks[-1][-1])
    days = [[_day(each, month, today, entries.get(each, [])) for each in week] for week in weeks]
    first = date(year, month, 1)
    return visit.page(
        "calendar.html", weeks=days, month=_month(first), before=_month(first - timedelta(days=1)),
        after=_month(first + timedelta(days=31)), this_month=_month(today), day_names=_day_names(weeks[0]),
        count=sum(len(day.entries) + len(day.more) for week in days for day in week if day.is_in_month),
    )  # fmt: skip


def _by_day(visit: Visit, first: date, last: date) -> dict[date, list[CalendarEntry]]:
    """Return the entries of the days from the first to the last that the user may see."""
    zone = visit.studio.runtime.settings.zone
    start = datetime.combine(first, time(), zone)
    end = datetime.combine(last + timedelta(days=1), time(), zone)
    entries: dict[date, list[CalendarEntry]] = {}
    with visit.studio.runtime.database.reading() as session:
        found = find_dated(session, start, end, visit.own_author, load_content_schema(session))
    for each in found:
        address = address_for(visit, each.kind, each.id, each.type, each.locale)
        entries.setdefault(each.at.astimezone(zone).date(), []).append(CalendarEntry(each, address))
    return entries


def _day(day: date, month: int, today: date, entries: Sequence[CalendarEntry]) -> Day:
    label = format_date(day, "full", babel_locale(language()))
    shown = len(entries) if len(entries) == SHOWN_AT_ONCE + 1 else SHOWN_AT_ONCE  # never one alone is folded
    return Day(day, label, day.month == month, day == today, entries[:shown], entries[shown:])


def _month(day: date) -> Month:
    return Month(format_skeleton("yMMMM", day, locale=babel_locale(language())), f"{day:%Y-%m}")


def _day_names(week: Sequence[date]) -> list[tuple[str, str]]:
    """Return the name of each day of a week, short and whole."""
    short, whole = (get_day_names(width, locale=babel_locale(language())) for width in ("abbreviated", "wide"))
    return [(short[day.weekday()], whole[day.weekday()]) for day in week]


def first_weekday(settings: SiteSettings) -> int:
    """Return the day with which weeks begin, 0 for Monday: that of the default locale's country.

    A locale without a country has that of the site's time zone.
    """
    tag = settings.language_tag(settings.default_locale)
    country = get_global("zone_territories").get(settings.timezone)
    locale = babel_locale(tag)
    if locale.territory is None or "-" not in tag:
        locale = Locale.parse(f"und_{country}") if country else locale
    return int(locale.first_week_day)


ROUTES = (Route("GET", CALENDAR, show_calendar, Action.READ_PUBLISHED),)
