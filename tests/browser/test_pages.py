"""Every kind of page of the sample site in Chromium, in each width and colour scheme."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.support.axe import TARGET_SIZE, violations
from tests.support.themes import THEMES

PAGES = {
    "home": "/",
    "home-es": "/es/",
    "post": "/blog/counting-meteors-honestly/",
    "post-es": "/es/blog/contar-meteoros-con-honradez/",
    "post-wide-table": "/blog/a-sundial-you-can-trust/",
    "post-code": "/blog/a-logger-for-ten-euros/",
    "post-footnotes": "/blog/a-gauge-made-from-a-bottle/",
    "blog": "/blog/",
    "blog-last": "/blog/page/3/",
    "category": "/categories/weather/",
    "tag": "/tags/moon/",
    "author": "/authors/mira-okafor/",
    "year": "/blog/2025/",
    "categories": "/categories/",
    "guides": "/guide/",
    "item": "/team/mira-okafor/",
    "about": "/about/",
    "colophon": "/colophon/",
    "contribute": "/contribute/",
    "faq": "/faq/",
    "guide": "/guide/starting-a-nature-notebook/",
    "search": "/search/",
    "search-es": "/es/search/",
    "not-found": "/404.html",
}
Scheme = Literal["light", "dark"]
VIEWS: tuple[tuple[int, Scheme], ...] = ((360, "light"), (1280, "dark"))
"""Each width and each scheme: no rule of a theme is for both."""

MOST_SHIFT = 0.05
"""Half of what Web Vitals call good, and less than an image without a size shifts.

On a busy machine Chromium may paint a menu of which it has read only a part, or a text before its font is there: 0.01.
"""
WATCH_SHIFTS = """
window.layoutShifts = [];
new PerformanceObserver(list => {
  for (const entry of list.getEntries())
    window.layoutShifts.push([entry.value, ...entry.sources.map(source => source.node?.outerHTML?.slice(0, 120))]);
}).observe({type: "layout-shift", buffered: true});
"""
SCROLL_TO_THE_END = """
async () => {
  for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight) {
    scrollTo({top: y, behavior: "instant"});
    await new Promise(requestAnimationFrame);
  }
  const shown = [...document.images].filter(image => image.getClientRects().length);
  await Promise.all(shown.map(image => image.decode()));
  await document.fonts.ready;
  scrollTo({top: 0, behavior: "instant"});
  await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)));
}
"""
TOO_WIDE = """
() => [...document.querySelectorAll("body *")]
  .filter(element => element.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map(element => element.outerHTML.slice(0, 120))
"""
BROKEN = """
() => [...document.images].filter(image => image.getClientRects().length && !image.naturalWidth).map(image => image.src)
"""
"""Images of which nothing is seen; those that a theme does not show are never loaded."""


@dataclass
class Visit:
    """What was seen of one page in one view."""

    status: int = 0
    messages: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)
    shifts: list[Any] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    width: int = 0
    too_wide: list[str] = field(default_factory=list)
    background: str = ""
    broken_images: list[str] = field(default_factory=list)


Visitor = Callable[[str, int, Scheme, str], Visit]


@pytest.fixture(scope="module")
def visit(browser: Browser, site_url: str, theme_url: Callable[[str], str]) -> Iterator[Visitor]:
    """Open a page of PAGES in a width, colour scheme and theme, and return what was seen."""
    contexts: dict[tuple[int, Scheme], BrowserContext] = {}

    def look(name: str, width: int, scheme: Scheme, theme: str) -> Visit:
        if (width, scheme) not in contexts:
            contexts[width, scheme] = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        page = contexts[width, scheme].new_page()
        seen = _seen(page, site_url if theme == "default" else theme_url(theme), PAGES[name])
        page.close()
        return seen

    yield look
    for context in contexts.values():
        context.close()


def _seen(page: Page, site_url: str, path: str) -> Visit:
    found = Visit()
    page.on("console", lambda message: found.messages.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: found.messages.append(f"error: {error}"))
    page.on("requestfailed", lambda request: found.failures.append(f"{request.url}: {request.failure}"))
    page.on("response", lambda answer: _note_failure(answer.url, answer.status, found))
    page.on("request", lambda request: _note_stranger(request.url, site_url, found))
    page.add_init_script(WATCH_SHIFTS)
    response = page.goto(site_url + path, wait_until="load")
    found.status = response.status if response else 0
    page.evaluate(SCROLL_TO_THE_END)
    found.shifts = page.evaluate("layoutShifts")
    found.width = page.evaluate("document.documentElement.scrollWidth")
    found.too_wide = page.evaluate(TOO_WIDE) if found.width > page.evaluate("innerWidth") else []
    found.background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    found.broken_images = page.evaluate(BROKEN)
    found.violations = violations(page, TARGET_SIZE)
    return found


def _note_failure(url: str, status: int, found: Visit) -> None:
    if status >= 400:
        found.failures.append(f"{url}: {status}")


def _note_stranger(url: str, site_url: str, found: Visit) -> None:
    if not url.startswith((site_url + "/", "data:")):
        found.strangers.append(url)


ALIKE = (
    "home-es", "post-es", "post-footnotes", "blog-last", "tag", "year", "categories", "about", "colophon", "faq",
    "search-es",
)  # fmt: skip
"""Pages that share template and kinds of content with another."""
IN_OTHER_THEMES = (*(name for name in PAGES if name not in ALIKE), "post-footnotes", "faq")
CASES = [
    pytest.param(name, *view, "default", marks=() if view == VIEWS[0] and name not in ALIKE else pytest.mark.slow)
    for view in VIEWS
    for name in PAGES
    if name not in ALIKE or view == VIEWS[0]
] + [
    pytest.param(name, *view, theme, marks=pytest.mark.slow)
    for theme in THEMES
    if theme != "default"
    for view in (*VIEWS, (768, "light"))
    for name in IN_OTHER_THEMES
    if view in VIEWS or name in ("home", "post")
]


@pytest.mark.parametrize(("name", "width", "scheme", "theme"), CASES)
def test_page_is_sound(visit: Visitor, name: str, width: int, scheme: Scheme, theme: str) -> None:
    """A page loads without errors and foreign requests, is accessible, does not shift, fits, and has its colours."""
    seen = visit(name, width, scheme, theme)
    assert seen.status == 200
    assert (seen.messages, seen.failures, seen.broken_images, seen.strangers) == ([], [], [], [])
    assert seen.violations == []
    assert sum(shift[0] for shift in seen.shifts) < MOST_SHIFT, seen.shifts
    assert (seen.width, seen.too_wide) == (width, [])
    lightness = _lightness(seen.background)
    assert lightness < 0.2 if scheme == "dark" else lightness > 0.9


def _lightness(color: str) -> float:
    """Of `rgb(18, 20, 19)` or `oklab(0.18 0 0)`, as Chromium writes computed colours."""
    kind, _, rest = color.partition("(")
    numbers = [float(word) for word in rest.strip(")").replace(",", " ").split()[:3]]
    if kind == "oklab":
        return numbers[0] ** 2
    assert kind == "rgb"
    return sum(numbers) / 3 / 255
