"""What was scheduled is published once, as of its time, and shows up in what readers see."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from sitecms.actions.writing.publish_scheduled import anything_due, publish_scheduled
from sitecms.content.status import Status, Version
from tests.support.engines import indexed

if TYPE_CHECKING:
    from tests.actions.conftest import SiteFolder

DUE = datetime(2026, 6, 1, 8, tzinfo=UTC)


def schedule(folder: "SiteFolder") -> None:
    """A post, a page and an item, all for the same time, the page over its live version in Spanish alone."""
    time = "2026-06-01T08:00:00Z"
    folder.post("one", "Slack water.", status="scheduled", scheduled=time)
    folder.guide("start", status="scheduled", scheduled=time)
    folder.items("team", {"status": "scheduled", "scheduled": time, "fields": {"name": "Ann"}})
    assert folder.load().errors == ()


def test_nothing_is_published_before_its_time(folder: "SiteFolder") -> None:
    """Not even a microsecond earlier; the check changes nothing."""
    schedule(folder)
    before = folder.change_number()
    early = DUE - timedelta(microseconds=1)
    assert not anything_due(folder.database, early)
    assert publish_scheduled(folder.database, early, "en") == 0
    assert folder.change_number() == before


def test_everything_due_is_published_as_of_its_time(folder: "SiteFolder") -> None:
    """Posts, pages and items in one change, however late; the second run publishes nothing."""
    schedule(folder)
    before = folder.change_number()
    late = DUE + timedelta(days=3)
    assert anything_due(folder.database, late)
    assert publish_scheduled(folder.database, late, "en") == 3
    assert folder.change_number() == before + 1
    post, (page,), (item,) = folder.find("one"), folder.page("start"), folder.all_items("team")
    for entry in (post, page, item):
        assert (entry.status, entry.published_at, entry.scheduled_at) == (Status.PUBLISHED, DUE, None)
        assert entry.updated_at == DUE
    assert page.version is item.version is Version.LIVE
    assert publish_scheduled(folder.database, late, "en") == 0
    assert folder.change_number() == before + 1


def test_published_entries_are_found_by_search(folder: "SiteFolder") -> None:
    """The search index is updated in the same change."""
    schedule(folder)
    publish_scheduled(folder.database, DUE, "en")
    with folder.database.reading() as session:
        assert (len(indexed(session, "slack")), len(indexed(session, "start", "page_search"))) == (1, 1)
