"""Uploads into the media library, and the page of a file."""

import io
from collections.abc import Iterator

import pytest
from msgspec.structs import replace
from PIL import Image
from werkzeug.datastructures import FileStorage

from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status
from sitecms.content.user import Role
from sitecms.media.library import open_library
from sitecms.runtime import Runtime
from sitecms.store.entries.media_files import all_media
from sitecms.store.entries.versions import VERSIONS
from tests.support.entries import MakePost
from tests.support.pictures import image_bytes
from tests.support.web_hosts import Reply, web_host

from .conftest import Browser, MakeUser, open_with
from .forms import form_of, press


def picture(color: str = "navy") -> bytes:
    """A small picture with the place where it was taken."""
    exif = Image.Exif()
    exif[0x010E] = "secret place"
    return image_bytes(Image.new("RGB", (40, 30), color), "JPEG", exif=exif)


def file(data: bytes, name: str) -> FileStorage:
    """A file of a form."""
    return FileStorage(io.BytesIO(data), name)


def test_files_are_uploaded_without_metadata(writer: Browser, runtime: Runtime) -> None:
    """One file leads to its page with the line for a text; metadata and folders of names are gone."""
    writer.get("/studio/media/")
    assert "Uploaded." in writer.send("/studio/media/", upload=file(picture(), "my/sea.jpg")).get_data(True)
    (stored,) = runtime.database.read(all_media).values()
    assert (stored.original_name, stored.width, stored.height) == ("sea.jpg", 40, 30)
    assert f"![]({stored.url})" in writer.page
    assert b"secret place" not in open_library(runtime.settings).path(stored.name).read_bytes()
    assert "No entry shows it." in writer.text


def test_refused_files_are_told_and_the_others_kept(editor: Browser, runtime: Runtime) -> None:
    """What a file is counts, whatever its name says."""
    editor.get("/studio/media/")
    files = [file(picture(), "good.jpg"), file(b"<script>alert(1)</script>", "bad.png"), file(b"MZ", "<b>.exe")]
    answered = editor.send("/studio/media/", upload=files)
    assert answered.status_code == 400
    assert "bad.png:" in editor.text
    assert "<b>.exe" not in editor.page
    assert [each.original_name for each in runtime.database.read(all_media).values()] == ["good.jpg"]


def test_page_of_a_file_names_the_entries_that_show_it(
    editor: Browser, writer: Browser, make_post: MakePost, runtime: Runtime
) -> None:
    """Posts by their picture or body, of others only what is published."""
    media = open_library(runtime.settings).add(picture(), "sea.jpg", runtime.clock())
    editor.get("/studio/media/")
    editor.send("/studio/media/", upload=file(picture(), "sea.jpg"))
    name = next(iter(runtime.database.read(all_media)))
    make_post("calm", body=f'<p><img src="/media/{name}" alt=""></p>')
    make_post("hidden", featured_image=f"/media/{name}", status=Status.DRAFT, author="bo-lind")
    editor.get(f"/studio/media/{name}/")
    assert ("Calm post" in editor.text, "Hidden post" in editor.text) == (True, True)
    writer.get(f"/studio/media/{name}/")
    assert ("Calm post" in writer.text, "Hidden post" in writer.text) == (True, False)
    assert writer.get(f"/studio/media/{'0' * 32}.png/").status_code == 404
    assert media.name


def test_picture_is_uploaded_while_a_post_is_written(editor: Browser, runtime: Runtime) -> None:
    """It becomes the featured picture; what was typed is kept, also where the file is refused."""
    editor.get("/studio/posts/new/")
    fields = dict(form_of(editor), title="With a picture", body="typed")
    address = "/studio/posts/new/"
    assert editor.send(address, **{**fields, "do": "upload-picture", "upload": file(b"x", "x.jpg")}).status_code == 400
    assert "typed" in editor.page
    editor.send(address, **{**fields, "do": "upload-picture", "upload": file(picture(), "sea.jpg")})
    form = form_of(editor)
    assert (form["title"], form["body"]) == ("With a picture", "typed")
    assert form["featured_image"].startswith("/media/")
    answered = press(editor, "save")
    post = runtime.database.read(VERSIONS[EntryKind.POST].get, int(answered.request.path.split("/")[-2]))
    assert post.featured_image == form["featured_image"]


def test_too_large_a_form_is_told(editor: Browser) -> None:
    """413 with what to do, before it is read: forms with files take 100 MB, others 10 MB."""
    editor.get("/studio/media/")
    for content_type, length in (("multipart/form-data; boundary=x", 101), ("application/x-www-form-urlencoded", 11)):
        answered = editor.client.post(
            "/studio/media/",
            data=b"x",
            content_type=content_type,
            environ_overrides={"CONTENT_LENGTH": str(length * 1024 * 1024)},
            headers={"Sec-Fetch-Site": "same-origin"},
        )
        assert answered.status_code == 413, content_type
        assert "larger than 10 MB" in answered.get_data(as_text=True)


def test_files_that_are_there_already_are_named(writer: Browser, runtime: Runtime) -> None:
    """By the name that the library has, by which its search finds them; nothing is stored twice."""
    writer.get("/studio/media/")
    writer.send("/studio/media/", upload=file(picture(), "anchor.jpg"))
    assert "Uploaded." in writer.text
    writer.send("/studio/media/", upload=file(picture(), "photo.jpg"))
    assert "You have this file already, as anchor.jpg." in writer.text
    assert "Uploaded." not in writer.text
    writer.get("/studio/media/")
    assert "1 file," in writer.text
    writer.send("/studio/media/", upload=[file(picture(), "photo.jpg"), file(picture("red"), "red.jpg")])
    assert "photo.jpg: You have this file already, as anchor.jpg." in writer.text
    writer.get("/studio/media/?text=anchor.jpg")
    assert "1 file," in writer.text
    token, headers = writer.value_of("form_token"), {"Sec-Fetch-Site": "same-origin", "Accept": "application/json"}
    data = {"form_token": token, "upload": file(picture(), "anchor.jpg")}
    answer = writer.client.post("/studio/media/", data=data, headers=headers)
    assert answer.get_json()["repeated"] == {"anchor.jpg": "You have this file already."}


@pytest.fixture
def host() -> Iterator[str]:
    """A server on this machine that has a picture at every address."""
    with web_host(lambda _request: Reply(picture("green"))) as address:
        yield address


@pytest.mark.parametrize("allowed", [(), ("127.0.0.1",)])
def test_copies_of_remote_pictures_obey_the_rules_of_remote_media(
    make_user: MakeUser, runtime: Runtime, host: str, allowed: tuple[str, ...]
) -> None:
    """A private host only where the settings allow it; the copy has no metadata; what cannot be had has a reason."""
    make_user("writer", Role.WRITER)
    writer = open_with(runtime, "writer", media=replace(runtime.settings.media, allow_hosts=allowed))
    answers = []
    for address in (f"{host}/green.jpg", "file:///etc/passwd"):
        writer.get("/studio/media/")
        answers.append(writer.send("/studio/media/copy/", address=address).get_json())
    assert answers[1]["files"] == []
    assert list(answers[1]["refused"]) == ["file:///etc/passwd"]
    assert [each["name"] for each in answers[0]["files"]] == (["green.jpg"] if allowed else [])
    assert bool(answers[0]["refused"]) is not bool(allowed)
    names = list(runtime.database.read(all_media))
    assert len(names) == len(allowed)
    assert all(b"secret place" not in open_library(runtime.settings).path(name).read_bytes() for name in names)
