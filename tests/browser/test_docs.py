"""/docs in Chromium: it shows the document, tries a request with a token, and keeps the token to itself."""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.support.axe import violations
from tests.support.commands import CommandServer
from tests.support.web_server import web_server

SOME = (
    "#get_posts, #get_pages_page_type_page_slug, #post_posts, #get_health_live, [id='schema-CreatePage.landing-page']"
)
"""A list, a single entry, a write, an endpoint without a token, a schema."""
ALL = ".entry"
Scheme = Literal["light", "dark"]
VIEWS = (
    pytest.param((360, "light"), id="360-light"),
    pytest.param((1280, "dark"), id="1280-dark", marks=pytest.mark.slow),
)


@pytest.fixture(scope="module")
def served(
    repo: Path, tmp_path_factory: pytest.TempPathFactory, command_server: CommandServer
) -> Iterator[tuple[str, str]]:
    """The address of `sitecms serve` of the sample site, and a token."""
    folder = tmp_path_factory.mktemp("docs") / "site"
    copytree(repo / "sample_site", folder, ignore=ignore_patterns(".sitecms", "public"))
    sitecms = partial(command_server.run, folder=folder, variables={})
    assert sitecms("load").returncode == 0
    secret = sitecms("token", "create", "--scope", "write", "--name", "docs").stdout.strip()
    with web_server(command_server, folder, "--workers", "1") as server:
        yield server.url, secret


class Visit:
    """A page, and what was heard of it."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        self.page = context.new_page()
        self.url = url
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        self.page.on("request", lambda request: self.asked.append(request.url))

    def errors(self) -> list[str]:
        """What the browser complained of."""
        return [line for line in self.said if line.startswith(("error", "warning"))]

    def open(self, fragment: str = "") -> Page:
        """The page with one endpoint opened."""
        self.page.goto(f"{self.url}/docs{fragment}")
        self.page.wait_for_selector(".entry")
        return self.page


@pytest.fixture(params=VIEWS)
def visit(request: pytest.FixtureRequest, browser: Browser, served: tuple[str, str]) -> Iterator[Visit]:
    """Nothing loaded yet."""
    width, scheme = request.param
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, reduced_motion="reduce"
    )
    yield Visit(context, served[0])
    context.close()


def test_it_shows_the_document(visit: Visit) -> None:
    """Endpoints, parameters, answers, errors and the site's own types; all from this server, without a complaint."""
    page = visit.open("#get_pages_page_type_page_slug")
    opened = page.locator("#get_pages_page_type_page_slug")
    expect(opened).to_have_attribute("open", "")
    text = opened.inner_text()
    assert all(word in text for word in ("fields.<name>", "levels", "403", "Example", "Other answers", "page_slug"))
    expect(page.locator("[id='schema-Page.landing-page']")).to_have_count(1)
    assert page.locator(".entry .method").count() > 35
    expect(page.locator("[id='schema-CreatePage.landing-page']")).to_have_count(1)
    assert visit.errors() == []
    assert [address for address in visit.asked if not address.startswith(visit.url)] == []


@pytest.mark.parametrize(
    ("visit", "revealed"),
    [
        pytest.param((360, "light"), SOME, id="360-light-some"),
        pytest.param((1280, "dark"), ALL, id="1280-dark-all", marks=pytest.mark.slow),
    ],
    indirect=["visit"],
)
def test_it_is_accessible_and_fits(visit: Visit, revealed: str) -> None:
    """axe-core finds nothing, and nothing is wider than the window, with entries open and an answer shown."""
    page = visit.open("#get_posts")
    page.evaluate("chosen => document.querySelectorAll(chosen).forEach(entry => entry.reveal())", revealed)
    page.locator("#get_health_live .try button").click()
    page.wait_for_selector("#get_health_live .outcome.good")
    fits = "document.documentElement.scrollWidth <= innerWidth"
    assert page.evaluate(fits)
    assert violations(page) == []
    page.set_viewport_size({"width": 360, "height": 800})
    assert page.evaluate(fits)
    assert visit.errors() == []


def test_a_request_is_tried_with_a_token(visit: Visit, served: tuple[str, str]) -> None:
    """By keyboard: status, headers and body are shown; the token is in the header, in no address, in no text."""
    page, secret = visit.open("#get_posts"), served[1]
    page.get_by_label("Token", exact=True).fill(secret)
    form = page.get_by_role("form", name="Try GET /v2/posts/", exact=True)
    form.get_by_label("page_size").fill("1")
    form.get_by_label("locale").select_option("es")
    form.get_by_label("page_size").press("Enter")
    page.wait_for_selector("#get_posts .outcome.good")
    expect(form).to_contain_text("curl -H")
    shown = form.inner_text()
    assert "200 OK" in shown
    assert '"count": ' in shown
    assert "etag:" in shown
    assert f"curl -H 'Authorization: Token ****' '{visit.url}/v2/posts/?page_size=1&locale=es'" in shown
    assert secret not in page.locator("body").inner_text()
    assert f"{visit.url}/v2/posts/?page_size=1&locale=es" in visit.asked
    assert not any(secret in address for address in visit.asked)
    assert page.evaluate("[localStorage.length, sessionStorage.length, document.cookie]") == [0, 0, ""]
    assert visit.errors() == []


def test_a_write_is_tried(visit: Visit, served: tuple[str, str]) -> None:
    """An example is there to be changed and sent, with a header; what was sent is shown as a command."""
    page, secret = visit.open("#post_posts"), served[1]
    page.get_by_label("Token", exact=True).fill(secret)
    form = page.get_by_role("form", name="Try POST /v2/posts/", exact=True)
    body = form.get_by_label("Body (JSON)")
    expect(body).to_have_value('{\n  "title": "A title is enough"\n}')
    form.get_by_label("Example").select_option("full")
    expect(body).to_have_value(re.compile('"slug": "counting-rooks"'))
    body.fill('{"title": "It\'s tried"}')
    form.get_by_label("Idempotency-Key").fill("once")
    form.get_by_role("button", name="Send").click()
    page.wait_for_selector("#post_posts .outcome.good")
    expect(form).to_contain_text("-X POST")
    shown = form.inner_text()
    assert "202" in shown
    assert '"pending"' in shown
    assert "location: /v2/writes/" in shown
    assert (
        "-X POST -H 'Authorization: Token ****' -H 'Idempotency-Key: once' -H 'Content-Type: application/json'" in shown
    )
    assert "--data-raw '{\"title\": \"It'\\''s tried\"}'" in shown
    assert "CreatePost" in page.locator("#post_posts").inner_text()
    assert visit.errors() == []


def test_an_error_is_shown(visit: Visit) -> None:
    """Without a token, and with names that must be quoted: what the server says, and a command that works."""
    page = visit.open("#get_posts_slug")
    form = page.locator("#get_posts_slug form")
    form.get_by_label("slug (required)").fill("it's <b>")
    form.get_by_role("button", name="Send").click()
    page.wait_for_selector("#get_posts_slug .outcome.bad")
    expect(form).to_contain_text("curl")
    shown = form.inner_text()
    assert "401" in shown
    assert "Authentication credentials were not provided." in shown
    assert "/v2/posts/it'\\''s%20%3Cb%3E/" in shown
