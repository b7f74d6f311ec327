"""HTML of a request is sanitised once, when the write is accepted, wherever in the fields it stands."""

import pytest

from sitecms.content.kinds import EntryKind
from sitecms.content.schema import ContentSchema
from sitecms.store.database import Database
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.site_state.documents import save_content_schema
from tests.support.writes import Writes

RAW, CLEAN = "<p onclick=x>Ebb</p>", "<p>Ebb</p>"
URL = "https://pictures.example/a.pdf"
RICH = {"slug": "rich", "type": "wysiwyg"}
SCHEMA = {
    "components": [{"slug": "box", "fields": [RICH, {"slug": "rows", "type": "repeater", "fields": [RICH]}]}],
    "collections": [
        {"key": "team", "fields": [RICH, {"slug": "shared", "type": "html", "translatable": False}]},
        {"key": "notes", "fields": [{"slug": "name", "type": "short_text"}, {**RICH, "default": RAW}]},
    ],
    "page_types": [
        {
            "slug": "guide",
            "fields": [
                {"slug": "plain", "type": "short_text"},
                {"slug": "box", "type": "component", "component": "box"},
                {"slug": "boxes", "type": "component_picker", "components": ["box"]},
            ],
        }
    ],
}


@pytest.fixture(autouse=True)
def schema(store: Database) -> None:
    """The content schema of these tests."""
    store.write(save_content_schema, ContentSchema.from_json(SCHEMA))


def test_html_within_components_and_repeaters(writes: Writes, store: Database) -> None:
    """In both ways of writing a component picker; an equal text that is no HTML stays as it is."""
    box = {"rich": RAW, "rows": [{"rich": "<b>a</b>"}, {"rich": RAW}]}
    fields = {"plain": RAW, "box": box, "boxes": [{"type": "box", "fields": box}, {"box": box}]}
    accepted = writes.create(EntryKind.PAGE, {"title": "x", "slug": "x", "page_type": "guide", "fields": fields})
    write = writes.apply(accepted)
    clean = {"rich": CLEAN, "rows": [{"rich": "<b>a</b>"}, {"rich": CLEAN}]}
    boxes = [{"type": "box", "fields": clean}, {"box": clean}]
    assert write.entries[0].fields["en"] == {"plain": RAW, "box": clean, "boxes": boxes}
    with store.reading() as session:
        (page,) = VERSIONS[EntryKind.PAGE].of(session, (write.entry_id,))
    places = [warning.field for warning in write.warnings.shown]
    assert page.fields == {"plain": RAW, "box": clean, "boxes": [boxes[0], boxes[0]]}
    inner = ("box.rich", "box.rows[1].rich", "boxes[0].fields.rich", "boxes[0].fields.rows[1].rich")
    assert places == [*inner, "boxes[1].box.rich", "boxes[1].box.rows[1].rich"]


def test_html_of_several_locales_and_of_defaults(writes: Writes, store: Database) -> None:
    """Untranslatable fields count in each locale. A default of the schema is sanitised where it is used."""
    fields = {"en": {"rich": RAW, "shared": RAW}, "es": {"shared": "<p onload=y>other</p>"}}
    write = writes.apply(writes.create(EntryKind.ITEM, {"key": "team", "fields": fields}))
    assert [entry.fields for entry in write.entries] == [
        {"en": {"rich": CLEAN, "shared": CLEAN}, "es": {"shared": CLEAN}}
    ]
    note = writes.apply(writes.create(EntryKind.ITEM, {"key": "notes", "fields": {"name": "a"}}))
    writes.apply(writes.update(EntryKind.ITEM, str(note.entry_id), {"fields": {"name": "b"}}, type_="notes"))
    found = store.read(VERSIONS[EntryKind.ITEM].of, (write.entry_id, note.entry_id))
    assert {each.locale: dict(each.fields) for each in found if each.id == write.entry_id} == {
        "en": {"rich": CLEAN, "shared": CLEAN},
        "es": {"rich": "", "shared": CLEAN},
    }
    assert [dict(each.fields) for each in found if each.id == note.entry_id] == [{"name": "b", "rich": CLEAN}]
