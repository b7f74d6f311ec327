"""The manifest: what the last build made, and what a killed one was about to touch."""

from pathlib import Path

import pytest

from sitecms.site.manifest import (
    MANIFEST_NAME,
    UNDERWAY_NAME,
    Made,
    Manifest,
    manifest_bytes,
    read_manifest,
    underway_bytes,
)


def test_a_manifest_reads_back_as_it_was_written(tmp_path: Path) -> None:
    """Paths in any script, fingerprints and sizes come back."""
    outputs = {"blog/七十二候/index.html": Made("f" * 48, 1234), 'a"b\\c.html': Made("0" * 48, 0)}
    (tmp_path / MANIFEST_NAME).write_bytes(manifest_bytes(outputs))
    assert read_manifest(tmp_path) == Manifest(outputs)


def test_equal_builds_have_equal_manifests() -> None:
    """The order in which pages were made does not show."""
    one, two = Made("1" * 48, 1), Made("2" * 48, 2)
    assert manifest_bytes({"a": one, "b": two}) == manifest_bytes({"b": two, "a": one})


def test_the_note_of_a_killed_build_stands_beside_the_manifest(tmp_path: Path) -> None:
    """What it names is to be made anew, whatever the manifest says."""
    (tmp_path / MANIFEST_NAME).write_bytes(manifest_bytes({"a.html": Made("1" * 48, 1)}))
    (tmp_path / UNDERWAY_NAME).write_bytes(underway_bytes(["b.html", "a.html"]))
    assert read_manifest(tmp_path).interrupted == {"a.html", "b.html"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not JSON",
        "[]",
        '{"format": 99, "outputs": {"a": ["1", 1]}}',
        '{"format": 1, "outputs": ["a"]}',
        '{"format": 1, "outputs": {"a": 5}}',
        '{"format": 1, "outputs": {"a": ["1"',
    ],
)
def test_an_unreadable_manifest_counts_as_none(tmp_path: Path, text: str) -> None:
    """Everything is then made anew; nothing crashes."""
    (tmp_path / MANIFEST_NAME).write_text(text, encoding="utf-8")
    assert read_manifest(tmp_path) == Manifest()


@pytest.mark.parametrize("path", ["../outside.txt", "/etc/hosts", "a/../../b", "", "a//b", "a/./b", "nul\\u0000"])
def test_a_forged_manifest_names_nothing_outside_the_folder(tmp_path: Path, path: str) -> None:
    """Else pruning could be made to delete any file."""
    text = f'{{"format": 1, "outputs": {{"{path}": ["1", 1], "fine.html": ["1", 1]}}}}'
    (tmp_path / MANIFEST_NAME).write_text(text, encoding="utf-8")
    (tmp_path / UNDERWAY_NAME).write_text(f'{{"format": 1, "outputs": ["{path}"]}}', encoding="utf-8")
    assert read_manifest(tmp_path) == Manifest({"fine.html": Made("1", 1)})
