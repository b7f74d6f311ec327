"""Markdown to sanitised HTML: CommonMark with tables, strikethrough, footnotes, heading anchors and EXTENSIONS.

Reading order: `rendering` (the parser, and the rules that a text needs), `code`, `shape`; then one module for each
extension: `attributes`, `marks`, `abbreviations`, `callouts`, `formulas`, `directives` with `media_directives`.
`problems` has what is wrong with a text.
"""

from sitecms.content.text.markdown.code import MAX_HIGHLIGHTED, code_block
from sitecms.content.text.markdown.extensions import DEFAULT_EXTENSIONS, Extensions
from sitecms.content.text.markdown.formulas import Macros
from sitecms.content.text.markdown.problems import Problem, ReportProblem
from sitecms.content.text.markdown.rendering import HeadingPlace, addresses, headings, render
from sitecms.content.text.media_links import ResolvedImage, ResolveImage

__all__ = [
    "DEFAULT_EXTENSIONS",
    "MAX_HIGHLIGHTED",
    "Extensions",
    "HeadingPlace",
    "Macros",
    "Problem",
    "ReportProblem",
    "ResolveImage",
    "ResolvedImage",
    "addresses",
    "code_block",
    "headings",
    "render",
]
