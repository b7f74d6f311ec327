"""Files with too much: digits, depth, keys, errors. They are refused with the line, in linear time."""

import time
from pathlib import Path

import pytest

from sitecms.documents import locator, read_front_matter, read_toml, read_yaml, schema_errors
from sitecms.documents.reading import MAX_KEYS
from sitecms.documents.validation import MAX_ERRORS
from sitecms.errors import InvalidFiles
from sitecms.importing.plan.extra_fields import ExtraValues
from sitecms.importing.readers.markdown.front_matter import UnreadableFrontMatter, split
from sitecms.importing.records import EntryRecord, Kind

DIGITS = "1" * 50_000
KEYS = "".join(f"key_{number}: 1\n" for number in range(20_000))
TOML = {
    "digits": (f'title = "x"\nrank = {DIGITS}', 2, "a number of more than 1,000 digits"),
    "hexadecimal digits": (f'title = "x"\nrank = 0x{"f" * 50_000}', 2, "a number of more than 1,000 digits"),
    "lists": (f'title = "x"\nrank = {"[" * 10_000}{"]" * 10_000}', 2, "nested deeper than 64 levels"),
    "tables": (f'title = "x"\nrank = {"{a = " * 10_000}1{"}" * 10_000}', 2, "nested deeper than 64 levels"),
    "keys with dots": (f'title = "x"\n\n{"a." * 20_000}b = 1', 3, "nested deeper than 64 levels"),
    "quoted keys with dots": ('title = "x"\n\n' + "\"a\". 'b'." * 10_000 + "b = 1", 3, "nested deeper than 64 levels"),
    "names of tables": (f'title = "x"\n[{"a." * 20_000}b]', 2, "nested deeper than 64 levels"),
}
LIMIT_SECONDS = 30.0


@pytest.mark.parametrize("name", TOML)
def test_toml_that_is_too_much_is_refused(tmp_path: Path, name: str) -> None:
    """With file and line, in data files, in front matter, and in texts of an import."""
    text, line, message = TOML[name]
    data, post = tmp_path / "data.toml", tmp_path / "post.md"
    data.write_text(text)
    post.write_text(f"+++\n{text}\n+++\nBody\n")
    started = time.process_time()
    for read, path, at in ((read_toml, data, line), (read_front_matter, post, line + 1)):
        with pytest.raises(InvalidFiles) as refused:
            read(path)
        assert f"{path}:{at}: " in str(refused.value)
        assert message in str(refused.value)
    with pytest.raises(UnreadableFrontMatter, match=message):
        split(post.read_text())
    assert time.process_time() - started < LIMIT_SECONDS


@pytest.mark.parametrize(
    "text",
    [
        "x = {a = 1, b" + ".b" * 5_000 + " = 1}",
        "x = " + "[1, " * 100 + "]" * 100,
        "x = " + "{a = 1, b = " * 90 + "1" + "}" * 90,
    ],
)
def test_toml_that_is_deep_in_other_ways_is_refused(tmp_path: Path, text: str) -> None:
    """The depth of what was read counts, however it is written."""
    path = tmp_path / "data.toml"
    path.write_text(text)
    with pytest.raises(InvalidFiles, match="nested deeper than 64 levels"):
        read_toml(path)
    with pytest.raises(UnreadableFrontMatter, match="nested deeper than 64 levels"):
        split(f"+++\n{text}\n+++\nBody\n")


def test_a_line_of_spaces_is_read_in_linear_time(tmp_path: Path) -> None:
    """With half a million of them before a key."""
    path = tmp_path / "data.toml"
    path.write_text(f"{' ' * 500_000}x = 1")
    started = time.process_time()
    assert read_toml(path) == {"x": 1}
    assert time.process_time() - started < LIMIT_SECONDS


def test_yaml_that_is_too_much_is_refused(tmp_path: Path) -> None:
    """A number of many digits is text, as one that JSON cannot hold."""
    path = tmp_path / "data.yaml"
    for text in (DIGITS, f"0x{'f' * 50_000}"):
        path.write_text(f"rank: {text}")
        assert read_yaml(path) == {"rank": text}
    for text in ("[" * 10_000 + "]" * 10_000, "{a: " * 10_000 + "}" * 10_000):
        path.write_text(f"title: x\nrank: {text}")
        with pytest.raises(InvalidFiles, match=r"data\.yaml:2: .*nest"):
            read_yaml(path)


def test_front_matter_has_a_limited_number_of_keys(tmp_path: Path) -> None:
    """An import reads the first ones, and says so."""
    path = tmp_path / "post.md"
    path.write_text(f"---\n{KEYS}---\nBody\n")
    with pytest.raises(InvalidFiles, match=r"post\.md:1: has front matter with 20,000 keys \(at most 1,000 are read\)"):
        read_front_matter(path)
    found = split(path.read_text())
    assert (len(found.data), found.body) == (MAX_KEYS, "Body\n")
    assert found.problems == ((1, "front matter with 20,000 keys; the first 1,000 were read"),)


def test_errors_of_one_file_are_limited(tmp_path: Path) -> None:
    """The last line says that there are more."""
    path = tmp_path / "data.yaml"
    path.write_text(KEYS)
    started = time.process_time()
    errors = schema_errors(read_yaml(path), "post", "data.yaml", locator(path))
    assert time.process_time() - started < LIMIT_SECONDS
    assert len(errors) == MAX_ERRORS + 1
    assert str(errors[0]).startswith("data.yaml:1 key_0: is not a known key")
    assert str(errors[-1]) == f"data.yaml: has more than {MAX_ERRORS} errors; the others are not shown"


def test_long_values_of_an_import_are_looked_at_in_linear_time() -> None:
    """Whether one is an address of a person, which nobody can see from a million digits."""
    values = ExtraValues()
    started = time.process_time()
    values.see(EntryRecord("md:x", Kind.POST, "x", extras={"rank": "1" * 1_000_000, "mail": "ann@tide.example"}))
    assert time.process_time() - started < LIMIT_SECONDS
    assert [values.keys[name].is_private for name in ("rank", "mail")] == [False, True]
