"""The page of a media file: description, focal point, thumbnails, replacement and deletion."""

import io

import pytest
from msgspec.structs import replace
from PIL import Image

from sitecms.content.kinds import EntryKind
from sitecms.content.media import MediaDetails, MediaFile
from sitecms.content.status import Status
from sitecms.media.library import open_library
from sitecms.runtime import Runtime
from sitecms.store.entries.bodies import find_markdown
from sitecms.store.entries.media_files import all_media, find_media, save_media
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.site_state.site_builds import site_changes
from tests.support.entries import MakePost
from tests.support.pictures import image_bytes

from .conftest import Browser, MakeBrowser
from .forms import form_of
from .test_media import file, picture

pytestmark = pytest.mark.both_engines


def noise(size: tuple[int, int]) -> bytes:
    """A picture that is large enough for a thumbnail."""
    return image_bytes(Image.effect_noise(size, 80).convert("RGB"), "JPEG")


@pytest.fixture
def sea(runtime: Runtime) -> MediaFile:
    """A picture in the library, which nobody has described."""
    media = open_library(runtime.settings).add(picture(), "sea.jpg", runtime.clock())
    runtime.database.write(save_media, media)
    return media


def details_of(runtime: Runtime, name: str) -> MediaDetails:
    return runtime.database.read(find_media, [name])[name].details


def test_description_and_focal_point_are_saved(editor: Browser, runtime: Runtime, sea: MediaFile) -> None:
    """The site is to be built again, and the file is what it was; saving without a change does nothing."""
    page = f"/studio/media/{sea.name}/"
    with runtime.database.reading() as session:
        before = session.change_mark(), site_changes(session)
    stored = open_library(runtime.settings).path(sea.name).read_bytes()
    for said in ("Saved.", "Nothing was changed"):
        editor.get(page)
        editor.send(page, alt=" A calm sea ", focus_x="20", focus_y="85")
        assert said in editor.text
    assert details_of(runtime, sea.name) == MediaDetails("A calm sea", focus_x=20, focus_y=85)
    assert runtime.database.read(site_changes) == before[1] + 1
    assert open_library(runtime.settings).path(sea.name).read_bytes() == stored
    editor.get("/studio/media/?text=calm")
    assert "focus x20 y85" in editor.page
    assert "no description" not in editor.text


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"focus_x": "101"}, "from 0 to 100"),
        ({"focus_y": "-1"}, "from 0 to 100"),
        ({"focus_y": ""}, "from 0 to 100"),
        ({"alt": "x" * 256}, "255"),
        ({"decorative": "on"}, "decorative picture has no description"),
    ],
)
def test_faults_are_told_beside_what_was_typed(
    editor: Browser, runtime: Runtime, sea: MediaFile, sent: dict[str, str], words: str
) -> None:
    """Nothing is stored of a form with a fault."""
    editor.get(f"/studio/media/{sea.name}/")
    form = {"alt": "typed", "focus_x": "1", "focus_y": "2", **sent}
    assert editor.send(f"/studio/media/{sea.name}/", **form).status_code == 400
    assert words in editor.text
    assert form["alt"] in editor.page
    assert details_of(runtime, sea.name) == MediaDetails()


def test_writers_describe_what_they_alone_use(
    writer: Browser, runtime: Runtime, sea: MediaFile, make_post: MakePost
) -> None:
    """An own draft is no hindrance; a post that readers see is one."""
    page = f"/studio/media/{sea.name}/"
    make_post("mine", featured_image=sea.url, status=Status.DRAFT, author="ann-ray")
    writer.get(page)
    writer.send(page, alt="Sea", focus_x="50", focus_y="50")
    assert details_of(runtime, sea.name).alt == "Sea"
    make_post("theirs", featured_image=sea.url, author="bo-lind")
    writer.get(page)
    assert "disabled" in writer.page
    assert writer.send(page, alt="Mine", focus_x="50", focus_y="50").status_code == 403
    assert details_of(runtime, sea.name).alt == "Sea"
    writer.get(page)
    for action in ("replace", "delete"):
        assert writer.send(f"{page}{action}/").status_code == 403


def test_thumbnails_are_small_and_need_a_session(editor: Browser, browser: MakeBrowser, runtime: Runtime) -> None:
    """Made at the upload, and again where they are lost; a small picture is shown itself."""
    editor.get("/studio/media/")
    editor.send("/studio/media/", upload=[file(noise((900, 600)), "large.jpg"), file(picture(), "small.jpg")])
    names = {media.original_name: media.name for media in runtime.database.read(all_media).values()}
    folder = runtime.settings.state_dir / "thumbnails"
    assert [path.name for path in folder.iterdir()] == [f"{names['large.jpg']}-480.webp"]
    address = f"/studio/media/{names['large.jpg']}/thumbnail/"
    first = editor.client.get(address)
    assert first.content_type == "image/webp"
    assert Image.open(io.BytesIO(first.data)).size == (480, 320)
    assert "private" in first.headers["Cache-Control"]
    next(folder.iterdir()).unlink()
    assert editor.client.get(address).data == first.data
    small = editor.client.get(f"/studio/media/{names['small.jpg']}/thumbnail/")
    assert (small.status_code, small.headers["Location"]) == (303, f"/media/{names['small.jpg']}")
    assert editor.client.get(f"/studio/media/{'0' * 32}.png/thumbnail/").status_code == 404
    stranger = browser().client.get(address)
    assert (stranger.status_code, "/sign-in/" in stranger.headers["Location"]) == (303, True)


def test_description_is_suggested_where_the_picture_is_chosen(
    editor: Browser, runtime: Runtime, sea: MediaFile
) -> None:
    """It fills the field of the post; a typed one counts instead."""
    editor.get(f"/studio/media/{sea.name}/")
    editor.send(f"/studio/media/{sea.name}/", alt="A calm sea", focus_x="50", focus_y="50")
    address = "/studio/posts/new/"
    for typed, expected in (("", "A calm sea"), ("Mine", "Mine")):
        editor.get(address)
        fields = dict(form_of(editor))
        editor.send(address, **{**fields, "do": "use-picture", "picture": sea.url, "picture_alt": typed})
        assert form_of(editor)["featured_image_alt"] == expected
    listed = editor.client.get("/studio/media/", headers={"Accept": "application/json"}).get_json()
    assert [(row["alt"], row["is_decorative"]) for row in listed["files"]] == [("A calm sea", False)]


def test_file_is_replaced_in_every_entry(
    editor: Browser, runtime: Runtime, sea: MediaFile, make_post: MakePost
) -> None:
    """Told before; published ones, drafts and Markdown; sizes are those of the new file, the description goes along."""
    page = f"/studio/media/{sea.name}/"
    html = f'<p><img src="{sea.url}" alt="Sea" width="40" height="30"> and <img src="{sea.url}" alt="" width="9"></p>'
    shown = make_post("calm", body=html, featured_image=sea.url)
    draft = make_post("draft", body=f'<p><img src="{sea.url}" alt=""></p>', status=Status.DRAFT)
    editor.get(page)
    editor.send(page, alt="A calm sea", focus_x="20", focus_y="50")
    editor.get(page)
    editor.send(f"{page}replace/", upload=file(noise((80, 60)), "storm.jpg"))
    assert "Replace it in 2 entries" in editor.text
    with runtime.database.reading() as session:
        new = next(media for media in all_media(session).values() if media.original_name == "storm.jpg")
        assert VERSIONS[EntryKind.POST].get(session, shown).body == html
    editor.send(f"{page}replace/", new=new.name, do="replace")
    assert "Replaced." in editor.text
    with runtime.database.reading() as session:
        post, other = VERSIONS[EntryKind.POST].get(session, shown), VERSIONS[EntryKind.POST].get(session, draft)
    assert post.featured_image == new.url
    assert post.body == (
        f'<p><img src="{new.url}" alt="Sea" width="80" height="60"> and <img src="{new.url}" alt="" width="9"></p>'
    )
    assert (post.status, other.status, new.url in other.body) == (Status.PUBLISHED, Status.DRAFT, True)
    assert details_of(runtime, new.name) == MediaDetails("A calm sea", focus_x=20)
    editor.get(f"/studio/history/post/{shown}/en/")
    assert editor.get(f"/studio/media/{new.name}/").status_code == 200
    assert "Calm post" in editor.text


def test_replacement_reaches_markdown_and_working_copies(editor: Browser, runtime: Runtime, sea: MediaFile) -> None:
    """A post that was published and changed since: both versions show the new file, and the copy stays a copy."""
    page = f"/studio/media/{sea.name}/"
    editor.get("/studio/posts/new/")
    text = f"![Sea]({sea.url})"
    answered = editor.send(
        "/studio/posts/new/", **{**form_of(editor), "title": "Low", "body": text, "do": "publish", "complete": "1"}
    )
    post_id = int(answered.request.path.split("/")[-2])
    editor.send(answered.request.path, **{**form_of(editor), "body": f"More. {text}", "do": "save", "complete": "1"})
    assert "Draft saved" in editor.text
    editor.get(page)
    editor.send(f"{page}replace/", upload=file(noise((80, 60)), "storm.jpg"))
    new = editor.value_of("new")
    editor.send(f"{page}replace/", new=new, do="replace")
    with runtime.database.reading() as session:
        assert find_markdown(session, post_id) == f"![Sea](/media/{new})"
        assert f'src="/media/{new}"' in VERSIONS[EntryKind.POST].get(session, post_id).body
    editor.get(f"/studio/posts/{post_id}/")
    assert form_of(editor)["body"] == f"More. ![Sea](/media/{new})"


def test_unfit_replacements_are_refused(editor: Browser, runtime: Runtime, sea: MediaFile) -> None:
    """A file of another kind, the same file, and what no library takes."""
    page = f"/studio/media/{sea.name}/"
    for data, name, words in (
        (b"%PDF-1.4\n", "a.pdf", "of another kind"),
        (picture(), "b.jpg", "the same file"),
        (b"MZ", "c.exe", "c.exe"),
    ):
        editor.get(page)
        assert editor.send(f"{page}replace/", upload=file(data, name)).status_code == 400
        assert words in editor.text


def test_only_unused_files_are_deleted(editor: Browser, runtime: Runtime, sea: MediaFile, make_post: MakePost) -> None:
    """What uses it is named; afterwards the file and its record are gone."""
    page = f"/studio/media/{sea.name}/"
    unused = replace(sea, name="0" * 32 + ".jpg")
    runtime.database.write(save_media, unused)
    make_post("calm", featured_image=sea.url)
    editor.get(page)
    assert editor.send(f"{page}delete/").status_code == 400
    assert "post calm" in editor.text
    editor.get("/studio/media/")
    editor.send(f"/studio/media/{unused.name}/delete/")
    assert "The file is deleted." in editor.text
    assert list(runtime.database.read(all_media)) == [sea.name]
    assert open_library(runtime.settings).exists(sea.name)


def test_files_of_more_than_ten_megabytes_are_taken(editor: Browser, runtime: Runtime) -> None:
    """Any file of a form may have 100 MB."""
    editor.get("/studio/media/")
    editor.send("/studio/media/", upload=file(b"%PDF-1.4\n" + bytes(12_000_000), "large.pdf"))
    (stored,) = runtime.database.read(all_media).values()
    assert (stored.original_name, stored.size_bytes) == ("large.pdf", 12_000_009)
    assert open_library(runtime.settings).path(stored.name).stat().st_size == stored.size_bytes
