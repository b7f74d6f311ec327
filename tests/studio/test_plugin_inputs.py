"""Inputs that plug-ins draw for their field types in forms."""

import json

import pytest

from sitecms.actions.loading import load_site
from sitecms.clock import now
from sitecms.runtime import Runtime
from sitecms.settings.site import SiteSettings, load_settings

from .conftest import Browser
from .forms import press

PLUGIN = """
from sitecms.content.fields.scalar import NumberType
from sitecms.plugins.hooks import hookimpl

class RatingType(NumberType):
    input_hint, template_type = "1 to 5 stars", "number"

    def clean(self, value, spec, context):
        stars = super().clean(value, spec, context)
        if stars is not None and not 1 <= stars <= 5:
            context.report("Must be from 1 to 5.")
        return stars

def stars(field):
    if field.value == "5":
        raise LookupError("no fifth star")
    return f'<input type="range" name="{field.name}" id="{field.id}" value="{field.value}" title="{field.describedby}">'

@hookimpl
def field_types():
    return {"rating": RatingType}

@hookimpl
def field_inputs():
    return {"rating": stars}
"""


@pytest.fixture
def site(site: SiteSettings) -> SiteSettings:
    """A site with a field of posts, and one in rows, whose type and input a plug-in adds."""
    rows = {"slug": "parts", "type": "repeater", "fields": [{"slug": "stars", "type": "rating"}]}
    for path, text in {
        "plugins/stars.py": PLUGIN,
        "schema/post.yaml": json.dumps({"fields": [{"slug": "stars", "type": "rating"}, rows]}),
        "site.toml": f'{(site.folder / "site.toml").read_text("utf-8")}\n[plugins]\nenabled = ["stars"]\n',
    }.items():
        (site.folder / path).parent.mkdir(exist_ok=True)
        (site.folder / path).write_text(text, "utf-8")
    return load_settings(site.folder)


def test_plugin_draws_the_input_of_its_type(runtime: Runtime, editor: Browser) -> None:
    """It stands in the form with label and hint, in rows too; what is sent is cleaned, and errors stand at it."""
    assert load_site(runtime.database, runtime.settings, now()).errors == ()
    editor.get("/studio/posts/new/")
    assert '<label for="fields.stars">Stars</label>' in editor.page
    drawn = '<input type="range" name="fields.stars" id="fields.stars" value="" title="fields.stars-help">'
    assert drawn in editor.page
    assert "1 to 5 stars." in editor.text
    press(editor, "save", title="Calm", fields__stars="7")
    assert "Must be from 1 to 5." in editor.page
    assert 'value="7" title="fields.stars-problem fields.stars-help">' in editor.page
    press(editor, "add:fields.parts")
    assert '<input type="range" name="fields.parts.0.stars"' in editor.page


def test_input_that_fails_is_the_usual_one(runtime: Runtime, editor: Browser) -> None:
    """The form says which plug-in failed, and keeps the value."""
    assert load_site(runtime.database, runtime.settings, now()).errors == ()
    editor.get("/studio/posts/new/")
    press(editor, "add:fields.parts", fields__stars="5")
    assert '<input id="fields.stars" dir="auto" name="fields.stars" value="5" inputmode="decimal"' in editor.page
    assert "the plug-in stars failed (input of the field type rating, plugins/stars.py:16)" in editor.text
