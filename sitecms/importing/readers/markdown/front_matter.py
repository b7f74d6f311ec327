"""Front matter of all generators: YAML, TOML, JSON, Hexo's and Pelican's forms, the head of HTML files.

Values of YAML stay text, as they were written: `no`, `007`, `2012-01-01 10:00 +0800`.
"""

import json
import re
import tomllib
from collections.abc import Mapping
from datetime import date, datetime, time
from itertools import islice
from typing import Any

from msgspec import Struct, field

from sitecms.documents.reading import MAX_DEPTH, MAX_KEYS, is_too_deep, toml_excess
from sitecms.errors import InvalidRequest
from sitecms.importing.formats.script_values import read_script
from sitecms.importing.readers.markdown.yaml_text import KEY_LINE, read_yaml

_OPENING = re.compile(r"---[ \t]*(?:yaml|yml)?[ \t]*\n")
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.M)
_TOML_OPENING = re.compile(r"(?:\+\+\+|---toml)[ \t]*\n")
_TOML_CLOSING = re.compile(r"^(?:\+\+\+|---)[ \t]*(?:\n|\Z)", re.M)
_JSON_OPENING = re.compile(r"---json[ \t]*\n")
_SCRIPT_OPENING = re.compile(r"---(?:js|javascript)[ \t]*\n")
_LOOKS_LIKE_YAML = re.compile(r"(?:[A-Za-z_][\w .-]*:(?:[ \t]|$)|[ \t]*- |[ \t]+\S|#|[ \t]*$)")
_SHOWN_NAMES = 10
_META_LINE = re.compile(r"([A-Za-z][\w-]*)[ \t]*:[ \t]*(.*)")
_HTML_META = re.compile(r"<meta\s+([^>]*)>", re.I)
_HTML_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.I | re.S)
_HTML_BODY = re.compile(r"<body[^>]*>(.*?)(?:</body>|\Z)", re.I | re.S)
_ATTRIBUTE = re.compile(r"([\w:-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")


class SourceFrontMatter(Struct, frozen=True):
    """The front matter and the body of a file. `body_line` is the number of the body's first line.

    `problems` are errors that were repaired, each with its line.
    """

    data: Mapping[str, Any] = field(default_factory=dict)
    body: str = ""
    body_line: int = 1
    has_data: bool = False
    problems: tuple[tuple[int, str], ...] = ()


class UnreadableFrontMatter(InvalidRequest):
    """Front matter that cannot be parsed; `line` is the line of the error."""

    def __init__(self, problem: str, line: int) -> None:
        self.line = line
        super().__init__(problem)


def split(text: str, *, is_html: bool = False, has_meta: bool = False) -> SourceFrontMatter:
    r"""Return front matter and body of a text with `\n` as line ends.

    `has_meta` takes lines `Key: value` up to the first empty one as front matter. Raises UnreadableFrontMatter.
    """
    skipped = len(text) - len(text.lstrip("\n \t"))
    if skipped and text.startswith(("---\n", "+++\n"), skipped):  # empty lines above it
        text, first = text[skipped:], 1 + text.count("\n", 0, skipped)
    else:
        first = 1
    if opening := _OPENING.match(text):
        return _yaml(text, opening.end(), first)
    if opening := _TOML_OPENING.match(text):
        return _toml(text, opening.end(), first)
    if opening := _JSON_OPENING.match(text):
        return _json_between(text, opening.end(), first)
    if opening := _SCRIPT_OPENING.match(text):
        return _script(text, opening.end(), first)
    if text.startswith("{") and (found := _json_at_start(text)):
        return found
    if found := _hexo(text):
        return found
    if is_html:
        return _html(text)
    return (_meta(text) if has_meta else None) or SourceFrontMatter(body=text)


def _yaml(text: str, start: int, first: int) -> SourceFrontMatter:
    closing = _CLOSING.search(text, start)
    if closing is None:
        return SourceFrontMatter(body=text, problems=((first, "a line --- that is not closed is no front matter"),))
    data, problems = read_yaml(text[start : closing.start()], first + 1)
    return _front(text, data, closing.end(), first, problems)


def _front(
    text: str, data: Mapping[str, Any], end: int, first: int, problems: tuple[tuple[int, str], ...] = ()
) -> SourceFrontMatter:
    if len(data) > MAX_KEYS:
        problems = (*problems, (first, f"front matter with {len(data):,} keys; the first {MAX_KEYS:,} were read"))
        data = dict(islice(data.items(), MAX_KEYS))
    return SourceFrontMatter(data, text[end:], first + text.count("\n", 0, end), has_data=True, problems=problems)


def _toml(text: str, start: int, first: int) -> SourceFrontMatter:
    closing = _TOML_CLOSING.search(text, start)
    if closing is None:
        return SourceFrontMatter(body=text, problems=((first, "a line +++ that is not closed is no front matter"),))
    return _front(text, read_toml(text[start : closing.start()], first + 1), closing.end(), first)


def _script(text: str, start: int, first: int) -> SourceFrontMatter:
    """Return the literal values of front matter in JavaScript: of one object, or of its constants."""
    closing = _CLOSING.search(text, start)
    end = closing.start() if closing else len(text)
    script = read_script(text[start:end])
    if not script.values:
        raise UnreadableFrontMatter("front matter in JavaScript, which is not executed", first)
    rest = f", but not: {', '.join(script.left_out[:_SHOWN_NAMES])}" if script.left_out else ""
    what = f"front matter in JavaScript, which is not executed; its literal values were read{rest}"
    return _front(text, script.values, closing.end() if closing else end, first, ((first, what),))


def _json_between(text: str, start: int, first: int) -> SourceFrontMatter:
    closing = _CLOSING.search(text, start)
    end = closing.start() if closing else len(text)
    return _front(text, _json(text[start:end], first + 1), closing.end() if closing else end, first)


def _json_at_start(text: str) -> SourceFrontMatter | None:
    """Return JSON front matter in braces; None for a body that begins with a brace, as of a template."""
    if re.match(r"\{\s*[\"}]", text) is None:
        return None
    try:
        data, end = json.JSONDecoder(strict=False).raw_decode(text)
    except (ValueError, RecursionError) as error:
        line = text.count("\n", 0, getattr(error, "pos", 0)) + 1
        raise UnreadableFrontMatter(f"front matter is not valid JSON: {error}", line) from error
    ending = re.compile(r"[ \t]*(?:\n(?:;;;|---)[ \t]*)?(?:\n|\Z)").match(text, end)
    return _front(text, data, ending.end() if ending else end, 1)


def _hexo(text: str) -> SourceFrontMatter | None:
    """Return front matter without opening line: YAML ended by `---`, or JSON without braces ended by `;;;`."""
    if text.startswith('"'):
        closing = re.search(r"^;;;+[ \t]*(?:\n|\Z)", text, re.M)
        return _front(text, _json(f"{{{text[: closing.start()]}}}", 1), closing.end(), 1) if closing else None
    if not KEY_LINE.match(text):
        return None
    closing = re.search(r"^---+[ \t]*(?:\n|\Z)", text, re.M)
    if closing is None:
        return None
    above = text[: closing.start()]
    if not all(_LOOKS_LIKE_YAML.match(line) for line in above.splitlines()):
        return None
    data, problems = read_yaml(above, 1)
    return _front(text, data, closing.end(), 1, problems) if data else None


def _meta(text: str) -> SourceFrontMatter | None:
    """Return the front matter of Pelican: lines `Key: value`, indented continuations, up to an empty line."""
    data: dict[str, Any] = {}
    problems: list[tuple[int, str]] = []
    lines, key, number = text.split("\n"), "", 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            break
        if match := _META_LINE.fullmatch(line):
            key = match[1].lower()
            if key in data and key not in ("author", "authors", "tags"):
                problems.append((number, f"the key {key} occurs twice; the last one counts"))
            data[key] = match[2].strip()
        elif key and line.startswith(("    ", "\t")):
            data[key] = f"{data[key]}\n{line.strip()}".strip()
        elif not data:
            return None
        else:
            number -= 1  # noqa: PLW2901 - the body begins here
            break
    body = "\n".join(lines[number:])
    return SourceFrontMatter(data, body, number + 1, has_data=True, problems=tuple(problems)) if data else None


def _html(text: str) -> SourceFrontMatter:
    """Return title and meta elements of a whole HTML document as front matter."""
    body = _HTML_BODY.search(text)
    if body is None:
        return SourceFrontMatter(body=text)
    from html import unescape

    head = text[: body.start()]
    data: dict[str, Any] = {}
    if title := _HTML_TITLE.search(head):
        data["title"] = unescape(" ".join(title[1].split()))
    for meta in _HTML_META.finditer(head):
        attrs = {name.lower(): unescape(one or other) for name, one, other in _ATTRIBUTE.findall(meta[1])}
        name = attrs.get("name", "").lower()
        if name and name not in ("viewport", "generator"):
            value = attrs.get("content", attrs.get("contents", ""))
            data[name] = f"{data[name]}, {value}" if name in data else value
    return SourceFrontMatter(data, body[1], 1 + text.count("\n", 0, body.start(1)), has_data=bool(data))


def _json(text: str, line: int) -> dict[str, Any]:
    try:
        data = json.loads(text, strict=False)
    except (ValueError, RecursionError) as error:
        at = line + text.count("\n", 0, getattr(error, "pos", 0))
        raise UnreadableFrontMatter(f"front matter is not valid JSON: {error}", at) from error
    return data if isinstance(data, dict) else {}


def read_toml(text: str, line: int = 1) -> dict[str, Any]:
    """Return the data of TOML, its times as text. Raises UnreadableFrontMatter."""
    if excess := toml_excess(text):
        raise UnreadableFrontMatter(f"it {excess[0]}", line + excess[1] - 1)
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        match = re.search(r"at line (\d+)", str(error))
        raise UnreadableFrontMatter(
            f"it is not valid TOML: {error}", line + int(match[1]) - 1 if match else line
        ) from error
    if is_too_deep(data):
        raise UnreadableFrontMatter(f"it is nested deeper than {MAX_DEPTH} levels", line)
    return {name: _plain(value) for name, value in data.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value.isoformat() if isinstance(value, datetime | date | time) else value
