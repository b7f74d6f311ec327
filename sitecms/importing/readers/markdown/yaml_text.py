"""YAML of front matter as text: values as they were written, with repairs that are reported."""

import re
from typing import Any

import yaml
from yaml.constructor import ConstructorError

from sitecms.documents.yaml12 import Yaml12Loader

KEY_LINE = re.compile(r"([A-Za-z_][\w.-]*)[ \t]*:[ \t]*(.*)")
_TAG = "tag:yaml.org,2002:"
_NESTING = re.compile(r"^[ \t]*", re.M)


class _TextLoader(Yaml12Loader):
    """Loader whose values are text, null or nested; of a key that occurs twice the last one counts, as elsewhere."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        last: dict[str, int] = {}
        for place, (key, _value) in enumerate(node.value):
            if not isinstance(key, yaml.ScalarNode):
                raise ConstructorError(None, None, "a key that is not text", key.start_mark)
            key.tag = key.tag if key.value == "<<" else _TAG + "str"
            last[key.value] = place
        if len(last) < len(node.value):
            self.doubled += len(node.value) - len(last)
            node.value = [node.value[place] for place in sorted(last.values())]
        return yaml.SafeLoader.construct_mapping(self, node, deep=deep)

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.doubled = 0


_TextLoader.yaml_implicit_resolvers = {}
_TextLoader.add_implicit_resolver(_TAG + "null", re.compile(r"(?:~|null|Null|NULL|)$"), ["~", "n", "N", ""])
_TextLoader.add_implicit_resolver(_TAG + "merge", re.compile(r"<<$"), ["<"])


def _untagged(loader: Any, node: Any) -> Any:
    """Return a value with a tag of its own as if it had none."""
    if isinstance(node, yaml.ScalarNode):
        return node.value
    return (
        loader.construct_mapping(node, True)
        if isinstance(node, yaml.MappingNode)
        else loader.construct_sequence(node, True)
    )


_TextLoader.add_constructor(None, _untagged)


def parse_yaml(text: str) -> tuple[Any, int]:
    """Return the data of YAML, its values as text, and the number of duplicate keys. Raises yaml.YAMLError."""
    loader = _TextLoader(text)
    try:
        return loader.get_single_data(), loader.doubled
    finally:
        loader.dispose()


def read_yaml(text: str, line: int) -> tuple[dict[str, Any], tuple[tuple[int, str], ...]]:
    """Return the data of front matter in YAML, and the repairs: tabs, duplicate keys, lines that are not YAML."""
    problems: list[tuple[int, str]] = []
    if "\t" in text:
        text = _NESTING.sub(lambda match: match[0].replace("\t", "  "), text)
    for attempt in (text, text.replace("\t", " ")):
        try:
            data, doubled = parse_yaml(attempt)
        except (yaml.YAMLError, RecursionError) as error:
            mark = getattr(error, "problem_mark", None)
            problems = [
                (
                    line + (mark.line if mark else 0),
                    f"no valid YAML: {getattr(error, 'problem', None) or 'it cannot be read'}",
                )
            ]
            continue
        problems = [(line, "a key that occurs twice; the last one counts")] if doubled else []
        if data is None or isinstance(data, dict):
            return data or {}, tuple(problems)
        return {}, ((line, "front matter that is not keys with values"),)
    at, what = problems[0]
    return _line_by_line(text), ((at, f"{what}; its lines were read one by one"),)


def _line_by_line(text: str) -> dict[str, Any]:
    """Return keys and values of invalid YAML: each line `key: value`, and lists below a key."""
    data: dict[str, Any] = {}
    key = ""
    for line in text.split("\n"):
        if match := KEY_LINE.fullmatch(line):
            key = match[1]
            try:
                data[key], _doubled = parse_yaml(match[2])
            except (yaml.YAMLError, RecursionError):
                data[key] = match[2].strip().strip("\"'")
        elif key and (item := re.fullmatch(r"[ \t]*- +(.*)", line)):
            before = data[key] if isinstance(data[key], list) else []
            data[key] = [*before, item[1].strip().strip("\"'")]
        elif key and line.strip() and isinstance(data[key], str):
            data[key] += "\n" + line.strip()
    return data
