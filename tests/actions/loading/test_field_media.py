"""Media that fields name: known to the library from the first load on."""

from sitecms.store.entries import media_files
from tests.actions.conftest import SiteFolder


def test_a_picture_that_only_a_field_names_is_in_the_library(folder: SiteFolder) -> None:
    """The library has the picture with its size after one load, and after another that changed it."""
    for color, width in (("navy", 3), ("teal", 5)):
        folder.image("media/sea.png", color, (width, 2))
        folder.guide("start", fields={"headline": "Start", "image": {"url": "media/sea.png", "alt": "The sea"}})
        assert folder.load().errors == ()
        (page,) = folder.page("start")
        held = page.fields["image"]
        assert isinstance(held, dict)
        found = folder.database.read(media_files.find_media, [str(held["url"]).removeprefix("/media/")])
        assert [file.width for file in found.values()] == [width]
