"""Dates of fields in the API of a site outside UTC: they have no zone, and are answered as they were written."""

from typing import Any

import pytest

from sitecms.settings.site import SiteSettings, load_settings

Writer = Any


@pytest.fixture
def site(site: SiteSettings) -> SiteSettings:
    """A site in Berlin."""
    path = site.folder / "site.toml"
    path.write_text(f'timezone = "Europe/Berlin"\n{path.read_text()}', encoding="utf-8")
    return load_settings(site.folder)


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ("2024-01-01", "2024-01-01T00:00:00"),
        ("2024-01-01T00:00:00", "2024-01-01T00:00:00"),
        ("2024-07-01 10:00", "2024-07-01T10:00:00"),
        ("2024-01-01T00:00:00+01:00", "2024-01-01T00:00:00"),
        ("2023-12-31T23:00:00Z", "2024-01-01T00:00:00"),
        ("2024-03-31T02:30:00", "2024-03-31T02:30:00"),  # no clock of Berlin has shown it; somebody wrote it
        ("0001-01-01", "0001-01-01T00:00:00"),
    ],
)
def test_a_date_is_answered_as_it_was_written(writer: Writer, team_schema: object, sent: str, stored: str) -> None:
    """One with a zone is brought to that of the site; a filter finds it by either form."""
    body = {"key": "team", "status": "published", "fields": [{"name": "Ann", "born": sent}]}
    outcome = writer.outcome(writer.post("/v2/content/", body))
    assert outcome["status"] == "applied", outcome
    (item,) = writer.data("/v2/content/team/")["team"]
    assert item["born"] == stored
    for asked in (sent, stored):
        query = asked.replace("+", "%2B")
        assert len(writer.data(f"/v2/content/team/?fields.born={query}")["team"]) == 1
    assert writer.data("/v2/content/team/?fields.born=2023-12-31")["team"] == []
    writer.outcome(writer.patch(f"/v2/content/team/{item['meta']['id']}/", {"fields": {"born": item["born"]}}))
    assert writer.data("/v2/content/team/")["team"][0]["born"] == stored


def test_dates_are_ordered_as_written(writer: Writer, team_schema: object) -> None:
    """Whether or not the request stated a zone."""
    days = ["2024-07-01T12:00:00Z", "2024-07-01", "2024-07-01T13:00:00"]
    fields = [{"name": str(number), "born": day} for number, day in enumerate(days)]
    writer.outcome(writer.post("/v2/content/", {"key": "team", "status": "published", "fields": fields}))
    found = writer.data("/v2/content/team/?order=born")["team"]
    assert [(each["name"], each["born"][11:16]) for each in found] == [("1", "00:00"), ("2", "13:00"), ("0", "14:00")]


@pytest.mark.parametrize("sent", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59-12:00", "soon"])
def test_what_no_clock_shows_is_refused(writer: Writer, team_schema: object, sent: str) -> None:
    """At once, under the field."""
    refused = writer.refused("POST", "/v2/content/", {"key": "team", "fields": [{"name": "Ann", "born": sent}]})
    assert refused["born"][0].startswith("Not a date: expected ")
