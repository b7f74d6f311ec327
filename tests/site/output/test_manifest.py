"""The manifest: what the last build made."""

from pathlib import Path

import orjson
import pytest

from sitecms.site.output.manifest import (
    MANIFEST_NAME,
    Manifest,
    ManifestEntry,
    folders_of,
    manifest_bytes,
    read_manifest,
)


def test_a_manifest_reads_back_as_it_was_written(tmp_path: Path) -> None:
    """Paths in any script, fingerprints, sizes and steps come back, and the file's own time."""
    outputs = {
        "blog/七十二候/index.html": ManifestEntry("f" * 48, 1234),
        'a"b\\c],"d.html': ManifestEntry("0" * 48, 0),
        "x.gz": ManifestEntry("1" * 48, 1, "precompress"),
    }
    (tmp_path / MANIFEST_NAME).write_bytes(manifest_bytes(outputs))
    found = read_manifest(tmp_path)
    assert found.outputs == outputs
    assert found.written_at_ns == (tmp_path / MANIFEST_NAME).stat().st_mtime_ns


def test_equal_builds_have_equal_manifests() -> None:
    """The order in which pages were made does not show; each output has its line."""
    one, two = ManifestEntry("1" * 48, 1), ManifestEntry("2" * 48, 2)
    text = manifest_bytes({"a": one, "b": two})
    assert text == manifest_bytes({"b": two, "a": one})
    assert text.count(b"\n") == 2


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not JSON",
        "[]",
        '{"format": 99, "outputs": {"a": ["1", 1]}}',
        '{"format": 2, "outputs": ["a"]}',
        '{"format": 2, "outputs": {"a": 5}}',
        '{"format": 2, "outputs": {"a": ["1"]}}',
        '{"format": 2, "outputs": {"a": ["1", 1',
    ],
)
def test_an_unreadable_manifest_counts_as_none(tmp_path: Path, text: str) -> None:
    """Everything is then made anew; nothing crashes."""
    (tmp_path / MANIFEST_NAME).write_text(text, encoding="utf-8")
    assert read_manifest(tmp_path) == Manifest()


@pytest.mark.parametrize("path", ["../outside.txt", "/etc/hosts", "a/../../b", "..", "", "a//b", "a/./b", "nul\0"])
def test_a_forged_manifest_names_nothing_outside_the_folder(tmp_path: Path, path: str) -> None:
    """Else pruning could be made to delete any file."""
    data = {"format": 2, "outputs": {path: ["1", 1], "fine.html": ["1", 1]}}
    (tmp_path / MANIFEST_NAME).write_bytes(orjson.dumps(data))
    assert read_manifest(tmp_path).outputs == {"fine.html": ManifestEntry("1", 1)}


def test_the_folders_of_outputs_are_all_that_they_need() -> None:
    """Up to the one that all are in."""
    assert folders_of(["a/b/c.html", "d.html"]) == {"", "a", "a/b"}
