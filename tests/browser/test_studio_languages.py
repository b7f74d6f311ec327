"""The studio in other languages, in Chromium: nothing is cut off, nothing overflows, and Arabic goes from the right."""

import pytest
from playwright.sync_api import Browser, expect

from tests.support.studio_browser import ServedStudio, window

SCREENS = (
    "sign-in/", "posts/", "posts/new/", "posts/1/", "pages/", "collections/", "calendar/", "media/", "authors/",
    "terms/", "trash/", "writes/", "people/", "people/mira/", "log/", "account/", "account/second-factor/", "site/",
)  # fmt: skip
WIDTHS = (360, 768, 1280)
CUT_OFF = """() => [...document.querySelectorAll("button, a, h1, h2, h3, label, th, summary, legend, .mark, p")]
  .filter((each) => each.checkVisibility({ visibilityProperty: true }) && each.clientWidth !== 1)
  .filter((each) => !each.closest(".hidden, [hidden], .skip, .scroll, .menu, .tabs, [role=toolbar]"))
  .filter((each) => {
    for (let part = each; part; part = part.parentElement) if (getComputedStyle(part).clipPath !== "none") return false;
    if (getComputedStyle(each).textOverflow === "ellipsis") return false;
    const { left, right } = each.getBoundingClientRect();
    const isClipped = getComputedStyle(each).overflowX !== "visible" && each.scrollWidth > each.clientWidth + 1;
    return isClipped || left < -1 || right > document.documentElement.clientWidth + 1;
  }).map((each) => each.outerHTML.slice(0, 120))"""
"""The elements whose text does not fit into them, or that stand partly outside of the window."""


@pytest.mark.slow
@pytest.mark.parametrize("language", ["de", "ja", "ar"])
def test_screens_fit_in_other_languages(served: ServedStudio, browser: Browser, language: str) -> None:
    """At each width, to which the window is made wider, without a violation of accessibility."""
    with window(served, browser, (WIDTHS[0], "light"), language) as studio:
        for screen in SCREENS:
            if screen == "posts/":
                studio.sign_in()
            studio.page.set_viewport_size({"width": WIDTHS[0], "height": 800})
            studio.open(screen)
            html = studio.page.locator("html")
            assert (html.get_attribute("lang"), html.get_attribute("dir")) == (language, direction_of(language)), screen
            assert studio.violations() == [], screen
            for width in WIDTHS:
                studio.page.set_viewport_size({"width": width, "height": 800})
                assert studio.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (width, screen)
                assert studio.page.evaluate(CUT_OFF) == [], (width, screen)


def direction_of(language: str) -> str:
    """Return the direction in which a language is written."""
    return "rtl" if language == "ar" else "ltr"


@pytest.mark.parametrize(("language", "close"), [("de", "Schließen"), ("ar", "إغلاق")])
def test_scripts_speak_the_language_of_the_page(
    served: ServedStudio, browser: Browser, language: str, close: str
) -> None:
    """The command palette, whose texts stand in a script alone."""
    with window(served, browser, locale=language) as studio:
        studio.sign_in()
        studio.open("posts/")
        studio.page.keyboard.press("Control+k")
        expect(studio.page.get_by_role("dialog").get_by_role("button", name=close, exact=True)).to_be_visible()
