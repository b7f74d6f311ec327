"""The form of a landing page in Chromium: its components and rows fold, and are moved, copied, added and removed."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from sitecms.content.field_value import Fields
from sitecms.content.kinds import EntryKind
from sitecms.content.status import Version
from sitecms.runtime import open_runtime
from sitecms.store.entries.entry_rows import find_named
from sitecms.store.entries.entry_state import versions_of
from tests.support.studio_browser import PHONE_AND_KEYS, ServedStudio, ServeSample, Studio

pytestmark = pytest.mark.slow
TWO_SCREENS = 2 * 900
BODY = "fields.body"


@pytest.fixture(scope="module")
def served(serve_sample: ServeSample) -> Iterator[ServedStudio]:
    """Serve the sample site, whose home page has components of several kinds, and another list for some of them."""
    below = "{slug: below, name: Below, type: component_picker, components: [quote, call-to-action]}"
    next_field = "  - slug: highlights\n"
    page_type = "schema/page_types/landing-page.yaml"
    with serve_sample({page_type: lambda text: text.replace(next_field, f"  - {below}\n{next_field}")}) as made:
        yield made


@pytest.fixture
def home(served: ServedStudio) -> int:
    """The id of the home page."""
    runtime = open_runtime(served.settings)
    page_id = runtime.database.read(find_named, EntryKind.PAGE, "landing-page", "home")
    runtime.database.close()
    assert page_id is not None
    return page_id


@pytest.fixture
def window(studio: Studio, home: int) -> Studio:
    """The form of the home page, with its rows folded, in a window of the way that the test asks for."""
    studio.open(f"pages/{home}/")
    return studio


@pytest.fixture
def fields_of(served: ServedStudio, home: int) -> Callable[[Version], Fields]:
    """Read the stored fields of the home page in a version."""

    def read(version: Version) -> Fields:
        runtime = open_runtime(served.settings)
        versions = runtime.database.read(versions_of, EntryKind.PAGE, home)
        runtime.database.close()
        return next(each.fields for each in versions if (each.locale, each.version) == ("en", version))

    return read


def lines(studio: Studio, name: str = BODY) -> list[str]:
    """Return what the lines of the rows of a list say."""
    rows = studio.page.locator(f'[data-rows="{name}"] > .rows > .row > .fold > .line')
    return [" ".join(text.split()) for text in rows.all_inner_texts()]


def row(studio: Studio, number: int, name: str = BODY) -> Locator:
    """Return a row of a list."""
    return studio.page.locator(f'[data-row="{name}.{number}"]')


def handle(studio: Studio, number: int, name: str = BODY) -> Locator:
    """Return the handle of a row."""
    return row(studio, number, name).locator("> .row-acts > summary")


def kinds(fields: Fields) -> list[str]:
    """Return the components of the body."""
    body: Any = fields["body"]
    return [each["type"] for each in body]


def discard(studio: Studio) -> None:
    """Take back the draft, for the next test."""
    button = studio.page.get_by_role("button", name="Discard draft")
    if not button.is_visible():
        studio.use(studio.page.get_by_role("button", name="Details"))
    studio.press("Discard draft")


def middle(target: Locator) -> tuple[float, float]:
    """Return the middle of an element, once it is in the window."""
    target.scroll_into_view_if_needed()
    box = target.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_home_page_fits_two_screens_when_it_is_folded(window: Studio) -> None:
    """Each component and list is one line then; what is folded is remembered for the visit."""
    page = window.page
    page.set_viewport_size({"width": 1280, "height": 900})
    window.use(page.get_by_role("button", name="Collapse all"))
    expect(page.locator("[data-fold][open]")).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollHeight") <= TWO_SCREENS
    page.reload()
    expect(page.locator("[data-folding]")).to_be_visible()
    expect(page.locator("[data-fold][open]")).to_have_count(0)
    window.use(page.get_by_role("button", name="Expand all"))
    expect(page.locator("[data-fold]:not([open])")).to_have_count(0)


def test_landing_page_is_rebuilt_by_dragging(window: Studio, fields_of: Callable[[Version], Fields]) -> None:
    """A row follows the mouse among those of its list, what it holds stays, and Escape takes it back."""
    page, before = window.page, fields_of(Version.LIVE)
    expected = [before["body"][number] for number in (4, 0, 1, 2, 3)]  # type: ignore[index]

    def drag(number: int, to: int) -> None:
        target = middle(row(window, to).locator("> .fold"))
        page.mouse.move(*middle(handle(window, number)))
        page.mouse.down()
        page.mouse.move(*target, steps=8)
        page.mouse.move(target[0], target[1] + (20 if to > number else -20), steps=2)

    texts = lines(window)
    drag(1, 3)
    page.keyboard.press("Escape")
    page.mouse.up()
    assert lines(window) == texts
    drag(4, 0)
    page.mouse.up()
    expect(page.locator("form + p[role=status], p[role=status]").last).to_have_text(
        "Moved to 1 of 5: Call to action, Seen something twice?"
    )
    expect(page.locator(".row-acts[open]")).to_have_count(0)
    expect(page.locator(".outline ol ol a").first).to_have_text("Call to action · Seen something twice?")
    window.press("Save draft")
    assert fields_of(Version.DRAFT) == {**before, "body": expected}
    discard(window)


@pytest.mark.parametrize("studio", [(1280, "light", "mouse"), (1280, "light", "keys")], indirect=True)
def test_a_component_is_moved_into_another_list(window: Studio, fields_of: Callable[[Version], Fields]) -> None:
    """Where that list may hold it, by dragging, or beyond the end of its own with keys; all it holds is saved."""
    page, before = window.page, fields_of(Version.LIVE)
    body: Any = before["body"]
    last = len(body) - 1
    assert [each["type"] for each in body][-1] == "call-to-action"
    if window.way == "keys":
        window.reach(handle(window, last))
        page.keyboard.press("Alt+ArrowDown")
    else:
        x, y = middle(handle(window, last))
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x, y + 10, steps=2)
        box = page.locator('[id="fields.below"]').bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + 50, box["y"] + box["height"] / 2, steps=8)
        expect(row(window, 0, "fields.below").or_(page.locator('[data-rows="fields.below"] .dragged'))).to_be_visible()
        page.mouse.up()
    expect(page.locator("p[role=status]").last).to_have_text(
        "Moved to Below, 1 of 1: Call to action, Seen something twice?"
    )
    assert len(lines(window)) == last
    window.press("Save draft")
    draft = fields_of(Version.DRAFT)
    assert (draft["body"], draft["below"]) == (body[:-1], body[-1:])
    if window.way == "keys":
        window.reach(handle(window, 0, "fields.below"))
        page.keyboard.press("Alt+ArrowUp")
        window.press("Save draft")
        assert fields_of(Version.DRAFT)["body"] == body
    discard(window)


@pytest.mark.parametrize("studio", PHONE_AND_KEYS, indirect=True)
def test_rows_are_moved_copied_added_and_removed(window: Studio, fields_of: Callable[[Version], Fields]) -> None:
    """With a finger or with keys alone, where they are; a row that was removed comes back."""
    page, before = window.page, fields_of(Version.LIVE)
    first, second = kinds(before)[:2]
    if window.way == "keys":
        window.reach(handle(window, 0))
        page.keyboard.press("Alt+ArrowDown")
    else:
        window.change_rows(f"down:{BODY}.0")
    expect(handle(window, 1)).to_have_attribute("aria-label", "Move or change Text block 2")
    expect(row(window, 0).locator("> [data-fold] > summary")).to_contain_text("Quote")
    window.change_rows(f"double:{BODY}.0")
    expect(page.locator(f'[id="{BODY}.1"]')).to_be_focused()
    window.use(page.get_by_role("button", name="Add before Text block 3"))
    expect(page.get_by_role("group", name="Add before Text block 3").get_by_role("button").first).to_be_focused()
    window.change_rows(f"add:{BODY}:quote:2")
    text = page.locator(f'[id="{BODY}.2.fields.text"]')
    expect(text).to_be_focused()
    page.keyboard.insert_text("A new voice")
    window.change_rows(f"remove:{BODY}.1")
    window.use(page.get_by_role("button", name="Undo"))
    expect(page.locator(f'[id="{BODY}.1"]')).to_be_focused()
    window.change_rows(f"remove:{BODY}.1")
    expect(row(window, 1)).to_contain_text("A new voice")
    assert window.violations() == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    window.press("Save draft")
    after = fields_of(Version.DRAFT)
    assert kinds(after)[:3] == [second, "quote", first]
    assert kinds(after)[3:] == kinds(before)[2:]
    discard(window)


@pytest.mark.parametrize("studio", [(360, "light", "finger")], indirect=True)
def test_finger_drags_rows(window: Studio) -> None:
    """The page does not scroll under it, and a short touch opens the buttons of the row."""
    page, texts = window.page, lines(window)
    touch = page.context.new_cdp_session(page)

    def send(kind: str, *points: tuple[float, float]) -> None:
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})

    page.locator(f'[id="{BODY}"]').evaluate("line => line.scrollIntoView({ block: 'start' })")
    start, end = middle(handle(window, 0)), middle(handle(window, 2))
    send("touchStart", start)
    for step in range(1, 9):
        send("touchMove", (start[0], start[1] + (end[1] + 20 - start[1]) * step / 8))
    send("touchEnd")
    expect(handle(window, 2)).to_have_attribute("aria-label", "Move or change Text block 3")
    assert lines(window) == [
        text.replace(str(old), str(new), 1) for text, old, new in
        zip([texts[1], texts[2], texts[0], *texts[3:]], (2, 3, 1, 4, 5), (1, 2, 3, 4, 5), strict=True)
    ]  # fmt: skip
    expect(page.locator("[data-save-state]")).to_contain_text("Kept")  # the bar grows by this line
    handle(window, 2).tap()
    expect(page.get_by_role("button", name="Duplicate: Text block 3")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Duplicate: Text block 3")).to_be_hidden()


def test_errors_and_links_open_what_they_lead_to(window: Studio) -> None:
    """Errors of the server and of the browser, links of the summary, and those of the outline."""
    page = window.page
    window.use(page.get_by_role("button", name="Collapse all"))
    window.use(page.get_by_role("link", name="Call to action · Seen something twice?"))
    expect(page.locator(f'[id="{BODY}.4"]')).to_be_focused()
    window.write(page.locator(f'[id="{BODY}.4.fields.title"]'), "")
    window.use(page.get_by_role("button", name="Collapse all"))
    window.press("Save draft")
    expect(page.get_by_role("alert")).to_contain_text("Not saved.")
    expect(page.locator(f'[id="{BODY}.4.fields.title"]')).to_be_visible()
    expect(row(window, 4).locator("> .fold > .line")).to_contain_text("To correct")
    expect(row(window, 3).locator("> .fold")).not_to_have_attribute("open", "")
    window.use(page.get_by_role("button", name="Collapse all"))
    window.use(page.get_by_role("link", name="Body 5, Call to action: Heading"))
    expect(page.locator(f'[id="{BODY}.4.fields.title"]')).to_be_focused()


def test_nothing_is_added_without_a_connection(window: Studio) -> None:
    """The page stays and says so; rows are moved all the same, and added when the server answers again."""
    page, count = window.page, len(lines(window))
    window.use(page.locator(f'[id="{BODY}.0"]'))
    page.context.set_offline(True)
    window.use(page.get_by_role("button", name="Add Quote to Body"))
    expect(page.get_by_text("so nothing was added")).to_be_visible()
    window.change_rows(f"down:{BODY}.0")
    page.context.set_offline(False)
    window.change_rows(f"add:{BODY}:quote")
    assert len(lines(window)) == count + 1
