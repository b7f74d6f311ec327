"""The short way for plain YAML gives what the parser gives, and is taken for usual front matter."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sitecms.documents.yaml12 import dump_yaml, parse_yaml, read_flat

_SIGNS = st.text(st.sampled_from("aZé019 -:,.#'\"[]{}&*!|>%@`?~\\<=/T+ü漢\t\x85\u2028"), max_size=8)
_VALUES = st.one_of(
    _SIGNS,
    st.text(max_size=5),
    st.builds('"{}"'.format, _SIGNS),
    st.builds("[{}]".format, st.lists(st.one_of(_SIGNS, st.builds('"{}"'.format, _SIGNS)), max_size=3).map(", ".join)),
    st.sampled_from(["2026-03-01T08:00:00Z", "2026-03-01", "12:30", "true", "NULL", "~", "1e3", "0x1F", "07", "12"]),
)
_LINES = st.one_of(
    st.builds("{}: {}".format, st.sampled_from(["title", "tags", "a_b", "null", "y", "A"]), _VALUES),
    st.builds("{}- {}".format, st.sampled_from(["", "  ", "    "]), _VALUES),
    st.sampled_from(["", "tags:", "# note", "  more", "title:", "---", "..."]),
    _SIGNS,
)


@given(st.lists(_LINES, max_size=5).map("\n".join))
def test_equals_the_parser(text: str) -> None:
    """Whatever the short way answers, the parser answers too; it never answers what the parser refuses."""
    flat = read_flat(text)
    if flat is not None:
        try:
            assert flat == parse_yaml(text)
        except yaml.YAMLError:
            pytest.fail(f"the parser refuses {text!r}")
        assert list(flat) == list(parse_yaml(text))  # type: ignore[call-overload]


@given(
    st.dictionaries(
        st.sampled_from(["title", "tags", "id", "slug"]),
        st.one_of(st.text(max_size=8), st.integers(), st.lists(st.text(max_size=5), max_size=3), st.none()),
    )
)
def test_what_sitecms_writes_reads_back(data: dict[str, object]) -> None:
    """Front matter that `export` and `new` write reads back equal, by whichever way."""
    flat = read_flat(dump_yaml(data))
    assert flat is None or flat == data


@pytest.mark.parametrize(
    ("text", "data"),
    [
        (
            'title: "Übersee: a trip"\nslug: a-trip\npublished: 2026-03-01T08:00:00Z\ntags: ["a", "b c"]\nid: 12\nx:',
            {
                "title": "Übersee: a trip", "slug": "a-trip", "published": "2026-03-01T08:00:00Z",
                "tags": ["a", "b c"], "id": 12, "x": None,
            },
        ),
        ("title: It's here, at 12:30\ntags:\n  - jazz\n  - \"x\"\n# note\n\nlist: [a, b c]", {
            "title": "It's here, at 12:30", "tags": ["jazz", "x"], "list": ["a", "b c"]}),
    ],
)  # fmt: skip
def test_usual_front_matter_is_flat(text: str, data: dict[str, object]) -> None:
    """Usual front matter takes the short way."""
    assert read_flat(text) == data == parse_yaml(text)


@pytest.mark.parametrize(
    "text",
    ["a: true", "a: b # c", "a: 'b'", "a: |\n  b", "a: b\na: c", "a: &x b", "a: b: c", "a: 1.5", "a: [b]\n- c",
     "a: b\n  c", "a:\n  - b\n - c", "a: b ", "a: \"b\\n\"", "[a]", "", "a", "null: b", "a: [true]"],
)  # fmt: skip
def test_anything_else_is_left_to_the_parser(text: str) -> None:
    """Anything that may mean something else goes to the parser."""
    assert read_flat(text) is None
