"""A write-back that is killed at any point, and started again: the folder ends as without a kill."""

import shutil
from pathlib import Path
from random import Random

import pytest

from sitecms.actions.writing.accept.planning import StudioValues
from sitecms.content.kinds import EntryKind
from sitecms.content.media import MediaDetails
from tests.support.killed import LATER, killed_process
from tests.support.newsroom import Newsroom, PictureLibrary
from tests.support.sites import ExampleSite

KILLS = 3  # one after the other
POST, PAGE, ITEM = EntryKind.POST, EntryKind.PAGE, EntryKind.ITEM
pytestmark = [pytest.mark.slow, pytest.mark.sqlite_only]


@pytest.fixture
def edited(example: ExampleSite) -> Path:
    """A site folder with changes of all kinds that no file has, among them deletions and renames."""
    example.load()
    newsroom = Newsroom(example)
    library = PictureLibrary(newsroom)
    red, blue = library.upload("red.png", "red"), library.upload("blue.png", "blue")
    assert newsroom.sync().problems == ()
    library.delete(blue)
    library.describe(red, MediaDetails("A red sea"))
    newsroom.update(POST, "calm", {"title": "Slack", "featured_image": red.url})
    newsroom.update(POST, "ebb", {"slug": "neap"})
    newsroom.create(POST, {"title": "Spring tide", "status": "published", "body": "<p>High.</p>", "tags": ["low"]})
    newsroom.delete(POST, "gale")
    newsroom.update(PAGE, "knots", {}, type_="guide", studio=StudioValues(slug="bends"))
    spanish = {"fields": {"body": "<p>Remamos.</p>"}, "status": "published"}
    newsroom.update(PAGE, "about", spanish, type_="*", locale="es")
    newsroom.create(PAGE, {"title": "Its", "page_type": "guide", "slug": "its", "fields": {"summary": "Its."}})
    newsroom.create(ITEM, {"key": "menu", "fields": [{"label": "New", "url": "/new/"}]})
    newsroom.delete(ITEM, "1", "menu")
    example.database.close()
    return example.folder


def texts(folder: Path) -> dict[str, bytes]:
    """What the site folder says, and what was put aside."""
    places = [folder / "content", folder / "media", folder / ".sitecms/removed"]
    files = [path for place in places for path in place.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_folder_ends_as_without_a_kill(edited: Path) -> None:
    """Each time it is killed after another number of calls, and twice again before it may end."""
    whole = edited.with_name("whole")
    shutil.copytree(edited, whole)
    calls = killed_process(whole, 0)
    expected, luck = texts(whole), Random(7)
    assert "content/posts/spring-tide.md" in expected
    assert "media/blue.png" not in expected
    for number in range(8):
        folder = edited.with_name(f"killed-{number}")
        shutil.copytree(edited, folder)
        kills = [killed_process(folder, luck.randrange(1, calls)) == 0 for _ in range(KILLS)]
        assert kills[0]
        killed_process(folder, 0)
        assert texts(folder) == expected
        shutil.rmtree(folder)
    site = ExampleSite(whole)
    site.now = LATER
    report = site.load()
    site.database.close()
    assert (report.loaded, report.notes) == ((), ())
