"""Chapters of the manual, and the Markdown that they are made of."""

import json
import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from sitecms.content.text.slug import slugify
from sitecms.documents import dump_yaml

_CODE = re.compile(r"(^`{3,}.*?^`{3,}$|`` .*? ``|`[^`\n]*`)", re.DOTALL | re.MULTILINE)
_TAG = re.compile(r"<(?=[A-Za-z/!?])")


class Chapter(Struct, frozen=True):
    """A chapter of the manual: its slug, title, summary in one sentence, and text in Markdown."""

    slug: str
    title: str
    summary: str
    body: str

    def to_file(self) -> str:
        """Return the chapter as a file of the page type `chapter`."""
        front = {"title": self.title, "slug": self.slug, "status": "published", "fields": {"summary": self.summary}}
        return f"---\n{dump_yaml(front)}---\n{_without_tags(self.body.strip())}\n"


def _without_tags(text: str) -> str:
    """Return the Markdown with every `<` escaped outside of code that would begin a tag: chapters have placeholders."""
    parts = _CODE.split(text)
    return "".join(part if number % 2 else _TAG.sub(r"\\<", part) for number, part in enumerate(parts))


def lines(*parts: str) -> str:
    """Return the parts that are not empty as paragraphs."""
    return "\n\n".join(part.strip("\n") for part in parts if part.strip()) + "\n"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; "" without rows. Cells are Markdown."""
    body = [f"| {' | '.join(_cell(text) for text in row)} |" for row in rows]
    if not body:
        return ""
    rule = "|".join("---" for _ in headings)
    return "\n".join([f"| {' | '.join(headings)} |", f"|{rule}|", *body])


def fence(text: str, language: str, title: str = "") -> str:
    """Return a block of code; `title` is the name of the file that it belongs to."""
    attribute = f' title="{title}"' if title else ""
    return f"```{language}{attribute}\n{text.rstrip()}\n```"


def as_code(value: object) -> str:
    """Return a value of a setting or a field as inline code: text as it is, other values as JSON."""
    text = value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)
    return code(text)


def code(text: str) -> str:
    """Return inline code; text with backticks gets longer marks."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|")


def anchor(text: str) -> str:
    """Return a link to the heading with that text on the same page."""
    return f"[{code(text)}](#{slugify(text)})"
