"""Front matter of all generators."""
# ruff: noqa: E501 - texts as their authors write them

from datetime import UTC, datetime

import pytest

from sitecms.importing.readers.markdown.document import read_lenient
from sitecms.importing.readers.markdown.front_matter import UnreadableFrontMatter, split
from sitecms.importing.readers.markdown.yaml_text import read_yaml


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: A\n---\nBody\n", "A"),
        ("--- \ntitle: A\n---  \nBody\n", "A"),
        ("---\ntitle: A\n...\nBody\n", "A"),
        ("\n\n---\ntitle: A\n---\nBody\n", "A"),
        ('+++\ntitle = "A"\n+++\nBody\n', "A"),
        ('{\n  "title": "A"\n}\nBody\n', "A"),
        ('{"title": "A"}\n;;;\nBody\n', "A"),
        ('"title": "A",\n"date": "2013/7/13"\n;;;\nBody\n', "A"),
        ("title: A\ntags:\n- x\n---\nBody\n", "A"),
        ('---json\n{"title": "A"}\n---\nBody\n', "A"),
        ('---toml\ntitle = "A"\n---\nBody\n', "A"),
        ("---\n\ttitle: A\n---\nBody\n", "A"),
        ('---\ntitle: "A\\u00e9"\n---\nBody\n', "Aé"),
    ],
)
def test_forms(text: str, title: str) -> None:
    """YAML, TOML, JSON, Hexo's forms: the title is found, and the body is what stands behind."""
    front = split(text)
    assert front.data["title"] == title
    assert front.body == "Body\n"
    assert text.split("\n")[front.body_line - 1] == "Body"


@pytest.mark.parametrize(
    "text",
    [
        "Plain text.\n",
        "A heading\n---\n\nText: here\n",
        "---\n\nNot closed\n",
        "{{ template }}\n",
        "",
        "Note: a line of text\n",
    ],
)
def test_texts_without_front_matter(text: str) -> None:
    """They are bodies, sign for sign."""
    front = split(text)
    assert (front.body, front.has_data) == (text, False)


def test_values_of_yaml_stay_text() -> None:
    """Words and numbers that YAML 1.1 would change, and times in odd forms."""
    text = "---\ntitle: no\nversion: 1.10\nnumber: 007\non: on\ndate: 2012-01-01 10:00:00 +0800\ntime: 12:30\nnone: ~\n---\n"
    assert split(text).data == {
        "title": "no", "version": "1.10", "number": "007", "on": "on", "date": "2012-01-01 10:00:00 +0800",
        "time": "12:30", "none": None,
    }  # fmt: skip


def test_faults_are_mended_and_told_with_their_lines() -> None:
    """Tabs, keys that occur twice, and lines that are no YAML."""
    front = split("---\ntags:\n\t- a\n\t- b\n---\n")
    assert front.data["tags"] == ["a", "b"]
    front = split("---\ntitle: A\ntitle: B\n---\n")
    assert front.data["title"] == "B"
    assert "occurs twice" in front.problems[0][1]
    front = split("---\nlayout: post\ntitle: Slack: the moment: it turns\ntags: [a, b]\n---\nText\n")
    assert front.data == {"layout": "post", "title": "Slack: the moment: it turns", "tags": ["a", "b"]}
    assert front.problems[0][0] == 3


def test_metadata_of_pelican() -> None:
    """Lines up to the first empty one, keys in any case, indented continuations; elsewhere they are text."""
    text = "Title: A\nTAGS: a, b\nSummary: one\n    two\n\nBody: here\n"
    front = split(text, has_meta=True)
    assert front.data == {"title": "A", "tags": "a, b", "summary": "one\ntwo"}
    assert (front.body, front.body_line) == ("Body: here\n", 6)
    assert not split(text).has_data


def test_head_of_html() -> None:
    """Title and meta elements."""
    text = (
        '<html><head><title>A &amp; b</title>\n<meta name="Tags" content="x, y" />\n</head><body><p>T</p></body></html>'
    )
    front = split(text, is_html=True)
    assert front.data == {"title": "A & b", "tags": "x, y"}
    assert front.body == "<p>T</p>"


@pytest.mark.parametrize(
    ("text", "line"),
    [('+++\ntitle = "A"\ndate = \n+++\n', 3), ('{\n "title": "A",\n "x": nothing\n}\n', 3), ("---js\n{}\n---\n", 1)],
)
def test_front_matter_that_cannot_be_read(text: str, line: int) -> None:
    """The error names the line; scripts are never executed."""
    with pytest.raises(UnreadableFrontMatter) as caught:
        split(text)
    assert caught.value.line == line


def test_aliases_that_unfold_without_end_are_refused() -> None:
    """A bomb ends as text lines, not in memory."""
    rows = "\n".join(f"k{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9))
    data, problems = read_yaml(f'k0: &a0 ["x"]\n{rows}', 1)
    assert "repeat too much" in problems[0][1]
    assert len(str(data)) < 10_000


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2012-01-01 10:00:00 +0800", "2012-01-01T02:00"),
        ("2013/7/13 20:46:25", "2013-07-13T20:46"),
        ("2015-03-17 10:00:00 -4", "2015-03-17T14:00"),
        ("Jan 2, 2006", "2006-01-02T00:00"),
        ("January 2nd, 2006 3:04 pm", "2006-01-02T15:04"),
        ("2 January 2006", "2006-01-02T00:00"),
        ("Monday, Jan 2 2006", "2006-01-02T00:00"),
        ("2006-01-02 10:00:00 EST", "2006-01-02T15:00"),
        ("2006-01-02T10:00:00.000Z", "2006-01-02T10:00"),
        ("Mon, 02 Jan 2006 15:04:05 +0000", "2006-01-02T15:04"),
        ("soon", ""),
        ("2006-13-45", ""),
    ],
)
def test_times_as_authors_write_them(written: str, expected: str) -> None:
    """Without a zone they are in that of the site."""
    found = read_lenient(written, UTC)
    assert (found.astimezone(UTC).isoformat()[:16] if found else "") == expected
    assert found is None or isinstance(found, datetime)


@pytest.mark.parametrize(
    ("written", "data"),
    [
        ('const title = "A: b";\nlet draft = true;\nconst nav = {\n\tkey: "A", // x\n};', {"title": "A: b", "draft": "true"}),
        ("{\n  title: 'T',\n  tags: ['a', \"b\"],\n}", {"title": "T", "tags": ["a", "b"]}),
        ("export const title = `T`\nconst n = make(1)", {"title": "T"}),
        ("const title = 'It\\'s \\u00e9';\nfunction f() {\n  const title = 'no';\n  let x = 1;\n}\nvar n = 1 + 2", {"title": "It's é"}),
        ("const f = () => { const a = 1; };\nconst date = new Date('2020-01-02'), now = new Date();", {"date": "2020-01-02"}),
        ('{title:"T","og:title":"A: b",date: new Date("2020-01-02"), /* c */ tags:[\'a:b\',...more],run() { return {x: 1} }, n: -1.5e-3}',
         {"title": "T", "og:title": "A: b", "date": "2020-01-02", "tags": ["a:b"], "n": "-1.5e-3"}),
        ("{ a: { b: [1, { c: null, d: `x${y}` }] }, eleventyComputed: { p: data => `/${data.x}/` }, x }", {"a": {"b": ["1", {}]}, "eleventyComputed": {}}),
    ],
)  # fmt: skip
def test_literal_values_of_front_matter_in_javascript(written: str, data: dict[str, object]) -> None:
    """They are read, the script is not executed, and the report says so."""
    front = split(f"---js\n{written}\n---\nBody\n")
    assert {name: value for name, value in front.data.items() if name != "nav"} == data
    assert front.body == "Body\n"
    assert "not executed" in front.problems[0][1]


def test_computed_values_of_front_matter_in_javascript_are_named() -> None:
    """The report says what is missing."""
    front = split("---js\nconst title = 'T';\nconst n = make(1), list = [1, two];\n---\n")
    assert front.data == {"title": "T", "list": ["1"]}
    assert front.problems[0][1].endswith("read, but not: n, a value of a list")
