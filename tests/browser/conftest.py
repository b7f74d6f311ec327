"""The sample site, built and served on loopback, and Debian's Chromium to look at it with."""

import functools
import shutil
import threading
from collections.abc import Callable, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.commands import CommandServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


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


@pytest.fixture(scope="package")
def public(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the sample site is built into."""
    return tmp_path_factory.mktemp("browser") / "public"


@pytest.fixture(scope="package")
def site_url(
    repo: Path, public: Path, lend_derived: Callable[[Path], None], command_server: CommandServer
) -> Iterator[str]:
    """The address of the sample site, built for the loopback port that it is then served from."""
    folder = public.parent
    ignored = shutil.ignore_patterns(".sitecms", "public")
    shutil.copytree(repo / "sample_site", folder / "site", ignore=ignored)
    lend_derived(folder / "site")
    handler = functools.partial(Silent, directory=str(public))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        url = f"http://127.0.0.1:{server.server_port}"
        options = ("--output", public, "--base-url", url)
        built = command_server.run("build", folder / "site", *options, folder=folder, variables={})
        assert built.returncode == 0, built.stderr
        thread = threading.Thread(target=server.serve_forever, name="site", daemon=True)
        thread.start()
        yield url
        server.shutdown()
        thread.join()


@pytest.fixture(scope="package")
def browser(lacking: Callable[[str], None]) -> Iterator["Browser"]:
    """Chromium without a window."""
    program = next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    if program is None:
        lacking("Chromium is not on PATH; on Debian: apt-get install chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        lacking("Playwright is not installed; pip install -e '.[test]'")
        raise
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=list(CHROMIUM_ARGUMENTS))
        yield chromium
        chromium.close()
