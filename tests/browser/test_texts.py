"""Extensions and directives of Markdown in Chromium: players, tabs, formulas, and what axe-core says of all."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import until
from tests.support.axe import violations
from tests.support.commands import CommandServer
from tests.support.web_hosts import site_host

SITE = """name = "Look"
url = "https://look.example"
owner = "ann"
locales = ["en", "ar"]
[markdown]
math = true
"""
TEXT = r"""---
title: Everything at once
published: 2026-01-01T08:00:00Z
---
==Mark==, H~2~O, x^2^, the HTML and $a^2$. A note[^1], and the same one[^1].

[^1]: Tides are early at new moon.

*[HTML]: HyperText Markup Language

- [x] Wax the hull with a [link](#own)
- [ ] Paint the deck

Ebb
: The tide on its way out.

## A heading {#own}

> [!NOTE]
> Tides turn: `code`, [link](#own).

> [!TIP]
> Look up.

> [!IMPORTANT]
> One.

> [!WARNING]
> Two.

> [!CAUTION]
> Three.

```python {2} title="tide/tables.py" numbers
def height(time):
    return mean + range * cos(time) + some_very_long_function_name(with_arguments, that_go_on, and_on, and_on, beyond)
```

$$\frac{\sqrt{\pi}}{2}$$

$$
\begin{aligned} \int_0^\infty e^{-x^2} dx
&= \begin{pmatrix} 1 & 2 & 3 & 4 & 5 & 6 & 7 & 8 & 9 & 10\end{pmatrix} \\ a &= b \end{aligned}
$$

::: gallery {columns=3}
![Morning](media/a.jpg "Half past five")
![Noon](media/a.jpg)

A day in *June*.
:::

::: embed {url="https://www.youtube.com/watch?v=dQw4w9WgXcQ" title="The launch" poster="media/a.jpg"}
A caption.
:::

::: embed {url="https://other.example/page" title="Another page"}
:::

::: details Why?
Because.
:::

::: tabs
::: tab pip
one
:::
::: tab uv
two
:::
:::
"""

ARABIC = """---
title: دليل
locale: ar
published: 2026-01-01T08:00:00Z
---
استدعِ `init()` ثم `--help` و `</slot>` واضغط <kbd>Ctrl+C</kbd> ليظهر <samp>(ok)</samp>.
"""


def build(command_server: CommandServer, folder: Path, files: dict[str, str]) -> None:
    """Write the files of a site, and build it."""
    for path, content in {**files, "content/authors.yaml": "- slug: ann\n"}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content, encoding="utf-8")
    built = command_server.run("build", folder, folder=folder, variables={})
    assert built.returncode == 0, built.stderr


@pytest.fixture(scope="module")
def look_url(tmp_path_factory: pytest.TempPathFactory, repo: Path, command_server: CommandServer) -> Iterator[str]:
    """The address of a site with one post, which uses everything."""
    folder = tmp_path_factory.mktemp("texts")
    (folder / "media").mkdir()
    shutil.copy(repo / "sample_site/media/frost.jpg", folder / "media/a.jpg")
    files = {"site.toml": SITE, "content/posts/all.md": TEXT, "content/posts/dalil.md": ARABIC}
    build(command_server, folder, files)
    with site_host(folder / "public") as url:
        yield f"{url}/blog/all/"


@pytest.fixture(params=[(360, "light"), (1280, "dark")], ids=str)
def context(request: pytest.FixtureRequest, browser: Browser) -> Iterator[BrowserContext]:
    """A narrow light window, and a wide dark one."""
    width, scheme = request.param
    made = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme, reduced_motion="reduce")
    yield made
    made.close()


def opened(context: BrowserContext, url: str) -> tuple[Page, list[str]]:
    """The page, and the addresses on other hosts that it asks for, which are answered with nothing."""
    page = context.new_page()
    foreign: list[str] = []

    def answer(route: object) -> None:
        foreign.append(route.request.url)  # type: ignore[attr-defined]
        route.fulfill(body="")  # type: ignore[attr-defined]

    page.route(lambda address: not address.startswith("http://127.0.0.1"), answer)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(url)
    assert complaints == []
    return page, foreign


def test_no_violations_and_nothing_too_wide(context: BrowserContext, look_url: str) -> None:
    """axe-core finds nothing, nothing is wider than the window, and only this host is asked."""
    page, foreign = opened(context, look_url)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert violations(page) == []
    assert foreign == []


def test_a_player_is_loaded_on_click(context: BrowserContext, look_url: str) -> None:
    """Before the click there is a link; then the frame has its place and its shape."""
    page, foreign = opened(context, look_url)
    link = page.locator("a[data-embed]")
    assert link.get_attribute("href") == "https://www.youtube.com/watch?v=dQw4w9WgXcQ"
    before = link.bounding_box()
    link.click()
    frame = page.locator(".embed iframe")
    frame.wait_for()
    after = frame.bounding_box()
    assert before
    assert after
    assert abs(after["height"] - before["height"]) < 4
    until(page, lambda: foreign == ["https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?autoplay=1"])


def test_tabs_by_keyboard(context: BrowserContext, look_url: str) -> None:
    """Arrows change the tab; one panel is shown."""
    page, _ = opened(context, look_url)
    tabs = page.get_by_role("tab")
    expect(tabs).to_have_text(["pip", "uv"])
    panel = page.get_by_role("tabpanel")
    expect(panel).to_have_text(["one"], use_inner_text=True)
    tabs.first.focus()
    page.keyboard.press("ArrowRight")
    expect(panel).to_have_text(["two"], use_inner_text=True)
    expect(tabs.nth(1)).to_be_focused()
    page.keyboard.press("Home")
    expect(panel).to_have_text(["one"], use_inner_text=True)


def test_without_a_script(browser: Browser, look_url: str) -> None:
    """Players are links, and tabs are sections with titles."""
    context = browser.new_context(java_script_enabled=False)
    page, _ = opened(context, look_url)
    expect(page.locator(".tab-title")).to_have_text(["pip", "uv"])
    for number in range(2):
        expect(page.locator(".tab").nth(number)).to_be_visible()
    expect(page.locator("a[data-embed]")).to_be_visible()
    context.close()


def test_line_numbers_are_not_selected(context: BrowserContext, look_url: str) -> None:
    """A copied block of code has no numbers; marked lines are marked."""
    page, _ = opened(context, look_url)
    text = page.evaluate(
        "(() => { getSelection().selectAllChildren(document.querySelector('.code code'));"
        " return String(getSelection()); })()"
    )
    assert text.startswith("def height(time):\n    return")
    assert page.locator("mark.line").get_attribute("data-line") == "2"


def test_code_in_arabic_is_written_from_the_left(context: BrowserContext, look_url: str) -> None:
    """Its brackets, dashes and slashes stay where they are; the text around it is read from the right."""
    page, _ = opened(context, look_url.replace("/blog/all/", "/ar/blog/dalil/"))
    inline = page.locator(".prose :is(code, kbd, samp)")
    expect(inline).to_have_text(["init()", "--help", "</slot>", "Ctrl+C", "(ok)"])
    places = inline.evaluate_all(
        """each => each.map(element => [...element.textContent].map((_, place) => {
            const range = document.createRange();
            range.setStart(element.firstChild, place);
            range.setEnd(element.firstChild, place + 1);
            return range.getBoundingClientRect().left;
        }))"""
    )
    for lefts in places:
        assert lefts == sorted(lefts)


def test_roots_are_drawn(context: BrowserContext, look_url: str, lacking: Callable[[str], None]) -> None:
    """The generic font for formulas may have no root that grows; one of the named fonts has, that of the theme last."""
    page, _ = opened(context, look_url)
    if "sitecms Math" not in page.evaluate("Array.from(document.fonts, font => font.family).join()"):
        lacking("The font for formulas was not made; pip install -e '.[test]'")
    page.evaluate("document.fonts.load('16px \"sitecms Math\"').then(() => document.fonts.ready).then(() => 0)")
    widths = "root => [root.getBoundingClientRect().width, root.firstElementChild.getBoundingClientRect().width]"
    root, radicand = page.locator("msqrt").evaluate(widths)
    assert root > radicand * 1.3


def test_footnotes_have_names(context: BrowserContext, look_url: str) -> None:
    """The section, the references and each way back are named differently where they lead elsewhere."""
    page, _ = opened(context, look_url)
    expect(page.locator("[role=doc-endnotes]")).to_have_accessible_name("Footnotes")
    references, returns = page.locator("[role=doc-noteref]"), page.locator("[role=doc-backlink]")
    expect(references).to_have_text(["[1]", "[1]"])
    expect(returns).to_have_text(["↩︎", "↩︎2"])
    expect(references.last).to_have_accessible_name("Footnote 1")
    expect(returns.first).to_have_accessible_name("Back to reference 1")
    expect(returns.last).to_have_accessible_name("Back to reference 1-2")


def test_gallery_opens_over_the_page(context: BrowserContext, look_url: str) -> None:
    """A click shows the picture, arrows lead round, Escape gives the focus back; axe-core finds nothing."""
    page, _ = opened(context, look_url)
    links = page.locator(".gallery a")
    links.first.click()
    box = page.locator("dialog.lightbox")
    expect(box).to_be_visible()
    picture = box.locator("img")
    expect(picture).to_have_attribute("alt", "Morning")
    expect(box.locator("span")).to_have_text("Half past five")
    page.keyboard.press("ArrowRight")
    expect(picture).to_have_attribute("alt", "Noon")
    page.keyboard.press("ArrowRight")
    expect(picture).to_have_attribute("alt", "Morning")
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(box).to_have_count(0)
    expect(links.first).to_be_focused()


def test_a_gallery_of_two_pictures_is_as_wide_as_a_player(context: BrowserContext, look_url: str) -> None:
    """Where it does not say its columns, its pictures fill the line."""
    page, _ = opened(context, look_url)
    page.locator(".gallery").evaluate("each => each.classList.remove('columns-3')")
    right = "each => Math.round(each.getBoundingClientRect().right)"
    assert page.locator(".gallery figure").last.evaluate(right) == page.locator(".embed").first.evaluate(right)


def test_a_text_loads_no_script(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory, command_server: CommandServer
) -> None:
    """The script of comments takes its address from the theme's section, not from an element of the text above it."""
    folder = tmp_path_factory.mktemp("comments")
    settings = f'{SITE}[comments]\nservice = "isso"\nhost = "https://isso.example"\n'
    post = (
        "---\ntitle: A text\npublished: 2026-01-01T08:00:00Z\n---\n"
        '<div data-load="view" data-src="https://evil.example/x.js" data-attributes="{}">A text</div>\n'
    )
    build(command_server, folder, {"site.toml": settings, "content/posts/all.md": post})
    assert "evil.example" in (folder / "public/blog/all/index.html").read_text("utf-8")
    with site_host(folder / "public") as url:
        context = browser.new_context()
        page, foreign = opened(context, f"{url}/blog/all/")
        page.locator(".comments").scroll_into_view_if_needed()
        until(page, lambda: foreign == ["https://isso.example/js/embed.min.js"])
        context.close()
