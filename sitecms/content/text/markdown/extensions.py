"""Extensions of CommonMark that a site can switch off and on, and the signs without which a text needs none of them."""

import re
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from sitecms.content.text.markdown.abbreviations import use_abbreviations
from sitecms.content.text.markdown.attributes import use_attributes
from sitecms.content.text.markdown.callouts import use_callouts
from sitecms.content.text.markdown.cjk import CJK_PATTERN, use_cjk
from sitecms.content.text.markdown.directives import use_directives
from sitecms.content.text.markdown.formulas import use_formulas
from sitecms.content.text.markdown.marks import use_emoji, use_mark, use_subscript, use_superscript
from sitecms.content.text.markdown.shape import use_task_lists

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

Extensions: TypeAlias = Collection[str]
"""Names of EXTENSIONS, and "typographer" and "math_strict"."""
TYPOGRAPHER = "typographer"


class Extension(NamedTuple):
    """A text that lacks the sign, or in which the pattern is not found, does not need the extension.

    Extensions are added to the parser in the order of EXTENSIONS.
    """

    sign: str
    pattern: re.Pattern[str]
    use: "Callable[[MarkdownIt], None]"


def _use_definition_lists(parser: "MarkdownIt") -> None:
    from mdit_py_plugins.deflist import deflist_plugin

    parser.use(deflist_plugin)


EXTENSIONS: Mapping[str, Extension] = {
    "abbreviations": Extension("*[", re.compile(r"\*\[[^\[\]\n]{1,80}\]:"), use_abbreviations),
    "attributes": Extension("{", re.compile(r"\{[ \t]*(?:[#.][\w:-]|[a-zA-Z][\w-]*=)"), use_attributes),
    "callouts": Extension("[!", re.compile(r"\[![a-zA-Z]"), use_callouts),
    "definition_lists": Extension("\n", re.compile(r"\n[ \t>]*[:~][ \t]"), _use_definition_lists),
    "directives": Extension(":::", re.compile(r":::[ \t]*[a-zA-Z]"), use_directives),
    "emoji": Extension(":", re.compile(r":[\w+’'-]+:"), use_emoji),
    "mark": Extension("==", re.compile(r"==[^=\s]"), use_mark),
    "math": Extension("$", re.compile(r"\$[^$]*\$"), use_formulas),
    "subscript": Extension("~", re.compile(r"(?<!~)~[^~\s]+~(?!~)"), use_subscript),
    "superscript": Extension("^", re.compile(r"(?<!\[)\^[^\s\[^]+\^"), use_superscript),
    "task_lists": Extension("]", re.compile(r"\[[ xX]\][ \t]"), use_task_lists),
    "cjk": Extension("", CJK_PATTERN, use_cjk),  # last: it amends rules of the others
}
DEFAULT_EXTENSIONS: frozenset[str] = frozenset(EXTENSIONS) - {"emoji", "math"}
"""Extensions of a site without settings, as `markdown` in content_schema/site.schema.json declares them."""


def needed(text: str, extensions: Extensions) -> frozenset[str]:
    """Return the extensions whose signs are in the text, and the typographer if it is among them."""
    found = [
        name
        for name, (sign, pattern, _) in EXTENSIONS.items()
        if sign in text and name in extensions and pattern.search(text)
    ]
    return frozenset(found) | ({TYPOGRAPHER} & set(extensions))
