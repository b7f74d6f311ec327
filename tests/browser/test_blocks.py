"""Blocks of texts in Chromium: inserted, changed, moved and saved, in rich text and in Markdown."""

import base64
import io
import re
from collections.abc import Iterator
from pathlib import Path
from secrets import token_bytes

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import until
from tests.browser.test_rich_text import expect_stored, stored, text_of
from tests.support.studio_browser import ServedStudio, ServeSample, Studio

PLUGIN = """
from html import escape

from sitecms.plugins.hooks import hookimpl
from sitecms.plugins.values import Block, BlockField

@hookimpl
def markdown_directives():
    level = BlockField("level", "Level", "choice", ("easy", "hard"), is_required=True)
    return {"recipe": Block(recipe, "Recipe", (level,), title="Name", content="blocks"), "bars": bars}

def recipe(directive):
    directive.write_html(f'<section class="{escape(directive.arguments.get("level", ""))}"><h2>{directive.title}</h2>')
    directive.write_content()
    directive.write_html("</section>")

def bars(directive):
    if not directive.text.strip():
        directive.report("has no rows", "write one on each line")
    directive.write_html(f"<pre>{escape(directive.text.strip())}</pre>")
"""
MARKDOWN = """Before.

::: tip Read *me*
Some **bold** text.
:::

::: gallery {columns="3"}
![A boat](/media/a.jpg "At five")
![B](/media/b.jpg)

All of it.
:::

::: embed {url="https://youtu.be/abcdefghijk" title="A film"}
:::

::: bookmark {url="https://a.example/x" title="Tides" description="About them" image="/media/t.jpg"}
:::

::: details More {open}
Inner.

::: note
Deep.
:::
:::

> [!WARNING]
> Old way.

::: video {src="/media/a.mp4" poster="/media/p.jpg" loop}
A caption
:::

::: audio {src="/media/a.mp3" title="A song"}
:::

::: tabs
::: tab One
x
:::
:::

::: file {src="/media/a.pdf" title="The paper"}
:::

::: button {url="/shop/" title="Buy"}
:::

::: recipe Soup {level="easy"}
Boil.
:::

::: bars
Low 3
High 9
:::

After.
"""
NAMES = [
    "Tip", "Gallery", "Embed", "Bookmark", "Details to open", "Warning", "Video", "Audio", "Tabs", "File", "Button",
    "Recipe", "Bars",
]  # fmt: skip
MEDIA = re.compile(r"/media/\w+\.jpg")
ORDER = "document.querySelector('rich-text').view.state.doc.content.content.map(node => node.textContent)"


@pytest.fixture(scope="module")
def served(serve_sample: ServeSample) -> Iterator[ServedStudio]:
    """The studio of the sample site with a plug-in that has two directives, one of which declares a form."""
    enabled = '\n[plugins]\nenabled = ["kitchen"]\n'
    with serve_sample({"plugins/kitchen.py": PLUGIN, "site.toml": lambda text: text + enabled}) as made:
        yield made


@pytest.fixture
def studio(studio: Studio, bundle: None) -> Iterator[Studio]:
    """A window in which the policy forbids nothing."""
    yield studio
    assert [line for line in studio.said if "Content Security Policy" in line] == []


def open_rich_text(studio: Studio) -> Page:
    """Open the form of a new post in rich text, with the cursor in the text."""
    studio.open("posts/new/?format=html")
    text_of(studio.page).click()
    return studio.page


def dialog(page: Page) -> Locator:
    return page.get_by_role("dialog")


def choose(page: Page, name: str) -> None:
    """Choose a block in the menu that `/` opens, by its name and Enter, and wait for its form."""
    page.keyboard.type(f"/{name}")
    expect(page.get_by_role("listbox").get_by_role("option")).to_have_count(1)
    page.keyboard.press("Enter")
    dialog(page).wait_for()


def insert(page: Page) -> None:
    """Send the form of a block with Enter, and wait until the cursor is in the text again."""
    page.keyboard.press("Enter")
    expect(dialog(page)).to_have_count(0)
    expect(text_of(page)).to_be_focused()


def block(page: Page, name: str) -> Locator:
    return page.get_by_role("group", name=name, exact=True).locator("..")


def test_a_block_is_inserted_changed_and_saved(studio: Studio) -> None:
    """What is wrong is said in the form; the text of a callout is typed in place, and Enter twice leaves it."""
    page = open_rich_text(studio)
    choose(page, "callout")
    assert studio.violations() == []
    dialog(page).get_by_label("Kind").select_option(label="Warning")
    dialog(page).get_by_label("Title (optional)").fill("Mind {the} *step*")
    insert(page)
    page.keyboard.type("Inside\n\nbelow\n")
    title = '<p class="callout-title">Mind {{the}} <em>step</em></p>'
    callout = f'<aside class="callout callout-{{}}">\n{title}\n<p>Inside</p>\n</aside>'
    expect_stored(page, "", f"{callout.format('warning')}\n<p>below</p>")
    choose(page, "embed")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("Address: choose or type one.")
    dialog(page).get_by_label("Address").fill("https://youtu.be/abcdefghijk")
    dialog(page).get_by_label("Caption (optional)").fill("A *film*")
    insert(page)
    studio.use(page.get_by_role("button", name="Settings: Warning"))
    dialog(page).get_by_label("Kind").select_option(label="Tip")
    studio.use(dialog(page).get_by_role("button", name="Change"))
    expect(text_of(page)).to_be_focused()
    page.get_by_label("Title", exact=True).fill("With blocks")
    studio.press("Save draft")
    saved = stored(page)
    assert saved.startswith(f'{callout.format("tip")}\n<p>below</p>\n<figure class="embed">')
    assert "<figcaption>A <em>film</em></figcaption>" in saved
    assert studio.violations() == []


def test_a_block_without_settings_is_inserted_at_once(studio: Studio) -> None:
    """Its texts are written in place."""
    page = open_rich_text(studio)
    page.keyboard.type("/tabs")
    expect(page.get_by_role("listbox").get_by_role("option")).to_have_count(1)
    page.keyboard.press("Enter")
    until(page, lambda: stored(page).count('<section class="tab">') == 2)
    expect(dialog(page)).to_have_count(0)


@pytest.mark.slow
@pytest.mark.parametrize("studio", [(1280, "light", "keys"), (360, "dark", "finger")], indirect=True)
def test_blocks_of_a_plugin_have_forms(studio: Studio) -> None:
    """One declares its fields, the other takes arguments and lines; errors of the plug-in are said in the form."""
    page = open_rich_text(studio)
    choose(page, "recipe")
    assert studio.violations() == []
    dialog(page).get_by_label("Name").fill("Soup")
    dialog(page).get_by_label("Level").select_option(label="hard")
    insert_button = dialog(page).get_by_role("button", name="Insert")
    studio.use(insert_button)
    expect(text_of(page)).to_be_focused()
    page.keyboard.type("Boil.\n\n")
    choose(page, "bars")
    studio.use(insert_button)
    expect(page.get_by_role("alert")).to_contain_text('has a directive "bars" that has no rows')
    dialog(page).get_by_label("Content").fill("Low 3\n\nHigh 9")
    studio.use(insert_button)
    recipe = (
        '<section data-directive="recipe Soup {{level=&quot;{0}&quot;}}" data-directive-content="1" class="{0}">'
        "<h2>Soup</h2>\n<p>Boil.</p>\n</section>"
    )
    bars = '<pre data-directive="bars\nLow 3\n\nHigh 9">Low 3\n\nHigh 9</pre>'
    expect_stored(page, "", f"{recipe.format('hard')}\n{bars}")
    studio.use(page.get_by_role("button", name="Settings: Recipe"))
    dialog(page).get_by_label("Level").select_option(label="easy")
    studio.use(dialog(page).get_by_role("button", name="Change"))
    expect_stored(page, "", f"{recipe.format('easy')}\n{bars}")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.slow
def test_markdown_becomes_blocks_that_keep_their_bytes(studio: Studio) -> None:
    """Every directive is a block; a form that changes nothing changes no byte, and a change that of its block alone."""
    page = studio.page
    studio.open("posts/new/?format=markdown")
    page.get_by_label("Title", exact=True).fill("Turned into blocks")
    page.get_by_label("Text in Markdown").fill(MARKDOWN)
    studio.press("Save draft")
    studio.press("Edit as rich text…")
    studio.press("Turn into rich text")
    page.locator("rich-text .ProseMirror").wait_for()
    before = stored(page)
    bars = page.locator(".ProseMirror > .opaque > .opaque-bar")
    expect(bars).to_have_count(len(NAMES))
    assert bars.locator(".opaque-name").all_inner_texts() == NAMES
    for number in range(len(NAMES)):
        bars.nth(number).get_by_role("button", name="Settings: ").click()
        dialog(page).get_by_role("button", name="Change", exact=True).click()
        expect(dialog(page)).to_have_count(0)
    assert stored(page) == before
    bars.nth(1).get_by_role("button", name="Settings: ").click()
    dialog(page).get_by_role("button", name="Move the picture down").first.click()
    dialog(page).get_by_label("Columns (optional)").select_option("2")
    dialog(page).get_by_role("button", name="Change", exact=True).click()
    first, second = re.findall(r"<figure><a.*</figure>\n", before)
    expected = before.replace(first + second, second + first).replace("columns-3", "columns-2")
    expect_stored(page, "", expected)
    text_of(page).get_by_text("Deep.").click()
    page.evaluate("new Promise(requestAnimationFrame)")
    page.keyboard.type("XYZ")
    expect_stored(page, "", expected, lambda text: text.replace("XYZ", "", 1) if "XYZ" in text else "")
    studio.press("Save draft")
    assert stored(page).replace("XYZ", "", 1) == expected


@pytest.mark.slow
def test_a_block_with_more_than_its_form_is_edited_as_html(studio: Studio) -> None:
    """The form would lose what it cannot hold, so it does not open."""
    page = open_rich_text(studio)
    page.get_by_role("button", name="HTML source").click()
    html = '<figure class="video"><video src="/media/a.mp4" width="300"></video><p>More</p></figure>'
    page.locator("#body").fill(html)
    page.get_by_role("button", name="Back to formatted text").click()
    page.get_by_role("button", name="Settings: Video").click()
    expect(page.get_by_role("dialog", name="HTML of the block")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_text("more than its form can hold")).to_be_visible()
    expect_stored(page, "", html)


@pytest.mark.slow
def test_a_form_keeps_content_that_is_not_formatted_in_place(studio: Studio) -> None:
    """Such as words without a paragraph, which the form does not show."""
    page = open_rich_text(studio)
    page.get_by_role("button", name="HTML source").click()
    page.locator("#body").fill("<details><summary>Why?</summary>bare <b>words</b></details>")
    page.get_by_role("button", name="Back to formatted text").click()
    page.get_by_role("button", name="Settings: Details to open").click()
    dialog(page).get_by_label("Summary").fill("How?")
    dialog(page).get_by_role("button", name="Change").click()
    expect_stored(page, "", "<details>\n<summary>How?</summary>\nbare <b>words</b>\n</details>")


@pytest.mark.slow
@pytest.mark.parametrize("studio", [(1280, "light"), (360, "light", "finger")], indirect=True)
def test_blocks_are_moved_copied_and_deleted_beside_the_text(studio: Studio) -> None:
    """By buttons that the handle shows, by keys, and by dragging the handle; `+` opens the menu below the block.

    On a phone the `+` stands in the toolbar alone.
    """
    page = open_rich_text(studio)
    page.keyboard.type("one\ntwo\nthree")
    handle = page.get_by_role("button", name="Move the block: drag it, or press for buttons")
    studio.use(handle)
    assert studio.violations() == []
    studio.use(page.get_by_role("button", name="Move the block up"))
    until(page, lambda: page.evaluate(ORDER) == ["one", "three", "two"])
    studio.use(page.get_by_role("button", name="Duplicate the block"))
    until(page, lambda: page.evaluate(ORDER) == ["one", "three", "three", "two"])
    studio.use(page.get_by_role("button", name="Delete the block"))
    until(page, lambda: page.evaluate(ORDER) == ["one", "three", "two"])
    text_of(page).get_by_text("two").click()
    page.evaluate("new Promise(requestAnimationFrame)")
    page.keyboard.press("Alt+Shift+ArrowUp")
    until(page, lambda: page.evaluate(ORDER) == ["one", "two", "three"])
    if studio.way == "mouse":
        text_of(page).get_by_text("one").hover()
        handle.hover()
        page.mouse.down()
        target = text_of(page).get_by_text("three").bounding_box()
        assert target is not None
        page.mouse.move(target["x"] + 60, target["y"] + target["height"] - 4, steps=10)
        page.mouse.up()
        until(page, lambda: page.evaluate(ORDER) == ["two", "three", "one"])
    below = page.get_by_role("button", name="Insert a block below")
    if studio.way == "finger":
        expect(below).to_be_hidden()
        return
    studio.use(below)
    expect(page.get_by_role("option", name="Gallery")).to_be_visible()
    page.keyboard.type("divid")
    page.keyboard.press("Enter")
    until(page, lambda: "<hr>" in stored(page))


@pytest.mark.slow
@pytest.mark.parametrize("studio", [(1280, "light", "keys"), (360, "dark", "finger")], indirect=True)
def test_blocks_in_markdown_have_the_same_forms(studio: Studio) -> None:
    """A button inserts the directive, and changes the one in whose first line the cursor is; undo takes it back."""
    page = studio.page
    studio.open("posts/new/?format=markdown")
    area = page.get_by_label("Text in Markdown")
    tool = page.get_by_role("button", name="Insert or change a block")
    studio.enter(area)
    page.keyboard.type("Before.")
    studio.use(tool)
    assert studio.violations() == []
    studio.use(dialog(page).get_by_role("button", name="Details to open"))
    studio.write(dialog(page).get_by_label("Summary"), "Why?")
    studio.use(dialog(page).get_by_role("button", name="Insert", exact=True))
    expect(area).to_be_focused()
    page.keyboard.type("So.")
    expect(area).to_have_value("Before.\n\n::: details Why?\nSo.\n:::\n\n")
    area.evaluate("area => area.setSelectionRange(14, 14)")
    studio.use(tool)
    studio.write(dialog(page).get_by_label("Summary"), "Why not?")
    studio.use(dialog(page).get_by_role("button", name="Change", exact=True))
    expect(area).to_have_value("Before.\n\n::: details Why not?\nSo.\n:::\n\n")
    page.keyboard.press("Control+z")
    expect(area).to_have_value("Before.\n\n::: details Why?\nSo.\n:::\n\n")


@pytest.mark.slow
def test_code_has_a_language(studio: Studio) -> None:
    """It is typed in the toolbar while the cursor is in the code, and taken away there."""
    page = open_rich_text(studio)
    language = page.get_by_label("Language of the code")
    expect(language).to_be_hidden()
    page.keyboard.type("```\nx = 1")
    language.fill("Python")
    language.press("Enter")
    expect(text_of(page)).to_be_focused()
    expect_stored(page, "", '<pre><code class="language-python">x = 1</code></pre>')
    assert studio.violations() == []
    expect(language).to_have_value("python")
    language.fill("")
    language.press("Enter")
    expect_stored(page, "", "<pre><code>x = 1</code></pre>")


DROP = """([files, selector]) => {
    const transfer = new DataTransfer();
    for (const [file, text] of files) {
        const bytes = Uint8Array.from(atob(text), sign => sign.charCodeAt(0));
        transfer.items.add(new File([bytes], file, { type: "image/png" }));
    }
    const target = document.querySelector(selector);
    const { left, top, width, height } = target.getBoundingClientRect();
    const place = { clientX: left + width / 2, clientY: top + height / 2 };
    const said = { dataTransfer: transfer, bubbles: true, cancelable: true, ...place };
    target.dispatchEvent(new DragEvent("dragover", said));
    target.dispatchEvent(new DragEvent("drop", said));
}"""


def drop_pictures(page: Page, selector: str, *names: str) -> None:
    """Drop new pictures on the middle of an element."""
    files = []
    for name in names:
        buffer = io.BytesIO()
        Image.frombytes("RGB", (2, 2), token_bytes(12)).save(buffer, "PNG")
        files.append((f"{name}.png", base64.b64encode(buffer.getvalue()).decode()))
    page.evaluate(DROP, [files, selector])


def gallery_alts(page: Page) -> list[str]:
    """Return the descriptions of the pictures of the gallery that the form of a post would send."""
    gallery = re.search(r'<figure class="gallery">.*?\n</figure>', stored(page), re.DOTALL)
    return re.findall(r'alt="([^"]*)"', gallery[0]) if gallery else []


@pytest.mark.parametrize("studio", [(1280, "light"), (360, "dark", "finger"), (1280, "light", "keys")], indirect=True)
def test_several_pictures_are_chosen_for_a_gallery_at_once(studio: Studio) -> None:
    """What is chosen stays so while another one is looked for; the order is that of choosing."""
    page = open_rich_text(studio)
    choose(page, "gallery")
    studio.use(dialog(page).get_by_role("button", name="Choose from the library"))
    library = page.get_by_role("dialog", name="Pictures", exact=True)
    studio.use(library.get_by_role("checkbox", name="comet.jpg"), "Space")
    expect(library.get_by_role("button", name="Add 1 picture", exact=True)).to_be_visible()
    studio.write(library.get_by_label("Search the library"), "robin")
    expect(library.get_by_role("checkbox")).to_have_count(1)
    studio.use(library.get_by_role("checkbox", name="robin.jpg"), "Space")
    studio.write(library.get_by_label("Search the library"), ".jpg")
    expect(library.get_by_role("checkbox", name="comet.jpg")).to_be_checked()
    studio.use(library.get_by_role("checkbox", name="frost.jpg"), "Space")
    assert studio.violations() == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    studio.use(library.get_by_role("button", name="Add 3 pictures"))
    names = dialog(page).get_by_label("Description")
    expect(names).to_have_count(3)
    for number, text in enumerate(("Comet", "Robin", "Frost")):
        names.nth(number).fill(text)
    studio.use(dialog(page).get_by_role("button", name="Insert", exact=True))
    expect(dialog(page)).to_have_count(0)
    until(page, lambda: gallery_alts(page) == ["Comet", "Robin", "Frost"])


def test_pictures_are_dropped_into_a_gallery(studio: Studio) -> None:
    """Into its form, and later on the gallery itself; what cannot be taken does not stop the others."""
    page = open_rich_text(studio)
    choose(page, "gallery")
    drop_pictures(page, "dialog.writing-dialog", "The first one", "The second one")
    expect(dialog(page).get_by_role("status")).to_have_text("2 pictures are uploaded.")
    dialog(page).get_by_label("Description").first.fill("A")
    dialog(page).get_by_role("button", name="Insert", exact=True).click()
    expect(dialog(page)).to_have_count(0)
    drop_pictures(page, ".opaque.formed .opaque-body", "The third one", "The fourth one")
    expect(page.get_by_text("2 pictures are in the gallery.")).to_be_visible()
    until(page, lambda: gallery_alts(page) == ["A", "", "The third one", "The fourth one"])


def test_several_dropped_pictures_may_become_a_gallery(studio: Studio) -> None:
    """They are inserted one below the other, and the gallery is one step that is undone."""

    page = open_rich_text(studio)
    page.keyboard.type("Before")
    drop_pictures(page, ".ProseMirror p", "The first one", "The second one")
    page.get_by_role("button", name="Make a gallery").click()
    until(page, lambda: gallery_alts(page) == ["The first one", "The second one"])
    text_of(page).click()
    page.keyboard.press("Control+z")
    until(page, lambda: not gallery_alts(page) and stored(page).count("<figure>") == 2)


def test_several_pictures_dropped_into_markdown_may_become_a_gallery(studio: Studio) -> None:
    """The lines of the pictures stand in the directive."""
    studio.open("posts/new/?format=markdown")
    page = studio.page
    page.locator("#body").click()
    page.keyboard.type("Before")
    drop_pictures(page, "#body", "The first one", "The second one")
    page.get_by_role("button", name="Make a gallery").click()
    address = r"\(/media/\w+\.png\)"
    text = f"Before\n\n::: gallery\n!\\[The first one\\]{address}\n!\\[The second one\\]{address}\n:::\n*"
    expect(page.locator("#body")).to_have_value(re.compile(f"^{text}$"))


@pytest.mark.slow
def test_a_gallery_is_made_of_uploaded_pictures(studio: Studio, repo: Path) -> None:
    """Several at once, each with a description; it is stored as Markdown gives it."""
    page = open_rich_text(studio)
    choose(page, "gallery")
    files = [repo / "sample_site" / "media" / name for name in ("notebook-page.jpg",)]
    dialog(page).get_by_label("Upload pictures").set_input_files(files)
    dialog(page).get_by_label("Description").fill("A page")
    dialog(page).get_by_role("button", name="Insert", exact=True).click()
    expected = '<figure class="gallery">\n<figure><a href="X"><img src="X" alt="A page"></a></figure>\n</figure>'
    expect_stored(page, "", expected, lambda html: re.sub(r' (?:width|height)="\d+"', "", MEDIA.sub("X", html)))
