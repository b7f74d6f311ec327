"""Places in documents: as text, as lines of files for error messages, and suggestions for misspelt names."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TypeAlias

import yaml
from yaml.nodes import Node

from sitecms.documents.reading import TOML_FENCE, read_text
from sitecms.documents.yaml12 import Yaml12Loader

Step: TypeAlias = "str | int"
_TABLE = re.compile(r"\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"\s*([A-Za-z0-9_.\"'-]+)\s*=")


def place_of(path: Sequence[Step]) -> str:
    """Return `fields[2].type` for ("fields", 2, "type")."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


def nearest(name: str, names: Iterable[str]) -> str:
    """Return the known name that was probably meant, or ""."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, list(names), n=1, cutoff=0.6)), "")


def suggest(name: str, names: Sequence[str]) -> str:
    """Return the remedy for an unknown name: the nearest one, or all there are."""
    suggestion = nearest(name, names)
    return f'did you mean "{suggestion}"?' if suggestion else f"there are: {', '.join(names) or 'none'}"


Locate: TypeAlias = Callable[[Sequence[str | int]], int | None]


def nowhere(path: Sequence[str | int]) -> int | None:  # noqa: ARG001 - a Locate
    """Return None: data without a file has no lines."""
    return None


def locator(path: Path) -> Locate:
    """Return a function that finds the line (from 1) of a place in a .toml, .yaml or .md file, or None."""
    tree = cache(lambda: _tree(path))

    def locate(steps: Sequence[str | int]) -> int | None:
        root = tree()
        return _toml_line(root, steps) if isinstance(root, str) else _yaml_line(root, steps)

    return locate


def _tree(path: Path) -> Node | str | None:
    """Return the nodes of the file's YAML, or the text of its TOML. The fence of front matter is an empty line."""
    text = read_text(path)
    is_toml = path.suffix == ".toml"
    if path.suffix == ".md":
        fence, _, rest = text.partition("\n")
        is_toml = fence.rstrip() == TOML_FENCE
        text = "\n" + rest.split(f"\n{fence.rstrip()}", 1)[0]
    return text if is_toml else _compose(text)


def _compose(text: str) -> Node | None:
    loader = Yaml12Loader(text)
    try:
        return loader.get_single_node()
    except yaml.YAMLError:
        return None
    finally:
        loader.dispose()


def _yaml_line(node: Node | None, steps: Sequence[str | int]) -> int | None:
    """Return the line of the last step that exists: a missing key is shown at its table."""
    if node is None:
        return None
    line = int(node.start_mark.line)
    for step in steps:
        child = _child(node, step)
        if child is None:
            break
        line, node = child
    return line + 1


def _child(node: Node, step: str | int) -> "tuple[int, Node] | None":
    """Return line and node of a table's key or a list's entry."""
    from yaml.nodes import MappingNode, SequenceNode

    if isinstance(node, MappingNode):
        for key, value in node.value:
            if key.value == step:
                return key.start_mark.line, value
    if isinstance(node, SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step].start_mark.line, node.value[step]
    return None


def _toml_line(text: str, steps: Sequence[str | int]) -> int | None:
    """Return the line of the longest beginning of the path that a `[table]` or `key =` line names."""
    keys = [str(step) for step in steps if isinstance(step, str)]
    table: list[str] = []
    best, best_depth = None, 0
    for number, line in enumerate(text.split("\n"), 1):
        if match := _TABLE.match(line):
            table = _parts(match[1])
            here = table
        elif match := _KEY.match(line):
            here = table + _parts(match[1])
        else:
            continue
        if len(here) > best_depth and here == keys[: len(here)]:
            best, best_depth = number, len(here)
    return best


def _parts(dotted: str) -> list[str]:
    return [part.strip().strip("\"'") for part in dotted.split(".")]
