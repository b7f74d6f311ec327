"""The page of an entry in Chromium: the text at the top, the panel, saving in place, terms, search and share."""

import pytest
from playwright.sync_api import Page, expect

from tests.support.studio_browser import Studio

from .test_studio_unsaved import new_post

MOST_AT_1280, MOST_ON_A_PHONE = 200, 300
TOP = "document.querySelector('.prose, #body').getBoundingClientRect().top"
LEFT, WIDTH = ("each => each.getBoundingClientRect()." + name for name in ("left", "width"))
CUT = """[...document.querySelectorAll(".menu a")].filter(each => each.getBoundingClientRect().right > innerWidth)
    .map(each => each.textContent)"""
MARK = "window.isSamePage = true"
IS_SAME = "window.isSamePage === true"


def title_of(page: Page) -> str:
    """Return the title in the form."""
    return page.get_by_label("Title", exact=True).input_value()


@pytest.mark.parametrize(
    ("studio", "most"),
    [((1280, "light"), MOST_AT_1280), ((360, "dark", "finger"), MOST_ON_A_PHONE)],
    indirect=["studio"],
    ids=["desk", "phone"],
)
def test_text_begins_at_the_top(studio: Studio, most: int) -> None:
    """In a new post, after the first save, and with a draft over the live version; nothing is wider than the window."""
    studio.open("posts/new/")
    assert studio.page.evaluate(TOP) <= most
    new_post(studio, "At the top", "one")
    assert studio.page.evaluate(TOP) <= most
    studio.press("Publish")
    studio.page.get_by_label("Text in Markdown").fill("two")
    studio.press("Save draft")
    expect(studio.page.locator(".states")).to_contain_text("changed")
    studio.page.reload()
    assert studio.page.evaluate(TOP) <= most
    assert studio.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert studio.violations() == []


@pytest.mark.usefixtures("bundle")
@pytest.mark.parametrize("studio", [pytest.param((360, "light", "finger"), id="phone")], indirect=True)
def test_rich_text_has_the_whole_width_of_a_phone(studio: Studio) -> None:
    """It begins and ends where the title does; the handle of a block is at the end of the toolbar, and moves it."""
    studio.open("posts/new/?format=html")
    page = studio.page
    page.locator(".ProseMirror").tap()
    page.keyboard.type("one\ntwo")
    assert page.locator(".ProseMirror p").first.evaluate(LEFT) == page.locator("textarea.title").evaluate(LEFT)
    assert page.locator(".ProseMirror p").first.evaluate(WIDTH) == page.locator("textarea.title").evaluate(WIDTH)
    studio.use(page.get_by_role("button", name="Move the block"))
    studio.use(page.get_by_role("button", name="Move the block up"))
    expect(page.locator(".ProseMirror p")).to_have_text(["two", "one"])
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert studio.violations() == []


@pytest.mark.parametrize("studio", [(780, "light"), (1280, "dark")], indirect=True)
def test_menu_of_the_studio_is_not_cut(studio: Studio) -> None:
    """Each of its links is within the window; on phones it is one line that scrolls, with shadows at its sides."""
    studio.open("posts/")
    page = studio.page
    assert page.evaluate(CUT) == []
    page.set_viewport_size({"width": 360, "height": 700})
    assert page.evaluate(CUT) != []
    assert page.locator(".menu ul").evaluate("each => getComputedStyle(each).backgroundAttachment").startswith("local")


def test_panel_folds_and_stays_folded(studio: Studio) -> None:
    """On the next page, too; a refused field in it opens it."""
    studio.open("posts/new/")
    page, panel = studio.page, studio.page.locator("#panel")
    toggle = page.get_by_role("button", name="Details", exact=True)
    expect(toggle).to_have_attribute("aria-expanded", "true")
    toggle.click()
    expect(panel).to_be_hidden()
    studio.open("posts/1/")
    expect(panel).to_be_hidden()
    expect(toggle).to_have_attribute("aria-expanded", "false")
    page.locator("#published_at").evaluate("each => { each.value = '2999-01-01T00:00'; }")
    page.get_by_label("Title", exact=True).fill("Changed")
    studio.press("Publish changes")
    expect(page.get_by_text("Choose a time that has passed.").first).to_be_visible()
    expect(panel).to_be_visible()
    assert studio.violations() == []


@pytest.mark.parametrize("studio", [pytest.param((360, "light", "finger"), id="phone")], indirect=True)
def test_panel_is_a_sheet_on_a_phone(studio: Studio) -> None:
    """A button opens it, Escape and its own button close it, and the focus is where it was."""
    studio.open("posts/1/")
    page, panel = studio.page, studio.page.locator("#panel")
    expect(panel).to_be_hidden()
    toggle = page.get_by_role("button", name="Details", exact=True)
    toggle.tap()
    expect(page.get_by_role("heading", name="Details")).to_be_focused()
    assert studio.violations() == []
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(toggle).to_be_focused()
    toggle.tap()
    panel.get_by_role("button", name="Close", exact=True).tap()
    expect(panel).to_be_hidden()


def test_saving_stays_on_the_page(studio: Studio) -> None:
    """A new post gets its address, states and buttons where it is; what is typed goes on being unsaved and saved."""
    page = studio.page
    studio.open("posts/new/")
    page.evaluate(MARK)
    page.get_by_label("Title", exact=True).fill("Stays here")
    page.get_by_label("Text in Markdown").fill("one")
    page.get_by_label("Text in Markdown").press("Control+s")
    state = page.locator(".save-state")
    expect(state).to_contain_text("Saved at ")
    expect(page).to_have_url(f"{studio.url}{page.locator('form#entry').get_attribute('action')}")
    expect(page.get_by_label("Address", exact=True)).to_have_value("stays-here")
    expect(page.get_by_label("Text in Markdown")).to_be_focused()
    studio.press("Publish")
    expect(state).to_contain_text("Published at ")
    expect(page.locator(".states")).to_contain_text("published")
    page.get_by_label("Text in Markdown").fill("one, two")
    expect(state).to_contain_text("Unsaved changes")
    studio.press("Save draft")
    expect(state).to_contain_text("Draft saved at ")
    expect(page.get_by_role("link", name="Compare live and draft")).to_be_visible()
    studio.press("Publish changes")
    expect(page.get_by_role("link", name="Compare live and draft")).to_have_count(0)
    assert page.evaluate(IS_SAME)
    assert studio.violations() == []
    page.reload()
    expect(page.get_by_label("Text in Markdown")).to_have_value("one, two")
    expect(page.get_by_text("that was not saved")).to_have_count(0)


def test_conflict_is_shown_where_it_is(studio: Studio) -> None:
    """What others changed elsewhere comes into the form, and nothing typed goes."""
    path, page = new_post(studio, "Conflict", "mine and theirs"), studio.page
    other = Studio(page.context.new_page(), studio.served)
    other.open(path)
    other.page.get_by_label("Title", exact=True).fill("Their title")
    other.press("Save draft")
    page.evaluate(MARK)
    page.get_by_label("Text in Markdown").fill("mine, changed")
    studio.press("Save draft")
    expect(page.get_by_role("heading", name="meanwhile")).to_be_visible()
    expect(page.get_by_label("Title", exact=True)).to_have_value("Their title")
    expect(page.get_by_label("Text in Markdown")).to_have_value("mine, changed")
    assert studio.violations() == []
    studio.press("Save draft")
    expect(page.locator("[data-said]")).to_have_count(1)
    expect(page.get_by_role("heading", name="meanwhile")).to_have_count(0)
    assert page.evaluate(IS_SAME)
    studio.open(path)
    assert title_of(page) == "Their title"
    expect(page.get_by_label("Text in Markdown")).to_have_value("mine, changed")


def test_signed_out_meanwhile(studio: Studio) -> None:
    """The page says so; after signing in in another tab, what was typed is saved by itself."""
    path, page = new_post(studio, "Signed out", "one"), studio.page
    page.evaluate(MARK)
    page.context.clear_cookies()
    page.get_by_label("Text in Markdown").fill("one, two")
    page.get_by_role("button", name="Save draft", exact=True).click()
    expect(page.get_by_text("Not saved: you are signed out.")).to_be_visible()
    expect(page.get_by_role("link", name="Sign in in a new tab")).to_be_visible()
    assert studio.violations() == []
    studio.sign_in()
    expect(page.locator(".save-state")).to_contain_text("Saved at ")
    assert page.evaluate(IS_SAME)
    studio.open(path)
    expect(page.get_by_label("Text in Markdown")).to_have_value("one, two")


def test_terms_are_chips(studio: Studio) -> None:
    """Typed with suggestions, chosen by arrows, removed by Backspace, and stored; new categories, too."""
    path, page = new_post(studio, "With terms", "one"), studio.page
    keys, tags = page.keyboard, page.get_by_role("combobox", name="Tags")
    tags.focus()
    keys.type("mo")
    expect(page.get_by_role("listbox", name="Tags").get_by_role("option").first).to_be_visible()
    assert studio.violations() == []
    keys.press("ArrowDown")
    first = page.get_by_role("listbox", name="Tags").locator("[aria-selected=true]").inner_text()
    keys.press("Enter")
    for name in ("never seen", "wrong"):
        keys.type(name)
        keys.press("Enter")
    keys.press("Backspace")
    expect(page.locator("#tags")).to_have_value(f"{first}\nnever seen")
    page.get_by_role("combobox", name="Categories").focus()
    keys.type("Tides")
    keys.press("Enter")
    page.get_by_role("button", name="Remove never seen").click()
    studio.press("Save draft")
    studio.press("Save draft")
    studio.open(path)
    expect(page.locator("#panel .chips").first).to_contain_text("Tides")
    expect(page.locator("#tags")).to_have_value(first)


def test_search_result_and_share_card(studio: Studio) -> None:
    """As the site writes and draws them, with what was typed just now."""
    new_post(studio, "Found and shared", "one")
    page = studio.page
    page.locator("#appearance summary").click()
    expect(page.locator(".found")).to_contain_text("/found-and-shared/")
    expect(page.locator(".found strong")).to_contain_text("Found and shared")
    page.get_by_label("Excerpt").fill("An excerpt of its own")
    expect(page.locator(".found")).to_contain_text("An excerpt of its own")
    expect(page.locator(".shared")).to_contain_text("An excerpt of its own")
    page.wait_for_function("document.querySelector('.shared img')?.naturalWidth === 1200")
    assert studio.violations() == []
