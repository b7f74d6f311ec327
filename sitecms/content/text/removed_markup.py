"""Warnings about markup that sanitising removed."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from sitecms.content.text.allowed_html import (
    EMBEDS,
    MAX_VALUE_LENGTH,
    RESERVED_DATA,
    URL_SCHEMES,
    allowed_name,
    allowed_value,
)
from sitecms.content.text.inline_styles import read_align, read_style, split_attribute
from sitecms.content.text.nesting import ATTRIBUTES, MAX_ATTRIBUTES, NestingLog, Removal

MAX_SNIPPET_LENGTH = 80
_SEARCHED_LENGTH = 4 * MAX_SNIPPET_LENGTH
_FEW = 10  # up to this number each is searched for by itself
_WITH_ATTRIBUTES = re.compile(r"<[a-z][a-z0-9]* [^>]*>")
_ADDRESSED = frozenset({"img", "iframe"})
_MESSAGES: Mapping[Removal, str] = {
    Removal.NOT_ALLOWED: "The tag <{tag}> was removed: it is not allowed. Its text was kept.",
    Removal.WITH_CONTENT: "The tag <{tag}> was removed with its content: it is not allowed.",
    Removal.MISPLACED: "The tag <{tag}> was removed: it is in the wrong place or nested too deeply. Its text was kept.",
    Removal.INCOMPLETE: (
        "The tag <{tag}> was removed with the text after it: its closing > is missing. "
        "Write &lt; for a sign that is no tag."
    ),
    Removal.TOO_MANY_ATTRIBUTES: f"All attributes of <{{tag}}> were removed: it has more than {MAX_ATTRIBUTES}.",
    Removal.COMMENT: "A comment or declaration was removed.",
}
_SCHEMES = [f"{scheme}:" for scheme in sorted(URL_SCHEMES)]
_ADDRESS = f"addresses must be relative or begin with {', '.join(_SCHEMES[:-1])} or {_SCHEMES[-1]}"
_FRAMES = f"frames may show only https://{', https://'.join(EMBEDS[:-1])}"
_REMEDIES: Mapping[str, str] = {
    "allow": "it names features that frames may not use",
    "cite": _ADDRESS,
    "href": _ADDRESS,
    "id": "ids that begin with _ are those of the theme",
    "poster": _ADDRESS,
    "src": _ADDRESS,
    "srcset": _ADDRESS,
    "tabindex": "only 0 is allowed",
}


class Dropped(Struct, frozen=True):
    """One kind of removed markup: a sentence, the beginning of the first such markup, and how many there were.

    `is_comment` marks comments and declarations, which no reader sees in any case.
    """

    message: str
    snippet: str
    count: int = 1
    is_comment: bool = False


ReportDropped: TypeAlias = Callable[[Dropped], None]


def find_dropped(html: str, clean: str, log: NestingLog) -> tuple[Dropped, ...]:
    """Return the markup of `html` that is missing in `clean`, in the order in which each kind stands first.

    `log` is what `well_nested` recorded of `html`.
    """
    messages_at = [(at, _MESSAGES[why].format(tag=tag[:40]), why is Removal.COMMENT) for why, tag, at in log.left_out]
    for match in _changed(clean, log.kept):
        messages = _attribute_messages(match[2].lower(), match[3])
        messages_at += [(match.start(), message, False) for message in messages]
    kinds: dict[str, tuple[int, bool, int]] = {}
    for at, message, is_comment in sorted(messages_at):
        first, _, count = kinds.get(message, (at, is_comment, 0))
        kinds[message] = (first, is_comment, count + 1)
    return tuple(
        Dropped(message, snippet(html, first), count, is_comment)
        for message, (first, is_comment, count) in kinds.items()
    )


def _changed(clean: str, kept: Sequence[re.Match[str]]) -> Sequence[re.Match[str]]:
    """Return the start tags that are not in the clean text as they were written."""
    at = 0
    for number, match in enumerate(kept):
        at = clean.find(match[0], at) + 1
        if not at:
            rest = kept[number:]
            written = clean if len(rest) <= _FEW else set(_WITH_ATTRIBUTES.findall(clean))
            return [other for other in rest if other[0] not in written]
    return ()


def snippet(html: str, start: int) -> str:
    """Return the beginning of the markup at that position on one line, without control characters."""
    end = html.find(">", start, start + _SEARCHED_LENGTH)
    text = html[start : end + 1 if end >= 0 else start + _SEARCHED_LENGTH]
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return line if len(line) <= MAX_SNIPPET_LENGTH else line[: MAX_SNIPPET_LENGTH - 1] + "…"


def _attribute_messages(tag: str, attributes: str) -> Iterator[str]:
    """Yield a sentence for each attribute that the tag loses, and one for a tag that is removed without an address."""
    values: dict[str, str] = {}
    for written in ATTRIBUTES.findall(attributes):
        name, value = split_attribute(written)
        values.setdefault(name, value)
    if tag in _ADDRESSED and ("src" not in values or allowed_value(tag, "src", values["src"]) is None):
        yield f"The tag <{tag}> was removed: {_missing_source(tag, values)}."
        return
    for name, value in values.items():
        if message := _attribute_message(tag, name, value):
            yield message


def _missing_source(tag: str, values: Mapping[str, str]) -> str:
    if "src" not in values:
        return "it has no src"
    return _FRAMES if tag == "iframe" else _ADDRESS


def _attribute_message(tag: str, name: str, value: str) -> str:
    removed = f"The attribute {name[:40]} of <{tag}> was removed"
    if name == "style":
        lost = [each.partition(":")[0][:40] for each in read_style(tag, value).dropped]
        return f"Styles of <{tag}> were removed: {', '.join(lost[:10])}." if lost else ""
    if name == "align" and read_align(tag, value):
        return ""
    if not allowed_name(tag, name):
        reserved = f": names that begin with {RESERVED_DATA} are reserved" if name.startswith(RESERVED_DATA) else ""
        return f"{removed}{reserved}."
    allowed = allowed_value(tag, name, value)
    if allowed == value or (allowed is not None and name != "allow"):
        return ""
    if len(value) > MAX_VALUE_LENGTH:
        return f"{removed}: its value is longer than {MAX_VALUE_LENGTH} characters."
    return f"{removed}: {_REMEDIES[name]}." if name in _REMEDIES else f"{removed}."
