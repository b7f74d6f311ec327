"""The calendar: who sees what in it, on which day, and where its weeks begin."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from msgspec.structs import replace

from sitecms.content.status import Status
from sitecms.content.user import Role
from sitecms.runtime import Runtime
from sitecms.studio.views.calendar import first_weekday
from tests.support.entries import MakeItem, MakePage, MakePost

from .conftest import Browser, MakeUser, SignedIn, open_with
from .forms import press

pytestmark = pytest.mark.both_engines


def days(browser: Browser) -> dict[str, list[str]]:
    """Return the titles of the days that have some."""
    cells = re.findall(r'<td class="[^"]*"[^>]*><time datetime="([^"]+)">(.*?)</td>', browser.page, re.S)
    shown = {
        day: [unescape(title) for title in re.findall(r"</span> (?:<a [^>]+>)?([^<>]+?)(?:</a>)? (?:<|$)", cell)]
        for day, cell in cells
    }
    return {day: titles for day, titles in shown.items() if titles}


def test_entries_stand_on_their_days(editor: Browser, make_post: MakePost, make_page: MakePage, noon: datetime) -> None:
    """Published posts and pages, and what is scheduled; drafts and deleted entries are not there."""
    make_post("calm")
    make_post("later", status=Status.SCHEDULED, scheduled_at=noon + timedelta(days=40))
    make_post("plan", status=Status.DRAFT)
    gone = make_post("gone")
    page = make_page("knots", {})
    editor.get("/studio/posts/")
    editor.send("/studio/posts/bulk/", do="delete", id=gone)
    editor.get(f"/studio/calendar/?month={noon:%Y-%m}")
    assert days(editor) == {f"{noon:%Y-%m-%d}": ["Knots", "Calm"]}
    assert f'href="/studio/pages/{page}/?locale=en"' in editor.page
    then = noon + timedelta(days=40)
    editor.get(f"/studio/calendar/?month={then:%Y-%m}")
    assert days(editor) == {f"{then:%Y-%m-%d}": ["Later"]}
    assert '<span class="mark scheduled">' in editor.page
    editor.get("/studio/calendar/?month=2031-01")
    assert "Nothing was published or is scheduled in this month." in editor.text


def test_writers_see_what_they_may(
    editor: Browser, writer: Browser, make_post: MakePost, make_page: MakePage, noon: datetime
) -> None:
    """What is scheduled of others is no secret of the calendar; the same holds for changes of a published post."""
    at = noon + timedelta(days=1)
    make_post("own", status=Status.SCHEDULED, scheduled_at=at)
    make_post("secret", status=Status.SCHEDULED, scheduled_at=at, author="bo-lind")
    mine, theirs = make_post("mine", hours=1), make_post("theirs", hours=2, author="bo-lind")
    make_page("knots", {})
    later = datetime(2099, 6, 10, 12, tzinfo=UTC)
    for post_id in (mine, theirs):
        editor.get(f"/studio/posts/{post_id}/")
        press(editor, "schedule", summary="More", scheduled_at=f"{later:%Y-%m-%dT%H:%M}")
    editor.get(f"/studio/calendar/?month={noon:%Y-%m}")
    assert days(editor)[f"{at:%Y-%m-%d}"] == ["Own", "Secret"]
    editor.get(f"/studio/calendar/?month={later:%Y-%m}")
    assert days(editor) == {f"{later:%Y-%m-%d}": ["Mine", "Theirs"]}
    assert editor.text.count("scheduled changes") == 2
    writer.get(f"/studio/calendar/?month={noon:%Y-%m}")
    assert days(writer) == {f"{noon:%Y-%m-%d}": ["Knots", "Mine", "Theirs"], f"{at:%Y-%m-%d}": ["Own"]}
    assert "/studio/pages/1/" not in writer.page
    writer.get(f"/studio/calendar/?month={later:%Y-%m}")
    assert days(writer) == {f"{later:%Y-%m-%d}": ["Mine"]}


def test_scheduled_items_are_there(editor: Browser, make_item: MakeItem, noon: datetime) -> None:
    """Published ones are not: a collection has hundreds of one day."""
    make_item(1, {"name": "Ann"})
    make_item(2, {"name": "Bo"}, status=Status.DRAFT)
    later = datetime(2099, 6, 10, 12, tzinfo=UTC)
    editor.get("/studio/collections/team/2/")
    press(editor, "schedule", scheduled_at=f"{later:%Y-%m-%dT%H:%M}")
    editor.get(f"/studio/calendar/?month={noon:%Y-%m}")
    assert days(editor) == {}
    editor.get(f"/studio/calendar/?month={later:%Y-%m}")
    assert days(editor) == {f"{later:%Y-%m-%d}": ["Bo"]}


@pytest.mark.parametrize("month", ["", "2026-13", "0000-01", "9999-12", "x", "1900-01", "2199-12"])
def test_any_month_is_answered(signed_in: SignedIn, month: str) -> None:
    """What is no month is this one."""
    assert signed_in(Role.WRITER, "ann-ray").get(f"/studio/calendar/?month={month}").status_code == 200


def test_many_entries_of_a_day_fold(editor: Browser, make_post: MakePost, noon: datetime) -> None:
    """Five are shown; one more is shown too, rather than folded alone."""
    for number in range(6):
        make_post(f"post-{number}")
    editor.get(f"/studio/calendar/?month={noon:%Y-%m}")
    assert " more" not in editor.text
    make_post("post-6")
    editor.get(f"/studio/calendar/?month={noon:%Y-%m}")
    assert "2 more" in editor.text
    assert len(days(editor)[f"{noon:%Y-%m-%d}"]) == 7


@pytest.mark.parametrize(
    ("tag", "zone", "expected"),
    [
        ("en", "America/New_York", 6), ("en", "Europe/Oslo", 0), ("en-GB", "America/New_York", 0), ("de", "UTC", 0),
        ("en-US", "Europe/Oslo", 6), ("ar", "Africa/Cairo", 5), ("", "UTC", 0), ("ja", "Asia/Tokyo", 6),
    ],
)  # fmt: skip
@pytest.mark.sqlite_only
def test_week_begins_as_in_the_country(runtime: Runtime, tag: str, zone: str, expected: int) -> None:
    """That of the locale, else that of the time zone."""
    settings = replace(runtime.settings, language_tags={runtime.settings.default_locale: tag}, timezone=zone)
    assert first_weekday(settings) == expected


@pytest.mark.sqlite_only
def test_day_is_that_of_the_site(runtime: Runtime, make_user: MakeUser, make_post: MakePost) -> None:
    """In Auckland noon in London is the first hour of the next day."""
    make_post("calm")
    make_user("editor", Role.EDITOR)
    editor = open_with(runtime, "editor", timezone="Pacific/Auckland")
    editor.get("/studio/calendar/?month=2026-03")
    assert days(editor) == {"2026-03-02": ["Calm"]}
    assert "01:00" in editor.text
