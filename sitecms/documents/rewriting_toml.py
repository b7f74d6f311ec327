"""Changes of a TOML text: the lines of what changed are written anew, all others stay as they are.

A text is divided at the headers of its tables. Each part is changed apart from the empty lines and comments below it,
which belong to the next header. What cannot be changed so is left to tomlkit for the whole text, if no comment moves.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from difflib import SequenceMatcher
from typing import Any, TypeAlias

import tomlkit
from msgspec import Struct
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, Array, String, Table

from sitecms.documents.comparison import CannotRewrite, compare_lists, is_same
from sitecms.documents.reading import plain

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n)|[^\r\n]+$")
_HEADER = re.compile(r"[ \t]*\[")
_NOTHING = re.compile(r"[ \t]*(?:#.*)?[\r\n]*$")
_TEMPORAL: tuple[type[datetime] | type[date] | type[time], ...] = (datetime, date, time)
_FAILURES = (TOMLKitError, ValueError, TypeError, LookupError)  # of changes that tomlkit does not do
Path: TypeAlias = tuple[str | int, ...]


def rewrite_toml(text: str, data: Mapping[str, object]) -> str:
    """Return the TOML, changed where it does not read as `data`: as JSON has it, times as ISO 8601 text.

    TOML has no null: a key whose value is None is left out. Raises CannotRewrite.
    """
    written = tomllib.loads(text)
    new = _with_plain_times(written, _without_null(data))
    old: Any = plain(written)
    if is_same(old, new):
        return text
    for change in (_change_parts, _change_whole):
        try:
            result = _with_line_ends(change(text, old, new), text)
            if is_same(plain(tomllib.loads(result)), new):
                return result
        except _FAILURES:
            continue
    raise CannotRewrite("its TOML cannot be changed in place without moving a comment")


class _Part(Struct):
    """The lines of one table: its header, its keys, and the empty lines and comments below them."""

    path: Path
    header: str
    keys: str
    below: str


def _parts(text: str) -> list[_Part]:
    """Divide a text at the headers of its tables; a line within a text or list of several lines is none."""
    lines = _LINE.findall(text)
    starts = [number for number, line in enumerate(lines) if _HEADER.match(line) and _is_toml("".join(lines[:number]))]
    bounds = [*zip([0, *starts], [*starts, len(lines)], strict=True)]
    counts: dict[Path, int] = {}
    parts = []
    for number, (first, last) in enumerate(bounds):
        head = lines[first:last][: number > 0]
        keys = lines[first + len(head) : last]
        end = next((at for at in range(len(keys), 0, -1) if not _NOTHING.match(keys[at - 1])), 0)
        path = _path_of(head[0], counts) if head else ()
        parts.append(_Part(path, "".join(head), "".join(keys[:end]), "".join(keys[end:])))
    return parts


def _path_of(header: str, counts: dict[Path, int]) -> Path:
    """Return the keys that lead to the table of a header; `counts` are the lengths of lists of tables so far."""
    names, table = list[str](), tomllib.loads(header)
    is_list = header.lstrip().startswith("[[")
    while table:
        ((name, inner),) = table.items()
        names.append(name)
        table = inner[0] if isinstance(inner, list) else inner
    path: Path = ()
    for number, name in enumerate(names, 1):
        path = (*path, name)
        if is_list and number == len(names):
            counts[path] = counts.get(path, 0) + 1
        if path in counts:
            path = (*path, counts[path] - 1)
    return path


def _is_toml(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


def _change_parts(text: str, old: Any, new: Mapping[str, object]) -> str:
    """Change the keys of each table within its own lines; outermost tables go with theirs, new ones come last.

    Raises KeyError where a table within another one comes or goes.
    """
    added = {name: value for name, value in new.items() if name not in old and isinstance(value, dict)}
    if added:
        gap = "\n" if not text or text.endswith("\n") else "\n\n"
        others = {name: value for name, value in new.items() if name not in added}
        return f"{_change_parts(text, old, others)}{gap}{tomlkit.dumps(added)}"
    parts = _parts(text)
    for part in parts:
        if _is_gone(part.path, old, new):
            part.path, part.header, part.keys = (), "", ""
    paths = [part.path for part in parts if part.path]
    if not _has_same_headers(new, paths):
        raise KeyError("a table comes or goes")
    for part in parts[:1] + [part for part in parts if part.path]:
        table = _at(new, part.path)
        mine = {name: value for name, value in table.items() if not _is_below((*part.path, name), paths)}
        part.keys = _changed_keys(part.keys, mine, "\r\n" if "\r\n" in text else "\n")
    return "".join(f"{part.header}{part.keys}{part.below}" for part in parts)


def _is_gone(path: Path, old: Any, new: Any) -> bool:
    """Return whether the new data have no table there; a list that only became shorter is another matter."""
    for step in path:
        if isinstance(new, dict) and step not in new:
            return True
        old, new = old[step], new[step]
        if type(old) is not type(new) or new == []:
            return True
    return False


def _has_same_headers(new: Any, paths: Sequence[Path]) -> bool:
    """Return whether the data have every table that has a header, and lists of tables as many as there are."""
    for path in paths:
        if not isinstance(_at(new, path), dict):
            return False
        if path and isinstance(path[-1], int):
            entries = {other[: len(path)] for other in paths if other[: len(path) - 1] == path[:-1]}
            if len(_at(new, path[:-1])) != len(entries):
                return False
    return True


def _at(data: Any, path: Path) -> Any:
    for step in path:
        data = data[step]
    return data


def _is_below(path: Path, paths: Sequence[Path]) -> bool:
    return any(other[: len(path)] == path for other in paths)


def _changed_keys(text: str, new: Mapping[str, object], line_end: str) -> str:
    """Return the lines of the keys of one table with their new values."""
    old: Any = plain(tomllib.loads(text))
    if is_same(old, new):
        return text
    document = tomlkit.parse(text if not text or text.endswith("\n") else text + line_end)
    _change_table(document, old, new)
    return tomlkit.dumps(document)


def _change_whole(text: str, old: Any, new: Mapping[str, object]) -> str:
    """Change the whole text by tomlkit. Raises ValueError if a comment moves or vanishes."""
    document = tomlkit.parse(text)
    _change_table(document, old, new)
    result = tomlkit.dumps(document)
    before, after = _comments(text), _comments(result)
    lines = {line.strip() for line in _LINE.findall(result)}
    stays = [comment == same and (below == now or below not in lines) for (comment, below), (same, now) in zip(
        before, after, strict=False
    )]  # fmt: skip
    if len(before) != len(after) or not all(stays):
        raise ValueError("a comment moves")
    return result


def _comments(text: str) -> list[tuple[str, str]]:
    """Return each line that is a comment, with the next line that is none."""
    lines = [line.strip() for line in _LINE.findall(text)]
    return [
        (line, next((below for below in lines[number + 1 :] if below and not below.startswith("#")), ""))
        for number, line in enumerate(lines)
        if line.startswith("#")
    ]


def _with_line_ends(result: str, text: str) -> str:
    """Return the result with the line ends that each of its lines has in the text, others with those of most lines."""
    old, new = _LINE.findall(text), _LINE.findall(result)
    line_end = "\r\n" if "\r\n" in text else "\n"
    plain_old, plain_new = [[line.rstrip("\r\n") for line in lines] for lines in (old, new)]
    ended = [line + line_end if new[at].endswith("\n") else line for at, line in enumerate(plain_new)]
    for block in SequenceMatcher(None, plain_old, plain_new, autojunk=False).get_matching_blocks():
        ended[block.b : block.b + block.size] = old[block.a : block.a + block.size]
    for at, line in enumerate(ended[:-1]):
        if not line.endswith("\n"):
            ended[at] = line + line_end
    return "".join(ended)


def _change_table(table: Any, old: Any, new: Mapping[str, object]) -> None:
    for name in [name for name in old if name not in new]:
        del table[name]
    for name, value in new.items():
        if name not in old:
            table[name] = _as_sibling(table, value)
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
    """Return a text as the kind of time that the item is, if it is one and the text says one; with quotes as it has.

    Any other value is returned as it is.
    """
    if not isinstance(value, str):
        return value
    if isinstance(item, _TEMPORAL):
        return _time_of(value) or value
    return _quoted(item.as_string(), value) if isinstance(item, String) else value


def _as_sibling(table: Any, value: object) -> object:
    """Return a text that says a time as a time, if the table has one beside it."""
    has_times = any(isinstance(each, _TEMPORAL) for each in table.values())
    return (_time_of(value) or value) if has_times and isinstance(value, str) else value


def _time_of(text: str) -> date | time | None:
    """Return the day or time of which a text is the plain form, None for another text."""
    for candidate in _TEMPORAL:
        try:
            moment = candidate.fromisoformat(text)
        except ValueError:
            continue
        if plain(moment) == text:
            return moment
    return None


def _quoted(raw: str, value: str) -> object:
    """Return a text in the quotation marks of another one, where they can hold it."""
    sign = raw[:1]
    is_multiline = raw.startswith(sign * 3) and len(raw) > len(sign * 5)
    try:
        if not is_multiline:
            return tomlkit.string(value, literal=sign == "'")
        start = "\n" if raw[3:].startswith(("\n", "\r\n")) else ""
        inner = value if sign == "'" else value.replace("\\", "\\\\").replace('"""', '""\\"')
        item = tomlkit.parse(f"a = {sign * 3}{start}{inner}{sign * 3}\n")["a"]
        return item if item == value else value
    except _FAILURES:
        return value


def _with_plain_times(written: object, new: Any) -> Any:
    """Return the data with each time in the plain form, where the text has a time."""
    if isinstance(written, dict) and isinstance(new, dict):
        return {key: _with_plain_times(written.get(key), value) for key, value in new.items()}
    if isinstance(written, list) and isinstance(new, list) and len(written) == len(new):
        return [_with_plain_times(old, value) for old, value in zip(written, new, strict=True)]
    if isinstance(written, datetime) and isinstance(new, str):
        try:
            return plain(datetime.fromisoformat(new))
        except ValueError:
            return new
    return new


def _without_null(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_null(inner) for key, inner in value.items() if inner is not None}
    return [_without_null(inner) for inner in value if inner is not None] if isinstance(value, list) else value
