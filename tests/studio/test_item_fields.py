"""Components, pickers and rows of items in the studio: the menu with its entries below others."""

import json
from pathlib import Path

from sitecms.actions.loading import load_site
from sitecms.clock import now
from sitecms.runtime import Runtime
from sitecms.store.entries.items import items_of

from .conftest import Browser
from .forms import form_of, press

LINK = [{"slug": "label", "type": "short_text"}, {"slug": "url", "type": "short_text"}]
QUOTE = {"slug": "quote", "fields": [{"slug": "text", "type": "long_text"}]}
MENU = {
    "key": "menu", "label": "label",
    "fields": [
        *LINK,
        {"slug": "children", "type": "repeater", "fields": LINK},
        {"slug": "teaser", "type": "component", "component": "quote"},
        {"slug": "blocks", "type": "component_picker", "components": ["quote"]},
    ],
}  # fmt: skip


def test_an_item_with_rows_components_and_a_picker_is_written_in_a_form(runtime: Runtime, editor: Browser) -> None:
    """Rows are added, filled and moved; what is stored has the form of the files."""
    folder: Path = runtime.settings.folder
    for path, data in {
        "schema/components/quote.yaml": QUOTE,
        "schema/collections/menu.yaml": MENU,
        "content/collections/menu.yaml": [{"id": 7, "fields": {"label": "Posts", "url": "/blog/"}}],
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(json.dumps(data), encoding="utf-8")
    assert load_site(runtime.database, runtime.settings, now()).errors == ()
    editor.get("/studio/collections/menu/7/")
    press(editor, "add:fields.children")
    press(editor, "add:fields.children", **{"fields.children.0.label": "Tides", "fields.children.0.url": "/tides/"})
    press(editor, "add:fields.blocks:quote", **{"fields.children.1.label": "Boats", "fields.children.1.url": "/boats/"})
    assert form_of(editor)["fields.blocks.0.type"] == "quote"
    press(editor, "up:fields.children.1")
    press(editor, "publish", **{"fields.teaser.text": "Wait.", "fields.blocks.0.fields.text": "Again."})
    (item,) = runtime.database.read(items_of, "menu")
    assert item.fields["children"] == [{"label": "Boats", "url": "/boats/"}, {"label": "Tides", "url": "/tides/"}]
    assert item.fields["teaser"] == {"text": "Wait."}
    assert item.fields["blocks"] == [{"type": "quote", "fields": {"text": "Again."}}]
