"""Days and times in the forms of a site outside UTC."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from sitecms.actions.writing.publish_scheduled import publish_scheduled
from sitecms.content.status import Version
from sitecms.runtime import Runtime
from sitecms.settings.site import SiteSettings, load_settings
from sitecms.site.build import build_site
from sitecms.site.options import BuildOptions
from tests.support.entries import declare_fields

from .conftest import Browser, Versions
from .forms import form_of, press


@pytest.fixture(params=["Europe/Berlin", "America/New_York", "Pacific/Kiritimati"])
def site(site: SiteSettings, request: pytest.FixtureRequest) -> SiteSettings:
    """A site in each of these zones."""
    path = site.folder / "site.toml"
    path.write_text(f'timezone = "{request.param}"\n{path.read_text()}', encoding="utf-8")
    return load_settings(site.folder)


@pytest.fixture
def dated(page_id: int, runtime: Runtime) -> int:
    """Give pages of the type guide a date; return the id of one."""
    declare_fields(runtime.database, {"slug": "when", "type": "date"})
    return page_id


@pytest.mark.parametrize(
    ("typed", "stored", "words"),
    [
        ("2026-07-01T00:00", "2026-07-01T00:00:00", "1 July 2026"),
        ("2026-12-31T23:59:30", "2026-12-31T23:59:30", "31 December 2026"),
    ],
)
def test_a_date_is_shown_as_it_was_typed(
    editor: Browser, dated: int, versions: Versions, runtime: Runtime, tmp_path: Path,
    typed: str, stored: str, words: str,
) -> None:  # fmt: skip
    """In the form, in the store and so in the API, and on the built page; the form names no zone beside it."""
    place = f"/studio/pages/{dated}/"
    editor.get(place)
    assert editor.text.count(runtime.settings.timezone) == 1  # beside the time of publication
    press(editor, "publish", fields__when=typed)
    assert versions(dated)["en", Version.LIVE].fields["when"] == stored
    editor.get(place)
    assert form_of(editor)["fields.when"] == typed
    press(editor, "publish")
    assert "Nothing was changed" in editor.text
    build_site(runtime.database, runtime.settings, tmp_path / "public", BuildOptions(jobs=1))
    page = (tmp_path / "public/guide/knots/index.html").read_text(encoding="utf-8")
    assert f'<time datetime="{stored}">{words}</time>' in page


def test_a_time_of_publication_is_of_the_zone_that_the_form_names(
    editor: Browser, page_id: int, versions: Versions, runtime: Runtime
) -> None:
    """A day begins at its midnight there: not published a minute before it."""
    editor.get(f"/studio/pages/{page_id}/")
    assert f"In the time zone of the site: {runtime.settings.timezone}, now" in editor.text
    press(editor, "schedule", scheduled_at="2099-07-01T00:00", fields__summary="Spring")
    assert f"Will be published on 1 Jul 2099, 00:00 ({runtime.settings.timezone})" in editor.text
    editor.get(f"/studio/pages/{page_id}/")
    assert form_of(editor)["scheduled_at"] == "2099-07-01T00:00"
    midnight = datetime(2099, 7, 1, tzinfo=ZoneInfo(runtime.settings.timezone)).astimezone(UTC)
    for moment, summary in ((midnight - timedelta(minutes=1), False), (midnight, True)):
        publish_scheduled(runtime.database, moment, runtime.settings)
        assert (versions(page_id)["en", Version.LIVE].fields["summary"] == "Spring") == summary


@pytest.mark.parametrize("typed", ["2099-07-01T00:00Z", "9999-12-31T23:59", "0001-01-01T00:00", "soon"])
def test_a_typed_zone_counts_and_the_edges_of_the_calendar_are_refused(
    editor: Browser, page_id: int, versions: Versions, typed: str
) -> None:
    """A browser without a picker sends any text."""
    editor.get(f"/studio/pages/{page_id}/")
    answer = press(editor, "schedule", scheduled_at=typed, fields__summary="Spring")
    if typed.endswith("Z"):
        draft = versions(page_id)["en", Version.DRAFT]
        assert draft.scheduled_at == datetime(2099, 7, 1, tzinfo=UTC)
    else:
        assert answer.status_code == 400
        assert "Choose a day and a time." in editor.text


def test_an_untouched_time_stays_what_is_stored(
    editor: Browser, page_id: int, versions: Versions, runtime: Runtime
) -> None:
    """The form shows no seconds, and both times of an hour that clocks show twice alike."""
    day = {"Europe/Berlin": "2050-10-30", "America/New_York": "2050-11-06"}.get(runtime.settings.timezone, "2050-11-06")
    hour = "01:30" if runtime.settings.timezone == "America/New_York" else "02:30"
    local = datetime.fromisoformat(f"{day}T{hour}:15").replace(tzinfo=ZoneInfo(runtime.settings.timezone), fold=1)
    place = f"/studio/pages/{page_id}/"
    editor.get(place)
    press(editor, "schedule", scheduled_at=local.isoformat(), fields__summary="Spring")
    for summary in ("Summer", "Autumn"):
        editor.get(place)
        assert form_of(editor)["scheduled_at"] == f"{day}T{hour}"
        press(editor, "schedule", fields__summary=summary)
        draft = versions(page_id)["en", Version.DRAFT]
        assert (draft.fields["summary"], draft.scheduled_at) == (summary, local.astimezone(UTC))
    press(editor, "schedule", scheduled_at=f"{day}T12:00")
    noon = datetime.fromisoformat(f"{day}T12:00").replace(tzinfo=local.tzinfo)
    assert versions(page_id)["en", Version.DRAFT].scheduled_at == noon.astimezone(UTC)
