"""YAML 1.2: `no`, `on` and `12:30` are text; keys are unique; the data is plain JSON data.

Times stay text too, so that a text field that looks like one is kept letter by letter. The schema declares fields
that are times, and `clock.parse_timestamp` reads them.
"""

import math
import re
from collections.abc import Hashable
from typing import Any, ClassVar, TypeAlias

import yaml
from yaml.composer import Composer
from yaml.constructor import ConstructorError
from yaml.events import AliasEvent
from yaml.nodes import MappingNode, Node, ScalarNode

MAX_DEPTH = 64
MAX_ALIASED_NODES = 10_000
MAX_DIGITS = 1000
LINE_WIDTH = 120

_TAG = "tag:yaml.org,2002:"
_INT = re.compile(r"[-+]?[0-9]+$|0o[0-7]+$|0x[0-9a-fA-F]+$")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?$")
_RESOLVERS = (
    ("bool", re.compile(r"(?:true|True|TRUE|false|False|FALSE)$"), "tTfF"),
    ("int", _INT, "-+0123456789"),
    ("float", _FLOAT, "-+.0123456789"),
    ("null", re.compile(r"(?:~|null|Null|NULL|)$"), ["~", "n", "N", ""]),
    ("merge", re.compile(r"<<$"), "<"),
)
_BASES = {"0o": 8, "0x": 16}

_LoaderOrDumper: TypeAlias = "type[Yaml12Loader] | type[Yaml12Dumper]"


def load_yaml(text: str) -> object:
    """Return the one document in the text, as plain data; None for an empty text. Raises yaml.YAMLError."""
    loader = Yaml12Loader(text)
    try:
        return loader.get_single_data()
    finally:
        loader.dispose()


def dump_yaml(data: object, *, width: int | None = LINE_WIDTH) -> str:
    """Return the data (as JSON has it) as YAML that reads back equal, keys in the order given.

    Long texts are folded at the width; None: never.
    """
    return str(yaml.dump(data, Dumper=Yaml12Dumper, sort_keys=False, allow_unicode=True, width=width or -1))


class Yaml12Loader(Composer, yaml.CSafeLoader):
    """Parses in C, composes in Python: PyYAML's C composer overflows the stack on deep nesting."""

    yaml_constructors: ClassVar[dict[str | None, Any]] = {}

    def __init__(self, text: str) -> None:
        """Prepare to load the text."""
        yaml.CSafeLoader.__init__(self, text)
        Composer.__init__(self)
        self._depth = 0
        self._nodes = 0
        self._aliased_nodes = 0
        self._sizes: dict[int, int] = {}

    def compose_node(self, parent: Node | None, index: Any) -> Node | None:
        """Return the next node; refuse nesting that is too deep, and aliases that would unfold to too many nodes."""
        event: Any = self.peek_event()
        mark, alias = event.start_mark, isinstance(event, AliasEvent)
        nodes_before = self._nodes
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ConstructorError(None, None, f"nested deeper than {MAX_DEPTH} levels", mark)
        node = super().compose_node(parent, index)
        self._depth -= 1
        if alias:
            self._count_alias(node, mark)
        else:
            self._nodes += 1
            self._sizes[id(node)] = self._nodes - nodes_before
        return node

    def _count_alias(self, node: Node | None, mark: Any) -> None:
        size = self._sizes.get(id(node))
        if size is None:
            raise ConstructorError(None, None, "an alias (*) is inside the value that it repeats", mark)
        self._nodes += size
        self._aliased_nodes += size
        if self._aliased_nodes > MAX_ALIASED_NODES:
            raise ConstructorError(None, None, "aliases (*) repeat too much", mark)

    def construct_mapping(self, node: MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Return a table, whose keys are text and unique."""
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, ScalarNode) or key.tag not in (_TAG + "str", _TAG + "merge"):
                raise ConstructorError(None, None, "a key that is not text; put it in quotes", key.start_mark)
            if key.value in seen:
                raise ConstructorError(None, None, f'the key "{key.value}" occurs here twice', key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep=deep)

    def construct_bool(self, node: ScalarNode) -> bool:
        """Return true or false."""
        return str(node.value).lower() == "true"

    def construct_int(self, node: ScalarNode) -> int | str:
        """Return a whole number; text where it has too many digits."""
        text = str(node.value)
        if len(text) > MAX_DIGITS:
            return text
        try:
            return int(text[2:], _BASES[text[:2]]) if text[:2] in _BASES else int(text)
        except ValueError:
            return text

    def construct_float(self, node: ScalarNode) -> float | str:
        """Return a number; text where it is out of range, for JSON has no infinity."""
        try:
            value = float(node.value)
        except ValueError:
            return str(node.value)
        return value if math.isfinite(value) else str(node.value)

    def refuse_tag(self, node: Node) -> None:
        """Refuse a tag."""
        raise ConstructorError(None, None, f'the tag "{node.tag}" is not for content files', node.start_mark)


class Yaml12Dumper(yaml.CSafeDumper):
    """Dumper that quotes only texts that `Yaml12Loader` would read as something else."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the library's hook
        """Return True: equal values are written out."""
        return True

    def represent_text(self, text: str) -> ScalarNode:
        """Write several lines as a literal block, where the text allows it."""
        return self.represent_scalar(_TAG + "str", text, style="|" if "\n" in text.strip("\n") else None)


def _resolve_as_12(target: _LoaderOrDumper) -> None:
    target.yaml_implicit_resolvers = {}
    for name, pattern, first in _RESOLVERS:
        target.add_implicit_resolver(_TAG + name, pattern, list(first))


def _construct_as_12() -> None:
    for name in ("map", "seq", "str", "null"):
        Yaml12Loader.add_constructor(_TAG + name, getattr(yaml.SafeLoader, f"construct_yaml_{name}"))
    Yaml12Loader.add_constructor(_TAG + "bool", Yaml12Loader.construct_bool)
    Yaml12Loader.add_constructor(_TAG + "int", Yaml12Loader.construct_int)
    Yaml12Loader.add_constructor(_TAG + "float", Yaml12Loader.construct_float)
    Yaml12Loader.add_constructor(None, Yaml12Loader.refuse_tag)


_resolve_as_12(Yaml12Loader)
_resolve_as_12(Yaml12Dumper)
_construct_as_12()
Yaml12Dumper.add_representer(str, Yaml12Dumper.represent_text)
