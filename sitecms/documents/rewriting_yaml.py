"""Changes of a YAML text: the lines of what changed are written anew, all others stay as they are.

Comments, order, quotes, indentation, empty lines and line ends of everything else are kept. A text is changed value by
value; if it would not read back as it should (an anchor that is used elsewhere, say), each changed value of the
outermost table or list is written anew as a whole.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import yaml
from msgspec import Struct, field

from sitecms.documents.comparison import CannotRewrite, compare_lists, is_same, signature
from sitecms.documents.yaml12 import load_yaml
from sitecms.documents.yaml_tree import Form, Node, Pair, read_tree
from sitecms.documents.yaml_values import flow, literal, needs_lines, quoted, scalar

INDENT = 2
LINE_WIDTH = 100  # of a list in brackets
_ANCHOR = re.compile(r"&\S+\s*")
_HEADER = re.compile(r"[|>][0-9+-]*")
_COMMA = re.compile(r"\s*,")
_COMMENT = re.compile(r"[^\S\r\n]+#")


def rewrite_yaml(text: str, data: object) -> str:
    """Return the text, changed where it does not read as `data` (as JSON has it). Raises CannotRewrite.

    `text` is one that `load_yaml` reads, with its own line ends.
    """
    before = load_yaml(text)
    for levels in (None, 1, 0):
        rewriter = _Rewriter(text, levels)
        rewriter.change_document(read_tree(text), before, data)
        result = rewriter.result()
        for ending in ("", rewriter.line_end):  # a block at the end of a text ends only with the line
            if _reads_as(result + ending, data):
                return result + ending
    raise CannotRewrite("its YAML cannot be changed in place; does it use an anchor (&) that is repeated elsewhere?")


def _reads_as(text: str, data: object) -> bool:
    try:
        return is_same(load_yaml(text), data)
    except yaml.YAMLError:
        return False


class _Edit(Struct, frozen=True, order=True):
    """New text in place of what is between two positions; edits at one position keep their `order`."""

    start: int
    end: int
    order: int
    text: str


class _Parent(Struct, frozen=True):
    """The parent of a value: a key, or an entry of a list, that begins at the column or is in brackets."""

    column: int
    is_entry: bool = False
    is_flow: bool = False


class _Rewriter(Struct):
    """Collects the edits of one text. `levels`: how deep values are compared before they are written as a whole."""

    text: str
    levels: int | None
    edits: list[_Edit] = field(default_factory=list)
    line_end: str = ""
    list_indent: int = INDENT
    has_brackets: bool = True
    commas: set[int] = field(default_factory=set)

    def change_document(self, root: Node | None, old: object, new: object) -> None:
        """Note the edits that make the text read as `new`."""
        self.line_end = "\r\n" if "\r\n" in self.text else "\n"
        self._read_style(root)
        if is_same(old, new):
            return
        if root is None:
            start = len(self.text)
            gap = "" if not self.text or self.text.endswith("\n") else self.line_end
            self._edit(start, start, gap + self._join(self._lines(new, 0)) + self.line_end)
        elif root.form is Form.TABLE and isinstance(new, dict) and new and root.pairs:
            self._change_table(root, old, new, self.levels)
        elif root.form is Form.LIST and isinstance(new, list) and new and root.items:
            self._change_list(root, old, new, self.levels)
        else:
            self._edit(root.start, root.end, self._join(self._lines(new, 0)))

    def _read_style(self, root: Node | None) -> None:
        """Note how the text writes its lists: indented how far below their keys, and whether in brackets."""
        blocks, flows = list[Pair](), list[Pair]()
        for pair in _lists_below_keys(root):
            (flows if pair.value.is_flow else blocks).append(pair)
        if blocks:
            self.list_indent = max(blocks[0].value.column - blocks[0].key.column, 0)
        self.has_brackets = any(map(_is_plain, flows)) or not any(map(_is_plain, blocks))

    def result(self) -> str:
        """Return the text with all edits."""
        parts, position = [], 0
        for edit in sorted(self.edits):
            if edit.start < position:  # lines that are removed reach into each other at the end of the text
                position = max(position, edit.end)
                continue
            parts += [self.text[position : edit.start], edit.text]
            position = edit.end
        return "".join((*parts, self.text[position:]))

    def _edit(self, start: int, end: int, text: str) -> None:
        self.edits.append(_Edit(start, end, len(self.edits), text))

    def _change_value(self, node: Node, old: object, new: object, parent: _Parent, levels: int | None) -> None:
        """Note the edits of one value."""
        if is_same(old, new):
            return
        inner = None if levels is None else levels - 1
        if levels != 0 and node.form is Form.TABLE and isinstance(old, dict) and isinstance(new, dict) and new and old:
            self._change_table(node, old, new, inner)
        elif levels != 0 and node.form is Form.LIST and isinstance(old, list) and isinstance(new, list) and new and old:
            self._change_list(node, old, new, inner)
        elif parent.is_flow or (node.is_flow and not needs_lines(new)):
            in_brackets = parent.is_flow or isinstance(new, dict | list)
            self._edit(self._inner_start(node), node.end, flow(new) if in_brackets else scalar(new))
        else:
            self._replace(node, new, parent)

    def _replace(self, node: Node, new: object, parent: _Parent) -> None:
        """Write a value anew, in the block style."""
        start = self._inner_start(node)
        if node.style in ("|", ">") and isinstance(new, str) and (block := literal(new)):
            header = _HEADER.match(self.text, start)
            content = self._line_end(start)
            indent = self._content_indent(content, node.end) or parent.column + INDENT
            if header and not block.has_digit:
                self._edit(start, header.end(), block.header)
                self._edit(content, node.end, "".join(self.line_end + line for line in block.indented(indent)))
                return
        lines = self._entry_lines(new, parent.column) if parent.is_entry else self._value_lines(new, parent.column)
        if node.style in ("'", '"') and isinstance(new, str) and new.isprintable():
            lines = [quoted(new, node.style)]
        below_key = self._is_below_key(start)
        span_start = start if len(lines) == 1 and not below_key else self._span_start(start)
        head = lines[0] if span_start == start else lines[0] and f" {lines[0]}"
        if head and span_start == start:
            is_glued = start == node.end and self.text[start - 1 : start] not in (" ", "")
            missing = parent.column + INDENT - (start - self._line_start(start)) if below_key else int(is_glued)
            head = " " * missing + head
        self._edit(span_start, node.end, head)
        if len(lines) > 1:
            position = self._line_end(node.end)
            self._edit(position, position, self.line_end + self._join(lines[1:]))

    def _span_start(self, start: int) -> int:
        """Return the end of the key or dash before a value, if only spaces and line ends are between the two."""
        before = self.text[:start].rstrip()
        line = before[before.rfind("\n") + 1 :]
        return start if _COMMENT.search(f" {line}") else len(before)

    def _is_below_key(self, start: int) -> bool:
        return not self.text[self._line_start(start) : start].strip()

    def _value_lines(self, value: object, column: int) -> list[str]:
        """Return what stands beside the key, "" if nothing does, and the lines below it."""
        if isinstance(value, str) and (block := literal(value)):
            return [block.header, *block.indented(column + INDENT)]
        if isinstance(value, dict) and value:
            return ["", *self._lines(value, column + INDENT)]
        if isinstance(value, list) and value:
            brackets = self._brackets(value, column)
            return [brackets] if brackets else ["", *self._lines(value, column + self.list_indent)]
        return [scalar(value)]

    def _brackets(self, value: list[object], column: int) -> str:
        """Return a list of plain values in brackets; "" if they are too long, or the text has such lists in lines."""
        if not self.has_brackets or any(isinstance(each, dict | list) for each in value) or needs_lines(value):
            return ""
        text = flow(value)
        return text if column + len(text) <= LINE_WIDTH else ""

    def _lines(self, value: object, column: int) -> list[str]:
        """Return the lines of a value in the block style."""
        margin, lines = " " * column, list[str]()
        if isinstance(value, dict) and value:
            for key, inner in value.items():
                head, *below = self._value_lines(inner, column)
                lines += [f"{margin}{scalar(key)}:{head and f' {head}'}", *below]
        elif isinstance(value, list) and value:
            for inner in value:
                head, *below = self._entry_lines(inner, column)
                lines += [f"{margin}- {head}" if head else f"{margin}-", *below]
        else:
            lines = [margin + line for line in self._value_lines(value, column)]
        return lines

    def _entry_lines(self, value: object, column: int) -> list[str]:
        """Return what stands beside the dash at the column, and the lines below it."""
        if isinstance(value, list) and value and (brackets := self._brackets(value, column)):
            return [brackets]
        if isinstance(value, dict | list) and value:
            first, *others = self._lines(value, column + INDENT)
            return [first[column + INDENT :], *others]
        return self._value_lines(value, column)

    def _change_table(self, node: Node, old: Any, new: Mapping[str, object], levels: int | None) -> None:
        there = {pair.key.text: pair for pair in node.pairs}
        if not any(name in new for name in there):
            self._write_whole(node, new)
            return
        gone = [position for position, pair in enumerate(node.pairs) if pair.key.text not in new]
        spans = [(pair.key.start, pair.value.end) for pair in node.pairs]
        self._remove(node, spans, gone)
        previous: str | None = None
        for name, value in new.items():
            if name in there:
                pair = there[name]
                self._change_value(pair.value, old.get(name), value, _Parent(node.column, is_flow=node.is_flow), levels)
                previous = name
            elif name in old and is_same(old[name], value):
                continue  # of a table that is merged into this one by `<<`
            else:
                self._insert_key(node, there, previous, (name, value))

    def _insert_key(self, node: Node, there: Mapping[str, Any], previous: str | None, pair: tuple[str, object]) -> None:
        """Write a new key below another one, or as the first."""
        name, value = pair
        if node.is_flow:
            text = f"{flow(name)}: {flow(value)}"
            before = there[previous] if previous is not None else None
            self._insert_in_brackets(node, (before.key.start, before.value.end) if before else None, text)
            return
        lines = self._lines({name: value}, node.column)
        if previous is not None:
            position = self._line_end(there[previous].value.end)
            self._edit(position, position, self.line_end + self._join(lines))
        else:
            start = node.pairs[0].key.start
            self._edit(start, start, self._join(lines)[node.column :] + self.line_end + " " * node.column)

    def _write_whole(self, node: Node, new: object) -> None:
        """Write a table or list anew within the lines that it has."""
        if node.is_flow:
            self._edit(self._inner_start(node), node.end, flow(new))
        else:
            column = node.column
            self._edit(self._first_sign(node), node.end, self._join(self._lines(new, column))[column:])

    def _first_sign(self, node: Node) -> int:
        return node.pairs[0].key.start if node.pairs else self._inner_start(node)

    def _change_list(self, node: Node, old: Any, new: Sequence[object], levels: int | None) -> None:
        starts = [item.start for item in node.items] if node.is_flow else self._dashes(node)
        spans = [(start, item.end) for start, item in zip(starts, node.items, strict=True)]
        pairs, gone, added = compare_lists(old, new)
        if not pairs:
            self._write_whole(node, new)
            return
        self._remove(node, spans, gone)
        for position, new_position in pairs:
            column = starts[position] - self._line_start(starts[position])
            parent = _Parent(column, is_entry=True, is_flow=node.is_flow)
            self._change_value(node.items[position], old[position], new[new_position], parent, levels)
        raw = {signature(old[position]): spans[position] for position in gone}
        for after, new_position in added:
            value = new[new_position]
            self._insert_item(node, spans, after, (value, raw.get(signature(value))))

    def _insert_item(
        self,
        node: Node,
        spans: Sequence[tuple[int, int]],
        after: int | None,
        entry: tuple[object, tuple[int, int] | None],
    ) -> None:
        """Write a new entry below another one, or as the first; one that was moved with the text that it had."""
        value, span = entry
        if node.is_flow:
            self._insert_in_brackets(node, spans[after] if after is not None else None, flow(value))
            return
        start = spans[0][0]
        column = start - self._line_start(start)
        text = self._with_comment(*span) if span else self._join(self._lines_beside(node, value, column))[column:]
        if after is None:
            self._edit(start, start, text + self.line_end + " " * column)
        else:
            position = self._line_end(spans[after][1])
            self._edit(position, position, self.line_end + " " * column + text)

    def _lines_beside(self, node: Node, value: object, column: int) -> list[str]:
        """Return the lines of a new entry of a list; its keys are in brackets where those of other entries are."""
        in_brackets = {pair.key.text for item in node.items for pair in item.pairs if pair.value.is_flow}
        lines = list[str]()
        for key, inner in value.items() if isinstance(value, dict) else ():
            text = f"{' ' * (column + INDENT)}{scalar(key)}: {flow(inner)}"
            is_short = key in in_brackets and isinstance(inner, dict | list) and not needs_lines(inner)
            lines += [text] if is_short and len(text) <= LINE_WIDTH else self._lines({key: inner}, column + INDENT)
        if not lines:
            return self._lines([value], column)
        return [f"{' ' * column}- {lines[0].lstrip(' ')}", *lines[1:]]

    def _with_comment(self, start: int, end: int) -> str:
        """Return the text between two positions, with the comment behind it on its last line."""
        last = self._line_end(end)
        return self.text[start : last if _COMMENT.match(self.text, end) else end]

    def _dashes(self, node: Node) -> list[int]:
        """Return the positions of the dashes of a list."""
        column = self._inner_start(node) - self._line_start(self._inner_start(node))
        dash = re.compile(rf"(?:^|(?<=[\r\n]))[^\r\n#]{{{column}}}-(?=\s|$)")
        positions, position = [], self._inner_start(node)
        for item in node.items:
            match = None
            if self.text[position : position + 1] != "-":
                match = dash.search(self.text, position)
            positions.append(match.end() - 1 if match else position)
            position = max(item.end, positions[-1] + 1)
        return positions

    def _remove(self, node: Node, spans: Sequence[tuple[int, int]], gone: Sequence[int]) -> None:
        """Remove keys or entries, and in block style the lines that they have."""
        removed = set(gone)
        left = [position for position in range(len(spans)) if position not in removed]
        for run in _runs(gone):
            first, last = run[0], run[-1]
            later = next((position for position in left if position > last), None)
            if later is not None and (node.is_flow or not self._is_below_key(spans[first][0])):
                self._edit(spans[first][0], spans[later][0], "")
            elif node.is_flow and first > 0:
                self._edit(spans[first - 1][1], spans[last][1], "")
            elif node.is_flow:
                self._edit(spans[first][0], spans[last][1], "")
            else:
                for position in run:
                    self._remove_lines(*spans[position])

    def _remove_lines(self, start: int, end: int) -> None:
        first, last = self._line_start(start), self._line_end(end)
        if last < len(self.text):
            last += 2 if self.text.startswith("\r\n", last) else 1
        elif first:
            first -= 2 if self.text[:first].endswith("\r\n") else 1
        self._edit(first, last, "")

    def _insert_in_brackets(self, node: Node, after: tuple[int, int] | None, text: str) -> None:
        """Write a new entry below or beside the one between the two positions, or as the first."""
        if after is None:
            start = self._inner_start(node) + 1
            self._edit(start, start, f"{text}, ")
            return
        start, end = after
        comma = _COMMA.match(self.text, end)
        behind = comma.end() if comma else end
        line_end = self._line_end(behind)
        is_last = not self.text[behind:line_end].strip() or _COMMENT.match(self.text, behind)
        if not self._is_below_key(start) or not is_last:
            self._edit(end, end, f", {text}")
            return
        below = f"{self.line_end}{self.text[self._line_start(start) : start]}{text}"
        if comma is None and end not in self.commas:
            self._edit(end, end, ",")
            self._edit(line_end, line_end, below)
            self.commas.add(end)
        else:
            self._edit(line_end, line_end, f"{below}," if comma else f",{below}")

    def _inner_start(self, node: Node) -> int:
        """Return the start of a value, behind its anchor."""
        anchor = _ANCHOR.match(self.text, node.start)
        return anchor.end() if anchor and anchor.end() <= node.end else node.start

    def _content_indent(self, start: int, end: int) -> int:
        line = next((line for line in self.text[start:end].splitlines() if line.strip()), "")
        return len(line) - len(line.lstrip(" "))

    def _line_start(self, position: int) -> int:
        return max(self.text.rfind("\n", 0, position), self.text.rfind("\r", 0, position)) + 1

    def _line_end(self, position: int) -> int:
        ends = (self.text.find(sign, position) for sign in "\r\n")
        return min((end for end in ends if end >= 0), default=len(self.text))

    def _join(self, lines: Iterable[str]) -> str:
        return self.line_end.join(lines)


def _runs(numbers: Iterable[int]) -> list[list[int]]:
    """Return the numbers, those that follow each other in one list."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs


def _lists_below_keys(root: Node | None) -> list[Pair]:
    """Return the lists of a text that have entries, with their keys."""
    lists, nodes = list[Pair](), [root] if root else []
    while nodes:
        node = nodes.pop(0)
        lists += [pair for pair in node.pairs if pair.value.form is Form.LIST and pair.value.items]
        nodes += [pair.value for pair in node.pairs] + node.items
    return lists


def _is_plain(pair: Pair) -> bool:
    """Return whether a list has neither lists nor tables."""
    return all(item.form in (Form.SCALAR, Form.ALIAS) for item in pair.value.items)
