"""The studio has every kind of entry, with all that its row of `content/kinds.py` declares."""

import json
from html import escape

import pytest

from sitecms.content.kinds import KINDS, EntryKind
from tests.support.entries import MakePage

from .conftest import Browser

pytestmark = pytest.mark.both_engines


@pytest.mark.parametrize("kind", EntryKind)
def test_entry_of_each_kind_is_written_kept_and_found(admin: Browser, kind: EntryKind, make_page: MakePage) -> None:
    """A kind that one layer does not store, or one page does not list, would lose texts without a word."""
    make_page("knots")
    properties, path = KINDS[kind], KINDS[kind].new_path.replace("<key>", "team").replace("<page_type>", "guide")
    texts = {spec.slug: f"tide-{spec.slug}" for spec in properties.built_in if not spec.targets}
    texts |= {"body": "<p>tide-body</p>", "featured_image": ""} if properties.has_body else {}
    admin.get(path)
    saved = admin.send(path, **texts, format="html", do="save", complete="1")
    assert "The draft is created." in admin.page
    admin.get(saved.request.path)
    assert all(escape(text, quote=False) in admin.page for text in texts.values())
    assert f'href="{properties.list_path.partition("<")[0]}"' in admin.page
    found = json.loads(admin.get("/studio/find/?text=tide-title").data)["found"]
    assert [each["address"] for each in found] == ([saved.request.path] if texts else [])
