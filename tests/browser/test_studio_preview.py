"""The live preview in Chromium: what it follows, what it keeps, how fast it is, and what its scripts cannot reach."""

import re

import pytest
from playwright.sync_api import Frame, expect

from tests.support.studio_browser import PHONE_AND_KEYS, Studio

PATIENCE_MS = 60_000
HOSTILE = """
const note = (name, value) => { document.documentElement.dataset[name] = String(value); };
try { note("cookie", document.cookie); } catch (error) { note("cookie", error.name); }
try { note("parent", parent.document.title); } catch (error) { note("parent", error.name); }
try { note("stored", localStorage.length); } catch (error) { note("stored", error.name); }
fetch("/studio/account/", { credentials: "include" }).then(
  async (answer) => note("asked", (await answer.text()).includes("mira")), (error) => note("asked", error.name));
try { top.location = "/studio/log/"; } catch (error) { note("top", error.name); }
parent.postMessage({ kind: "clicked", nonce: "guess", text: "x" }, "*");
"""


def open_preview(studio: Studio, path: str = "posts/1/") -> Frame:
    """Open the form of an entry with its preview, and return the frame of the page."""
    studio.open(path)
    studio.use(studio.page.get_by_role("button", name="Preview", exact=True))
    return shown(studio, 1)


def shown(studio: Studio, count: int) -> Frame:
    """Wait until the preview has shown so many versions; return its frame."""
    expect(studio.page.locator("section.preview")).to_have_attribute("data-shown", str(count), timeout=PATIENCE_MS)
    return next(frame for frame in studio.page.frames if "/preview/" in frame.url)


def test_preview_follows_the_form_and_keeps_its_place(studio: Studio) -> None:
    """Typing changes the page in place: the scroll stays, nothing is loaded anew; faults leave the page as it was."""
    frame = open_preview(studio)
    frame.evaluate("window.isSame = true; scrollTo({top: 500, behavior: 'instant'})")
    title = studio.page.get_by_label("Title", exact=True)
    title.fill("Typed just now")
    frame = shown(studio, 2)
    expect(studio.page.frame_locator("iframe").get_by_role("heading", level=1)).to_have_text("Typed just now")
    assert frame.evaluate("[window.isSame, scrollY, document.title.startsWith('Typed just now')]") == [True, 500, True]
    title.fill("")
    faults = studio.page.locator(".faults")
    expect(faults).to_contain_text("title: This field may not be blank.", timeout=PATIENCE_MS)
    expect(studio.page.frame_locator("iframe").get_by_role("heading", level=1)).to_have_text("Typed just now")
    title.fill("Mended")
    shown(studio, 3)
    expect(faults).to_be_hidden()
    assert studio.complaints() == []


@pytest.mark.slow
def test_script_of_the_theme_reaches_nothing_of_the_studio(studio: Studio) -> None:
    """Neither cookies, nor pages, nor storage, nor the window; and what it asks for is asked without the session."""
    folder = studio.served.settings.folder
    script, hook = folder / "assets" / "hostile.js", folder / "templates" / "hooks" / "head-end.html"
    hook.parent.mkdir(parents=True, exist_ok=True)
    (folder / "assets").mkdir(exist_ok=True)
    try:
        script.write_text(HOSTILE, encoding="utf-8")
        hook.write_text('<script src="{{ site.assets["hostile.js"] }}" defer></script>', encoding="utf-8")
        open_preview(studio)
        page = studio.page.frame_locator("iframe").locator("html")
        for name in ("cookie", "parent", "stored"):
            expect(page).to_have_attribute(f"data-{name}", "SecurityError")
        expect(page).to_have_attribute("data-asked", re.compile("false|TypeError"))
        assert studio.page.url.endswith("/posts/1/")
    finally:
        script.unlink(missing_ok=True)
        hook.unlink(missing_ok=True)


@pytest.mark.slow
@pytest.mark.parametrize("studio", PHONE_AND_KEYS, indirect=True)
def test_preview_and_dialogs_are_accessible(studio: Studio) -> None:
    """Pane, faults, check and keys, on a phone and on a desk; the form comes back with what was typed."""
    page = studio.page
    open_preview(studio)
    assert studio.violations() == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    studio.use(page.locator("section.preview").get_by_role("button", name="Close"))
    expect(page.get_by_label("Title", exact=True)).to_be_visible()
    long = "A title that search engines cut since it is far longer than they show"
    studio.write(page.get_by_label("Title", exact=True), long)
    studio.use(page.locator(".to-check"))
    dialog = page.get_by_role("dialog", name="Before you publish")
    expect(dialog).to_contain_text("This post has a title of ", timeout=PATIENCE_MS)
    expect(dialog).to_contain_text("pages and feeds change")
    assert studio.violations() == []
    studio.use(dialog.get_by_role("button", name="Go on writing"))
    page.locator("#main").focus()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    assert studio.violations() == []
    page.keyboard.press("Escape")
    assert studio.complaints() == []


@pytest.mark.slow
def test_post_is_checked_and_published_by_keys(studio: Studio) -> None:
    """Ctrl Enter shows what changes, Enter publishes, though there are hints."""
    page = studio.page
    studio.open("posts/new/")
    page.get_by_label("Title", exact=True).fill("Published by keys")
    page.get_by_label("Text in Markdown").fill("## One\n\n#### Two")
    page.keyboard.press("Control+Enter")
    dialog = page.get_by_role("dialog", name="Before you publish")
    expect(dialog).to_contain_text("heading of level 2 to one of level 4", timeout=PATIENCE_MS)
    expect(dialog).to_contain_text("/blog/published-by-keys/ new")
    expect(dialog.get_by_role("button", name="Publish")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("[data-said]")).to_contain_text("Published.", timeout=PATIENCE_MS)


@pytest.mark.slow
def test_preview_can_be_paused_and_leads_to_the_text(studio: Studio) -> None:
    """A paused preview asks for nothing; a click on a paragraph selects it in the form; links lead nowhere."""
    frame = open_preview(studio)
    page = studio.page
    page.get_by_role("button", name="Pause").click()
    page.get_by_label("Title", exact=True).fill("While paused")
    with page.expect_response(lambda answer: answer.url.endswith("/preview/")):
        page.get_by_role("button", name="Follow again").click()
    shown(studio, 2)
    expect(page.frame_locator("iframe").get_by_role("heading", level=1)).to_have_text("While paused")
    page.frame_locator("iframe").get_by_text("It was the most exact description").click()
    expect(page.get_by_label("Text in Markdown")).to_be_focused()
    selected = page.evaluate(
        "(([area]) => area.value.slice(area.selectionStart, area.selectionEnd))([document.activeElement])"
    )
    assert selected.startswith("She sells mussels")
    page.frame_locator("iframe").get_by_role("link", name="About").first.dispatch_event("click")
    assert frame.url.endswith("/posts/1/preview/")


@pytest.mark.parametrize("address", ["posts/1/", "pages/7/"])
def test_preview_stands_beside_the_form(studio: Studio, address: str) -> None:
    """At its top, in the right part of the window, also where other languages have forms of their own."""
    studio.open(address)
    page = studio.page
    page.set_viewport_size({"width": 1280, "height": 900})
    studio.use(page.get_by_role("button", name="Preview", exact=True))
    expect(page.locator("section.preview")).to_be_visible()
    form, preview = (page.locator(each).bounding_box() for each in ("form.editor", "section.preview"))
    assert form is not None
    assert preview is not None
    assert abs(preview["y"] - form["y"]) <= 2
    assert preview["x"] >= form["x"] + form["width"] - 1


def test_what_was_not_begun_or_cannot_be_mended_is_no_fault(studio: Studio) -> None:
    """A remembered preview of a new post, of one without a title yet, and of an entry without a page of its own."""
    open_preview(studio)
    page = studio.page
    faults, state = page.locator(".faults"), page.locator("section.preview .state")
    studio.open("posts/new/")
    expect(state).to_contain_text("once you have begun to write")
    expect(faults).to_be_hidden()
    page.get_by_label("Text in Markdown").fill("First the text")
    expect(state).to_contain_text("once you have filled in: Title", timeout=PATIENCE_MS)
    expect(faults).to_be_hidden()
    studio.open("collections/questions/")
    studio.follow(page.locator("tbody th a").first)
    expect(state).to_contain_text("have no page of their own", timeout=PATIENCE_MS)
    expect(faults).to_be_hidden()
    assert studio.violations() == []
