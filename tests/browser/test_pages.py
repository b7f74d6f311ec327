"""Every kind of page of the sample site in Chromium, in each width and colour scheme."""

import importlib.resources
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

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
VIEWS: dict[tuple[int, Scheme], tuple[pytest.MarkDecorator, ...]] = {
    (360, "light"): (),
    (1280, "dark"): (pytest.mark.slow,),
    (360, "dark"): (pytest.mark.slow,),
    (1280, "light"): (pytest.mark.slow,),
}

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
  await Promise.all([...document.images].map(image => image.decode()));
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


Visitor = Callable[[str, int, Scheme], Visit]


@pytest.fixture(scope="module")
def visit(browser: "Browser", site_url: str) -> Iterator[Visitor]:
    """Open a page of PAGES in a width and colour scheme, and return what was seen."""
    contexts: dict[tuple[int, Scheme], BrowserContext] = {}
    axe = importlib.resources.files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")

    def look(name: str, width: int, scheme: Scheme) -> Visit:
        if (width, scheme) not in contexts:
            contexts[width, scheme] = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        page = contexts[width, scheme].new_page()
        seen = _seen(page, site_url, PAGES[name], axe)
        page.close()
        return seen

    yield look
    for context in contexts.values():
        context.close()


def _seen(page: "Page", site_url: str, path: str, axe: str) -> Visit:
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
    found.broken_images = page.evaluate("[...document.images].filter(i => !i.naturalWidth).map(i => i.src)")
    page.evaluate(axe)
    for violation in page.evaluate("axe.run().then(results => results.violations)"):
        places = "; ".join(node["html"][:160] for node in violation["nodes"])
        found.violations.append(f"{violation['id']}: {violation['help']}: {places}")
    return found


def _note_failure(url: str, status: int, found: Visit) -> None:
    if status >= 400:
        found.failures.append(f"{url}: {status}")


def _note_stranger(url: str, site_url: str, found: Visit) -> None:
    if not url.startswith((site_url + "/", "data:")):
        found.strangers.append(url)


ALIKE = ("home-es", "post-es", "post-footnotes", "blog-last", "tag", "year", "about", "colophon", "faq", "search-es")
"""Pages that share template and kinds of content with another."""
CASES = [
    pytest.param(name, width, scheme, id=f"{name}-{width}-{scheme}", marks=pytest.mark.slow if name in ALIKE else marks)
    for (width, scheme), marks in VIEWS.items()
    for name in PAGES
]


@pytest.mark.parametrize(("name", "width", "scheme"), CASES)
def test_page_is_sound(visit: Visitor, name: str, width: int, scheme: Scheme) -> None:
    """A page loads without errors and foreign requests, is accessible, does not shift, fits, and has its colours.

    Layout shifts are compared to two digits: Chromium may paint a menu of which it has read only a part, which shifts
    by a thousandth.
    """
    seen = visit(name, width, scheme)
    assert seen.status == 200
    assert (seen.messages, seen.failures, seen.broken_images, seen.strangers) == ([], [], [], [])
    assert seen.violations == []
    assert round(sum(shift[0] for shift in seen.shifts), 2) == 0, seen.shifts
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
