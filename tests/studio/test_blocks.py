"""Blocks for scripts of the studio: the forms, and the HTML of one."""

from typing import Any

from werkzeug.test import TestResponse

from sitecms.content.text.markdown.blocks import blocks
from sitecms.plugins.site_plugins import SitePlugins
from sitecms.studio.views.blocks import BLOCKS
from sitecms.studio.words import WORDS

from .conftest import Browser


def test_forms_of_blocks(writer: Browser) -> None:
    """Writers get all of them, in the language of the studio."""
    found: list[dict[str, Any]] = writer.get(BLOCKS).get_json()["blocks"]
    forms = {form["name"]: form for form in found}
    assert list(forms)[:2] == ["gallery", "embed"]
    assert forms["embed"]["fields"][0]["is_required"] is True
    assert forms["note"]["group"] == "Callout"
    assert "write" not in forms["note"]


def test_labels_of_blocks_can_be_translated() -> None:
    """Every text of the built-in forms is one of the studio's words."""
    forms = blocks(SitePlugins()).values()
    texts = {text for form in forms for text in (form.label, form.title, form.group)}
    texts |= {text for form in forms for field in form.fields for text in (field.label, field.help)}
    assert texts - {""} <= WORDS


def test_html_of_a_block(writer: Browser) -> None:
    """It is what the text would have, in the language of the text; errors say what to do, without an effect."""

    def rendered(text: str, **fields: str) -> TestResponse:
        writer.get("/studio/posts/new/")
        return writer.send(BLOCKS, text=text, **fields)

    expected = (
        '<aside class="callout callout-note">\n<p class="callout-title">Note</p>\n<p><em>Low</em></p>\n</aside>\n'
    )
    assert rendered("::: note\n*Low*\n:::", language="en").get_json() == {"html": expected}
    refused = rendered("::: embed\n:::", language="xx", form="/studio/posts/x/")
    assert refused.status_code == 400
    assert refused.get_json()["problems"] == [
        'Line 1: has a directive embed without url (write ::: embed {url="https://..."})'
    ]
    assert rendered("x" * 200_001).status_code == 400
