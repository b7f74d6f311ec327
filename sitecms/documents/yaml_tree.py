"""The values of a YAML text with their places in it, for changes that leave everything else as it is."""

from collections.abc import Iterator
from enum import Enum, auto
from typing import Any, NamedTuple

import yaml
from msgspec import Struct, field


class Form(Enum):
    """The form of a value in a text."""

    SCALAR = auto()
    TABLE = auto()
    LIST = auto()
    ALIAS = auto()


class Node(Struct):
    """A value at `start`, which ends before `end`; `column` is where its lines begin.

    `style` is that of a scalar: `'`, `"`, `|`, `>`, or "" without quotes. `pairs` are the keys and values of a table,
    `items` the values of a list. A table or list with `is_flow` is written in brackets.
    """

    form: Form
    start: int
    end: int
    column: int
    style: str = ""
    is_flow: bool = False
    text: str = ""
    pairs: "list[Pair]" = field(default_factory=list)
    items: "list[Node]" = field(default_factory=list)


class Pair(NamedTuple):
    """A key of a table, and its value."""

    key: Node
    value: Node


def read_tree(text: str) -> Node | None:
    """Return the value of a text that `load_yaml` reads; None for a text without one."""
    events: Iterator[Any] = yaml.parse(text, Loader=yaml.CSafeLoader)
    for event in events:
        if isinstance(event, yaml.NodeEvent):
            return _read(event, events, text)
    return None


def _read(event: Any, events: Iterator[Any], text: str) -> Node:
    start, end = event.start_mark.index, event.end_mark.index
    node = Node(Form.SCALAR, start, end, event.start_mark.column)
    if isinstance(event, yaml.AliasEvent):
        node.form = Form.ALIAS
    elif isinstance(event, yaml.ScalarEvent):
        node.style, node.text = event.style or "", event.value
        if node.style in ("|", ">"):
            node.end = _end_of_block(text, start, end)
    else:
        node.is_flow = bool(event.flow_style)
        node.form = Form.TABLE if isinstance(event, yaml.MappingStartEvent) else Form.LIST
        _read_children(node, events, text)
    return node


def _read_children(node: Node, events: Iterator[Any], text: str) -> None:
    for event in events:
        if isinstance(event, yaml.CollectionEndEvent):
            mark = event.end_mark
            node.end = mark.index if node.is_flow and mark else node.end
            break
        child = _read(event, events, text)
        if node.form is Form.LIST:
            node.items.append(child)
        else:
            value = _read(next(events), events, text)
            node.pairs.append(Pair(child, value))
    last = node.pairs[-1].value if node.pairs else node.items[-1] if node.items else None
    if last is not None and not node.is_flow:
        node.end = last.end
        node.column = node.pairs[0].key.column if node.pairs else node.column


def _end_of_block(text: str, start: int, end: int) -> int:
    """Return the end of the last line of a block scalar; empty lines below it belong to it only after `|+`."""
    header = text[start:end].split("\n", 1)[0]
    if "+" in header.split("#")[0]:
        return end - len(text[:end]) + len(text[:end].removesuffix("\n").removesuffix("\r"))
    return start + len(text[start:end].rstrip())
