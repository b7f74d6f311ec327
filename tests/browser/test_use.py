"""A reader at work in Chromium: the skip link, the menu, the languages, anchors, paper."""

import pytest
from playwright.sync_api import Page, expect

POST = "/blog/counting-meteors-honestly/"
POST_WITH_FOOTNOTES = "/blog/a-gauge-made-from-a-bottle/"
POST_ES = "/es/blog/contar-meteoros-con-honradez/"
FOCUSED = "document.activeElement"


def test_first_tab_shows_the_skip_link(page: Page, site_url: str) -> None:
    """The first Tab brings the skip link into sight; Enter takes the reader past the menu into main."""
    page.goto(site_url + POST)
    link = page.locator("a.skip")
    before = link.bounding_box()
    assert before
    assert before["y"] + before["height"] < 0
    page.keyboard.press("Tab")
    expect(link).to_be_focused()
    page.wait_for_function("() => document.querySelector('a.skip').getBoundingClientRect().top >= 0")
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator("main :focus")).to_have_count(1)


def test_menu_opens_by_keyboard(page: Page, site_url: str) -> None:
    """Enter opens what is below a menu entry, Tab goes into it, Enter closes it again."""
    page.goto(site_url + "/")
    details = page.locator(".menu details").first
    links = details.locator("a")
    expect(links.first).to_be_hidden()
    details.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(links.first).to_be_visible()
    page.keyboard.press("Tab")
    expect(links.first).to_be_focused()
    width = page.evaluate("innerWidth")
    for box in [links.nth(number).bounding_box() for number in range(links.count())]:
        assert box
        assert 0 <= box["x"] <= box["x"] + box["width"] <= width
    page.keyboard.press("Shift+Tab")
    expect(details.locator("summary")).to_be_focused()
    page.keyboard.press("Space")
    expect(links.first).to_be_hidden()


def test_menu_closes_on_escape_and_a_click_elsewhere(page: Page, site_url: str) -> None:
    """Escape gives the focus back to the button; a click on the page closes the menu, and so does leaving it."""
    page.goto(site_url + "/")
    details, summary = page.locator(".menu details").first, page.locator(".menu summary").first
    summary.click()
    expect(details).to_have_attribute("open", "")
    details.locator("a").first.focus()
    page.keyboard.press("Escape")
    expect(details).not_to_have_attribute("open", "")
    expect(summary).to_be_focused()
    summary.click()
    expect(details).to_have_attribute("open", "")
    page.mouse.click(5, 700)
    expect(details).not_to_have_attribute("open", "")
    summary.click()
    expect(details).to_have_attribute("open", "")
    page.locator(".site-foot a").first.focus()
    expect(details).not_to_have_attribute("open", "")


def test_wide_table_scrolls_by_itself(page: Page, site_url: str) -> None:
    """The page stays as wide as the window, the table can be reached by Tab, and shows all of its columns."""
    page.goto(site_url + "/blog/a-sundial-you-can-trust/")
    page.eval_on_selector(".prose td", "cell => { cell.textContent = 'equation'.repeat(200); }")
    table = page.locator(".prose table").first
    assert page.evaluate("document.documentElement.scrollWidth") == page.evaluate("innerWidth")
    assert table.evaluate("table => table.scrollWidth > table.clientWidth + 100")
    assert table.get_attribute("tabindex") == "0"
    table.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.querySelector('.prose table').scrollLeft > 0")


def test_every_focus_is_seen(page: Page, site_url: str) -> None:
    """Whatever Tab reaches on a post shows an outline and lies within the window."""
    page.goto(site_url + POST)
    seen = 0
    page.keyboard.press("Tab")
    while page.evaluate(f"{FOCUSED} !== document.body") and seen < 150:
        seen += 1
        text, outline, bottom, top = page.evaluate(
            f"(e => {{ const box = e.getBoundingClientRect(); const style = getComputedStyle(e);"
            f" return [e.outerHTML.slice(0, 120), style.outlineStyle, box.bottom, box.top]; }})({FOCUSED})"
        )
        assert outline != "none", text
        assert bottom > 0, text
        assert top < 800, text
        page.keyboard.press("Tab")
    assert seen > 20


def test_language_link_leads_to_the_same_post(page: Page, site_url: str) -> None:
    """The language switcher of a post leads to that post in Spanish, and from there back."""
    page.goto(site_url + POST)
    page.locator(".languages a[hreflang=es]").click()
    page.wait_for_url(site_url + POST_ES)
    expect(page.locator("html")).to_have_attribute("lang", "es")
    page.locator(".languages a[hreflang=en]").click()
    page.wait_for_url(site_url + POST)
    expect(page.locator("html")).to_have_attribute("lang", "en")


def test_anchors_of_a_post_lead_within_it(page: Page, site_url: str) -> None:
    """A footnote's number, its way back and a heading's anchor all point at something on the page."""
    page.goto(site_url + POST_WITH_FOOTNOTES)
    targets = page.eval_on_selector_all("main a[href^='#']", "links => links.map(a => decodeURIComponent(a.hash))")
    assert len(targets) > 1
    missing = [target for target in targets if not page.evaluate("id => document.getElementById(id)", target[1:])]
    assert missing == []


def test_whole_card_is_a_link(page: Page, site_url: str) -> None:
    """On the home page, the picture of a post leads to the post as its title does."""
    page.goto(site_url + "/")
    story = page.locator(".story", has=page.locator(".frame")).first
    address = story.locator("a.cover").evaluate("link => link.href")
    story.locator(".frame").scroll_into_view_if_needed()
    story.locator(".frame").click(force=True)
    page.wait_for_url(address)


@pytest.mark.parametrize("path", [POST, "/", "/guide/starting-a-nature-notebook/"])
def test_page_can_be_printed(page: Page, site_url: str, path: str) -> None:
    """On paper there is no menu, the text is black on white, and a PDF comes out."""
    page.emulate_media(media="print", color_scheme="dark")
    page.goto(site_url + path)
    expect(page.locator("nav.menu")).to_be_hidden()
    expect(page.locator("body")).to_have_css("background-color", "rgb(255, 255, 255)")
    expect(page.locator("h1")).to_be_visible()
    expect(page.locator("article ~ .latest")).to_be_hidden()
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_paper_shows_what_is_folded(page: Page, site_url: str) -> None:
    """What a reader would have to open on the page is printed, too: nobody can open it on paper."""
    page.goto(site_url + POST)
    folded = (
        '<details><summary>More</summary><p class="inside">Folded</p></details>'
        '<div class="tabs is-live"><section class="tab" hidden>'
        '<p class="tab-title inside">Tab</p><p class="inside">Of a tab</p></section></div>'
    )
    page.locator(".prose").evaluate("(each, html) => each.insertAdjacentHTML('beforeend', html)", folded)
    inside = page.locator(".inside")
    visible = "all => all.map(each => each.checkVisibility())"
    assert inside.evaluate_all(visible) == [False] * 3
    page.emulate_media(media="print")
    assert inside.evaluate_all(visible) == [True] * 3


def test_button_that_copies_covers_no_code(page: Page, site_url: str) -> None:
    """It stands on the upper edge of the block, above the first line."""
    page.goto(f"{site_url}/blog/sunrise-in-forty-lines/")
    button = page.locator(".highlight > .copy").first
    bottom = button.evaluate("each => each.getBoundingClientRect().bottom")
    assert bottom <= button.evaluate("each => each.parentElement.querySelector('code').getClientRects()[0].top")
