"""The studio in Chromium, and what readers get of it: by mouse, on a phone, with keys alone, and without the bundle."""

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from secrets import token_hex
from shutil import copytree, ignore_patterns
from zoneinfo import ZoneInfo

import pytest
import requests
from PIL import Image
from playwright.sync_api import Browser, Locator, expect

from sitecms.clock import now
from sitecms.content.token import Scope, new_secret, secret_digest
from sitecms.runtime import open_runtime
from sitecms.store.writes.tokens import insert_token
from tests.browser.conftest import until
from tests.flows.test_broken_clock import DAY, LIBRARIES, MISSING, Watch
from tests.support.commands import CommandServer
from tests.support.pictures import image_bytes
from tests.support.studio_browser import ServedStudio, Studio, View, serving, window
from tests.support.waiting import PATIENCE_SECONDS

pytestmark = pytest.mark.slow
SITE = """name = "Tide"
url = "https://tide.example"
default_locale = "en"
owner = "ann-ray"
timezone = "Europe/Oslo"
[build]
on_publish = true
[search]
enabled = false
[share_images]
enabled = false
"""
AUTHORS = "- {slug: ann-ray, first_name: Ann, last_name: Ray}\n"
LANDING = "slug: landing\nfields: [{slug: body, type: component_picker, components: [passage]}]\n"
PASSAGE = """slug: passage
fields:
  - {slug: words, type: wysiwyg}
  - {slug: notes, type: long_text}
  - {slug: rows, type: repeater, fields: [{slug: name, type: short_text}]}
"""
FINGER: View = (360, "dark", "finger")
KEYS: View = (1280, "light", "keys")


@dataclass(frozen=True)
class SmallSite:
    """A site with no post whose worker builds it after each change, and what its readers get."""

    served: ServedStudio
    secret: str

    @property
    def has_bundle(self) -> bool:
        """Whether the package that serves it was built with npm."""
        return "without" not in self.served.settings.folder.parent.name

    def read(self, slug: str) -> str:
        """Return the title that the API answers, "" for a post that it does not show."""
        headers = {"Authorization": f"Token {self.secret}"}
        answer = requests.get(f"{self.served.url}/v2/posts/{slug}/", headers=headers, timeout=PATIENCE_SECONDS)
        assert answer.status_code in (200, 404)
        return str(answer.json()["data"]["title"]) if answer.ok else ""

    def page(self, slug: str) -> str:
        """Return the page that is built, "" if there is none."""
        path = self.served.settings.folder / "public" / "blog" / slug / "index.html"
        try:
            return path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return ""


def begin(folder: Path, command_server: CommandServer) -> Iterator[SmallSite]:
    """Serve a small site in a folder until the caller goes on."""
    (folder / "content").mkdir(parents=True)
    (folder / "site.toml").write_text(SITE, encoding="utf-8")
    (folder / "content" / "authors.yaml").write_text(AUTHORS, encoding="utf-8")
    for part in ("page_types", "components"):
        (folder / "schema" / part).mkdir(parents=True)
    (folder / "schema/page_types/landing.yaml").write_text(LANDING, encoding="utf-8")
    (folder / "schema/components/passage.yaml").write_text(PASSAGE, encoding="utf-8")
    with serving(folder, command_server) as served:
        secret, runtime = new_secret(), open_runtime(served.settings)
        runtime.database.write(insert_token, "reader", Scope.READ, secret_digest(secret), now(), None)
        runtime.database.close()
        yield SmallSite(served, secret)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory, command_server: CommandServer) -> Iterator[SmallSite]:
    """The site, served by the package as it is installed."""
    yield from begin(tmp_path_factory.mktemp("small") / "site", command_server)


@pytest.fixture(scope="module")
def small_without_bundle(repo: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallSite]:
    """The site, served by the package as it is where npm was absent."""
    folder = tmp_path_factory.mktemp("without")
    copytree(repo / "sitecms", folder / "sitecms", ignore=ignore_patterns("vendor"), copy_function=os.symlink)
    for name in ("templates", "content_schema"):
        (folder / name).symlink_to(repo / name)
    with closing(CommandServer({"PYTHONPATH": str(folder), "PYTHONSAFEPATH": "1"})) as commands:
        yield from begin(folder / "site", commands)


@pytest.fixture(scope="module")
def watch(tmp_path_factory: pytest.TempPathFactory, lacking: Callable[[str], None]) -> Watch:
    """The clock of the processes that serve a site."""
    if not LIBRARIES:
        lacking(MISSING)
    made = Watch(tmp_path_factory.mktemp("clock") / "clock")
    made.jump(0)
    return made


@pytest.fixture(scope="module")
def small_by_watch(watch: Watch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallSite]:
    """The site, served by processes that take the time from the watch, as the worker does that builds it."""
    with closing(CommandServer(watch.variables())) as commands:
        yield from begin(tmp_path_factory.mktemp("by-watch") / "site", commands)


def picture() -> bytes:
    """A photo."""
    return image_bytes(Image.new("RGB", (640, 400), (20, 90, 160)), "JPEG")


def text_of(studio: Studio, site: SmallSite) -> Locator:
    """Return the field of the text, as rich text where it can be."""
    if site.has_bundle:
        studio.page.locator("rich-text .ProseMirror").wait_for()
        return studio.page.get_by_role("textbox", name="Text", exact=True)
    return studio.page.get_by_label("Text in HTML")


def write_post(studio: Studio, site: SmallSite, title: str) -> None:
    """Write a new post with a picture from the device and its description."""
    page = studio.page
    studio.open("posts/new/?format=html")
    studio.write(page.get_by_label("Title", exact=True), title)
    studio.write(text_of(studio, site), "High at noon." if site.has_bundle else "<p>High at noon.</p>")
    studio.press("Choose a picture")
    with page.expect_file_chooser() as chooser:
        studio.use(page.get_by_label("Upload a picture"))
    chooser.value.set_files({"name": "quay.jpg", "mimeType": "image/jpeg", "buffer": picture()})
    expect(page.get_by_role("radio", checked=True)).to_have_count(1)
    studio.write(page.get_by_label("Description of the picture"), "The quay at high water")
    studio.press("Use the picture")
    expect(page.get_by_label("Title", exact=True)).to_have_value(title)


def expect_said(studio: Studio, text: str) -> None:
    """Wait until the page says what was done."""
    expect(studio.page.locator("[data-said]")).to_contain_text(text)


@pytest.mark.parametrize(
    ("site_name", "view"),
    [
        pytest.param("small", FINGER, id="phone"),
        pytest.param("small", KEYS, id="keys"),
        pytest.param("small_without_bundle", FINGER, id="without-bundle"),
    ],
)
def test_post_is_written_corrected_withdrawn_deleted_and_brought_back(
    site_name: str, view: View, browser: Browser, request: pytest.FixtureRequest
) -> None:
    """Readers get each version when it is published, and nothing else; the built page follows by itself."""
    site: SmallSite = request.getfixturevalue(site_name)
    title = f"Tables {token_hex(4)}"
    slug = title.lower().replace(" ", "-")
    with window(site.served, browser, view) as studio:
        page = studio.page
        studio.sign_in()
        write_post(studio, site, title)
        studio.use(page.get_by_role("button", name="Preview", exact=True))
        expect(page.frame_locator("iframe").get_by_role("heading", level=1)).to_have_text(title)
        studio.use(page.locator("section.preview").get_by_role("button", name="Close"))
        studio.press("Publish")
        expect_said(studio, "Published.")
        assert site.read(slug) == title
        until(page, lambda: 'alt="The quay at high water"' in site.page(slug))

        studio.write(page.get_by_label("Title", exact=True), f"{title} corrected")
        studio.press("Save draft")
        expect_said(studio, "Readers still see the published version.")
        assert site.read(slug) == title
        studio.press("Publish changes")
        expect_said(studio, "Published.")
        assert site.read(slug) == f"{title} corrected"
        until(page, lambda: f"{title} corrected" in site.page(slug))

        studio.press("Unpublish")
        expect_said(studio, "Unpublished. It is a draft now.")
        assert site.read(slug) == ""
        until(page, lambda: site.page(slug) == "")

        studio.press("Delete")
        expect_said(studio, "Moved to the trash.")
        studio.follow(page.get_by_role("link", name="Open the trash"))
        studio.press(f"Restore {title} corrected")
        expect_said(studio, "Restored from the trash.")
        studio.follow(page.get_by_role("link", name="Posts"))
        studio.follow(page.get_by_role("link", name=f"{title} corrected"))
        studio.press("Publish")
        expect_said(studio, "Published.")
        assert site.read(slug) == f"{title} corrected"
        assert studio.complaints() == []


def test_landing_page_is_filled_in_without_the_bundle(small_without_bundle: SmallSite, browser: Browser) -> None:
    """On a phone: components and rows are added, duplicated and removed, texts are plain fields, and kept as typed."""
    with window(small_without_bundle.served, browser, FINGER) as studio:
        page, row, do = studio.page, "fields.body.0.fields", studio.change_rows
        studio.sign_in()
        studio.open("pages/new/landing/")
        studio.write(page.get_by_label("Title", exact=True), f"Quay {token_hex(4)}")
        do("add:fields.body:passage")
        studio.write(page.locator(f'[name="{row}.words"]'), "<p>High <strong>water</strong>.</p>")
        studio.write(page.locator(f'[name="{row}.notes"]'), "Low *water*.")
        do(f"add:{row}.rows")
        studio.write(page.locator(f'[name="{row}.rows.0.name"]'), "Boots")
        do("double:fields.body.0")
        do("remove:fields.body.0")
        studio.press("Publish")
        expect_said(studio, "Published.")
        expect(page.locator(f'[name="{row}.words"]')).to_have_value("<p>High <strong>water</strong>.</p>")
        expect(page.locator(f'[name="{row}.notes"]')).to_have_value("Low *water*.")
        expect(page.locator(f'[name="{row}.rows.0.name"]')).to_have_value("Boots")
        expect(page.locator('[name="fields.body.1.type"]')).to_have_count(0)
        assert studio.violations() == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("view", [pytest.param(FINGER, id="phone"), pytest.param(KEYS, id="keys")])
def test_scheduled_post_is_published_by_the_worker_when_its_time_comes(
    view: View, small_by_watch: SmallSite, watch: Watch, browser: Browser
) -> None:
    """Picked in the time zone of the site; changed once; live in the API and on the built page, and not before."""
    site, day = small_by_watch, timedelta(days=1)
    title = f"Spring tide {token_hex(4)}"
    slug = title.lower().replace(" ", "-")
    ahead = float(watch.file.read_text(encoding="ascii")) / DAY + 1 / 12
    at = (now() + ahead * day - timedelta(hours=1)).astimezone(ZoneInfo("Europe/Oslo"))
    with window(site.served, browser, view) as studio:
        page, when = studio.page, studio.page.get_by_label("Day and time")
        studio.sign_in()
        studio.open("posts/new/")
        studio.write(page.get_by_label("Title", exact=True), title)
        pick(studio, when, at - day)
        studio.press("Schedule")
        expect(page.get_by_role("alert")).to_contain_text("Choose a time that has not passed yet.")
        expect(page.get_by_label("Title", exact=True)).to_have_value(title)
        pick(studio, when, at)
        studio.press("Schedule")
        expect_said(studio, "Scheduled.")
        expect(page.get_by_text("Will be published on")).to_contain_text("(Europe/Oslo)")
        expect(when).to_have_value(at.strftime("%Y-%m-%dT%H:%M"))
        assert site.read(slug) == ""
        watch.jump(ahead)
        until(page, lambda: site.read(slug) == title)
        until(page, lambda: title in site.page(slug))
        page.reload()
        expect(page.locator("#panel [value=unpublish]")).to_have_count(1)
        studio.follow(page.locator("#panel").get_by_role("link", name="History", include_hidden=True))
        expect(page.get_by_text("Published at the time that was set")).to_be_visible()


def pick(studio: Studio, field: Locator, at: datetime) -> None:
    """Pick a day and a time, part by part where there are only keys."""
    studio.reveal(field)
    if studio.way != "keys":
        field.fill(at.strftime("%Y-%m-%dT%H:%M"))
        return
    keys = studio.page.keyboard
    studio.reach(field)
    keys.type(at.strftime("%m%d%Y"))
    keys.press("ArrowRight")
    keys.type(at.strftime("%I%M%p"))
