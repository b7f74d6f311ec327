"""`sitecms serve` with a user of the studio, and Chromium windows in which she signs in."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import Literal

import pytest
from playwright.sync_api import Browser, FilePayload, Locator, Page, expect

from sitecms.actions.accounts.signing_in import sign_in
from sitecms.actions.accounts.users import add_user
from sitecms.clock import now
from sitecms.content.user import Role
from sitecms.runtime import open_runtime
from sitecms.settings.site import SiteSettings, load_settings
from sitecms.store.accounts.open_forms import prune_unsaved
from sitecms.studio.access import LOCAL_COOKIE
from sitecms.studio.rendering import Assets
from sitecms.studio.text_format import COOKIE as FORMAT_COOKIE
from tests.support.axe import violations
from tests.support.commands import CommandServer
from tests.support.sites import MakeOnce
from tests.support.web_server import web_server

NAME = "mira"
PASSWORD = "correct horse battery staple"
Scheme = Literal["light", "dark"]
Way = Literal["mouse", "finger", "keys"]
MOST_STOPS = 400
ANSWERS = "(document.querySelector('form#entry')?.dataset.answers ?? '')"
"""How many answers of the server the form of an entry has shown without leaving its page."""
NEXT_KEY = """target => {
    const focused = document.activeElement;
    if (focused === target) return ["", 0];
    const isBehind = target.compareDocumentPosition(focused) & Node.DOCUMENT_POSITION_FOLLOWING;
    if (target.closest("[role=toolbar]")?.contains(focused)) return [isBehind ? "ArrowLeft" : "ArrowRight", 1];
    if (focused.type === "radio" && focused.name === target.name) return [isBehind ? "ArrowUp" : "ArrowDown", 1];
    const [first, last] = isBehind ? [target, focused] : [focused, target];
    const controls = document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]");
    const stops = [...controls].filter(
        each => each.tabIndex >= 0 && !each.disabled && each.checkVisibility()
            && first.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_FOLLOWING
            && last.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_PRECEDING);
    return [isBehind ? "Shift+Tab" : "Tab", Math.max(1, stops.length >> 1)];
}"""
"""The key that leads from the focus to a control, "" if it is there, and how often to press it before looking again.

Arrows move within toolbars and choices. Half of the stops between are passed at once.
"""
ROWS = """() => [...document.querySelectorAll("[data-row]")].map(row => row.mark ??= Math.random()).join()"""
"""The order of the rows of all lists of a form."""


@dataclass(frozen=True)
class ServedStudio:
    """The sample site under `sitecms serve`, with the administrator mira."""

    url: str
    settings: SiteSettings

    def new_session(self) -> str:
        """Return the secret of a new session of mira, without an attempt that the limits of the form count.

        Forms that earlier tests left unsaved are forgotten: the studio would offer them to this one.
        """
        runtime = open_runtime(self.settings)
        secret = sign_in(runtime.database, NAME, PASSWORD, now(), "127.0.0.1", "Chromium").secret
        with runtime.database.writing(counts_as_change=False) as transaction:
            prune_unsaved(transaction, now())
        runtime.database.close()
        return secret


ServeSample = Callable[[Mapping[str, str | Callable[[str], str]]], AbstractContextManager[ServedStudio]]


@contextmanager
def serving(folder: Path, command_server: CommandServer) -> Iterator[ServedStudio]:
    """Load a site, add mira, and serve it."""
    _load(folder, command_server)
    with _serving_loaded(folder, command_server) as made:
        yield made


def _load(folder: Path, command_server: CommandServer) -> None:
    """Load a site, and add mira."""
    assert command_server.run("load", folder=folder, variables={}).returncode == 0
    settings = load_settings(folder)
    runtime = open_runtime(settings)
    add_user(runtime.database, None, NAME, Role.ADMIN, "", PASSWORD, settings.name, now())
    runtime.database.close()


@contextmanager
def _serving_loaded(folder: Path, command_server: CommandServer) -> Iterator[ServedStudio]:
    with web_server(command_server, folder, "--workers", "1", has_worker=True) as server:
        yield ServedStudio(server.url, load_settings(folder))


@pytest.fixture(scope="session")
def served(
    repo: Path, tmp_path_factory: pytest.TempPathFactory, command_server: CommandServer, once: MakeOnce
) -> Iterator[ServedStudio]:
    """`sitecms serve` of the sample site, which the processes of a run load once for all."""

    def fill(folder: Path) -> None:
        copytree(repo / "sample_site", folder, ignore=ignore_patterns(".sitecms", "public"), dirs_exist_ok=True)
        _load(folder, command_server)

    folder = tmp_path_factory.mktemp("studio") / "site"
    copytree(once("studio", fill), folder)
    with _serving_loaded(folder, command_server) as made:
        yield made


@pytest.fixture(scope="session")
def serve_sample(repo: Path, tmp_path_factory: pytest.TempPathFactory, command_server: CommandServer) -> ServeSample:
    """Serve the sample site with these files, or with what functions make of the text that is there."""

    @contextmanager
    def serve(files: Mapping[str, str | Callable[[str], str]]) -> Iterator[ServedStudio]:
        folder = tmp_path_factory.mktemp("sample") / "site"
        copytree(repo / "sample_site", folder, ignore=ignore_patterns(".sitecms", "public"))
        for path, content in files.items():
            file = folder / path
            file.parent.mkdir(exist_ok=True)
            text = content if isinstance(content, str) else content(file.read_text(encoding="utf-8"))
            file.write_text(text, encoding="utf-8")
        with serving(folder, command_server) as made:
            yield made

    return serve


def allow_loopback(settings: str) -> str:
    """Return a site.toml whose site takes pictures and cards of this machine."""
    return settings.replace("[media]\nallow_hosts = []", '[media]\nallow_hosts = ["127.0.0.1"]')


@pytest.fixture
def bundle() -> None:
    """Skip the test where the package was built without npm, which bundles the editor of rich text."""
    if "vendor/prosemirror.js" not in Assets():
        pytest.skip("the package was built without npm, which bundles the editor")


class Studio:
    """A browser window, what was heard of it, and the way in which a person uses it."""

    def __init__(self, page: Page, served: ServedStudio, way: Way = "mouse") -> None:
        self.page = page
        self.served = served
        self.way = way
        self.url = served.url
        self.said: list[str] = []
        self.failures: list[str] = []
        self.asked: list[str] = []
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.failures.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))

    def open(self, path: str) -> None:
        """Open a page."""
        self.page.goto(f"{self.url}/studio/{path}")

    def sign_in(self) -> None:
        """Sign mira in without the form, which takes ten attempts at once and then one each thirty seconds.

        New posts are in Markdown for her, as if she had chosen so before.
        """
        context = self.page.context
        context.add_cookies([{"name": LOCAL_COOKIE, "value": self.served.new_session(), "url": self.url}])
        context.add_cookies([{"name": FORMAT_COOKIE, "value": "markdown", "domain": "127.0.0.1", "path": "/studio/"}])

    def sign_in_by_form(self) -> None:
        """Sign mira in, and wait for the page it leads to: one asked for meanwhile would have no session."""
        self.open("sign-in/")
        self.page.get_by_label("Name").fill(NAME)
        self.page.get_by_label("Password").fill(PASSWORD)
        self.page.get_by_role("button", name="Sign in").click()
        self.page.wait_for_url("**/studio/posts/")

    def press(self, button: str) -> None:
        """Press a button, and wait until the answer is there: another page with its scripts, or what this one shows."""
        folded = self.page.locator(":is(#panel, #studio-menu)")
        self.reveal(folded.get_by_role("button", name=button, exact=True, include_hidden=True))
        self.follow(self.page.get_by_role("button", name=button, exact=True))

    def follow(self, target: Locator) -> None:
        """Use a control, and wait until the answer is there: another page with its scripts, or what this one shows."""
        before = self.page.evaluate(f"window.isFormer = true, {ANSWERS}")
        self.use(target)
        self.page.wait_for_function(f"before => !window.isFormer || {ANSWERS} !== before", arg=before)
        self.page.wait_for_load_state()

    def change_rows(self, button: str) -> None:
        """Press a button of a row, behind the handle of the row or not, and wait until the rows have changed."""
        target = self.page.locator(f'[name=do][value="{button}"]')
        if not target.is_visible():
            self.use(self.page.locator(".row-acts", has=target).locator("summary"))
        before = self.page.evaluate(ROWS)
        self.use(target)
        self.page.wait_for_function(f"before => ({ROWS})() !== before", arg=before)

    def reveal(self, target: Locator) -> None:
        """Open the menu or the panel of an entry, and what is folded, if a control is there and cannot be seen.

        Close the panel if it covers a control that is elsewhere.
        """
        if target.count() != 1:
            return
        place = target.evaluate("each => each.closest('#panel, #studio-menu, dialog')?.id ?? ''")
        sheet = self.page.locator("#panel:popover-open")
        if not place and sheet.is_visible():
            sheet.get_by_role("button", name="Close", exact=True).click()
        if place not in ("panel", "studio-menu") or target.is_visible():
            return
        panel = self.page.locator(f"#{place}")
        if not panel.is_visible():
            self.use(self.page.get_by_role("button", name="Details" if place == "panel" else "Menu", exact=True))
            panel.wait_for()
        if not target.is_visible():
            self.use(panel.locator("details:not([open])", has=target).locator("summary"))

    def reach(self, target: Locator) -> None:
        """Bring the focus to a control with keys alone, which fails where none leads to it."""
        target.wait_for()
        for _ in range(MOST_STOPS):
            key, times = target.evaluate(NEXT_KEY)
            if not key:
                return
            for _ in range(times):
                self.page.keyboard.press(key)
        raise AssertionError(f"No key leads to {target}.")

    def use(self, target: Locator, key: str = "Enter") -> None:
        """Press a button, link or box, in the way of this person; a box takes the key Space."""
        self.reveal(target)
        if self.way == "mouse":
            target.click()
        elif self.way == "finger":
            target.tap()
        else:
            self.reach(target)
            self.page.keyboard.press(key)

    def enter(self, target: Locator) -> None:
        """Put the cursor into a field; the focus follows a finger a moment later."""
        self.reveal(target)
        if self.way == "keys":
            self.reach(target)
        else:
            self.use(target)
            expect(target).to_be_focused()

    def write(self, target: Locator, text: str) -> None:
        """Write a text into a field, in place of what is there."""
        self.enter(target)
        if self.way == "keys":
            self.page.keyboard.press("Control+a")
        else:
            target.select_text()
        self.page.keyboard.insert_text(text)

    def choose(self, target: Locator, label: str) -> None:
        """Choose an option of a list by its label: with keys, by its first letter and arrows."""
        self.reveal(target)
        if self.way != "keys":
            target.select_option(label=label)
            return
        self.reach(target)
        chosen = target.locator("option:checked")
        for key in ("Home", label[0].lower(), *["ArrowDown"] * MOST_STOPS):
            if chosen.inner_text() == label:
                return
            self.page.keyboard.press(key)
        raise AssertionError(f"No key leads to {label}.")

    def upload(self, target: Locator, *files: FilePayload) -> None:
        """Open the dialog of a file field, and choose files in it."""
        with self.page.expect_file_chooser() as chooser:
            self.use(target)
        chooser.value.set_files(files)

    def complaints(self) -> list[str]:
        """What the policy forbade, and the addresses on other hosts that were asked."""
        forbidden = [
            line for line in self.said if "Content Security Policy" in line or "Content-Security-Policy" in line
        ]
        return forbidden + [url for url in self.asked if not url.startswith((self.url, "blob:"))]

    def violations(self) -> list[str]:
        """What axe-core finds on the page that is open."""
        return violations(self.page)


View = tuple[int, Scheme] | tuple[int, Scheme, Way]
PHONE_AND_KEYS = [pytest.param((360, "dark", "finger"), id="phone"), pytest.param((1280, "light", "keys"), id="keys")]
"""Each size, each scheme, and the ways that are harder than a mouse, with which the other tests are done."""


@contextmanager
def window(
    served: ServedStudio, browser: Browser, view: View = (1280, "light"), locale: str = "en"
) -> Iterator[Studio]:
    """Open a window of a size and scheme, for a person with a mouse unless the view says otherwise."""
    width, scheme, way = view if len(view) == 3 else (*view, "mouse")
    is_phone = way == "finger"
    context = browser.new_context(
        viewport={"width": width, "height": 800},
        color_scheme=scheme,
        locale=locale,
        has_touch=is_phone,
        is_mobile=is_phone,
    )
    yield Studio(context.new_page(), served, way)
    context.close()


@pytest.fixture
def stranger(served: ServedStudio, browser: Browser, request: pytest.FixtureRequest) -> Iterator[Studio]:
    """A window of the size, scheme and way that the test asks for, in which nobody is signed in."""
    with window(served, browser, getattr(request, "param", (1280, "light"))) as made:
        yield made


@pytest.fixture
def studio(served: ServedStudio, browser: Browser, request: pytest.FixtureRequest) -> Iterator[Studio]:
    """A window of the size, scheme and way that the test asks for, in which mira is signed in."""
    with window(served, browser, getattr(request, "param", (1280, "light"))) as made:
        made.sign_in()
        yield made
