"""The sample site, built and served on loopback, and Debian's Chromium to look at it with."""

import functools
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.commands import CommandServer
from tests.support.studio_browser import served, studio  # noqa: F401 - fixtures

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PATIENCE_MS = 30_000  # what merely has to happen may take that long on a busy machine
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--force-effective-connection-type=4G",  # on which depends how far below the window images are fetched
)


def until(page: "Page", is_true: Callable[[], bool]) -> None:
    """Wait until something holds, while events of the page arrive; for what `expect` cannot wait for."""
    end = time.monotonic() + PATIENCE_MS / 1000
    while not is_true():
        assert time.monotonic() < end
        page.wait_for_timeout(20)


class Silent(SimpleHTTPRequestHandler):
    """Serves a folder with the headers that its `_headers` has for every page, and says nothing about it."""

    protocol_version = "HTTP/1.1"

    def end_headers(self) -> None:
        """Add them: what the policy forbids is a complaint on the console."""
        for name, value in headers_of(Path(self.directory)):
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the name it has above
        """Nothing."""


@functools.cache
def headers_of(public: Path) -> tuple[tuple[str, str], ...]:
    """What the first rule of `_headers`, which holds for every path, says."""
    rule = (public / "_headers").read_text(encoding="utf-8").split("\n/")[1]
    return tuple((name, value) for name, value in (line.strip().split(": ", 1) for line in rule.splitlines()[1:]))


@pytest.fixture(scope="session")
def public(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the sample site is built into."""
    return tmp_path_factory.mktemp("browser") / "public"


Site = Callable[[Path, str], AbstractContextManager[str]]


@pytest.fixture(scope="session")
def sample_site(repo: Path, lend_derived: Callable[[Path], None], command_server: CommandServer) -> Site:
    """A function that builds the sample site in a folder, with a theme, for the loopback port that serves it."""

    @contextmanager
    def serve(folder: Path, theme: str) -> Iterator[str]:
        ignored = shutil.ignore_patterns(".sitecms", "public")
        shutil.copytree(repo / "sample_site", folder / "site", ignore=ignored)
        lend_derived(folder / "site")
        settings = folder / "site/site.toml"
        text = settings.read_text(encoding="utf-8").replace("[theme]", f'[theme]\nname = "{theme}"')
        settings.write_text(text, encoding="utf-8")
        handler = functools.partial(Silent, directory=str(folder / "public"))
        with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            url = f"http://127.0.0.1:{server.server_port}"
            options = ("--output", folder / "public", "--base-url", url)
            built = command_server.run("build", folder / "site", *options, folder=folder, variables={})
            assert built.returncode == 0, built.stderr
            thread = threading.Thread(target=server.serve_forever, name="site", daemon=True)
            thread.start()
            yield url
            server.shutdown()
            thread.join()

    return serve


@pytest.fixture(scope="session")
def site_url(public: Path, sample_site: Site) -> Iterator[str]:
    """The address of the sample site in the default theme."""
    with sample_site(public.parent, "default") as url:
        yield url


@pytest.fixture(scope="session")
def theme_url(tmp_path_factory: pytest.TempPathFactory, sample_site: Site) -> Iterator[Callable[[str], str]]:
    """A function that returns the address of the sample site in one of the other themes."""
    with ExitStack() as sites:

        @functools.cache
        def url(theme: str) -> str:
            return sites.enter_context(sample_site(tmp_path_factory.mktemp(theme), theme))

        yield url


@pytest.fixture(scope="session")
def browser(lacking: Callable[[str], None]) -> Iterator["Browser"]:
    """Chromium without a window, for all tests of this process; each opens a context of its own."""
    program = next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    if program is None:
        lacking("Chromium is not on PATH; on Debian: apt-get install chromium")
    try:
        from playwright.sync_api import expect, sync_playwright
    except ImportError:
        lacking("Playwright is not installed; pip install -e '.[test]'")
        raise
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=list(CHROMIUM_ARGUMENTS))
        yield chromium
        chromium.close()
