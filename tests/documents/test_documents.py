"""Reading what people write, and saying what is wrong with it."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sitecms.documents import (
    dump_yaml,
    load_schema,
    locator,
    nearest,
    place_of,
    read_front_matter,
    read_toml,
    read_yaml,
    schema_errors,
    with_defaults,
)
from sitecms.errors import FileError, InvalidFiles

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff")),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("abn:#- '\"~<1", max_size=6), inner, max_size=4)
    ),
    max_leaves=15,
)


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def error_of(path: Path, read: Any = read_yaml) -> FileError:
    with pytest.raises(InvalidFiles) as caught:
        read(path, "the/file")
    (error,) = caught.value.errors
    return error


@pytest.mark.parametrize(
    "word", ["no", "on", "Yes", "off", "y", "12:30", "1_000", "0b11", "=", "2026-03-01", ".inf", "1e999"]
)
def test_words_that_other_yaml_versions_read_as_something_else_stay_text(tmp_path: Path, word: str) -> None:
    """Norway's `no`, a time of day and a date are text."""
    assert read_yaml(write(tmp_path, "a.yaml", f"key: {word}\n")) == {"key": word}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("False", False),
        ("~", None),
        ("", None),
        ("0777", 777),
        ("0x1f", 31),
        ("0o17", 15),
        ("-1.5e3", -1500.0),
    ],
)
def test_booleans_numbers_and_null_are_read_as_yaml_1_2_has_them(tmp_path: Path, text: str, value: object) -> None:
    """Only true and false are booleans; a leading zero makes no octal number."""
    read = read_yaml(write(tmp_path, "a.yaml", f"key: {text}\n"))
    assert read == {"key": value}
    assert isinstance(read, dict)
    assert type(read["key"]) is type(value)


def test_merge_keys_and_a_few_aliases_work(tmp_path: Path) -> None:
    """A table may build on another."""
    text = "base: &base {a: 1, b: 2}\nother:\n  <<: *base\n  b: 3\n"
    assert read_yaml(write(tmp_path, "a.yaml", text)) == {"base": {"a": 1, "b": 2}, "other": {"a": 1, "b": 3}}


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, "twice"),
        ("a:\n  - 1: x\n", 2, "quotes"),
        ("a: [1\nb: 2\n", 2, "YAML"),
        ("a: !!python/object:os.system x\n", 1, "tag"),
        ("ok: 1\na: &x [*x]\n", 2, "inside"),
        ("ok: 1\na: \x07\n", 2, "control"),
        ("[" * 100_000, 1, "nest"),  # some versions of the scanner refuse it before the composer does
        (
            "a: &a [x,x,x,x,x,x,x,x,x]\n"
            + "".join(f"{b}: &{b} [{f'*{a},' * 9}]\n" for a, b in zip("abcdefg", "bcdefgh", strict=True)),
            5,
            "repeat",
        ),
    ],
    ids=["duplicate", "number key", "syntax", "tag", "cycle", "control", "deep", "bomb"],
)
def test_bad_yaml_is_refused_with_its_line(tmp_path: Path, text: str, line: int, word: str) -> None:
    """Every error names the file, the line, and the reason."""
    error = error_of(write(tmp_path, "a.yaml", text))
    assert (error.file, error.line) == ("the/file", line)
    assert word in error.problem


def test_a_file_that_is_not_utf8_is_refused_with_the_line_of_the_first_bad_byte(tmp_path: Path) -> None:
    """The error says that the text is not UTF-8, and where."""
    path = tmp_path / "a.yaml"
    path.write_bytes(b"a: 1\nb: caf\xe9\n")
    error = error_of(path)
    assert (error.line, error.problem) == (2, "is not UTF-8 text")


def test_missing_file_is_an_error(tmp_path: Path) -> None:
    """Unreadable files are reported like invalid ones."""
    assert "cannot be read" in error_of(tmp_path / "none.yaml").problem


def test_bad_toml_is_refused_with_its_line(tmp_path: Path) -> None:
    """The line comes from the TOML reader."""
    error = error_of(write(tmp_path, "a.toml", 'name = "x"\nurl = \n'), read_toml)
    assert (error.file, error.line) == ("the/file", 2)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[build]\nhome = "a"\n\n[build]\npage_size = 9\n', "4 is not valid TOML: [build] is already in line 1"),
        ("a = 1\n[build]\na = 2\na = 3\n", "4 is not valid TOML: a is already in line 3 (keep one of the two)"),
        ("name = Tide\n", "1 is not valid TOML: invalid value (put text in quotes)"),
    ],
)
def test_frequent_mistakes_in_toml_are_explained(tmp_path: Path, text: str, problem: str) -> None:
    """Lines pasted from the manual may repeat a table or a key that the file has."""
    error = error_of(write(tmp_path, "a.toml", text), read_toml)
    assert f"{error.line} {error.problem} ({error.remedy})".startswith(problem)


def test_front_matter_is_split_from_the_unchanged_body(tmp_path: Path) -> None:
    """Windows line ends and a byte order mark do no harm; a later --- belongs to the body."""
    path = tmp_path / "a.md"
    path.write_bytes("\ufeff---\r\ntitle: no\r\n---\r\nOne\r\n---\r\nTwo\r\n".encode())
    read = read_front_matter(path)
    assert (read.data, read.body, read.body_line) == ({"title": "no"}, "One\n---\nTwo\n", 4)


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [("Hello\n", 1, "no front matter"), ("", 1, "no front matter"), ("---\ntitle: x\n", 1, "does not end"),
     ("---\n- a\n---\n", 2, "not keys"), ("---\na: 1\na: 2\n---\n", 3, "twice")],
)  # fmt: skip
def test_bad_front_matter_is_refused_with_its_line(tmp_path: Path, text: str, line: int, word: str) -> None:
    """Lines are counted from the top of the file, fence included."""
    error = error_of(write(tmp_path, "a.md", text), read_front_matter)
    assert error.line == line
    assert word in error.problem


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(JSON)
def test_what_is_dumped_reads_back_equal(tmp_path: Path, data: object) -> None:
    """No text turns into a number, and no key gets lost."""
    assert read_yaml(write(tmp_path, "a.yaml", dump_yaml(data))) == data


def test_dumped_text_of_several_lines_is_a_block_people_can_edit() -> None:
    """Diffs of prose stay line by line."""
    assert dump_yaml({"text": "One\nTwo\n", "when": "2026-03-01T08:00:00Z"}) == (
        "text: |\n  One\n  Two\nwhen: 2026-03-01T08:00:00Z\n"
    )


@pytest.mark.parametrize(
    ("text", "place", "line", "problem", "remedy"),
    [
        (
            "fields:\n- slug: a\n  tpye: html\n  type: html\n",
            "fields[0].tpye",
            3,
            "is not a known key",
            'did you mean "type"?',
        ),
        ("fields:\n- {slug: a}\n", "fields[0].type", 2, "is missing", "Type of the field"),
        ("fields:\n- {slug: a, type: 7}\n", "fields[0].type", 2, "is 7", "expected text; put it in quotes"),
        ("fields:\n- slug: 7\n  type: html\n", "fields[0].slug", 2, "is 7", 'expected text; put it in quotes: "7"'),
        ("fields:\n- slug: a b\n  type: html\n", "fields[0].slug", 2, 'is "a b"', "Name of the field"),
        ("fields: []\n", "fields", 1, "has too few entries", "at least 1"),
        ("slug: x\n", "fields", 1, "is missing", "Fields, in"),
        ("- a\n", "", 1, "is a list", "expected a table"),
        (
            "fields:\n- {slug: a, type: html, required: no}\n",
            "fields[0].required",
            2,
            'is "no"',
            "expected true or false",
        ),
    ],
)
def test_schema_error_names_place_line_and_remedy(
    tmp_path: Path, text: str, place: str, line: int, problem: str, remedy: str
) -> None:
    """Each error can be corrected without the documentation."""
    path = write(tmp_path, "a.yaml", text)
    (error,) = schema_errors(read_yaml(path), "page_type", "schema/page_types/a.yaml", locator(path))
    assert (error.place, error.line, error.problem) == (place, line, problem)
    assert error.remedy.startswith(remedy)


def test_times_are_checked_and_found_in_front_matter(tmp_path: Path) -> None:
    """The line counts the opening fence; a limit of the API specification is checked too."""
    path = write(tmp_path, "a.md", "---\ntitle: x\npublished: 2026-13-01\nsummary: " + "x" * 2001 + "\n---\n")
    errors = schema_errors(read_front_matter(path).data, "post", "a.md", locator(path))
    assert [(error.place, error.line) for error in errors] == [("published", 3), ("summary", 4)]


def test_a_value_of_several_allowed_shapes_is_explained_by_the_shape_it_has() -> None:
    """For a status by locale with an invalid value, the error names the value, not the type."""
    errors = schema_errors({"title": "x", "status": {"en": "publishd"}}, "page", "a.yaml")
    assert [(error.place, error.remedy[:24]) for error in errors] == [("status.en", 'did you mean "published"')]


def test_the_line_of_a_toml_key_is_found_in_its_table(tmp_path: Path) -> None:
    """Tables, dotted keys and what is missing from a table."""
    locate = locator(write(tmp_path, "a.toml", 'name = "x"\n[build] # how\npage_size = 0\nx.y = 1\n[serve]\n'))
    places = [("name",), ("build", "page_size"), ("build", "x", "y"), ("build", "home"), ("serve",), ("none",)]
    assert [locate(place) for place in places] == [1, 3, 4, 2, 5, None]


@pytest.mark.parametrize(
    ("text", "place", "problem", "remedy"),
    [
        ("[build]\npage_size = nan\n", "build.page_size", 'is "nan"', "expected a whole number"),
        ("[images]\noriginal_max_mb = 0\n", "images.original_max_mb", "is 0", "more than 0 is expected"),
        ('[markdown.math_macros]\n"a b" = "x"\n', "markdown.math_macros", 'is "a b"', ""),
        ('[analytics]\nid = "G-1\\n"\n', "analytics.id", 'is "G-1\\n"', "Id of the site"),
    ],
)
def test_settings_that_json_or_a_pattern_rules_out(
    tmp_path: Path, text: str, place: str, problem: str, remedy: str
) -> None:
    """Numbers that are none, limits that are not reached, names of keys, and line breaks at the end of a name."""
    path = write(tmp_path, "site.toml", f'name = "x"\n{text}')
    (error,) = schema_errors(read_toml(path), "site", "site.toml", locator(path))
    assert (error.place, error.problem) == (place, problem)
    assert error.remedy.startswith(remedy)


@pytest.mark.parametrize(
    "path", sorted(Path(__file__).parents[2].glob("content_schema/*.schema.json")), ids=lambda path: path.stem
)
def test_every_shipped_schema_is_valid_and_describes_its_properties(path: Path) -> None:
    """Text editors complete keys from the schemas, so each key has a description."""
    from jsonschema import Draft202012Validator

    schema = load_schema(path.name.removesuffix(".schema.json"))
    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == path.name
    bare = [name for name, rule in schema.get("properties", {}).items() if "description" not in rule]
    assert bare == []


def test_defaults_fill_tables_within_tables_and_keep_what_is_given() -> None:
    """Defaults stand in the schema only."""
    filled = with_defaults({"name": "x", "build": {"output": "out"}}, "site")
    assert (filled["build"]["output"], filled["build"]["page_size"], filled["permalinks"]["tag"]) == (
        "out",
        10,
        "/tags/{slug}/",
    )


def test_places_and_suggestions() -> None:
    """A place reads `fields[2].type`; a name that is too different has no suggestion."""
    assert place_of(("fields", 2, "type")) == "fields[2].type"
    assert (nearest("tittle", ["title", "body"]), nearest("xyz", ["title"])) == ("title", "")
