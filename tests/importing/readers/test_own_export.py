"""Entries of our own exports that another system has stored and changed meanwhile."""

import json
from pathlib import Path
from typing import Any

from sitecms.content.exchange import ENTRY_META, text_mark
from sitecms.documents import read_yaml
from sitecms.importing.records import NoteKind
from sitecms.importing.run import ImportOptions, import_site
from tests.importing.wxr import export, item


def test_fields_come_back_from_wordpress_without_the_schema(tmp_path: Path) -> None:
    """WordPress keeps custom fields, not the schema, which is inferred; a text changed there is reported."""
    facts: dict[str, Any] = {
        "kind": "page",
        "locale": "en",
        "slug": "clouds",
        "group": "guide",
        "translations": "page-7",
        "is_original": True,
        "path": "/guide/clouds/",
        "mark": text_mark("<p>As it was.</p>"),
        "fields": {"summary": "Ten clouds", "steps": 3, "text": "<p>As it was.</p>"},
    }
    meta = {ENTRY_META: json.dumps(facts), "summary": "Ten clouds", "steps": "3"}
    (tmp_path / "wp.xml").write_text(export(item(9, "Clouds", "<p>Changed.</p>", kind="guide", meta=meta)))
    report = import_site(tmp_path / "site", [str(tmp_path / "wp.xml")], ImportOptions())
    page: Any = read_yaml(tmp_path / "site/content/pages/guide/clouds.yaml")
    assert page["fields"] == facts["fields"]
    declared: Any = read_yaml(tmp_path / "site/schema/page_types/guide.yaml")
    types = {each["slug"]: each["type"] for each in declared["fields"]}
    assert types == {"summary": "short_text", "steps": "number", "text": "wysiwyg"}
    subjects = {subject for kind, subject in report.notes if kind is NoteKind.SKIPPED}
    assert any("the other system changed" in subject for subject in subjects)
