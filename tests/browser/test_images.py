"""Images in Chromium: the size that fits is fetched, nothing moves, nothing is fetched that nobody sees."""

from typing import Any

import pytest
from playwright.sync_api import Browser, Page

SHIFTS = """
window.shifted = 0;
new PerformanceObserver(list => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
}).observe({type: 'layout-shift', buffered: true});
"""
SCROLL_TO_THE_END = """
async () => {
  for (let top = 0; top < document.documentElement.scrollHeight; top += 600) {
    scrollTo({top, behavior: "instant"});
    await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  }
}
"""
SHOWN = """
() => [...document.images].map(image => ({
  file: image.currentSrc.split('/').pop(),
  width: image.getBoundingClientRect().width,
  height: image.getBoundingClientRect().height,
  ratio: Number(image.getAttribute('width')) / Number(image.getAttribute('height')),
  lazy: image.loading === 'lazy',
  color: image.classList.contains('tone') ? getComputedStyle(image).backgroundColor : '',
}))
"""


def opened(browser: Browser, url: str, width: int, density: int) -> Page:
    """The page, scrolled to its end so that every image has come."""
    page = browser.new_context(viewport={"width": width, "height": 800}, device_scale_factor=density).new_page()
    page.add_init_script(SHIFTS)
    page.goto(url)
    page.evaluate(SCROLL_TO_THE_END)
    page.wait_for_function("() => [...document.images].every(image => image.complete && image.currentSrc)")
    return page


@pytest.mark.parametrize(("width", "density"), [(360, 2), (1280, 1)])
@pytest.mark.parametrize(
    "path",
    [
        "/",
        *(
            pytest.param(path, marks=pytest.mark.slow)
            for path in ("/blog/", "/blog/the-moon-is-late/", "/authors/mira-okafor/")
        ),
    ],
)
def test_the_fetched_size_fits_and_nothing_moves(
    browser: Browser, site_url: str, path: str, width: int, density: int
) -> None:
    """Every photograph comes as AVIF or WebP, sharp, and not much larger than it is shown."""
    page = opened(browser, site_url + path, width, density)
    images: list[dict[str, Any]] = [each for each in page.evaluate(SHOWN) if not each["file"].endswith(".svg")]
    assert images
    for image in images:
        name, _, form = image["file"].partition(".")
        assert form in ("avif", "webp"), image
        has = int(name.rpartition("-")[2])
        wanted = max(image["width"], image["height"] * image["ratio"]) * density
        assert wanted <= has * 1.02 or has == 1600, image
        assert has <= max(320, wanted * 2.1), image
        assert image["color"].startswith("rgb("), image
    assert not images[0]["lazy"] or path == "/authors/mira-okafor/"  # whose first image is the portrait
    assert all(image["lazy"] for image in images[1:])
    assert page.evaluate("window.shifted") < 0.01
    page.context.close()


def test_images_far_below_are_not_fetched(browser: Browser, site_url: str) -> None:
    """On a long page, before anybody scrolls."""
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    fetched: list[str] = []
    page.on("requestfinished", lambda request: fetched.append(request.url))
    page.goto(site_url + "/", wait_until="networkidle")
    shown = sum("/media/" in url for url in fetched)
    assert 0 < shown < page.evaluate("document.images.length") / 2
    page.context.close()
