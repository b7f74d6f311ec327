"""Times in files: those without a zone are of the site's, and those that some zone cannot show are errors."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from sitecms.content.permalink import day_of
from tests.actions.conftest import SiteFolder

pytestmark = pytest.mark.sqlite_only("is about files; what a load stores is told by test_load and others")

NEW_YORK, TOKYO = ZoneInfo("America/New_York"), ZoneInfo("Asia/Tokyo")
EXPECTED = "expected a time from 0001-01-03 to 9999-12-29"


def settle(folder: SiteFolder, zone: str) -> None:
    """Move the site into a time zone."""
    path = folder.folder / "site.toml"
    lines = [line for line in path.read_text("utf-8").splitlines() if not line.startswith("timezone")]
    path.write_text("\n".join([f'timezone = "{zone}"', *lines, ""]), "utf-8")


@pytest.mark.parametrize(
    ("front", "local"),
    [
        ("---\ntitle: A\npublished: 2026-01-01\n---\n", "2026-01-01T00:00"),
        ("---\ntitle: A\ndate: 2026-01-01 21:30\n---\n", "2026-01-01T21:30"),
        ("---\ntitle: A\npublished: '2026-01-01T21:30:00.250'\n---\n", "2026-01-01T21:30:00.250"),
        ("+++\ntitle = 'A'\ndate = 2026-01-01\n+++\n", "2026-01-01T00:00"),
        ("+++\ntitle = 'A'\npublished = 2026-01-01T21:30:00\n+++\n", "2026-01-01T21:30"),
        ("+++\ntitle = 'A'\npublished = 2026-01-02T02:30:00Z\n+++\n", "2026-01-01T21:30"),
        ("+++\ntitle = 'A'\npublished = 2026-01-02T03:30:00+01:00\n+++\n", "2026-01-01T21:30"),
    ],
)
def test_times_of_a_post_are_of_the_zone_of_the_site(folder: SiteFolder, front: str, local: str) -> None:
    """In YAML and in TOML, which has types for them."""
    settle(folder, "America/New_York")
    folder.write("content/posts/a.md", f"{front}Text.\n")
    assert folder.load().errors == ()
    assert folder.find("a").published_at == datetime.fromisoformat(local).replace(tzinfo=NEW_YORK)


def test_all_times_of_all_entries_are_of_the_zone_of_the_site(folder: SiteFolder) -> None:
    """Created, updated, published and scheduled, of posts, of pages by locale, of drafts and of items."""
    settle(folder, "Asia/Tokyo")
    days = {"created": "2026-01-01", "updated": "2026-01-03 08:00", "published": "2026-01-02"}
    folder.post("a", **days)
    folder.post("b", status="scheduled", scheduled="2027-01-01 09:00")
    both = {"en": {"headline": "Slack"}, "es": {"headline": "Repunte"}}
    draft = {"status": "scheduled", "scheduled": "2027-01-01", "fields": {"en": {"headline": "New"}}}
    folder.guide("start", fields=both, published={"en": "2026-01-02", "es": "2026-01-03"}, draft=draft)
    folder.items("team", {"published": "2026-01-02", "fields": {"name": "Bo"}})
    assert folder.load().errors == ()

    def local(day: int, hour: int = 0, year: int = 2026) -> datetime:
        return datetime(year, 1, day, hour, tzinfo=TOKYO)

    post = folder.find("a")
    assert (post.created_at, post.updated_at, post.published_at) == (local(1), local(3, 8), local(2))
    assert folder.find("b").scheduled_at == local(1, 9, 2027)
    draft_page, english, spanish = folder.page("start")
    assert (draft_page.scheduled_at, english.published_at, spanish.published_at) == (
        local(1, 0, 2027),
        local(2),
        local(3),
    )
    assert [item.published_at for item in folder.all_items("team")] == [local(2)]


def test_a_day_to_come_is_published_when_it_begins_on_the_site(folder: SiteFolder) -> None:
    """Not hours before or after it; the note states the time of the site."""
    settle(folder, "America/New_York")
    midnight = datetime(2026, 3, 8, tzinfo=NEW_YORK).astimezone(UTC)
    folder.post("a", published="2026-03-08")
    folder.now = midnight - timedelta(hours=1, seconds=1)  # a load is an hour later
    words = "is scheduled for 2026-03-08T00:00:00-05:00, its published time"
    assert [note.split(" (")[0] for note in folder.load().notes] == [f"content/posts/a.md: {words}"]
    assert folder.find("a").scheduled_at == midnight
    folder.post("b", published="2026-03-08")
    folder.now = midnight - timedelta(hours=1)
    assert folder.load().notes == ()
    assert folder.find("b").published_at == midnight


def test_a_draft_is_told_the_day_of_the_site(folder: SiteFolder) -> None:
    """That is the line to add, and it must not schedule the post for tomorrow."""
    settle(folder, "America/New_York")
    folder.write("content/posts/a.md", "---\ntitle: A\n---\nText.\n")
    folder.now = datetime(2026, 3, 2, 1, tzinfo=UTC)
    assert ["add published: 2026-03-01," in note for note in folder.load().notes] == [True]


def test_files_are_read_again_in_another_zone(folder: SiteFolder) -> None:
    """Their times without a zone are others then; a time with one stays."""
    settle(folder, "America/New_York")
    folder.post("a", published="2026-01-01")
    folder.post("b", published="2026-01-01T00:00:00Z")
    folder.load()
    settle(folder, "Asia/Tokyo")
    assert folder.load().errors == ()
    assert folder.find("a").published_at == datetime(2026, 1, 1, tzinfo=TOKYO)
    assert folder.find("b").published_at == datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Asia/Tokyo"])
@pytest.mark.parametrize(
    "written", ["0001-01-01T00:00:00Z", "0001-01-01", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59Z"]
)
def test_the_edges_of_the_calendar_are_errors_of_the_file(folder: SiteFolder, written: str, zone: str) -> None:
    """Named with their line, in any zone; the others are loaded, and without the file the trouble is over."""
    settle(folder, zone)
    folder.post("good", published="2026-01-01")
    folder.post("edge", published=written)
    folder.write("content/posts/toml.md", f"+++\ntitle = 'T'\n\ndate = {written}\n+++\nText.\n")
    folder.guide("page", published={"en": written})
    folder.items("team", {"fields": {"name": "Bo"}, "published": written})
    report = folder.load()
    assert [(error.file, error.line, error.remedy) for error in report.errors] == [
        ("content/collections/team.yaml", 6, EXPECTED),
        ("content/pages/guide/page.yaml", 8, EXPECTED),
        ("content/posts/edge.md", 4, EXPECTED),
        ("content/posts/toml.md", 4, EXPECTED),
    ]
    assert folder.slugs() == ["good"]
    for path in {error.file for error in report.errors}:
        folder.remove(path)
    report = folder.load()
    assert (report.errors, report.notes, folder.slugs()) == ((), (), ["good"])


def test_a_link_to_a_file_with_a_wrong_time_ends_no_load(folder: SiteFolder) -> None:
    """The address of the target has its day; each file has its own error."""
    folder.add_settings('[permalinks]\npost = "/{year}/{month}/{day}/{slug}/"')
    folder.post("a", "[b](b.md) [c](c.md)", published="2026-01-01")
    folder.post("b", published="soon")
    folder.write("content/posts/c.md", "---\ntitle: C\npublished: 7\n---\nText.\n")
    errors = [str(error).split(" (")[0] for error in folder.load().errors if error.file != "content/posts/a.md"]
    assert errors == ['content/posts/b.md:4 published: is "soon"', "content/posts/c.md:3 published: is 7"]


def test_a_time_of_day_alone_in_toml_is_text(folder: SiteFolder) -> None:
    """TOML has a type for it; a field of text keeps it, and no post is published at it."""
    folder.write("content/pages/guide/clock.md", "+++\ntitle = 'C'\n[fields]\nheadline = 07:30:00\n+++\nText.\n")
    folder.write("content/posts/clock.md", "+++\ntitle = 'C'\npublished = 07:30:00\n+++\nText.\n")
    folder.write("schema/page_types/guide.yaml", {
        "slug": "guide", "fields": [{"slug": name, "type": "short_text"} for name in ("headline", "body")],
    })  # fmt: skip
    (error,) = folder.load().errors
    assert (error.file, error.line) == ("content/posts/clock.md", 3)
    assert folder.page("clock")[0].fields["headline"] == "07:30:00"


def test_addresses_have_the_day_of_the_site(folder: SiteFolder) -> None:
    """A link between files leads to the address that the build gives the target."""
    settle(folder, "Asia/Tokyo")
    folder.add_settings('[permalinks]\npost = "/{year}/{month}/{day}/{slug}/"')
    folder.post("a", "[b](b.md)", published="2026-01-01")
    folder.post("b", published="2026-01-01")
    assert folder.load().errors == ()
    assert '<a href="/2026/01/01/b/">' in folder.find("a").body
    published_at = folder.find("b").published_at
    assert published_at is not None
    assert day_of(published_at, "Asia/Tokyo").isoformat() == "2026-01-01"
