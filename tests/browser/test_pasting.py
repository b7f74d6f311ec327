"""What pasted text and addresses become, in Chromium: each conversion is one step that Ctrl Z takes back."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support.studio_browser import ServedStudio, ServeSample, Studio, allow_loopback
from tests.support.web_hosts import page_host

PASTE = """data => {
    const transfer = new DataTransfer();
    for (const [type, text] of Object.entries(data)) transfer.setData(type, text);
    const event = new ClipboardEvent('paste', {clipboardData: transfer, bubbles: true, cancelable: true});
    document.activeElement.dispatchEvent(event);
}"""
MARKDOWN = "## Tides\n\nNeap ~~low~~ ==high== **bold**.\n\n- a\n- b"
FORMATTED = (
    '<h2 id="tides">Tides</h2>\n<p>Neap <s>low</s> <mark>high</mark> <strong>bold</strong>.</p>\n'
    "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"
)
AS_TYPED = "<p>## Tides</p>\n<p>Neap ~~low~~ ==high== **bold**.</p>\n<p>- a</p>\n<p>- b</p>"
PLAYER = "https://codepen.io:1/tide/pen/abc"  # no port of the web, so that nothing is asked of it
PLAYER_HTML = (
    f'<figure class="embed">\n<a href="{PLAYER}" class="ratio-16-9" '
    f'data-embed="https://codepen.io/tide/embed/abc?default-tab=result"><span>codepen.io</span></a></figure>'
)
PAGE = b"""<title>Neap tides</title><meta name="description" content="Low.">
<meta property="og:image" content="/sea.png">"""
STATUS = "rich-text > [role=status], markdown-source .below [role=status]"
VIEWS = [pytest.param((360, "dark", "finger"), id="phone"), pytest.param((1280, "light", "keys"), id="keys")]


@pytest.fixture(scope="module")
def host() -> Iterator[str]:
    """The address of another site, with a page that has a picture."""
    with page_host(PAGE) as address:
        yield address


@pytest.fixture(scope="module")
def served(serve_sample: ServeSample) -> Iterator[ServedStudio]:
    """The sample site, which takes pictures and cards from loopback."""
    with serve_sample({"site.toml": allow_loopback}) as made:
        yield made


@pytest.fixture
def page(studio: Studio, bundle: None) -> Iterator[Page]:
    """The form of a new post in rich text, with the cursor in its text."""
    studio.open("posts/new/?format=html")
    studio.page.locator("rich-text .ProseMirror").click()
    yield studio.page
    assert studio.complaints() == []


def paste(page: Page, text: str) -> None:
    """Paste plain text."""
    page.evaluate(PASTE, {"text/plain": text})


def expect_body(page: Page, expected: str) -> None:
    """Wait until the text is this."""
    expect(page.locator("#body")).to_have_value(expected)


def test_a_card_of_an_address_alone_is_read_from_its_page(page: Page, host: str) -> None:
    """By the form of the block: what is typed there counts, and without it the page is asked."""
    for title, expected in (("", "Neap tides"), ("Mine", "Mine")):
        page.keyboard.type("/bookmark")
        expect(page.get_by_role("listbox").get_by_role("option")).to_have_count(1)
        page.keyboard.press("Enter")
        form = page.get_by_role("dialog")
        form.get_by_label("Address").fill(f"{host}/page")
        form.get_by_label("Title (optional)").fill(title)
        form.get_by_role("button", name="Insert", exact=True).click()
        expect(form).to_have_count(0)
        expect(page.locator("#body")).to_have_value(re.compile(f"<strong>{expected}</strong>"))
        page.locator("rich-text .ProseMirror > p").last.click()


def status(page: Page) -> Locator:
    """Return where the editor says what it did."""
    return page.locator(STATUS)


def test_pasted_markdown_is_formatted_and_ctrl_z_takes_that_back(page: Page) -> None:
    """What was typed afterwards is a step of its own, and so is the pasted text."""
    paste(page, MARKDOWN)
    expect(status(page)).to_contain_text("formatted now")
    expect_body(page, FORMATTED)
    page.keyboard.press("Control+z")
    expect_body(page, AS_TYPED)
    page.keyboard.press("Control+z")
    expect_body(page, "")
    page.keyboard.press("Control+y")
    page.keyboard.press("Control+y")
    expect_body(page, FORMATTED)


def test_markdown_within_a_line_and_plain_text(page: Page) -> None:
    """A part of a line is formatted in it; with Shift, and in code, text stays as it is."""
    page.keyboard.type("See ")
    paste(page, "an **inline** part")
    expect_body(page, "<p>See an <strong>inline</strong> part</p>")
    page.keyboard.press("Enter")
    page.keyboard.down("Shift")
    paste(page, "**plain**")
    page.keyboard.up("Shift")
    expect_body(page, "<p>See an <strong>inline</strong> part</p>\n<p>**plain**</p>")
    page.keyboard.press("Enter")
    page.keyboard.type("```")
    page.keyboard.press("Enter")
    paste(page, "https://a.example/")
    expect(page.locator(".ProseMirror pre")).to_have_text("https://a.example/")
    expect(page.locator(".ProseMirror pre a")).to_have_count(0)


@pytest.mark.parametrize(
    ("typed", "html"),
    [
        ("~~gone~~", "<s>gone</s>"),
        ("==seen==", "<mark>seen</mark>"),
        ("**bold**", "<strong>bold</strong>"),
        ("[here](/a/)", '<a href="/a/">here</a>'),
    ],
)
def test_typed_signs_become_what_they_mean(page: Page, typed: str, html: str) -> None:
    """At once; Ctrl Z gives back the signs."""
    page.keyboard.type(f"So {typed}")
    expect_body(page, f"<p>So {html}</p>")
    page.keyboard.press("Control+z")
    expect_body(page, f"<p>So {typed}</p>")


def test_an_address_of_a_player_becomes_one(page: Page) -> None:
    """In a line of its own; Ctrl Z makes it a link, and once more text; within a line it is a link."""
    paste(page, PLAYER)
    expect_body(page, PLAYER_HTML)
    page.keyboard.press("Control+z")
    expect_body(page, f'<p><a href="{PLAYER}">{PLAYER}</a></p>')
    page.keyboard.press("Control+z")
    expect_body(page, f"<p>{PLAYER}</p>")
    page.keyboard.type(" and ")
    paste(page, "https://a.example/x")
    expect_body(page, f'<p>{PLAYER} and <a href="https://a.example/x">https://a.example/x</a></p>')
    expect(page.get_by_role("button", name="Make it a card")).to_have_count(0)


@pytest.mark.parametrize("studio", VIEWS, indirect=True)
def test_an_address_is_offered_as_a_card(page: Page, studio: Studio, host: str) -> None:
    """With title, description and a copy of the picture; nothing is asked of the other site before."""
    paste(page, f"{host}/page")
    button = page.get_by_role("button", name="Make it a card")
    expect(button).to_be_visible()
    assert studio.violations() == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    studio.use(button)
    expect(status(page)).to_contain_text("The address is a card now.")
    link = re.escape(f'<a href="{host}/page">')
    words = "<strong>Neap tides</strong><br><span>Low.</span><br><small>127.0.0.1</small>"
    card = f'^<figure class="bookmark">\n{link}<img src="/media/[^>]*><span>{words}</span></a></figure>'
    expect(page.locator("#body")).to_have_value(re.compile(card))
    assert studio.violations() == []
    page.keyboard.press("Control+z")
    expect_body(page, f'<p><a href="{host}/page">{host}/page</a></p>')


def test_the_address_of_a_picture_is_offered_as_a_copy(page: Page, host: str) -> None:
    """Or it stays a link."""
    paste(page, f"{host}/sea.png")
    page.get_by_role("button", name="Keep the link").click()
    expect_body(page, f'<p><a href="{host}/sea.png">{host}/sea.png</a></p>')
    page.keyboard.press("Enter")
    paste(page, f"{host}/sea.png")
    page.get_by_role("button", name="Insert a copy").click()
    page.locator(".ProseMirror figure img[src^='/media/']").wait_for()


def test_addresses_in_markdown(studio: Studio, host: str) -> None:
    """They become directives where they stand alone, and links over selected words; Ctrl Z takes that back."""
    studio.open("posts/new/?format=markdown")
    page = studio.page
    page.get_by_role("button", name="Bold (Ctrl B)").wait_for()
    text = page.locator("#body")
    text.focus()
    paste(page, PLAYER)
    expect(text).to_have_value(f'::: embed {{url="{PLAYER}"}}\n:::\n\n')
    page.keyboard.press("Control+z")
    expect(text).to_have_value(PLAYER)
    page.keyboard.press("Control+a")
    paste(page, "https://a.example/(x)")
    expect(text).to_have_value(f"[{PLAYER}](<https://a.example/(x)>)")
    text.fill("Before\n\n")
    paste(page, f"{host}/page")
    page.get_by_role("button", name="Make it a card").click()
    expect(status(page)).to_contain_text("The address is a card now.")
    assert text.input_value().startswith(
        f'Before\n\n::: bookmark {{url="{host}/page" title="Neap tides" description="Low."'
    )


@pytest.mark.parametrize("studio", VIEWS, indirect=True)
def test_links_are_found_by_title_heading_and_file(page: Page, studio: Studio) -> None:
    """By keys as by finger: an entry with one of its headings, a heading of this text, and what a link leads to."""
    keys, dialog = page.keyboard, page.get_by_role("dialog")
    field = dialog.get_by_label("Search, or type an address")
    keys.type("## Own heading")
    keys.press("Enter")
    keys.press("Control+k")
    field.fill("plain text")
    option = dialog.get_by_role("option", name="Plain text for ten years")
    expect(option).to_be_visible()
    expect(dialog.get_by_role("option").filter(has_not_text="Plain text")).to_have_count(0)  # the list before is gone
    assert studio.violations() == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    if studio.way == "keys":
        keys.press("ArrowDown")
        keys.press("Enter")
    else:
        option.tap()
    expect(field).to_have_value("/blog/plain-text-for-ten-years/")
    expect(dialog.get_by_role("status")).to_have_text("Leads to: Plain text for ten years (Post)")
    heading = dialog.get_by_label("Heading on that page")
    heading.select_option(index=1)
    address = field.input_value()
    assert address.startswith("/blog/plain-text-for-ten-years/#")
    assert studio.violations() == []
    studio.use(dialog.get_by_role("button", name="Add the link"))
    expect_body(page, f'<h2>Own heading</h2>\n<p><a href="{address}">Plain text for ten years</a></p>')
    keys.press("ArrowLeft")
    keys.press("Control+k")
    expect(dialog.get_by_role("status")).to_have_text("Leads to: Plain text for ten years (Post)")
    expect(heading).to_have_value(address)
    field.fill("own")
    dialog.get_by_role("option", name="Own heading").click()
    studio.use(dialog.get_by_role("button", name="Change the link"))
    expect_body(page, '<h2>Own heading</h2>\n<p><a href="#own-heading">Plain text for ten years</a></p>')


def test_links_of_markdown_are_changed_where_the_cursor_is(studio: Studio) -> None:
    """Words that are no address add nothing; a link with the cursor is changed and removed; files may be named."""
    studio.open("posts/new/?format=markdown")
    page = studio.page
    page.get_by_role("button", name="Bold (Ctrl B)").wait_for()
    text, dialog = page.locator("#body"), page.get_by_role("dialog")
    field = dialog.get_by_label("Search, or type an address")
    text.fill('See [the \\[old\\] page](/old/ "T") now')
    text.evaluate("area => area.setSelectionRange(8, 8)")
    text.press("Control+k")
    expect(field).to_have_value("/old/")
    expect(dialog.get_by_label("Text of the link")).to_have_value("the [old] page")
    field.fill("no such words")
    dialog.get_by_role("button", name="Change the link").click()
    expect(dialog.get_by_role("alert")).to_be_visible()
    field.fill("first-steps.md#top")
    field.press("Enter")
    expect(text).to_have_value("See [the \\[old\\] page](first-steps.md#top) now")
    text.evaluate("area => area.setSelectionRange(8, 8)")
    text.press("Control+k")
    dialog.get_by_role("button", name="Remove the link").click()
    expect(text).to_have_value("See the [old] page now")
