"""Bodies of exports take linear time: four times the text costs no more than about four times as much."""

from collections.abc import Iterable

import pytest

from sitecms.importing.formats.script_values import read_script
from sitecms.importing.html.addresses import Replace
from sitecms.importing.html.cleaning import clean, without_noise
from sitecms.importing.html.code_lines import use_code_blocks
from sitecms.importing.html.tree import Element, parse
from sitecms.importing.html.verified_markdown import to_markdown
from sitecms.importing.reader import RecordLookup
from sitecms.importing.readers.markdown.document import is_list_template
from sitecms.importing.readers.markdown.tags.convert import Context
from sitecms.importing.readers.markdown.tags.dialects import replace_tags
from sitecms.importing.readers.wordpress.body import BodyConverter
from sitecms.importing.records import EntryRecord, Kind, Media, Note
from sitecms.importing.shortcodes import ShortcodeTable
from tests.content.text.test_linear_time import check_linear, repeated

LENGTH = 10_000
UNITS = (
    "<!-- wp:a {", "<!-- wp:a {} }", "<!-- wp:p -->\n<p>x</p>\n<!-- /wp:p -->\n\n", "<!-- more", "\n", " \n", "\n ",
    " ", "<\n", " <b>", "</div><b>", "<div>", "<table><tr><td>", "<blockquote>", "<ul><li>", "<figure>", "<pre lang=",
    "<pre lang=x>", "<pre></pre>[a]", "<pre>[a]", "https://youtu.be/", "https://youtu.be/abcdefg\n\n", "[caption]x",
    "[gallery ", '<!-- wp:c --><div class="wp-block-cover" style="', '<!-- wp:g --><ul class="blocks-gallery',
    pytest.param("<code>\n", marks=pytest.mark.slow),  # linear, but five seconds
    "<code>a<br>b", "[my-box a='1']\n", "[my-box]x[/my-box]", "[note]\n",
)  # fmt: skip


class NothingElse(RecordLookup):
    """An export that has one entry and no media."""

    def media(self, key: str) -> Media | None:  # noqa: ARG002
        return None

    def children(self, parent: str) -> Iterable[Media]:  # noqa: ARG002
        return ()

    def has_entry(self, key: str) -> bool:  # noqa: ARG002
        return False

    def note(self, note: Note) -> None:
        pass

    def resolve_addresses(self, key: str, resolve: Replace) -> None:
        pass


def convert(text: str) -> None:
    """Convert a body as an import does."""
    root = parse(BodyConverter(EntryRecord("a", Kind.POST, "A"), NothingElse(), {}, ShortcodeTable()).html(text))
    without_noise(root)
    clean(root, lambda _removed: None)
    use_code_blocks(root)
    to_markdown(root)


@pytest.mark.parametrize("unit", UNITS)
def test_a_body_of_wordpress_takes_linear_time(unit: str) -> None:
    """Signs, tags, blocks and shortcodes that open and do not end, and empty lines."""
    check_linear(convert, repeated(unit), LENGTH)


def test_a_hundred_thousand_open_elements_are_parsed_in_linear_time() -> None:
    """Deeper ones than anybody writes are left out before the parser, which takes the square of the depth."""
    check_linear(parse, repeated("<div>"), 125_000)
    root = parse("<div>" * 1_000 + "text" + "</div>" * 1_000 + "<p>after</p>")
    assert root.text() == "textafter"
    assert [child.tag for child in root.children if isinstance(child, Element)] == ["div", "p"]


def test_two_players_in_a_paragraph_are_kept() -> None:
    """They are tags within the Markdown."""
    found = to_markdown(parse('<p><iframe src="https://a.example/1"></iframe><iframe src="/2"></iframe></p>'))
    assert found is None or found.text.count("<iframe") == 2


@pytest.mark.parametrize(
    "unit", ["{% for x in y %}\n", "{% raw %}", "{%", "{{ ", "{% for %}{% endfor %}", "```\n~~~\n"]
)
def test_lists_of_templates_are_told_in_linear_time(unit: str) -> None:
    """Loops, code and tags that do not end."""
    check_linear(is_list_template, repeated(unit), 4 * LENGTH)


@pytest.mark.parametrize("unit", ["{a:", "[[", "const a = {", "/*", "`", "\\", "const a=b,", "function f() {"])
def test_scripts_are_read_in_linear_time(unit: str) -> None:
    """Objects, lists, comments and texts that do not end."""
    check_linear(read_script, repeated(unit), 4 * LENGTH)


@pytest.mark.parametrize(
    ("dialect", "unit"),
    [
        ("jsx", "<div>\n"),
        ("jsx", '<a x="'),
        ("marked", '<div markdown="1">\n'),
        ("go", "{{< a >}}\n"),
        ("liquid", "{% a %}\n"),
    ],
)
def test_tags_that_do_not_end(dialect: str, unit: str) -> None:
    """Tags and elements of Markdown's generators."""
    around = Context(lambda _name: "", lambda _name, _line: None, lambda _name, _line: None)
    check_linear(lambda text: replace_tags(text, frozenset({dialect}), around), repeated(unit), LENGTH)
