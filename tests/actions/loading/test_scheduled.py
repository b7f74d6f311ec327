"""An entry that is published at a time to come is scheduled for it."""

from datetime import UTC, datetime

from sitecms.content.status import Status, Version
from sitecms.store.maintenance.statistics import latest_change_at
from tests.actions.conftest import SiteFolder

TIME = "2026-06-01T08:00:00Z"
DUE = datetime(2026, 6, 1, 8, tzinfo=UTC)


def load(folder: SiteFolder) -> tuple[str, ...]:
    """Load a post, a page in two locales and an item that have that time; return the notes."""
    folder.post("one", published=TIME)
    both = {"en": {"headline": "Slack"}, "es": {"headline": "Repunte"}}
    folder.guide("start", fields=both, published={"en": TIME, "es": "2026-01-01T00:00:00Z"})
    folder.items("team", "Ann", {"published": TIME, "fields": {"name": "Bo"}})
    report = folder.load()
    assert report.errors == ()
    return report.notes


def states(folder: SiteFolder) -> list[tuple[Status, datetime | None, datetime | None]]:
    """Return status, published and scheduled time of the post, the page in English and the second item."""
    found = (folder.find("one"), folder.page("start")[0], folder.all_items("team")[1])
    return [(entry.status, entry.published_at, entry.scheduled_at) for entry in found]


def test_what_is_to_be_published_later_is_scheduled(folder: SiteFolder) -> None:
    """Posts, versions of pages and items, each with a note; no time of change lies in the future."""
    told = "is scheduled for 2026-06-01T08:00:00Z, its published time (to show it now, state a time that has passed)"
    places = ("posts/one.md:", "pages/guide/start.yaml:", "collections/team.yaml: [1]")
    assert sorted(load(folder)) == sorted(f"content/{place} {told}" for place in places)
    assert states(folder) == [(Status.SCHEDULED, None, DUE)] * 3
    assert [(page.locale, page.version) for page in folder.page("start")] == [
        ("en", Version.DRAFT), ("es", Version.LIVE)
    ]  # fmt: skip
    assert folder.database.read(latest_change_at) == folder.now


def test_a_published_post_with_a_time_to_come_is_taken_off(folder: SiteFolder) -> None:
    """Until that time, as the file says."""
    folder.post("one", published="2026-01-01T00:00:00Z")
    folder.load()
    folder.post("one", published=TIME)
    folder.load()
    post = folder.find("one")
    assert (post.status, post.scheduled_at) == (Status.SCHEDULED, DUE)


def test_a_draft_keeps_its_time(folder: SiteFolder) -> None:
    """It is not scheduled; a request that publishes it publishes it at once."""
    folder.post("one", status="draft", published=TIME)
    assert folder.load().notes == ()
    assert (folder.find("one").status, folder.find("one").published_at) == (Status.DRAFT, DUE)
    folder.edit("one", status=Status.PUBLISHED)
    assert (folder.find("one").status, folder.find("one").published_at) == (Status.PUBLISHED, folder.now)
