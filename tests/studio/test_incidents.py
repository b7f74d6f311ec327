"""Faults that other editors had in 2025 and 2026, and that have no test beside the feature they concern.

The others are tested where the feature is: Wagtail CVE-2026-28223, Ghost CVE-2026-22595 (test_access.py), Ghost
GHSA-9m84-wc28-w895 (test_second_factor.py), Payload CVE-2025-4643, Directus CVE-2026-22032 (test_signing_in.py), Kirby
CVE-2026-44176 (test_lists.py), Statamic CVE-2026-54244 (test_previews.py), PocketBase#4857 (test_posts.py), Kirby
CVE-2026-21896 and CVE-2026-40099 (tests/actions/editing/test_posts.py), Strapi CVE-2026-22706 and Payload
CVE-2026-25574 (tests/actions/accounts/test_users.py).
"""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler

import pytest

from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status
from sitecms.runtime import Runtime
from sitecms.store.entries.media_files import all_media
from sitecms.store.entries.versions import VERSIONS
from sitecms.studio.app import ROUTES
from sitecms.studio.views.previews import FILES
from sitecms.studio.visit import SIGN_IN
from tests.support.entries import MakePost
from tests.support.web_hosts import Reply, web_host

from .conftest import Browser, MakeBrowser
from .forms import form_of, press
from .test_media import file, picture


@pytest.fixture
def inner() -> Iterator[tuple[str, list[str]]]:
    """A server that only this machine can reach: its address, and the paths that were asked for."""
    asked: list[str] = []

    def answer(request: BaseHTTPRequestHandler) -> Reply:
        asked.append(request.path)
        return Reply(status=404)

    with web_host(answer) as address:
        yield address, asked


def test_copies_ask_for_rights_to_source_and_copy(writer: Browser, make_post: MakePost, runtime: Runtime) -> None:
    """Wagtail CVE-2026-44200 and -44199: neither a draft of another author, nor a copy in another author's name."""
    hidden = make_post("hidden", author="bo-lind", status=Status.DRAFT, markdown="Secret", body="<p>Secret</p>")
    own = make_post("mine", status=Status.DRAFT, markdown="Mine", body="<p>Mine</p>")
    writer.get(f"/studio/posts/{own}/")
    form = form_of(writer)
    assert press(writer, "copy", f"/studio/posts/{hidden}/").status_code == 404
    assert "Secret" not in writer.page
    writer.get(f"/studio/posts/{own}/")
    press(writer, "copy", author="bo-lind")
    assert "A copy is created as a draft." in writer.text
    with runtime.database.reading() as session:
        authors = [VERSIONS[EntryKind.POST].get(session, post_id).author.slug for post_id in (hidden, own, own + 1)]
    assert authors == ["bo-lind", "ann-ray", "ann-ray"]
    assert press_new(writer, form, author="bo-lind") in (400, 403)


def press_new(writer: Browser, form: dict[str, str], **changes: str) -> int:
    """Send a form as that of a new post; return the status."""
    data = {**form, **changes, "do": "save", "slug": ""}
    return writer.client.post("/studio/posts/new/", data=data, headers={"Sec-Fetch-Site": "same-origin"}).status_code


def test_addresses_in_content_are_not_asked_for(
    editor: Browser, make_post: MakePost, inner: tuple[str, list[str]]
) -> None:
    """Ghost CVE-2026-53946: saving, previewing and checking a post asks no server that only this machine reaches."""
    address, asked = inner
    post_id = make_post("calm", markdown="Text", body="<p>Text</p>")
    for body, featured in ((f"![x]({address}/a.png)", ""), ("Text", f"{address}/b.png")):
        editor.get(f"/studio/posts/{post_id}/")
        form = {**form_of(editor), "body": body, "featured_image": featured}
        for path in ("preview/", "check/"):
            editor.client.post(f"/studio/posts/{post_id}/{path}", data=form, headers={"Sec-Fetch-Site": "same-origin"})
        press(editor, "publish", body=body, featured_image=featured)
    assert asked == []


def test_previews_have_no_address_to_pass_on(editor: Browser, make_post: MakePost) -> None:
    """Statamic CVE-2026-33884: a preview answers a form of its entry alone, and no token in an address."""
    post_id = make_post("mine", status=Status.DRAFT)
    paths = [route.path for route in ROUTES if "preview" in route.path]
    assert len(paths) > 4
    assert {route.method for route in ROUTES if "preview" in route.path} == {"POST"}
    for query in ("", "?token=x", "?preview=1"):
        assert editor.client.get(f"/studio/posts/{post_id}/preview/{query}").status_code == 405


def test_small_pictures_need_what_their_originals_need(editor: Browser, browser: MakeBrowser, runtime: Runtime) -> None:
    """Craft CVE-2026-56384: without a session the studio shows no small picture, and says of none what it is."""
    editor.get("/studio/media/")
    editor.send("/studio/media/", upload=file(picture(), "sea.jpg"))
    (stored,) = runtime.database.read(all_media).values()
    stranger = browser().client
    page = f"/studio/media/{stored.name}/"
    for path in ("/studio/media/", page, f"{page}thumbnail/", f"{page}thumbnail/?size=large", "/studio/media/?text=s"):
        assert not editor.client.get(path).headers.get("Location", "").startswith(SIGN_IN), path
        assert stranger.get(path).headers["Location"].startswith(SIGN_IN), path
    for path in FILES:
        answered = stranger.get(path.replace("<name>", stored.name).replace("<path:name>", stored.name))
        assert answered.status_code in (302, 404)
        assert answered.headers.get("Location", stored.url).endswith(f"/media/{stored.name}")
        assert b"JFIF" not in answered.data
