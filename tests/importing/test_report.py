"""Report of an import."""

import json
from enum import StrEnum

import orjson

from sitecms.importing.records import NoteKind, Place
from sitecms.importing.report import ImportReport


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
