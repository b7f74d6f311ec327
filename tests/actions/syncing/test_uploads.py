"""Uploaded files come into the site folder when they are uploaded, and leave it when they are deleted."""

import pytest

from sitecms.content.kinds import EntryKind
from sitecms.content.media import MediaDetails
from sitecms.store.entries.media_files import all_media
from sitecms.store.entries.versions import VERSIONS
from tests.support.newsroom import Newsroom, PictureLibrary, killed_write_back
from tests.support.sites import ExampleSite

LISTED = "content/media.yaml"


@pytest.fixture
def library(newsroom: Newsroom) -> PictureLibrary:
    """The library of the newsroom's site."""
    return PictureLibrary(newsroom)


@pytest.mark.parametrize("is_killed", [False, True])
def test_upload_comes_into_the_folder_and_goes_when_it_is_deleted(
    is_killed: bool, newsroom: Newsroom, library: PictureLibrary
) -> None:
    """Though no entry uses it: the file by its name, and what people say of it, also after an interruption."""

    def sync() -> None:
        if is_killed:
            killed_write_back(newsroom)
        assert newsroom.sync().problems == ()

    red, blue = library.upload("red.png", "red"), library.upload("blue.png", "blue")
    sync()
    assert newsroom.files()[LISTED] == "- file: media/red.png\n- file: media/blue.png\n"
    library.describe(red, MediaDetails("A red sea", focus_x=20))
    sync()
    assert newsroom.files()[LISTED] == (
        "- file: media/red.png\n  alt: A red sea\n  focus:\n    x: 0.2\n    y: 0.5\n- file: media/blue.png\n"
    )
    newsroom.check_clone("clone")
    assert {red.name, blue.name} <= ExampleSite(newsroom.folder.with_name("clone")).database.read(all_media).keys()
    data = (newsroom.folder / "media/blue.png").read_bytes()
    library.delete(blue)
    sync()
    assert "blue" not in newsroom.files()[LISTED]
    assert not (newsroom.folder / "media/blue.png").exists()
    assert (newsroom.site.settings.state_dir / "removed/media/media/blue.png").read_bytes() == data
    newsroom.check_clone("clone2")


def test_file_that_a_person_put_into_the_folder_stays(newsroom: Newsroom, library: PictureLibrary) -> None:
    """The store has not written it: deleted in the library, it is no longer listed, and the file stays."""
    newsroom.site.image("media/own.png", "green")
    newsroom.site.write(LISTED, "- file: media/own.png\n  alt: Mine\n")
    newsroom.site.load()
    name = next(each.name for each in newsroom.media() if each.original_name == "own.png")
    library.delete(next(each for each in newsroom.media() if each.name == name))
    assert newsroom.sync().problems == ()
    assert newsroom.files()[LISTED].strip() in ("", "[]")
    assert (newsroom.folder / "media/own.png").exists()


def test_upload_that_a_person_removes_does_not_come_back(newsroom: Newsroom, library: PictureLibrary) -> None:
    """Entry and file are removed by hand: the next upload does not write them again."""
    library.upload("red.png", "red")
    newsroom.sync()
    (newsroom.folder / "media/red.png").unlink()
    newsroom.site.write(LISTED, "")
    newsroom.site.load()
    library.upload("blue.png", "blue")
    assert newsroom.sync().problems == ()
    assert newsroom.files()[LISTED] == "- file: media/blue.png\n"
    assert not (newsroom.folder / "media/red.png").exists()


def test_load_before_the_write_back_does_not_undo_a_deletion(newsroom: Newsroom, library: PictureLibrary) -> None:
    """The folder lists the file still, so the load takes it in again; the write-back removes it all the same."""
    red = library.upload("red.png", "red")
    library.describe(red, MediaDetails("A red sea"))
    newsroom.sync()
    library.delete(red)
    newsroom.site.load()
    assert newsroom.sync().problems == ()
    assert "red.png" not in newsroom.files()[LISTED]
    assert not (newsroom.folder / "media/red.png").exists()
    assert red.name not in {each.name for each in newsroom.media()}
    again = library.upload("red.png", "red")
    newsroom.sync()
    assert newsroom.files()[LISTED].strip() == "- file: media/red.png"
    assert again.name == red.name


def test_names_that_differ_in_case_alone_get_two_places(newsroom: Newsroom, library: PictureLibrary) -> None:
    """In one file, and in a later one: disks of some systems have one file for both names."""
    both = [library.upload("foam.png", "red"), library.upload("Foam.PNG", "blue")]
    assert newsroom.sync().problems == ()
    later = library.upload("FOAM.png", "green")
    assert newsroom.sync().problems == ()
    first, second = sorted(both, key=lambda file: file.name)
    places = [f"media/{first.original_name}"]
    places += [f"media/{file.name[:8]}/{file.original_name}" for file in (second, later)]
    assert sorted(newsroom.files()[LISTED].splitlines()) == sorted(f"- file: {place}" for place in places)
    assert all((newsroom.folder / place).exists() for place in places)
    body = f'<p><img src="{second.url}" alt="b"><img src="{later.url}" alt="g"></p>'
    newsroom.update(EntryKind.POST, "calm", {"featured_image": first.url, "body": body})
    assert newsroom.sync().problems == ()
    assert all(place in newsroom.files()["content/posts/calm.md"] for place in places)
    newsroom.check_clone("clone")


def test_files_whose_names_differ_in_case_alone_keep_them(newsroom: Newsroom, library: PictureLibrary) -> None:
    """A person has put them there, so an entry names them as they are."""
    del library
    newsroom.site.image("media/own.png", "green")
    newsroom.site.image("media/Own.png", "yellow")
    newsroom.site.write(LISTED, "- file: media/own.png\n  alt: Mine\n- file: media/Own.png\n  alt: Too\n")
    newsroom.site.load()
    own = {each.original_name: each.url for each in newsroom.media()}
    body = f'<p><img src="{own["Own.png"]}" alt="x"></p>'
    newsroom.update(EntryKind.POST, "calm", {"featured_image": own["own.png"], "body": body})
    report = newsroom.sync()
    assert (report.written, report.problems) == (("content/posts/calm.md",), ())
    text = newsroom.files()["content/posts/calm.md"]
    assert "featured_image: media/own.png\n" in text
    assert 'src="media/Own.png"' in text


def test_items_that_did_not_change_keep_their_media_in_a_new_file(newsroom: Newsroom, library: PictureLibrary) -> None:
    """A list that a person removed is written again with all items of the store."""
    fields = [{"slug": "name", "type": "short_text"}, {"slug": "photo", "type": "media"}]
    newsroom.site.write("schema/collections/boats.yaml", {"key": "boats", "label": "name", "fields": fields})
    newsroom.site.load()
    red = library.upload("red.png", "red")
    boats = [{"name": "Tern", "photo": {"url": red.url, "alt": "Red"}}, {"name": "Skua"}]
    newsroom.create(EntryKind.ITEM, {"key": "boats", "fields": boats})
    assert newsroom.sync().problems == ()
    path = "content/collections/boats.yaml"
    assert "url: media/red.png" in newsroom.files()[path]
    tern, skua = (each.id for each in newsroom.database.read(VERSIONS[EntryKind.ITEM].of_type, "boats"))
    (newsroom.folder / path).unlink()
    newsroom.update(EntryKind.ITEM, str(skua), {"fields": {"name": "Great skua"}}, type_="boats")
    assert newsroom.sync().problems == ()
    text = newsroom.files()[path]
    assert "Great skua" in text
    assert f"id: {tern}" in text
    assert "url: media/red.png" in text
    newsroom.check_clone("clone")
