"""Texts of single values in YAML: on one line, within brackets, and as blocks of lines."""

import json
import re

from msgspec import Struct

from sitecms.documents.yaml12 import dump_yaml

_PLAIN = re.compile(r'[^"\\]*')  # without a sign that double quotes make longer
_NOT_IN_BRACKETS = re.compile(r"[,\[\]{}]|:$")


def scalar(value: object) -> str:
    """Return a number, a word, a text or an empty list or table on one line."""
    text = dump_yaml([value], width=None)[2:].removesuffix("\n")
    if "\n" in text or (text.startswith("'") and isinstance(value, str) and "'" in value and _PLAIN.fullmatch(value)):
        return json.dumps(value, ensure_ascii=False)
    return text


def flow(value: object) -> str:
    """Return a value on one line as it stands within brackets, where only plain texts need no quotes."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{flow(key)}: {flow(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    if not isinstance(value, str):
        return scalar(value)
    text = scalar(value)
    is_plain = text == value and not _NOT_IN_BRACKETS.search(text)
    return text if is_plain or text[:1] in "\"'" else json.dumps(value, ensure_ascii=False)


def quoted(text: str, sign: str) -> str:
    """Return a text of one line in the quotation marks of that sign."""
    return json.dumps(text, ensure_ascii=False) if sign == '"' else "'" + text.replace("'", "''") + "'"


class Block(Struct, frozen=True):
    """A text as a literal block: its header, as `|-`, and its lines."""

    header: str
    lines: tuple[str, ...]

    @property
    def has_digit(self) -> bool:
        """Return whether the header says how far the lines are indented, beside the key."""
        return any(sign.isdigit() for sign in self.header)

    def indented(self, column: int) -> list[str]:
        """Return the lines, indented to the column."""
        return [" " * column + line if line else "" for line in self.lines]


def literal(text: str) -> Block | None:
    """Return a text of several lines as a literal block, None for any other."""
    first, *lines = dump_yaml({"a": text}, width=None).removesuffix("\n").split("\n")
    if not first.startswith("a: |"):
        return None
    return Block(first.removeprefix("a: "), tuple(line.removeprefix("  ") for line in lines))


def needs_lines(value: object) -> bool:
    """Return whether a value holds a text of several lines, which no one writes in brackets."""
    if isinstance(value, str):
        return "\n" in value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(map(needs_lines, inner))
