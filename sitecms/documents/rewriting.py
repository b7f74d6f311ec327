"""Changes of files that people wrote: what changed is written anew, every other character stays as it is.

The data is compared with what the text says, so a text that says it already does not change. Byte order mark, line
ends, comments, order, quotes and indentation stay. The text is one that has been read already; each function raises
CannotRewrite if it cannot be changed so.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, Array, Table

from sitecms.documents.comparison import CannotRewrite, compare_lists, is_same
from sitecms.documents.reading import FENCE, TOML_FENCE, plain
from sitecms.documents.rewriting_yaml import rewrite_yaml

__all__ = ["CannotRewrite", "rewrite_front_matter", "rewrite_toml", "rewrite_yaml"]
BYTE_ORDER_MARK = "\ufeff"
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$")
_LONE_LINE_END = re.compile(r"(?<!\r)\n")
_TEMPORAL: tuple[type[datetime] | type[date] | type[time], ...] = (datetime, date, time)


def rewrite_front_matter(text: str, data: Mapping[str, object], body: str) -> str:
    r"""Return the Markdown file, changed where its front matter is not `data` or its text not `body` (lines end `\n`).

    `text` is a file that `read_front_matter` reads, with its own line ends.
    """
    mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
    lines = _LINE.findall(text.removeprefix(mark))
    fence = lines[0].rstrip() if lines else ""
    last = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() == fence), None)
    if fence not in (FENCE, TOML_FENCE) or last is None:
        raise CannotRewrite("it has no front matter")
    front = "".join(lines[1:last])
    front = rewrite_yaml(front, data) if fence == FENCE else rewrite_toml(front, data)
    line_end = lines[0][len(lines[0].rstrip("\r\n")) :] or "\n"
    if front and not front.endswith(("\n", "\r")):
        front += line_end
    closing, rest = lines[last], lines[last + 1 :]
    new_rest = _body("".join(rest), body, line_end)
    if new_rest and not closing.endswith(("\n", "\r")):
        closing += line_end
    return "".join((mark, lines[0], front, closing, new_rest))


def _body(text: str, body: str, line_end: str) -> str:
    """Return the text with the lines of the body; lines that stay at its start and its end keep their line ends."""
    lines, new = _LINE.findall(text), body.split("\n")
    old = [line.rstrip("\r\n") for line in lines]
    if not text or text.endswith(("\n", "\r")):
        old.append("")
        lines.append("")
    if old == new:
        return text
    shorter = min(len(old), len(new)) - 1
    begin = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    end = next((at for at in range(shorter - begin) if old[-1 - at] != new[-1 - at]), shorter - begin)
    middle = [line + line_end for line in new[begin : len(new) - end]]
    if not end:
        middle[-1] = new[-1]
    return "".join((*lines[:begin], *middle, *lines[len(lines) - end :]))


def rewrite_toml(text: str, data: Mapping[str, object]) -> str:
    """Return the TOML, changed where it does not read as `data`: as JSON has it, times as ISO 8601 text.

    TOML has no null: a key whose value is None is left out.
    """
    wanted = _without_null(data)
    before = plain(tomllib.loads(text))
    if is_same(before, wanted):
        return text
    for change in (_change_table, _set_changed):
        result = _changed_toml(text, before, wanted, change)
        if result is not None:
            return result
    raise CannotRewrite("its TOML cannot be changed in place")


def _changed_toml(text: str, before: Any, wanted: Any, change: Callable[[Any, Any, Any], None]) -> str | None:
    """Return the changed TOML, None if it does not read as it should."""
    document = tomlkit.parse(text)
    try:
        change(document, before, wanted)
        result = tomlkit.dumps(document)
        if "\r\n" in text:
            result = _LONE_LINE_END.sub("\r\n", result)
        return result if is_same(plain(tomllib.loads(result)), wanted) else None
    except (TOMLKitError, ValueError, TypeError, IndexError):  # of changes that tomlkit does not do
        return None


def _set_changed(table: Any, old: Any, new: Mapping[str, object]) -> None:
    """Write the changed values of the outermost table anew as a whole."""
    for name in [name for name in old if not (name in new and is_same(old[name], new[name]))]:
        del table[name]
    for name in new:
        if name not in table:
            table[name] = new[name]


def _change_table(table: Any, old: Any, new: Mapping[str, object]) -> None:
    for name in [name for name in old if name not in new]:
        del table[name]
    for name, value in new.items():
        if name not in old:
            table[name] = value
        elif not is_same(old[name], value):
            _change_value(table, name, old[name], value)


def _change_value(table: Any, name: Any, old: object, new: object) -> None:
    """Change one value of a table or of a list."""
    item = table[name]
    if isinstance(old, dict) and isinstance(new, dict):
        _change_table(item, old, new)
    elif isinstance(item, Array | AoT) and isinstance(old, list) and isinstance(new, list):
        _change_list(item, old, new)
    else:
        table[name] = _table(new) if isinstance(table, AoT) else _as_before(item, new)


def _change_list(item: Any, old: list[Any], new: list[Any]) -> None:
    pairs, gone, added = compare_lists(old, new)
    for position, new_position in pairs:
        if not is_same(old[position], new[new_position]):
            _change_value(item, position, old[position], new[new_position])
    for position in reversed(gone):
        del item[position]
    for _after, position in added:
        item.insert(position, _table(new[position]) if isinstance(item, AoT) else new[position])


def _table(value: Any) -> Table:
    if not isinstance(value, dict):
        raise ValueError("A list of tables holds tables alone.")
    table: Table = tomlkit.table()
    table.update(value)
    return table


def _as_before(item: object, value: object) -> object:
    """Return a text as the kind of time that the item is, if it is one and the text says one; else the value."""
    kind = next((kind for kind in _TEMPORAL if isinstance(item, kind)), None)
    if kind is None or not isinstance(value, str):
        return value
    for candidate in _TEMPORAL:
        try:
            moment = candidate.fromisoformat(value)
        except ValueError:
            continue
        if plain(moment) == value:
            return moment
    return value


def _without_null(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_null(inner) for key, inner in value.items() if inner is not None}
    return [_without_null(inner) for inner in value if inner is not None] if isinstance(value, list) else value
