"""Changes of files that people wrote: what changed is written anew, everything else stays."""

import json
import tomllib
from difflib import unified_diff
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecms.documents import read_front_matter
from sitecms.documents.comparison import is_same
from sitecms.documents.reading import plain
from sitecms.documents.rewriting import CannotRewrite, rewrite_front_matter, rewrite_toml, rewrite_yaml
from sitecms.documents.yaml12 import dump_yaml, load_yaml
from sitecms.documents.yaml_tree import read_tree
from sitecms.documents.yaml_values import flow, scalar

POST = """\
---
# For the spring issue
title: 'Slack water'   # working title
tags: [moon, "harbour"]
summary:
aliases:
  - /old/slack/
  # from the first site
  - /older/
note: |
  One.

  Two.
fields: {mood: calm, depth: 1.50}
---
First.

Last."""
TEAM = """\
# The team, in the order of the page
- slug: ann
  name: Ann Ray   # captain

# since spring
- slug: bo
  name: Bo
"""
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff"), max_size=12)
SIGNS = st.sampled_from(
    [
        "",
        "a: b",
        "- a",
        "# a",
        "'a'",
        '"a"',
        "a\nb\n",
        "a\n\n b",
        " a\nb",
        "no",
        "12",
        "a, b",
        "{a}",
        "a:",
        "a \n",
        "a\n\n\n",
    ]
)
SCALARS = st.none() | st.booleans() | st.integers(-99, 10**6) | st.floats(allow_nan=False, allow_infinity=False)
NAMES = st.sampled_from(["title", "slug", "id", "tags", "a b", "fields", "x", "Ω", "no", "n: o", "list"])
VALUES = st.recursive(
    SCALARS | TEXTS | SIGNS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
ROOTS = st.dictionaries(NAMES, VALUES, min_size=1, max_size=4)


def changed_lines(before: str, after: str) -> list[str]:
    """Return the lines that differ, with `-` or `+`."""
    lines = unified_diff(before.split("\n"), after.split("\n"), lineterm="", n=0)
    return [line for line in lines if not line.startswith(("---", "+++", "@@"))]


def front_of(text: str, folder: Path) -> tuple[dict[str, Any], str]:
    path = folder / "a.md"
    path.write_text(text, encoding="utf-8", newline="")
    matter = read_front_matter(path)
    return matter.data, matter.body


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        ({}, []),
        (
            {"title": "Ebb: an end"},
            ["-title: 'Slack water'   # working title", "+title: 'Ebb: an end'   # working title"],
        ),
        ({"title": None}, ["-title: 'Slack water'   # working title", "+title: null   # working title"]),
        ({"tags": ["moon", "sea", "harbour"]}, ['-tags: [moon, "harbour"]', '+tags: [moon, sea, "harbour"]']),
        ({"summary": "Calm."}, ["-summary:", "+summary: Calm."]),
        ({"aliases": ["/old/slack/", "/older/", "/new/"]}, ["+  - /new/"]),
        ({"aliases": ["/older/"]}, ["-  - /old/slack/"]),
        ({"note": "One.\n\nThree.\n"}, ["-  Two.", "+  Three."]),
        (
            {"fields": {"mood": "calm", "depth": 2}},
            ["-fields: {mood: calm, depth: 1.50}", "+fields: {mood: calm, depth: 2}"],
        ),
        ({"author": "ann", "format": "html"}, ["+author: ann", "+format: html"]),
        ({"related": [{"slug": "ebb"}]}, ["+related:", "+  - slug: ebb"]),
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_lines_of_the_changed_key_alone_change(
    changes: dict[str, Any], lines: list[str], line_end: str, tmp_path: Path
) -> None:
    """Comments, quotes, indentation, numbers as they were written and line ends of all other lines stay."""
    data, body = front_of(POST, tmp_path)
    text = POST.replace("\n", line_end)
    after = rewrite_front_matter(text, {**data, **changes}, body)
    assert after.count("\r\n") == (after.count("\n") if line_end == "\r\n" else 0)
    assert changed_lines(POST, after.replace("\r\n", "\n")) == lines
    assert is_same(front_of(after, tmp_path)[0], {**data, **changes})


def test_removed_key_takes_its_lines_along(tmp_path: Path) -> None:
    """A key that is gone leaves no line."""
    data, body = front_of(POST, tmp_path)
    del data["aliases"], data["tags"]
    lines = changed_lines(POST, rewrite_front_matter(POST, data, body))
    assert lines == [
        '-tags: [moon, "harbour"]',
        "-aliases:",
        "-  - /old/slack/",
        "-  # from the first site",
        "-  - /older/",
    ]


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_changed_body_leaves_the_front_matter(mark: str, tmp_path: Path) -> None:
    """A changed text changes its own lines; a byte order mark and a missing line end at the end of the file stay."""
    data, body = front_of(POST, tmp_path)
    after = rewrite_front_matter(mark + POST, data, body.replace("First.", "First of all."))
    assert after.startswith(f"{mark}---\n# For")
    assert changed_lines(mark + POST, after) == ["-First.", "+First of all."]


@pytest.mark.parametrize("front", ["", "# none yet\n", "\n"])
def test_front_matter_without_keys_stays(front: str) -> None:
    """It says nothing, which is what the data say; a first key is written into it."""
    text = f"---\n{front}---\nText.\n"
    assert rewrite_front_matter(text, {}, "Text.\n") == text
    assert rewrite_front_matter(text, {"title": "A"}, "Text.\n") == f"---\n{front}title: A\n---\nText.\n"


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("block", ["|\n  One.\n  Two.", "|-\n  One.", "|+\n  One.\n", ">\n  One\n  two.\n"])
def test_block_of_text_above_the_fence_stays(block: str, line_end: str, tmp_path: Path) -> None:
    """It is read without the line end before the fence, and a change of another key leaves it as it is."""
    text = f"---\ntitle: A\nnote: {block}\n---\nText.\n".replace("\n", line_end)
    data, body = front_of(text, tmp_path)
    assert rewrite_front_matter(text, data, body) == text
    after = rewrite_front_matter(text, {**data, "title": "B"}, body)
    assert after == text.replace("title: A", "title: B")
    longer = rewrite_front_matter(text, {**data, "note": "One.\nThree."}, body)
    assert front_of(longer, tmp_path) == ({**data, "note": "One.\nThree."}, body)


def test_mixed_line_ends_of_a_body_stay(tmp_path: Path) -> None:
    """Lines that did not change keep the line end that each of them has."""
    data, _body = front_of("---\ntitle: A\n---\na\n", tmp_path)
    text = "---\ntitle: A\n---\na\r\nb\nc\r\n"
    assert rewrite_front_matter(text, data, "a\nb\nc\n") == text
    assert rewrite_front_matter(text, data, "a\nx\nc\n") == "---\ntitle: A\n---\na\r\nx\nc\r\n"


def test_entry_of_a_list_changes_where_it_stands() -> None:
    """An entry is recognised by its slug; others, comments and empty lines stay."""
    data: Any = load_yaml(TEAM)
    ann, bo = data
    after = rewrite_yaml(TEAM, [ann, {**bo, "name": "Bo Dee"}])
    assert changed_lines(TEAM, after) == ["-  name: Bo", "+  name: Bo Dee"]
    after = rewrite_yaml(TEAM, [{"slug": "cy", "name": "Cy"}, ann, bo])
    assert changed_lines(TEAM, after) == ["+- slug: cy", "+  name: Cy"]
    after = rewrite_yaml(TEAM, [bo])
    assert changed_lines(TEAM, after) == ["-- slug: ann", "-  name: Ann Ray   # captain"]


def test_new_entry_of_a_list_is_written_as_the_others() -> None:
    """What they have in brackets is in brackets, if it fits the line."""
    text = "- fields: {name: Ann}\n- id: 2\n  fields: {name: Bo}\n"
    data: Any = load_yaml(text)
    after = rewrite_yaml(text, [*data, {"id": 3, "fields": {"name": "Cy", "tags": ["a", "b"]}}])
    assert after == f"{text}- id: 3\n  fields: {{name: Cy, tags: [a, b]}}\n"
    after = rewrite_yaml(text, [*data, {"fields": {"name": "C" * 90}}])
    assert after == f"{text}- fields:\n    name: {'C' * 90}\n"


def test_moved_entry_keeps_its_text() -> None:
    """An entry that moves is not written anew: its comment goes with it."""
    data: Any = load_yaml(TEAM)
    ann, bo = data
    after = rewrite_yaml(TEAM, [bo, ann])
    assert load_yaml(after) == [bo, ann]
    assert "name: Ann Ray   # captain" in after
    assert "# since spring" in after


def test_moved_entry_keeps_the_comment_behind_it() -> None:
    """A comment on the last line of an entry is a part of it."""
    assert rewrite_yaml("- a # one\n- b # two\n- c\n", ["b", "a", "c"]) == "- b # two\n- a # one\n- c\n"


def test_removed_entry_in_brackets_leaves_the_comments_of_others() -> None:
    """A comment belongs to the entry before it."""
    text = "a: [1, # one\n  2, # two\n  3]\n"
    assert rewrite_yaml(text, {"a": [1, 3]}) == "a: [1, # one\n  3]\n"


def test_repeated_anchor_is_not_changed_elsewhere() -> None:
    """A value that an alias repeats cannot change in one of the places alone."""
    text = "a: &x {b: 1}\nc: *x\n"
    with pytest.raises(CannotRewrite, match="anchor"):
        rewrite_yaml(text, {"a": {"b": 2}, "c": {"b": 1}})
    assert rewrite_yaml(text, {"a": {"b": 1}, "c": {"b": 3}}) == "a: &x {b: 1}\nc:\n  b: 3\n"


TOML = """\
title = "Tide" # c
date = 2026-03-01T08:00:00Z
tags = [
  "a", # first
  "b",
]

[fields]
depth = 1.50

# The menu
[[menu]]
name = "A"

[[menu]]
name = "B"
"""


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        ({}, []),
        ({"title": "Ebb"}, ['-title = "Tide" # c', '+title = "Ebb" # c']),
        ({"date": "2026-04-01T08:00:00Z"}, ["-date = 2026-03-01T08:00:00Z", "+date = 2026-04-01T08:00:00Z"]),
        ({"tags": ["a", "b", "c"]}, ['+  "c",']),
        ({"fields": {"depth": 1.5, "mood": "calm"}}, ['+mood = "calm"']),
        ({"menu": [{"name": "A"}, {"name": "C"}]}, ['-name = "B"', '+name = "C"']),
        ({"description": "D"}, ['+description = "D"']),
    ],
)
def test_toml_changes_in_place(changes: dict[str, Any], lines: list[str]) -> None:
    """Times stay times; comments, numbers and the form of lists stay."""
    data: Any = plain(tomllib.loads(TOML))
    after = rewrite_toml(TOML, {**data, **changes})
    assert changed_lines(TOML, after) == lines
    crlf = TOML.replace("\n", "\r\n")
    assert rewrite_toml(crlf, {**data, **changes}) == after.replace("\n", "\r\n")


@pytest.mark.parametrize(
    ("written", "value", "after"),
    [
        ("2026-03-01T08:00:00Z", "2026-04-01T08:00:00.123Z", "2026-04-01T08:00:00.123000Z"),
        ("2026-03-01T08:00:00.5Z", "2026-04-01T08:00:00.250000Z", "2026-04-01T08:00:00.250000Z"),
        ("2026-03-01T08:00:00+01:00", "2026-04-01T08:00:00+02:00", "2026-04-01T08:00:00+02:00"),
        ("2026-03-01T08:00:00+01:00", "2026-04-01T08:00:00+00:00", "2026-04-01T08:00:00Z"),
        ("2026-03-01T08:00:00", "2026-04-01 08:00:00", "2026-04-01T08:00:00"),
        ("2026-03-01", "2026-04-01", "2026-04-01"),
        ('"2026-03-01T08:00:00+01:00"', "2026-04-01T08:00:00+02:00", '"2026-04-01T08:00:00+02:00"'),
        ("'C:\\sea'", "D:\\sea", "'D:\\sea'"),
        ("'a'", "it's", '"it\'s"'),
    ],
)
def test_times_and_quotes_of_toml_keep_their_form(written: str, value: str, after: str) -> None:
    """A time stays a time, with its fraction and offset; a quoted text stays one, with its quotation marks."""
    text = f"title = 'A'\ndate = {written} # then\n"
    assert rewrite_toml(text, {"title": "A", "date": value}) == f"title = 'A'\ndate = {after} # then\n"


def test_new_time_of_toml_is_one_where_the_others_are() -> None:
    """Beside quoted times it is quoted, too."""
    moment = "2026-04-01T08:00:00Z"
    times, texts = f"date = {moment}\n", f'date = "{moment}"\n'
    assert rewrite_toml(times, {"date": moment, "updated": moment}) == f"{times}updated = {moment}\n"
    assert rewrite_toml(texts, {"date": moment, "updated": moment}) == f'{texts}updated = "{moment}"\n'


def test_lines_of_a_long_text_of_toml_stay() -> None:
    """Only the line that changed changes."""
    text = 'a = 1\nnote = """\nOne.\nTwo.\n"""\nb = 2\n'
    after = rewrite_toml(text, {"a": 1, "note": "One.\nThree.\n", "b": 2})
    assert changed_lines(text, after) == ["-Two.", "+Three."]


def test_comment_of_a_table_stays_above_it() -> None:
    """A new key stands below the last one of its table, not below the comment of the next."""
    data: Any = plain(tomllib.loads(TOML))
    after = rewrite_toml(TOML, {**data, "description": "D", "fields": {"depth": 1.5, "mood": "calm"}})
    assert ']\ndescription = "D"\n\n[fields]\ndepth = 1.50\nmood = "calm"\n\n# The menu\n[[menu]]' in after


def test_comment_that_would_move_in_toml_stops_the_change() -> None:
    """What cannot be changed without moving a comment is an error before anything is written."""
    data: Any = plain(tomllib.loads(TOML))
    with pytest.raises(CannotRewrite, match="comment"):
        rewrite_toml(TOML.replace('"A"\n\n', '"A"\n\n# Second\n'), {**data, "menu": data["menu"][:1]})


def test_mixed_line_ends_of_toml_stay() -> None:
    """Lines that did not change keep the line end that each of them has."""
    assert rewrite_toml("a = 1\r\nb = 2\nc = 3\r\n", {"a": 1, "b": 2, "c": 4}) == "a = 1\r\nb = 2\nc = 4\r\n"


def test_null_is_no_key_of_toml() -> None:
    """TOML has no null: such a key is left out."""
    assert rewrite_toml('a = 1\nb = "x"\n', {"a": None, "b": "x"}) == 'b = "x"\n'


def test_files_of_the_sample_site_change_by_a_line(repo: Path, tmp_path: Path) -> None:
    """Each file of a real site is the same when nothing changes, and a new title changes one line."""
    sample_site = repo / "sample_site"
    paths = sorted((sample_site / "content").rglob("*.md"))
    assert len(paths) > 10
    for path in paths:
        text = path.read_bytes().decode()
        data, body = front_of(text, tmp_path)
        assert rewrite_front_matter(text, data, body) == text
        after = rewrite_front_matter(text, {**data, "title": "Another: title"}, body)
        assert len(changed_lines(text, after)) == 2, path
    for path in (sample_site / "content").rglob("*.yaml"):
        text = path.read_bytes().decode()
        assert rewrite_yaml(text, load_yaml(text)) == text
    settings = (sample_site / "site.toml").read_text()
    before: Any = tomllib.loads(settings)
    assert changed_lines(settings, rewrite_toml(settings, {**before, "name": "Another"}))[1:] == ['+name = "Another"']


class Layout:
    """Writes data as people might: styles, indentation, comments and empty lines by chance."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def lines(self, value: Any, column: int) -> tuple[str, list[str]]:
        """Return what stands beside a key or dash, and the lines below."""
        choice, margin, lines = self.random.choice, " " * column, list[str]()
        if isinstance(value, dict | list) and (not value or self.random.random() < 0.3):
            return flow(value), []
        if isinstance(value, dict):
            for key, inner in value.items():
                offset = choice([0, 2]) if isinstance(inner, list) else choice([1, 2, 4])
                head, below = self.lines(inner, column + offset)
                comment = "" if head.startswith(("|", ">")) else choice(["", "", "  # t"])
                lines += [*self._comment(margin), f"{margin}{scalar(key)}:{head and f' {head}'}{comment}", *below]
            return "", lines
        if isinstance(value, list):
            for inner in value:
                head, below = self.lines(inner, column + 2)
                lines += self._comment(margin)
                if not head and below and not below[0].strip().startswith("#") and below[0].strip():
                    head, *below = below
                    head = head.lstrip(" ")
                lines += [f"{margin}-{head and f' {head}'}", *below]
            return "", lines
        return self._scalar(value, column)

    def _comment(self, margin: str) -> list[str]:
        return [self.random.choice(["", "# note: a - b", f"{margin}# c"])] if self.random.random() < 0.3 else []

    def _scalar(self, value: Any, column: int) -> tuple[str, list[str]]:
        if isinstance(value, str) and "\n" in value:
            first, *below = dump_yaml({"a": value}, width=None).removesuffix("\n").split("\n")
            if first.startswith("a: |") and not any(sign.isdigit() for sign in first):
                return first[3:], [" " * column + line[2:] if line.strip() else "" for line in below]
            return json.dumps(value), []
        if isinstance(value, str) and value.isprintable() and self.random.random() < 0.4:
            return self.random.choice([json.dumps(value, ensure_ascii=False), "'" + value.replace("'", "''") + "'"]), []
        return ("" if value is None and self.random.random() < 0.5 else scalar(value)), []


def changed(value: Any, draw: Any) -> Any:
    """Return the value with one change somewhere in it."""
    if not isinstance(value, dict | list) or not value:
        return draw(VALUES)
    change = draw(st.sampled_from(["set", "inner", "remove", "add", "move"]))
    if isinstance(value, dict):
        name = draw(st.sampled_from(sorted(value)))
        if change == "remove":
            return {key: inner for key, inner in value.items() if key != name}
        if change == "inner":
            return {**value, name: changed(value[name], draw)}
        return {**value, (draw(NAMES) if change == "add" else name): draw(VALUES)}
    entries, place = list(value), draw(st.integers(0, len(value) - 1))
    if change == "move":
        entries.insert(draw(st.integers(0, len(value) - 1)), entries.pop(place))
    elif change == "add":
        entries.insert(place, draw(VALUES))
    elif change == "remove":
        del entries[place]
    else:
        entries[place] = changed(value[place], draw) if change == "inner" else draw(VALUES)
    return entries


@given(ROOTS | st.lists(VALUES, min_size=1, max_size=4), st.integers(0, 10**6), st.data())
def test_any_yaml_reads_as_it_should_after_any_change(data: Any, seed: int, draws: st.DataObject) -> None:
    """What is there changes no character, what is changed reads back equal, and keys that stay keep their lines."""
    head, below = Layout(seed).lines(data, 0)
    text = "\n".join([head] * bool(head) + below) + "\n" * (seed % 3 > 0)
    text = text.replace("\n", "\r\n") if seed % 2 else text
    before = load_yaml(text)
    assert rewrite_yaml(text, before) == text
    after = changed(before, draws.draw)
    result = rewrite_yaml(text, after)
    assert is_same(load_yaml(result), after)
    if isinstance(before, dict) and isinstance(after, dict) and not head:
        kept = [key for key in before if key in after and is_same(before[key], after[key])]
        lines = {line.rstrip("\r\n") for line in result.split("\n")}
        for key in kept:
            start = f"{scalar(key)}:"
            written = [line.rstrip("\r\n") for line in text.split("\n") if line.startswith(start)]
            assert set(written) <= lines


@given(ROOTS, st.data())
def test_any_toml_reads_as_it_should_after_any_change(data: Any, draws: st.DataObject) -> None:
    """What is there changes no character; what is changed reads back equal. Lists of tables may refuse a change."""
    text = "# A file\n" + rewrite_toml("", data)
    before: Any = plain(tomllib.loads(text))
    assert rewrite_toml(text, before) == text
    after = changed(before, draws.draw) if before else draws.draw(ROOTS)
    try:
        result = rewrite_toml(text, after)
    except CannotRewrite:
        assert "[[" in text or "[{" in text, (text, after)
        return
    assert is_same(plain(tomllib.loads(result)), plain(tomllib.loads(rewrite_toml("", after))))
    assert "# A file\n" in result


def _span(text: str, path: tuple[str | int, ...]) -> tuple[int, int]:
    """Return the first and the last line of a value with its key; of one in brackets, those of the brackets."""
    root = read_tree(text)
    assert root is not None
    node, start = root, root.start
    for step in path:
        if node.is_flow or not (node.pairs or node.items):
            break
        if isinstance(step, str):
            pair = next(pair for pair in node.pairs if pair.key.text == step)
            node, start = pair.value, pair.key.start
        else:
            node = node.items[step]
            start = node.start
    return text.count("\n", 0, start), text.count("\n", 0, max(node.end, start))


def _replaced(value: Any, path: tuple[str | int, ...], new: object) -> Any:
    """Return the data with another value at the path."""
    if not path:
        return new
    step, *rest = path
    if isinstance(value, dict):
        return {key: _replaced(inner, tuple(rest), new) if key == step else inner for key, inner in value.items()}
    return [_replaced(inner, tuple(rest), new) if at == step else inner for at, inner in enumerate(value)]


@given(ROOTS | st.lists(VALUES, min_size=1, max_size=4), st.integers(0, 10**6), VALUES, st.data())
def test_one_value_changes_the_lines_of_that_value_alone(data: Any, seed: int, new: Any, draws: st.DataObject) -> None:
    """Whatever the styles, indentation and comments around it: every line above and below it stays."""
    head, below = Layout(seed).lines(data, 0)
    text = "\n".join([head] * bool(head) + below) + "\n"
    value, path = load_yaml(text), list[str | int]()
    before: Any = value
    while isinstance(value, dict | list) and value and (not path or draws.draw(st.booleans())):
        keys = sorted(value) if isinstance(value, dict) else range(len(value))
        step = draws.draw(st.sampled_from(keys))
        path.append(step)
        value = value[step]
    if path and isinstance(path[-1], int) and value is None:
        path.pop()  # a dash alone has no place for a value
    first, last = _span(text, tuple(path))
    result = rewrite_yaml(text, _replaced(before, tuple(path), new))
    lines, written = text.split("\n"), result.split("\n")
    assert written[:first] == lines[:first]
    end = len(lines) - last - 1
    assert written[len(written) - end :] == lines[last + 1 :]
