"""The plug-ins that come with sitecms: formulas by KaTeX, and diagrams by programs of the machine."""

import base64
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sitecms.actions.loading import load_site
from sitecms.optional_packages import Extra
from sitecms.settings.extras import needed_extras
from tests.support.sites import ExampleSite

DRAW = """
import sys
text = sys.stdin.read()
if "refuse" in text:
    sys.exit("no such shape: refuse")
print(f'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 30.4"><text>{text}</text></svg>')
"""
PICTURE = re.compile(
    r'<figure class="diagram"><img src="data:image/svg\+xml;base64,([^"]+)" alt="([^"]+)" width="40" he'
)
BODY = "```sea\naccTitle: Waves & wind\na --> b\n```\n\n```sea\nplain\n```\n\n```python\nprint(1)\n```\n"


def use(example: ExampleSite, *command: str) -> None:
    """Draw blocks in the language `sea` by a command."""
    example.settings_are(**{"plugins": {"enabled": ["diagrams"]}, "plugins.diagrams.commands": {"sea": list(command)}})


@pytest.fixture
def site(example: ExampleSite) -> ExampleSite:
    """A site with diagrams in the language `sea`."""
    program = example.folder.with_name("draw.py")
    program.write_text(DRAW, "utf-8")
    use(example, sys.executable, str(program))
    return example


def write(site: ExampleSite, name: str, body: str) -> None:
    """Write a published post."""
    front = f"---\ntitle: {name}\nstatus: published\npublished: 2026-01-01\n---\n"
    site.write(f"content/posts/{name}.md", front + body)


def page_of(site: ExampleSite, name: str) -> str:
    """The page of a post."""
    return (site.public / f"blog/{name}/index.html").read_text("utf-8")


def test_a_block_of_code_becomes_a_picture(site: ExampleSite) -> None:
    """With its title as description and the text below; feeds have it too, other languages stay code."""
    write(site, "waves", BODY)
    site.make()
    page = page_of(site, "waves")
    pictures = PICTURE.findall(page)
    assert [alt for _svg, alt in pictures] == ["Waves &amp; wind", "Diagram"]
    assert base64.b64decode(pictures[0][0]).decode().endswith("<text>accTitle: Waves & wind\na --> b\n</text></svg>\n")
    assert page.count("<details><summary>The diagram as text</summary>") == 2
    assert 'class="language-python"' in page
    assert "data:image/svg+xml" in (site.public / "rss.xml").read_text("utf-8")


def test_a_diagram_that_cannot_be_drawn_costs_its_page_alone(site: ExampleSite) -> None:
    """The message names plug-in, post and what the program says."""
    write(site, "waves", BODY)
    write(site, "shape", "```sea\nrefuse\n```\n")
    site.load()
    report = site.build()
    assert (site.public / "blog/waves/index.html").exists()
    assert not (site.public / "blog/shape/index.html").exists()
    (problem,) = [text for name, text in report.failed.items() if "shape" in name]
    assert "diagrams" in problem
    assert "cannot draw the diagram: no such shape: refuse" in problem


def test_a_program_that_is_missing_is_named(site: ExampleSite) -> None:
    """So that one knows what to install."""
    use(site, "no-such-program")
    write(site, "waves", BODY)
    site.load()
    assert any("the program no-such-program is not installed" in text for text in site.build().failed.values())


@pytest.mark.slow
def test_katex_converts_what_is_not_built_in(example: ExampleSite, npm_install: Callable[[Path], Path]) -> None:
    """Diagrams of arrows and chemistry, own commands; an error is told with its line, and the formula is shown."""
    modules = npm_install(Path(__file__).parent / "katex") / "node_modules"
    example.settings_are(
        **{
            "markdown": {"math": True},
            "markdown.math_macros": {"RR": r"\mathbb{R}"},
            "plugins": {"enabled": ["katex"]},
            "plugins.katex": {"modules": str(modules)},
        }
    )
    formulas = [r"$\ce{H2O}$", r"$x \in \RR$", "$$\n\\begin{CD} A @>a>> B \\\\ @VVV @VVV \\\\ C @>>> D \\end{CD}\n$$"]
    write(example, "sums", "\n\n".join([*formulas, r"A $\nosuch$ one."]))
    report = example.load()
    (note,) = (each for each in report.notes if "formula" in each)
    assert "content/posts/sums.md:14 body: has a formula that cannot be converted: Undefined control" in note
    example.make()
    page = page_of(example, "sums")
    assert page.count("<math") == 3
    assert "<mtable" in page
    assert "ℝ" in page
    assert r'<code class="math-source">\nosuch</code>' in page
    assert "annotation" not in page


def test_katex_takes_the_place_of_the_package(example: ExampleSite) -> None:
    """Formulas need no `math-core` then; without Node.js the post is refused with a line that says so."""
    own = {"program": "no-such-node"}
    example.settings_are(**{"markdown": {"math": True}, "plugins": {"enabled": ["katex"]}, "plugins.katex": own})
    assert Extra.MATH not in {each.extra for each in needed_extras(example.settings)}
    write(example, "sums", "A sum: $x$.")
    report = load_site(example.database, example.settings, example.now)
    assert any("no-such-node cannot be started" in str(each) for each in report.errors)
