"""Elements of HTML whose text is Markdown: those that an attribute marks, and those of MDX."""

import re
from html import escape

from msgspec.structs import replace

from sitecms.importing.readers.markdown.tags.convert import Context, inline_html
from sitecms.importing.readers.markdown.tags.scan import Tag

_MARKDOWN_ATTRIBUTE = re.compile(r"\smarkdown\s*=\s*[\"']?(?P<value>\w+)[\"']?")
_INLINE = "a|abbr|b|cite|em|i|small|span|strong"
_LINE_ELEMENTS = re.compile(rf"(?i)p|h[1-6]|dt|figcaption|summary|code|{_INLINE}")
"""Elements that hold a line of text and no blocks."""
_ITEMS = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)+")
"""The beginnings of items of lists, before a block on the same line."""
_JSX_ATTRIBUTE = re.compile(
    r"\s(?P<name>[\w:-]+)=(?:(?P<plain>\"[^\"]*\"|'[^']*')|\{\s*(?:[\"'`](?P<text>[^\"'`{}$]*)[\"'`]|(?P<number>[\d.]+))\s*\}"
    r"|\{(?:[^{}]|\{[^{}]*\})*\})"
)
_FILE = re.compile(r"\{\s*(?:require|useBaseUrl)\(\s*[\"'`]([^\"'`{}$]+)[\"'`]\s*\)(?:\.default)?\s*\}")
"""A value that names a file, as Docusaurus writes it."""
_JSX_BLOCK = re.compile(r"div|section|aside|article|center|main|header|footer|figure|details")
"""Elements whose lines are Markdown in MDX."""
_LONE_INLINE = re.compile(rf"(?m)^([ \t]*<(?:img|{_INLINE})\b[^<>\n]*>)[ \t]*\n[ \t]*(?=[^\s<])")
"""An inline element alone on its line, after which Markdown would take the next lines for HTML."""


def jsx_element(tag: Tag, context: Context) -> str | None:
    """Convert an element of HTML within MDX: values in braces, and the Markdown within a block."""
    arguments = _JSX_ATTRIBUTE.sub(lambda match: _plain_attribute(match, tag, context), f" {tag.arguments}")
    arguments = arguments.rstrip("/ \t\n")
    plain = replace(tag, opening=f"<{tag.name}{arguments}>")
    if tag.inner is None:
        return plain.opening
    if tag.is_block and _JSX_BLOCK.fullmatch(tag.name) and tag.inner.startswith("\n"):
        return _opened(plain)
    is_text = tag.name in ("p", "figcaption", "summary")
    return f"{plain.opening}{inline_html(tag.inner) if is_text else tag.inner}{tag.ending}"


def _plain_attribute(match: re.Match[str], tag: Tag, context: Context) -> str:
    """Return an attribute of JSX as HTML has it; nothing for one that is computed, with a note if it is an address."""
    name = {"className": "class", "htmlFor": "for"}.get(match["name"], match["name"])
    if match["plain"] is not None:
        return f" {name}={match['plain']}"
    file = _FILE.search(match[0])
    value = match["text"] if match["text"] is not None else match["number"] or (file[1] if file else None)
    if value is None and name in ("href", "src"):
        context.report(f"{name} of <{tag.name}>, which is computed", tag.line)
    return f' {name}="{escape(value)}"' if value is not None else ""


def marked_element(tag: Tag, context: Context) -> str | None:
    """Convert an element of HTML whose attribute `markdown` says that the text within it is Markdown."""
    if tag.inner is None or context.is_html:
        return None
    attribute = _MARKDOWN_ATTRIBUTE.search(tag.arguments if tag.arguments[:1].isspace() else f" {tag.arguments}")
    opening = f"<{tag.name}{_MARKDOWN_ATTRIBUTE.sub('', f' {tag.arguments}')}>"
    if (attribute and attribute["value"] == "span") or _LINE_ELEMENTS.fullmatch(tag.name):
        return f"{opening}{inline_html(tag.inner)}{tag.ending}"
    begins_block = tag.is_block or _ITEMS.fullmatch(tag.prefix)
    return _opened(replace(tag, opening=opening)) if begins_block else None


def _opened(tag: Tag) -> str:
    """Return a block of HTML with empty lines around the text within it, which Markdown reads then.

    All lines begin as quotations and lists around the block need.
    """
    margin = re.sub(r"[^>\t]", " ", tag.prefix)
    outer = re.compile(rf"[ \t>]{{0,{len(margin)}}}" if ">" in margin else rf"[ \t]{{0,{len(margin)}}}")
    lines = [outer.sub("", line, count=1) for line in (tag.inner or "").split("\n")]
    text = _LONE_INLINE.sub(r"\1 ", "\n".join(lines)).strip("\n").rstrip()
    depth = len(text) - len(text.lstrip(" \t"))
    inner = re.sub(rf"(?m)^[ \t]{{0,{depth}}}", "", text).split("\n")
    below = ("", *inner, "", tag.ending, "")
    return tag.opening + "".join(f"\n{margin}{line}" if line else f"\n{margin.rstrip()}" for line in below)
