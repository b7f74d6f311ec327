"""Several media files: tags as folders, deletion of what is not used, pictures described one after the other."""

import re
from datetime import timedelta
from html import unescape

import pytest
from msgspec.structs import replace

from sitecms.content.kinds import EntryKind
from sitecms.content.media import MediaDetails, MediaFile
from sitecms.content.status import Status
from sitecms.media.library import open_library
from sitecms.runtime import Runtime
from sitecms.store.entries.media_files import all_media, save_details, save_media
from sitecms.store.site_state.site_builds import site_changes
from tests.support.entries import MakePost
from tests.support.statements import statements

from .conftest import Browser
from .test_media import picture

pytestmark = pytest.mark.both_engines

MEDIA = "/studio/media/"
BULK = f"{MEDIA}bulk/"


@pytest.fixture
def files(runtime: Runtime) -> dict[str, MediaFile]:
    """Three pictures, the first of which is the newest."""
    library, made = open_library(runtime.settings), dict[str, MediaFile]()
    with runtime.database.writing() as transaction:
        for number, color in enumerate(("red", "green", "navy")):
            at = runtime.clock() - timedelta(hours=number)
            made[color] = library.add(picture(color), f"{color}.jpg", at)
            save_media(transaction, made[color])
    return made


def shown(browser: Browser) -> list[str]:
    """Return the names of the files that the library shows."""
    return re.findall(r'<li>(?:<input[^>]*>)?<a href="/studio/media/[^"]+">.*?<span>([^<]+)</span></a>', browser.page)


def tags_of(runtime: Runtime) -> dict[str, tuple[str, ...]]:
    """Return the tags of each file, by its former name."""
    return {file.original_name: file.details.tags for file in runtime.database.read(all_media).values()}


def test_tags_are_folders(editor: Browser, runtime: Runtime, files: dict[str, MediaFile]) -> None:
    """Added to several files and removed; their case does not matter, and readers see nothing of them."""
    names = [file.name for file in files.values()]
    editor.get(MEDIA)
    before = runtime.database.read(site_changes)
    editor.send(BULK, do="tag", tag="  Isle of   Man ", id=[*names[:2], "0" * 32 + ".jpg"])
    assert "2 of 3 changed" in editor.text
    assert "1 was refused" in editor.text
    editor.send(f"{BULK}?tag=x", do="tag", tag="ISLE OF MAN", id=names)
    assert "1 of 3 changed" in editor.text
    assert "Nothing to do: red.jpg, green.jpg." in editor.text
    assert 'href="/studio/media/?tag=x"' in editor.page
    editor.send(BULK, do="untag", tag="isle of man", id=names[2:])
    assert tags_of(runtime) == {"red.jpg": ("Isle of Man",), "green.jpg": ("Isle of Man",), "navy.jpg": ()}
    assert runtime.database.read(site_changes) == before
    for query, found in (
        ("?tag=isle+of+man", ["red.jpg", "green.jpg"]), ("?use=untagged", ["navy.jpg"]),
        ("?text=isle", ["red.jpg", "green.jpg"]),
        ("?tag=none", []), ("", ["red.jpg", "green.jpg", "navy.jpg"]),
    ):  # fmt: skip
        editor.get(f"{MEDIA}{query}")
        assert shown(editor) == found, query
    assert "Isle of Man 2" in editor.text


def test_tags_are_typed_on_the_page_of_a_file(editor: Browser, runtime: Runtime, files: dict[str, MediaFile]) -> None:
    """Separated by commas; too many are refused, and stay in the form."""
    page = f"{MEDIA}{files['red'].name}/"
    editor.get(page)
    editor.send(page, alt="Red", focus_x="50", focus_y="50", tags=" Sea, Boats ,sea,,")
    assert tags_of(runtime)["red.jpg"] == ("Sea", "Boats")
    assert 'name="tags" value="Sea, Boats"' in editor.page
    assert "In use: Boats, Sea." in editor.text
    many = ", ".join(f"tag {number}" for number in range(51))
    assert editor.send(page, alt="Red", focus_x="50", focus_y="50", tags=many).status_code == 400
    assert "A file has 50 tags at most" in editor.text
    assert "tag 50" in editor.page


def test_unused_files_are_found_and_deleted(
    editor: Browser, writer: Browser, make_post: MakePost, runtime: Runtime, files: dict[str, MediaFile]
) -> None:
    """Those that something uses are named with the place, and stay."""
    make_post("calm", featured_image=files["red"].url)
    make_post("plan", body=f'<p><img src="{files["red"].url}" alt=""></p>', status=Status.DRAFT, author="bo-lind")
    editor.get(MEDIA)
    assert "used by 2 entries" in editor.text
    writer.get(MEDIA)
    assert "used by 1 entry" in writer.text
    editor.get(f"{MEDIA}?use=unused")
    assert shown(editor) == ["green.jpg", "navy.jpg"]
    editor.send(BULK, do="delete", id=[file.name for file in files.values()])
    assert "2 of 3 deleted" in editor.text
    assert "red.jpg : The file was not deleted, because this uses it: post" in editor.text
    assert set(tags_of(runtime)) == {"red.jpg"}
    assert 'value="delete"' not in writer.page
    writer.send(BULK, do="delete", id=files["red"].name)
    assert "Your role" in writer.text


def test_writers_tag_what_they_may_describe(
    writer: Browser, make_post: MakePost, runtime: Runtime, files: dict[str, MediaFile]
) -> None:
    """Not what others use."""
    make_post("calm", featured_image=files["red"].url)
    writer.get(MEDIA)
    writer.send(BULK, do="tag", tag="Mine", id=[files["red"].name, files["navy"].name])
    assert "1 of 2 changed" in writer.text
    assert tags_of(runtime) == {"red.jpg": (), "green.jpg": (), "navy.jpg": ("Mine",)}


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"do": "delete"}, "No file is selected."),
        ({"do": "explode", "id": "a"}, "Press one of the buttons"),
        ({"do": "tag", "id": "a", "tag": " "}, "Type a tag"),
        ({"do": "tag", "id": "a", "tag": "a, b"}, "Type a tag without a comma"),
        ({"do": "tag", "id": "a", "tag": "x" * 61}, "Type a tag"),
        ({"do": "delete", "id": [str(number) for number in range(201)]}, "Select fewer"),
    ],
)
def test_senseless_forms_change_nothing(editor: Browser, form: dict[str, object], message: str) -> None:
    """The reason is told."""
    editor.get(MEDIA)
    assert editor.send(BULK, **form).status_code == 400
    assert message in editor.text


def test_pictures_are_described_one_after_the_other(
    editor: Browser, runtime: Runtime, files: dict[str, MediaFile]
) -> None:
    """Saving leads to the next one, skipping too; what is skipped comes again, and tags and focal point stay."""
    kept = MediaDetails(focus_x=20, tags=("Sea",))
    runtime.database.write(save_details, files["red"].name, kept)
    editor.get(MEDIA)
    assert "Describe 3 pictures, one after the other" in editor.text
    editor.get(f"{MEDIA}describe/")
    assert ("3 pictures have no description." in editor.text, editor.value_of("name")) == (True, files["red"].name)
    editor.send(f"{MEDIA}describe/", name=files["red"].name, alt="")
    assert "Describe the picture, mark it as decorative, or skip it." in editor.text
    editor.send(f"{MEDIA}describe/", name=files["red"].name, alt="x" * 256)
    assert "no more than 255 characters" in editor.text
    assert "x" * 256 in editor.page
    editor.send(f"{MEDIA}describe/", name=files["red"].name, alt=" A red sea ")
    assert editor.value_of("name") == files["green"].name
    (skip,) = re.findall(r'<a class="button" href="(\?after=[^"]+)">Skip', editor.page)
    editor.get(f"{MEDIA}describe/{unescape(skip)}")
    editor.send(f"{MEDIA}describe/", name=files["navy"].name, alt="", decorative="on")
    assert "1 picture was skipped. Begin again" in editor.text
    editor.get(f"{MEDIA}describe/")
    editor.send(f"{MEDIA}describe/", name=files["green"].name, alt="Green")
    assert "All pictures have a description." in editor.text
    details = {file.original_name: file.details for file in runtime.database.read(all_media).values()}
    assert details["red.jpg"] == replace(kept, alt="A red sea")
    assert details["navy.jpg"].is_decorative
    editor.get(MEDIA)
    assert "one after the other" not in editor.text


def test_writers_describe_what_they_may(writer: Browser, make_post: MakePost, files: dict[str, MediaFile]) -> None:
    """Pictures of others are left out; those of a folder are described by themselves."""
    make_post("calm", featured_image=files["red"].url)
    writer.get(f"{MEDIA}describe/")
    assert "2 pictures have no description." in writer.text
    writer.send(f"{MEDIA}describe/", name=files["red"].name, alt="Mine")
    assert "Ask an editor to describe it." in writer.text
    writer.get(f"{MEDIA}describe/?tag=none")
    assert "All pictures have a description." in writer.text


@pytest.mark.sqlite_only
def test_pictures_of_others_cost_writers_nothing(
    writer: Browser, make_post: MakePost, runtime: Runtime, files: dict[str, MediaFile]
) -> None:
    """What uses a picture is looked up for those of the writer's own drafts alone."""
    make_post("own", featured_image=files["navy"].url, status=Status.DRAFT)
    make_post("secret", featured_image=files["red"].url, status=Status.DRAFT, author="bo-lind")
    make_post("calm", featured_image=files["green"].url)
    with statements(runtime) as made:
        writer.get(f"{MEDIA}describe/")
    assert "1 picture has no description." in writer.text
    assert sum("SELECT DISTINCT" in each for each in made) == len(EntryKind)
