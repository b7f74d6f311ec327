"""Reading of one file: UTF-8 text, then YAML, TOML or front matter. Each raises InvalidFiles.

The JSON Schemas in content_schema/, which ship with sitecms, declare these files and their defaults.
"""

import math
import re
import tomllib
from collections.abc import Iterable, Mapping
from datetime import date, time
from functools import cache
from pathlib import Path
from typing import Any

import orjson
import yaml
from msgspec import Struct

from sitecms.documents.yaml12 import load_yaml
from sitecms.errors import FileError, InvalidFiles
from sitecms.resources import resource_dir

UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
"""Control characters except tab and line ends, lone surrogates, U+FFFE and U+FFFF: XML (so a feed) cannot hold them."""
MAX_KEYS, MAX_DEPTH, MAX_DIGITS = 1000, 64, 1000
"""Of front matter, of lists and tables inside each other, and of a whole number."""
FENCE = "---"
TOML_FENCE = "+++"
_TOML_POSITION = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
_YAML_REMEDIES = (
    ("mapping values are not allowed", 'put text with ": " in it in quotes'),
    ("cannot start any token", "indent with spaces, not tabs; put text that begins with a sign in quotes"),
)
_TOML_REMEDIES = (
    ("twice", "add your lines to the table that is there"),
    ("overwrite", "keep one of the two"),
    ("invalid value", "put text in quotes"),
)
_TOML_KEY = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
_TOML_DEEP = re.compile(
    rf"^[ \t]*+\[{{0,2}}+[ \t]*+(?:{_TOML_KEY}[ \t]*+\.[ \t]*+){{{MAX_DEPTH},}}"  # of a key or table with dots
    rf"|[\[{{](?:\s*+(?:{_TOML_KEY}\s*+=\s*+)?[\[{{]){{{MAX_DEPTH},}}",
    re.MULTILINE,
)
_TOML_DIGITS = re.compile(rf"[0-9_]{{4000,}}|0[xob][0-9a-fA-F_]{{{MAX_DIGITS},}}")
_TOML_BEGINNING = re.compile(r"\s*(?:(?P<table>\[[^\[\]]+\])\s*(?:#.*)?$|(?P<key>[\w.-]+)\s*=)")


@cache
def load_schema(name: str) -> dict[str, Any]:
    """Return the schema `content_schema/<name>.schema.json`, which callers must not change."""
    content = (resource_dir("content_schema") / f"{name}.schema.json").read_bytes()
    schema: dict[str, Any] = orjson.loads(content)
    return schema


def with_defaults(data: Mapping[str, Any], schema: str | Mapping[str, Any]) -> dict[str, Any]:
    """Return the data with missing and null keys filled in from the schema's defaults, inner tables included.

    `schema` is one, or the name of one in content_schema/.
    """
    return _filled(data, load_schema(schema) if isinstance(schema, str) else schema)


def _filled(data: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    filled = dict(data)
    for name, rule in schema.get("properties", {}).items():
        if "default" in rule and data.get(name) is None:
            filled[name] = rule["default"]
        elif "properties" in rule and rule.get("type") == "object":
            filled[name] = _filled(data.get(name) or {}, rule)
    return filled


def unfit_character(text: str) -> str:
    """Return the first unfit character as `U+0001`, or "" if the text holds none."""
    match = UNFIT.search(text)
    return f"U+{ord(match[0]):04X}" if match else ""


def plain(data: object) -> object:
    """Return the data as JSON has it.

    Days and times (from TOML) are ISO 8601 text, with a zone if they have one; numbers that JSON cannot hold are text.
    """
    if isinstance(data, date | time):
        return data.isoformat().replace("+00:00", "Z")
    if isinstance(data, float) and not math.isfinite(data):
        return str(data)
    if isinstance(data, dict):
        return {key: plain(value) for key, value in data.items()}
    return [plain(value) for value in data] if isinstance(data, list) else data


class FrontMatter(Struct, frozen=True):
    """The front matter and the body of a Markdown file; `body_line` is the number of the body's first line."""

    data: dict[str, Any]
    body: str
    body_line: int


def read_text(path: Path, file: str | None = None) -> str:
    r"""Return the file's text, line ends as `\n`, without byte order mark. `file` is its name in errors."""
    label = file or path.as_posix()
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise _invalid(label, "is not UTF-8 text", "save the file as UTF-8", line) from error
    except OSError as error:
        raise _invalid(label, f"cannot be read: {error.strerror}") from error


def read_yaml(path: Path, file: str | None = None) -> object:
    """Return the YAML file's data; None for an empty file."""
    return _parse_yaml(read_text(path, file), file or path.as_posix())


def read_toml(path: Path, file: str | None = None) -> dict[str, Any]:
    """Return the TOML file's data."""
    return _parse_toml(read_text(path, file), file or path.as_posix())


def read_front_matter(path: Path, file: str | None = None) -> FrontMatter:
    """Return the Markdown file's front matter and body.

    Front matter is YAML between two lines `---`, or TOML between two lines `+++`; times of TOML become ISO 8601 text.
    """
    label = file or path.as_posix()
    lines = read_text(path, file).split("\n")
    fence = lines[0].rstrip()
    if fence not in (FENCE, TOML_FENCE):
        raise _invalid(label, "has no front matter", "begin with a line ---, keys such as title:, and a line ---", 1)
    end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() == fence), None)
    if end is None:
        raise _invalid(label, "has front matter that does not end", f"close it with a line {fence}", 1)
    text = "\n".join(lines[1:end])
    data = _parse_yaml(text, label, offset=1) if fence == FENCE else plain(_parse_toml(text, label, offset=1))
    if data is not None and not isinstance(data, dict):
        raise _invalid(label, "has front matter that is not keys with values", "write lines such as title: Home", 2)
    if data is not None and len(data) > MAX_KEYS:
        raise _invalid(label, f"has front matter with {len(data):,} keys", f"at most {MAX_KEYS:,} are read", 1)
    body = "\n".join(lines[end + 1 :])
    if match := UNFIT.search(body):
        line = body.count("\n", 0, match.start()) + end + 2
        raise _invalid(label, f"holds the control character {unfit_character(body)}", "remove it", line)
    return FrontMatter(data or {}, body, end + 2)


def _parse_yaml(text: str, label: str, offset: int = 0) -> object:
    try:
        return load_yaml(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 + offset if mark else None
        problem = str(error.problem or error.context)
        remedy = next((remedy for part, remedy in _YAML_REMEDIES if part in problem), "")
        raise _invalid(label, f"is not valid YAML: {problem}", remedy, line) from error
    except yaml.YAMLError as error:
        problem = "is not valid YAML: it contains a control character"
        raise _invalid(label, problem, "remove the character", _control_line(text, offset)) from error


def toml_excess(text: str) -> tuple[str, int] | None:
    """Return what is too much in the TOML for its parser, and the line (from 1); None if nothing is."""
    if deep := _TOML_DEEP.search(text):
        return f"is nested deeper than {MAX_DEPTH} levels", text.count("\n", 0, deep.start()) + 1
    if digits := _TOML_DIGITS.search(text):
        return f"has a number of more than {MAX_DIGITS:,} digits", text.count("\n", 0, digits.start()) + 1
    return None


def is_too_deep(data: object) -> bool:
    """Return whether lists and tables are more than MAX_DEPTH levels inside each other."""
    level = [data]
    for _ in range(MAX_DEPTH):
        level = [inner for each in level for inner in _inner(each)]
    return any(isinstance(each, dict | list) for each in level)


def _inner(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _parse_toml(text: str, label: str, offset: int = 0) -> dict[str, Any]:
    if excess := toml_excess(text):
        raise _invalid(label, excess[0], "use fewer, and put text in quotes", excess[1] + offset)
    try:
        data = tomllib.loads(text)
    except RecursionError:
        raise _invalid(label, f"is nested deeper than {MAX_DEPTH} levels") from None
    except tomllib.TOMLDecodeError as error:
        match = _TOML_POSITION.search(str(error))
        line = int(match[1]) + offset if match and match[1] else None
        said = _TOML_POSITION.sub("", str(error)).lower()
        remedy = next((remedy for part, remedy in _TOML_REMEDIES if part in said), "")
        if repeated := _repeated_line(text) if "twice" in said or "overwrite" in said else None:
            first, second, what = repeated
            said, line = f"{what} is already in line {first + offset}", second + offset
        raise _invalid(label, f"is not valid TOML: {said}", remedy, line) from error
    if is_too_deep(data):
        raise _invalid(label, f"is nested deeper than {MAX_DEPTH} levels")
    return data


def _repeated_line(text: str) -> tuple[int, int, str] | None:
    """Return the numbers of the first two lines that begin the same table or key, and that table or key."""
    table, lines = "", dict[tuple[str, str], int]()
    for number, line in enumerate(text.split("\n"), 1):
        if match := _TOML_BEGINNING.match(line):
            table, key = match["table"] or table, match["key"] or ""
            first = lines.setdefault((table, key), number)
            if first != number:
                return first, number, key or table
    return None


def _control_line(text: str, offset: int) -> int | None:
    match = re.search(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", text)
    return text.count("\n", 0, match.start()) + 1 + offset if match else None


def _invalid(file: str, problem: str, remedy: str = "", line: int | None = None) -> InvalidFiles:
    return InvalidFiles([FileError(file, "", problem, remedy, line)])
