"""The sample site, built and served on loopback, and Debian's Chromium to look at it with."""

import functools
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.support.commands import CommandServer
from tests.support.sites import MakeOnce
from tests.support.studio_browser import bundle, serve_sample, served, stranger, studio  # noqa: F401 - fixtures
from tests.support.web_hosts import site_host

PATIENCE_MS = 30_000  # what merely has to happen may take that long on a busy machine
CHROMIUM_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""The first one has no windows of its own, and takes two thirds of the processor time of the others."""
CHROMIUM_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--force-effective-connection-type=4G",  # on which depends how far below the window images are fetched
    "--blink-settings=lazyLoadingImageMarginPxUnknown=1250",  # as far, where Chromium does not know the type
)


def until(page: Page, is_true: Callable[[], bool]) -> None:
    """Wait until something holds, while events of the page arrive; for what `expect` cannot wait for."""
    end = time.monotonic() + PATIENCE_MS / 1000
    while not is_true():
        assert time.monotonic() < end
        page.wait_for_timeout(20)


@pytest.fixture(scope="session")
def public(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the sample site is built into."""
    return tmp_path_factory.mktemp("browser") / "public"


Site = Callable[[Path, str], AbstractContextManager[str]]


BUILT_FOR = "http://127.0.0.1:9"  # in the place of the address of each server


@pytest.fixture(scope="session")
def sample_site(
    repo: Path, lend_derived: Callable[[Path], None], command_server: CommandServer, once: MakeOnce
) -> Site:
    """A function that serves the sample site with a theme from a folder, into which it copies what is built.

    The processes of a run build each theme once for all; the copy has the address of its server.
    """

    def build(theme: str, folder: Path) -> None:
        ignored = shutil.ignore_patterns(".sitecms", "public")
        shutil.copytree(repo / "sample_site", folder / "site", ignore=ignored)
        lend_derived(folder / "site")
        settings = folder / "site/site.toml"
        text = settings.read_text(encoding="utf-8").replace("[theme]", f'[theme]\nname = "{theme}"')
        settings.write_text(text, encoding="utf-8")
        options = ("--output", folder / "public", "--base-url", BUILT_FOR)
        built = command_server.run("build", folder / "site", *options, folder=folder, variables={})
        assert built.returncode == 0, built.stderr

    @contextmanager
    def serve(folder: Path, theme: str) -> Iterator[str]:
        built = once(f"site-{theme}", functools.partial(build, theme))
        with site_host(folder / "public") as url:

            def copy(source: str, target: str) -> None:
                Path(target).write_bytes(Path(source).read_bytes().replace(BUILT_FOR.encode(), url.encode()))

            shutil.copytree(built / "public", folder / "public", copy_function=copy)
            yield url

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
def browser(lacking: Callable[[str], None]) -> Iterator[Browser]:
    """Chromium without a window, for all tests of this process; each opens a context of its own."""
    program = next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    if program is None:
        lacking("Chromium is not on PATH; on Debian: apt-get install chromium-headless-shell")
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=list(CHROMIUM_ARGUMENTS))
        yield chromium
        chromium.close()


@pytest.fixture(scope="module", params=[360, pytest.param(1280, marks=pytest.mark.slow)])
def context(request: pytest.FixtureRequest, browser: Browser) -> Iterator[BrowserContext]:
    """A browser of a narrow and of a wide window."""
    made = browser.new_context(viewport={"width": request.param, "height": 800}, reduced_motion="reduce")
    yield made
    made.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """An empty page of the context of its module."""
    opened = context.new_page()
    yield opened
    opened.close()
