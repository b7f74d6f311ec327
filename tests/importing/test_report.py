"""Report of an import."""

import json
from enum import StrEnum
from pathlib import Path

import orjson

from sitecms.importing.records import NoteKind, Place
from sitecms.importing.report import ImportReport
from tests.importing.imported import import_files


class Kind(StrEnum):
    """Names that are no plain text."""

    DONE = "done"


def test_report_is_json_whatever_its_names_are() -> None:
    """Names of counts may be members of an enumeration; notes keep count and places."""
    report = ImportReport()
    report.count("media", Kind.DONE)
    report.add(NoteKind.MEDIA, "failed", Place("a.xml", 3), "try again")
    data = json.loads(orjson.dumps(report.as_json()))
    assert data["counts"] == {"media": {"done": 1}}
    assert data["notes"] == [
        {"kind": "media", "what": "failed", "count": 1, "places": ["a.xml:3"], "remedy": "try again"}
    ]
    assert report.lines() == ["media: 1 done", "media: failed, 1x (a.xml:3); try again"]


def test_texts_are_counted_by_folder(tmp_path: Path) -> None:
    """Nothing stays behind in silence."""
    files = {
        "_config.yml": "title: x\n",
        "_posts/2020-01-02-a.md": "---\ntitle: A\n---\nText\n",
        "_posts/notes.md": "Not dated\n",
        "_drawer/old/b.md": "---\ntitle: B\n---\nText\n",
    }
    site = import_files(tmp_path, files)
    assert site.report.counts["texts in _posts", "in the source"] == 2
    assert site.report.counts["texts in _posts", "read"] >= 1
    assert site.report.counts["texts in _drawer/old", "in the source"] == 1
    assert not site.report.counts["texts in _drawer/old", "read"]
