"""Rich text in Chromium: what is typed, pasted and inserted, and that blocks which nobody changed keep their bytes."""

import base64
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import until
from tests.support.pictures import image_bytes
from tests.support.studio_browser import PHONE_AND_KEYS, Studio

PATIENCE_SECONDS = 30.0
TITLE = "Plain text for ten years"
PASTE = """([type, text]) => {
    const data = new DataTransfer();
    data.setData(type, text);
    const event = new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true});
    document.activeElement.dispatchEvent(event);
}"""
PASTE_FILE = """([name, data]) => {
    const transfer = new DataTransfer();
    const bytes = Uint8Array.from(atob(data), sign => sign.charCodeAt(0));
    transfer.items.add(new File([bytes], name, {type: 'image/jpeg'}));
    const event = new ClipboardEvent('paste', {clipboardData: transfer, bubbles: true, cancelable: true});
    document.activeElement.dispatchEvent(event);
}"""
WRITE_FIRST = """() => {
    const { view } = document.querySelector('rich-text');
    const tr = view.state.tr.insert(0, view.state.schema.nodes.paragraph.create());
    view.dispatch(tr.setSelection(view.state.selection.constructor.near(tr.doc.resolve(1))));
    view.focus();
}"""
FIGURE_FIRST = """() => {
    const { view } = document.querySelector('rich-text');
    const { figure, picture, caption } = view.state.schema.nodes;
    const image = picture.create({ attributes: { src: '/media/a.jpg', alt: 'A' } });
    view.dispatch(view.state.tr.insert(0, figure.create(null, [image, caption.create()])));
}"""
BACKSPACE_BEFORE_IT_IS_SAID = """() => {
    const { view } = document.querySelector('rich-text');
    getSelection().collapse(view.dom.querySelector('p'), 0);
    const event = new KeyboardEvent('keydown', { key: 'Backspace', keyCode: 8, bubbles: true, cancelable: true });
    return [view.dom.dispatchEvent(event), view.state.selection.node?.type.name];
}"""
LONG = """() => {
    const { view } = document.querySelector('rich-text');
    const { content } = view.state.doc;
    while (view.state.doc.textContent.split(' ').length < 5000) {
        view.dispatch(view.state.tr.insert(view.state.doc.content.size, content));
    }
    return view.state.doc.childCount;
}"""
COUNT_WORK_OF_KEYS = """() => {
    const area = document.querySelector('#body');
    const { view } = document.querySelector('rich-text') ?? {};
    const work = { key: 0, text: 0, fields: 0, kept: 0, visits: 0 };
    const isKey = () => isUpdating || /^(key|input|beforeinput|textInput)/.test(window.event?.type ?? '');
    let isUpdating = false;
    const note = (name) => { if (isKey()) work[name] += 1; };
    const wrap = (of, name, kind) => {
        const own = of[name];
        of[name] = function (...parts) { note(kind); return own.apply(this, parts); };
    };
    const { get, set } = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value');
    Object.defineProperty(area, 'value', {
        get() { note('text'); return get.call(this); }, set(text) { note('text'); set.call(this, text); },
    });
    wrap(Storage.prototype, 'setItem', 'kept');
    document.querySelector('form.editor').addEventListener('formdata', () => note('fields'));
    addEventListener('input', () => work.key += 1, true);
    if (view) {
        const node = view.state.doc.constructor.prototype;
        for (const name of ['descendants', 'nodesBetween', 'textBetween']) wrap(node, name, 'visits');
        const update = view.updateState;
        view.updateState = function (state) {
            isUpdating = true;
            update.call(this, state);
            isUpdating = false;
        };
    }
    window.workOfKeys = work;
}"""
IDLE_WITH_EACH_KEY = """() => {
    const work = window.workOfPauses = { beforeFrame: 0, afterFrame: 0, waiting: [] };
    let isDrawn = true;
    const note = () => { work[isDrawn ? 'afterFrame' : 'beforeFrame'] += 1; };
    const keep = Storage.prototype.setItem;
    Storage.prototype.setItem = function (...parts) { note(); keep.apply(this, parts); };
    document.querySelector('form.editor').addEventListener('formdata', note);
    window.requestIdleCallback = (act) => work.waiting.push(act);
    addEventListener('keydown', () => {
        isDrawn = false;
        requestAnimationFrame(() => setTimeout(() => { isDrawn = true; }));
    }, true);
    addEventListener('input', ({ isTrusted }) => {
        if (isTrusted) work.waiting.splice(0).forEach((act) => act());
    }, true);
}"""
FROM_WORD = """<html><body><!--StartFragment--><h1 style='mso-style:x'>Title<o:p></o:p></h1>
<p class=MsoNormal style='margin:0'><b style='mso-bidi-font-weight:normal'>Bold</b> and <span
style='font-style:italic'>slanted</span>&nbsp;words<o:p></o:p></p>
<p class=MsoListParagraphCxSpFirst style='mso-list:l0 level1 lfo1'><![if !supportLists]><span
style='mso-list:Ignore'>·</span><![endif]>First</p>
<p class=MsoListParagraphCxSpMiddle style='mso-list:l0 level2 lfo1'><![if !supportLists]><span
style='mso-list:Ignore'>o</span><![endif]>Inner</p>
<p class=MsoNormal><o:p>&nbsp;</o:p></p>
<p class=MsoNormal>See <a href="https://tide.example/"><span style='color:#0563C1'>the tables</span></a>.<o:p></o:p></p>
<table class=MsoTableGrid border=1 style='border-collapse:collapse'><tr><td width=300><p class=MsoNormal>Day</p></td>
<td width=300><p class=MsoNormal><b>Hour</b></p></td></tr></table><!--EndFragment--></body></html>"""
FROM_DOCS = """<b style="font-weight:normal;" id="docs-internal-guid-1"><p dir="ltr"><span
style="font-weight:700">Bold</span> <span style="font-weight:400">plain</span></p>
<ul><li dir="ltr" style="color:red"><p><span>one</span></p></li></ul><ol><li dir="ltr"
style="list-style-type:decimal"><p dir="ltr"><span style="font-style:italic;">wait</span></p></li></ol></b>"""


@pytest.fixture
def page(studio: Studio, bundle: None) -> Iterator[Page]:
    """The form of a post whose body is HTML."""
    studio.open(f"posts/?text={TITLE.replace(' ', '+')}")
    studio.page.get_by_role("link", name=TITLE).click()
    studio.page.locator("rich-text .ProseMirror").wait_for()  # the text area before it has the same name
    yield studio.page
    assert studio.complaints() == []


def text_of(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Text", exact=True)


def stored(page: Page) -> str:
    """Return what the form would send as the body."""
    found: str = page.evaluate("new FormData(document.querySelector('form.editor')).get('body')")
    return found


def expect_stored(page: Page, before: str, expected: str, change: Callable[[str], str] = str) -> None:
    """Wait until the form would send `expected` before what it had; `change` takes from what it sends."""
    end = time.monotonic() + PATIENCE_SECONDS
    while (found := change(stored(page).removesuffix(before))) != expected and time.monotonic() < end:
        page.wait_for_timeout(20)
    assert found == expected


def write_first(page: Page) -> None:
    """Put the cursor into a new first paragraph, without keys, which may be faster than what the browser selects."""
    page.evaluate(WRITE_FIRST)


def test_typing_changes_one_block_and_undo_none(page: Page) -> None:
    """All other blocks keep their bytes; the form has unsaved changes, and none after the change is undone."""
    before = stored(page)
    text_of(page).locator("p").nth(1).click()
    page.evaluate("new Promise(requestAnimationFrame)")
    page.keyboard.type("XYZ")
    expect_stored(page, "", before, lambda text: text.replace("XYZ", "", 1) if "XYZ" in text else "")
    after = stored(page)
    expect(page.locator("#body")).to_have_value(after)
    expect(page.get_by_text("Unsaved changes")).to_be_visible()
    page.keyboard.press("Control+z")
    expect(page.locator("#body")).to_have_value(before)
    expect(page.get_by_text("Unsaved changes")).to_be_hidden()


@pytest.mark.slow
def test_typed_signs_and_keys_make_blocks(page: Page) -> None:
    """Lists, quotations, headings, code and marks as they are typed; Enter in an empty item ends the list."""
    before = stored(page)
    write_first(page)
    keys = page.keyboard
    for line in ("- one", "two", "", "## Part", "**bold** *slanted* `code`", "> said"):
        if line:
            keys.type(line)
        keys.press("Enter")
    keys.press("Enter")
    keys.type("```python\nx = 1")
    expect_stored(
        page,
        before,
        "<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n\n<h2>Part</h2>\n\n"
        "<p><strong>bold</strong> <em>slanted</em> <code>code</code></p>\n\n"
        '<blockquote>\n<p>said</p>\n</blockquote>\n\n<pre><code class="language-python">x = 1</code></pre>\n\n',
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("html", "expected"),
    [
        pytest.param(
            FROM_WORD,
            "<h2>Title</h2>\n\n<p><strong>Bold</strong> and <em>slanted</em> words</p>\n\n"
            "<ul>\n<li>First\n<ul>\n<li>Inner</li>\n</ul>\n</li>\n</ul>\n\n"
            '<p>See <a href="https://tide.example/">the tables</a>.</p>\n\n<table>\n<tbody>\n<tr>\n'
            "<td>Day</td>\n<td><strong>Hour</strong></td>\n</tr>\n</tbody>\n</table>",
            id="word",
        ),
        pytest.param(
            FROM_DOCS,
            "<p><strong>Bold</strong> plain</p>\n\n<ul>\n<li>one</li>\n</ul>\n\n<ol>\n<li><em>wait</em></li>\n</ol>",
            id="docs",
        ),
        pytest.param(
            "<div style='color:red' onclick='a()'>one<div>two</div></div><script>x</script>",
            "<p>one</p>\n\n<p>two</p>",
            id="web",
        ),
    ],
)
def test_pasted_text_is_cleaned(page: Page, html: str, expected: str) -> None:
    """Structure, tables, links and emphasis stay, the look of the other program does not."""
    before = stored(page)
    write_first(page)
    page.evaluate(PASTE, ["text/html", html])
    expect_stored(page, before, expected, str.strip)


@pytest.mark.slow
def test_pasted_picture_is_uploaded_and_described(page: Page, repo: Path) -> None:
    """It stands in a figure; its description is typed below it, its caption where the cursor is."""
    before = stored(page)
    write_first(page)
    picture = base64.b64encode((repo / "sample_site" / "media" / "notebook-page.jpg").read_bytes()).decode()
    page.evaluate(PASTE_FILE, ["IMG_0001.jpg", picture])
    expect(page.get_by_text("The picture is inserted.")).to_be_visible()
    page.keyboard.type("From the garden")
    text_of(page).get_by_label("Description").first.fill("A page with a drawing")
    added = stored(page).removesuffix(before).strip()
    address = re.search(r"/media/\w+\.jpg", added)
    assert address is not None
    assert added == (
        f'<figure><img src="{address[0]}" alt="A page with a drawing"><figcaption>From the garden</figcaption></figure>'
    )


@pytest.mark.slow
def test_writing_goes_on_after_a_style_is_chosen_with_the_mouse(page: Page) -> None:
    """Chosen with keys, the list of styles keeps the focus."""
    write_first(page)
    style = page.get_by_label("Style of the paragraph")
    style.select_option(label="Heading 2")
    expect(style).to_be_focused()
    style.dispatch_event("pointerdown")
    style.select_option(label="Heading 3")
    expect(text_of(page)).to_be_focused()


@pytest.mark.slow
def test_link_picture_table_and_toolbar_by_keyboard(page: Page, studio: Studio) -> None:
    """Dialogs are opened, filled in and left with keys; the toolbar is one stop, with arrows within it."""
    before = stored(page)
    write_first(page)
    keys = page.keyboard
    keys.press("Control+k")
    expect(page.get_by_role("dialog", name="Link")).to_be_visible()
    assert studio.violations() == []
    keys.type("javascript:x")
    keys.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("type an address such as")
    page.get_by_role("dialog").get_by_label("Search, or type an address").fill("example.org")
    page.get_by_label("Text of the link").fill("here")
    keys.press("Enter")
    expect(text_of(page)).to_be_focused()
    expect_stored(page, before, '<p><a href="https://example.org">here</a></p>', str.strip)
    keys.press("Escape")
    expect(page.get_by_label("Style of the paragraph")).to_be_focused()
    for _ in range(9):
        keys.press("ArrowRight")
    expect(page.get_by_role("button", name="Table")).to_be_focused()
    keys.press("Enter")
    expect(text_of(page)).to_be_focused()
    keys.type("A")
    keys.press("Tab")
    keys.type("B")
    assert studio.violations() == []
    table = stored(page).removesuffix(before).partition("<table>")[2]
    assert table.startswith("\n<thead>\n<tr>\n<th>A</th>\n<th>B</th>\n<th></th>")
    page.get_by_role("button", name="Picture", exact=True).click()
    page.get_by_role("dialog").get_by_role("radio").first.wait_for()
    assert studio.violations() == []
    keys.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.slow
def test_keys_lead_out_of_blocks_and_lose_nothing(page: Page) -> None:
    """Lines of a cell stay lines, arrows lead out of the last block, a pasted address makes words a link.

    A key that comes before the browser has said where the cursor is does not take a picture apart.
    """
    page.goto(page.url.partition("/posts/")[0] + "/posts/new/?format=html")
    text, keys = text_of(page), page.keyboard
    text.click()
    keys.type("one")
    page.evaluate(FIGURE_FIRST)
    assert page.evaluate(BACKSPACE_BEFORE_IT_IS_SAID) == [False, "figure"]
    keys.press("Backspace")
    expect_stored(page, "", "<p>one</p>")
    keys.press("End")
    keys.press("Shift+Home")
    page.evaluate(PASTE, ["text/plain", "https://example.org/a"])
    expect_stored(page, "", '<p><a href="https://example.org/a">one</a></p>')
    keys.press("Control+a")
    keys.press("Delete")
    keys.type("```\nx")
    keys.press("ArrowDown")
    keys.type("y")
    expect_stored(page, "", "<pre><code>x</code></pre>\n<p>y</p>")
    keys.press("Control+a")
    keys.press("Delete")
    keys.type("/table")
    expect(page.get_by_role("listbox").get_by_role("option")).to_have_text(["Table"])
    keys.type("\na\nb")
    expect_stored(page, "", "<th>a<br>b</th>", lambda html: html[html.find("<th>") : html.find("</th>") + 5])
    for _ in range(4):
        keys.press("ArrowDown")
    keys.type("below")
    expect_stored(page, "", "</table>\n<p>below</p>", lambda html: html[html.find("</table>") :])


@pytest.mark.slow
def test_a_key_in_a_long_text_waits_for_nothing_that_grows(page: Page) -> None:
    """No key writes, reads or keeps the text of 5,000 words, goes through its blocks, or lays it out twice."""
    assert page.evaluate(LONG) > 50
    text_of(page).locator("p").nth(20).click()
    page.evaluate("new Promise(requestAnimationFrame)")
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")

    def layouts() -> int:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return int(next(each["value"] for each in metrics if each["name"] == "LayoutCount"))

    page.evaluate(COUNT_WORK_OF_KEYS)
    before = layouts()
    page.keyboard.type("some words with spaces")
    page.evaluate("new Promise(requestAnimationFrame)")
    work = page.evaluate("window.workOfKeys")
    assert work.pop("key") >= 22
    assert work.pop("visits") <= 22 * 8
    assert work == {"text": 0, "fields": 0, "kept": 0}
    assert layouts() - before <= 22 * 4


def test_work_of_pauses_never_comes_between_a_key_and_its_frame(page: Page) -> None:
    """The copies on the device and the server are made after the frame, also if the browser ran out of patience."""
    page.route("**/studio/unsaved/", lambda route: route.abort())  # other tests open the post without this text
    text_of(page).locator("p").first.click()
    page.evaluate(IDLE_WITH_EACH_KEY)
    page.keyboard.press("a")
    waiting = "window.workOfPauses.waiting.length"
    until(page, lambda: page.evaluate(waiting) >= 4)  # toolbar, text area, copy on the device, copy on the server
    page.keyboard.press("b")
    done = "window.workOfPauses.beforeFrame + window.workOfPauses.afterFrame"
    until(page, lambda: page.evaluate(done) >= 3)
    assert page.evaluate("window.workOfPauses.beforeFrame") == 0


@pytest.mark.slow
@pytest.mark.parametrize("studio", PHONE_AND_KEYS, indirect=True)
def test_source_and_unknown_markup(page: Page, studio: Studio) -> None:
    """Source becomes blocks again; what has no editor is shown as a block, moved by a button, edited as source."""
    before = stored(page)
    studio.use(page.get_by_role("button", name="HTML source"))
    source = page.locator("#body")
    details = '<details class="faq"><summary>Why?</summary><p>So.</p></details>'
    studio.write(source, f"{details}\n\n{before}")
    studio.use(page.get_by_role("button", name="Back to formatted text"))
    expect(text_of(page)).to_be_focused()
    expect_stored(page, "", f"{details}\n\n{before}")
    studio.use(page.get_by_role("button", name="Move down: Details to open"))
    first, _, rest = before.partition("\n\n")
    expect_stored(page, "", f"{first}\n\n{details}\n\n{rest}")
    studio.use(page.get_by_role("button", name="Edit as HTML: Details to open"))
    studio.write(page.get_by_label("HTML", exact=True), details.replace("So.", "Because."))
    studio.use(page.get_by_role("button", name="Use it"))
    expect_stored(page, "", f"{first}\n\n{details.replace('So.', 'Because.')}\n\n{rest}")


@pytest.mark.slow
def test_without_the_bundle_the_text_area_does_all(studio: Studio) -> None:
    """Where its scripts are not there, the source is edited, and pictures are added by a form."""
    studio.page.route("**/vendor/*", lambda route: route.abort())
    studio.open(f"posts/?text={TITLE.replace(' ', '+')}")
    studio.page.get_by_role("link", name=TITLE).click()
    area = studio.page.locator("#body")
    expect(area).to_be_visible()
    before = area.input_value()
    area.fill(f"<p>Plainly.</p>\n\n{before}")
    studio.page.get_by_role("button", name="Add a picture at the end of the text").click()
    studio.page.get_by_role("radio").first.check()
    studio.page.get_by_role("button", name="Use the picture").click()
    studio.page.get_by_role("button", name="Save draft").click()
    expect(studio.page.locator("[data-said]")).to_contain_text("Draft saved.")
    assert area.input_value().startswith(f"<p>Plainly.</p>\n\n{before}")
    assert "<figure><img src=" in area.input_value().removeprefix(f"<p>Plainly.</p>\n\n{before}")
    studio.page.get_by_role("button", name="Discard").click()


@pytest.mark.parametrize(("key", "typed"), [("Control+Shift+z", "some words"), ("Control+y", "some words")])
def test_redo_without_anything_to_redo_does_nothing(page: Page, key: str, typed: str) -> None:
    """Neither at once nor after undo and redo: the key has no other effect."""
    before = stored(page)
    write_first(page)
    page.keyboard.type(typed)
    expect_stored(page, before, f"<p>{typed}</p>\n\n")
    for _ in range(3):
        page.keyboard.press(key)
    expect_stored(page, before, f"<p>{typed}</p>\n\n")
    page.keyboard.press("Control+z")
    expect_stored(page, before, "")
    for _ in range(4):
        page.keyboard.press(key)
        expect_stored(page, before, f"<p>{typed}</p>\n\n")


def test_letters_with_ctrl_and_shift_have_no_effect_of_their_own(page: Page) -> None:
    """Ctrl Shift I is not italic, and so on; only what is declared with Shift acts."""
    before = stored(page)
    write_first(page)
    page.keyboard.type("word")
    page.keyboard.press("Shift+Home")
    for key in ("b", "i", "B", "I"):
        page.keyboard.press(f"Control+Shift+{key}")
    expect_stored(page, before, "<p>word</p>\n\n")
    page.keyboard.press("Control+i")
    expect_stored(page, before, "<p><em>word</em></p>\n\n")


def test_pasted_pictures_are_uploaded_or_named(page: Page, studio: Studio) -> None:
    """What has bytes goes to the library and keeps its place; what has none is named; others' hosts are said."""
    before = stored(page)
    write_first(page)
    dot = base64.b64encode(image_bytes(Image.new("RGB", (31, 17), "teal"), "PNG")).decode()
    page.evaluate(PASTE, ["text/html", f'<p>a <img src="data:image/png;base64,{dot}" alt="dot"> b</p>'])
    status = page.locator("rich-text > [role=status]")
    expect(status).to_contain_text("The pasted picture is in the media library now.")
    expected = '<p>a <img src="/media/X.png" alt="dot"> b</p>\n\n'
    expect_stored(page, before, expected, lambda text: re.sub(r"/media/\w+\.png", "/media/X.png", text))
    page.evaluate(PASTE, ["text/html", '<p>c <img src="file:///C:/Users/me/image001.png"> <img src="blob:x/4"> d</p>'])
    expect(status).to_contain_text("image001.png, 4")
    page.evaluate(PASTE, ["text/html", '<p>e <img src="https://pictures.invalid/docsz/1"> f</p>'])
    expect(page.get_by_text("One picture stays at pictures.invalid")).to_be_visible()
    page.get_by_role("button", name="Keep copies here").click()
    expect(status).to_contain_text("https://pictures.invalid/docsz/1: ")
    expect(page.get_by_role("button", name="Keep copies here")).to_be_hidden()
    assert "https://pictures.invalid/docsz/1" in stored(page)
    page.evaluate(PASTE, ["text/html", '<p>g <img src="data:image/png;base64,AAAA"> h</p>'])
    expect(status).to_contain_text("picture.png")
    expect(page.locator("rich-text img[src^=blob]")).to_have_count(0)
    studio.asked.clear()  # the editor shows the picture of the other host


@pytest.mark.parametrize("height", [900, 420])
def test_the_menu_of_blocks_opens_within_the_window(page: Page, height: int) -> None:
    """Above the line where there is no room below it, and below the bars; all of its blocks can be reached."""
    page.set_viewport_size({"width": 1280, "height": height})
    write_first(page)
    menu = page.get_by_role("listbox", name="Blocks")
    for where in ("end", "start", "center"):
        page.evaluate(
            "block => document.querySelector('.ProseMirror > p').scrollIntoView({ block, behavior: 'instant' })", where
        )
        page.keyboard.type("/")
        expect(menu).to_be_visible()
        box, bar = menu.bounding_box(), page.locator(".doing").bounding_box()
        assert box is not None
        assert bar is not None
        assert box["y"] + box["height"] <= height
        assert box["y"] >= bar["y"] + bar["height"]
        page.keyboard.press("ArrowUp")
        expect(menu.get_by_role("option").last).to_be_in_viewport()
        page.keyboard.press("Backspace")
        expect(menu).to_be_hidden()


@pytest.mark.parametrize("width", [1280, 800, 360])
def test_tools_of_tables_stay_below_the_bar(page: Page, width: int) -> None:
    """Also when the text scrolls under both."""
    page.set_viewport_size({"width": width, "height": 900})
    text_of(page).locator("p").last.click()
    page.evaluate(PASTE, ["text/html", "<table><tr><th>a</th></tr>" + "<tr><td>b</td></tr>" * 60 + "</table>"])
    text_of(page).locator("td").nth(50).click()
    text_of(page).locator("td").nth(50).scroll_into_view_if_needed()
    tools = page.get_by_role("toolbar", name="Table cells")
    tools.wait_for()
    page.evaluate(
        "document.querySelectorAll('.ProseMirror td')[45].scrollIntoView({ block: 'center', behavior: 'instant' })"
    )
    box, bar = tools.bounding_box(), page.locator(".doing").bounding_box()
    assert box is not None
    assert bar is not None
    assert bar["y"] + bar["height"] <= box["y"] < 450
