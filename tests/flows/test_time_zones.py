"""A day that is written is that day everywhere, whatever the time zone of the site.

A site of one post, one page and one item with dates is loaded from files and built; pages, addresses, feeds, archives,
API and exported files are compared with what the files say.
"""

import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, time, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

import pytest
from babel.dates import format_date
from flask.testing import FlaskClient
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from sitecms.actions.exporting.export import export_site
from sitecms.actions.writing.publish_scheduled import publish_scheduled
from sitecms.content.kinds import EntryKind
from sitecms.content.token import Scope, new_secret, secret_digest
from sitecms.runtime import open_runtime
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.writes.tokens import insert_token
from sitecms.web.service import create_app
from tests.support.sites import ExampleSite

MakeExample = Callable[[Path], ExampleSite]
ZONES = st.sampled_from(sorted(available_timezones()))
DAYS = st.dates(date(1000, 1, 1), date(9990, 12, 31))
CLOCKS = st.times().map(lambda each: each.replace(microsecond=0))
DATED = {"post": "/{year}/{month}/{day}/{slug}/", "page": "/guides/{year}/{month}/{day}/{slug}/"}
FIELDS = [{"slug": name, "type": "date"} for name in ("day", "moment")]
MANY = settings().max_examples // 3
LIMITS = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])


class Dated:
    """A site in a zone, whose entries are all of one day; `moment` is the first minute of it there."""

    def __init__(self, site: ExampleSite, zone: str, day: date, clock: time) -> None:
        self.site, self.day, self.written = site, day, f"{day}T{clock}"
        self.zone = ZoneInfo(zone)
        self.moment = datetime.combine(day, time(), self.zone).astimezone(UTC)
        self.words = format_date(day, "long", "en_GB")
        self.slashed = day.strftime("%m/%d")
        self.path = f"{day.year:04}/{self.slashed}"
        for folder in ("content", "schema", "media"):
            for path in sorted((site.folder / folder).rglob("*"), reverse=True):
                path.unlink() if path.is_file() else path.rmdir()
        feeds = {"kinds": ["rss", "atom", "json"]}
        site.settings_are(timezone=zone, permalinks=DATED, feeds=feeds, locales=["en"])
        site.write("content/authors.yaml", [{"slug": "ann-ray", "first_name": "Ann"}])
        site.write("schema/page_types/guide.yaml", {"slug": "guide", "fields": FIELDS})
        site.write("schema/collections/tide.yaml", {"key": "tide", "fields": FIELDS})
        site.write("content/posts/yaml.md", f"---\ntitle: In YAML\npublished: {day}\n---\nText.\n")
        site.write("content/posts/toml.md", f"+++\ntitle = 'In TOML'\ndate = {day}\n+++\nText.\n")
        timed = f"+++\ntitle = 'With a time'\ndate = {day}T23:59:00\n+++\nText.\n"
        site.write("content/posts/timed.md", timed)
        fields = f"{{day: {day}, moment: '{self.written}'}}"
        page = f"title: Knots\nstatus: published\npublished: {day}\nfields: {fields}\n"
        site.write("content/pages/guide/knots.yaml", page)
        site.write("content/collections/tide.yaml", f"- id: 7\n  fields: {fields}\n")

    def load_at(self, moment: datetime) -> tuple[str, ...]:
        """Load at a time, publish what is due, and return the slugs of the posts that readers see."""
        self.site.now = moment - timedelta(hours=1)  # a load is an hour later
        self.site.load()
        publish_scheduled(self.site.database, moment, self.site.settings)
        return tuple(sorted(post.slug for post in self.site.database.read(VERSIONS[EntryKind.POST].published)))


@contextmanager
def dated(make_example: MakeExample, zone: str, day: date, clock: time) -> Iterator[Dated]:
    """A site in a folder of its own."""
    with tempfile.TemporaryDirectory() as scratch:
        site = make_example(Path(scratch) / "tide")
        try:
            yield Dated(site, zone, day, clock)
        finally:
            site.database.close()


@contextmanager
def reading(site: ExampleSite) -> Iterator[Callable[[str], Any]]:
    """The API of a site: what it answers to a read."""
    runtime, secret = open_runtime(site.settings), new_secret()
    try:
        runtime.database.write(insert_token, "reader", Scope.READ, secret_digest(secret), runtime.clock(), None)
        client: FlaskClient = create_app(runtime, "http://127.0.0.1:8000").test_client()

        def read(path: str) -> Any:
            return client.get(path, headers={"Authorization": f"Token {secret}"}).get_json()

        yield read
    finally:
        runtime.database.close()


def check_day(made: Dated) -> None:
    """Compare all that shows the day."""
    if made.moment.astimezone(made.zone).date() != made.day:
        return  # a day that was skipped when the zone crossed the date line
    assert made.load_at(made.moment - timedelta(minutes=1)) == ()
    assert made.load_at(made.moment) == ("toml", "yaml")
    assert made.load_at(made.moment + timedelta(days=1, hours=2)) == ("timed", "toml", "yaml")
    site = made.site
    assert site.build().failed == {}
    for name in ("yaml", "toml", "timed"):
        assert f">{made.words}</time>" in site.text(f"{made.path}/{name}/index.html")
    assert site.text("index.html").count(f">{made.words}</time>") == 3
    assert site.text(f"blog/{made.day.year}/index.html").count(f">{made.words}</time>") == 3
    page = site.text(f"guides/{made.path}/knots/index.html")
    assert page.count(f">{made.words}</time>") >= 2
    assert f'datetime="{made.written}"' in page
    assert f'datetime="{made.day}T00:00:00"' in page
    check_feeds(made)
    with reading(site) as read:
        check_answers(made, read)


def check_feeds(made: Dated) -> None:
    """A feed states moments: they are of that day in the zone of the site, the first of them its beginning."""
    assert f"<pubDate>{format_datetime(made.moment, usegmt=True)}</pubDate>" in made.site.text("rss.xml")
    for path, mark in (("atom.xml", "<published>([^<]+)"), ("feed.json", '"date_published": ?"([^"]+)"')):
        found = re.findall(mark, made.site.text(path))
        assert [datetime.fromisoformat(each).astimezone(made.zone).date() for each in found] == [made.day] * 3


def check_answers(made: Dated, read: Callable[[str], Any]) -> None:
    """The API states moments in UTC, and dates of fields as they were written."""
    for name in ("yaml", "toml", "timed"):
        published = read(f"/v2/posts/{name}/")["data"]["published"]
        assert published.endswith("Z")
        assert datetime.fromisoformat(published).astimezone(made.zone).date() == made.day
    written = {"day": f"{made.day}T00:00:00", "moment": made.written}
    assert read("/v2/pages/guide/knots/")["data"]["fields"] == written
    (item,) = read("/v2/content/tide/")["data"]["tide"]
    assert {name: item[name] for name in written} == written
    for query in (f"fields.day={made.day}", f"fields.moment={made.written}"):
        assert read(f"/v2/content/tide/?{query}")["meta"]["count"] == 1
    assert read(f"/v2/content/tide/?fields.day={made.day - timedelta(days=1)}")["meta"]["count"] == 0


def check_export(made: Dated, make_example: MakeExample) -> None:
    """An export, loaded into an empty store, answers the same."""
    site = made.site
    made.load_at(made.moment + timedelta(days=1, hours=2))
    folder = site.folder.with_name("exported")
    export_site(site.database, site.settings, folder)
    again = make_example(site.folder.with_name("again"))
    try:
        other = Dated(again, made.zone.key, made.day, time())
        for path in sorted((again.folder / "content").rglob("*.*")):
            path.unlink()
        for path in sorted((folder / "content").rglob("*.*")):
            again.write(path.relative_to(folder).as_posix(), path.read_bytes())
        assert other.load_at(made.moment + timedelta(days=2)) == ("timed", "toml", "yaml")
        with reading(again) as read:
            check_answers(made, read)
    finally:
        again.database.close()


@settings(LIMITS, max_examples=2)
@example("America/Los_Angeles", date(2026, 1, 1), time(0))
@example("Pacific/Kiritimati", date(2025, 12, 31), time(23, 59))
@example("Pacific/Apia", date(2011, 12, 30), time(12))  # a day that Samoa skipped
@example("America/Sao_Paulo", date(2018, 11, 4), time(0, 30))  # has no midnight
@given(ZONES, DAYS, CLOCKS)
def test_a_day_is_that_day_everywhere(make_example: MakeExample, zone: str, day: date, clock: time) -> None:
    """In pages, addresses, lists, archives, feeds and answers; and not before it has begun."""
    with dated(make_example, zone, day, clock) as made:
        check_day(made)


@settings(LIMITS, max_examples=1)
@example("Europe/Berlin", date(2026, 7, 1), time(0))
@given(ZONES, DAYS, CLOCKS)
def test_an_exported_day_is_that_day(make_example: MakeExample, zone: str, day: date, clock: time) -> None:
    """The export states moments in UTC, and dates of fields as they were written."""
    with dated(make_example, zone, day, clock) as made:
        check_export(made, make_example)


@pytest.mark.slow
@pytest.mark.sqlite_only("the other tests run on both")
@settings(LIMITS, max_examples=MANY)
@example("Etc/GMT+12", date(1, 1, 3), time(0))
@example("Etc/GMT-14", date(9999, 12, 28), time(23, 59))
@given(ZONES, DAYS, CLOCKS)
def test_any_day_is_that_day_everywhere(make_example: MakeExample, zone: str, day: date, clock: time) -> None:
    """Many days, and those at the edges of the calendar."""
    with dated(make_example, zone, day, clock) as made:
        check_day(made)
        check_export(made, make_example)
