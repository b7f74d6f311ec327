"""Fields of posts in the studio: created, changed, kept in a working copy, refused, rearranged."""

import json
from pathlib import Path

import pytest

from sitecms.actions.loading import load_site
from sitecms.clock import now
from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status
from sitecms.runtime import Runtime
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.maintenance.media_usage import used_media
from tests.support.entries import MakePost
from tests.support.reading import get_post

from .conftest import Browser
from .forms import form_of, press

FIELDS = [
    {"slug": "rating", "type": "number"},
    {"slug": "kicker", "type": "short_text", "default": "News"},
    {"slug": "photo", "type": "media"},
    {"slug": "notes", "type": "long_text"},
    {"slug": "boat", "type": "reference", "targets": ["boats"]},
    {"slug": "links", "type": "repeater", "fields": [{"slug": "label", "type": "short_text"}]},
]
MEDIA = f"/media/{'ab' * 16}.png"


@pytest.fixture
def runtime_with_fields(runtime: Runtime) -> Runtime:
    """A site that declares fields of posts, and a collection that one of them refers to."""
    folder: Path = runtime.settings.folder
    for path, data in {
        "schema/post.yaml": {"fields": FIELDS},
        "schema/collections/boats.yaml": {"fields": [{"slug": "name", "type": "short_text"}]},
        "content/collections/boats.yaml": [{"id": 7, "fields": {"name": "Nellie"}}],
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(json.dumps(data), encoding="utf-8")
    assert load_site(runtime.database, runtime.settings, now()).errors == ()
    return runtime


def test_the_form_of_a_post_has_its_fields(runtime_with_fields: Runtime, editor: Browser) -> None:
    """A new post begins with the defaults; rows are added; errors stand at their field; only changes are written."""
    database = runtime_with_fields.database
    editor.get("/studio/posts/new/")
    assert form_of(editor)["fields.kicker"] == "News"
    press(editor, "add:fields.links", title="Ebb", **{"fields.rating": "four"})
    assert form_of(editor)["fields.links.0.label"] == ""
    assert form_of(editor)["title"] == "Ebb"
    refused = press(
        editor, "publish", **{"fields.links.0.label": "More", "fields.boat": "/v2/content/?keys=boats[_id=7]"}
    )
    assert refused.status_code == 400
    assert "A valid number is required." in editor.text
    assert 'href="#fields.rating"' in editor.page
    press(editor, "publish", **{"fields.rating": "4"})
    post = database.read(get_post, "ebb")
    assert post.fields == {
        "rating": 4,
        "kicker": "News",
        "photo": None,
        "notes": "",
        "boat": "/v2/content/?keys=boats[_id=7]",
        "links": [{"label": "More"}],
    }


def test_changes_of_a_published_post_wait_in_its_working_copy(
    runtime_with_fields: Runtime, editor: Browser, make_post: MakePost
) -> None:
    """Only the fields that differ are kept there; they protect their media, and are published with the post."""
    post_id = make_post("ebb", status=Status.PUBLISHED, fields={"rating": 1, "kicker": "Old"}, markdown="", body="")
    database = runtime_with_fields.database
    editor.get(f"/studio/posts/{post_id}/")
    press(editor, "save", **{"fields.rating": "2", "fields.photo.url": MEDIA})
    with database.reading() as session:
        ((values,),) = session.sql("SELECT fields_json FROM version WHERE saved_by IS NOT NULL")
        assert json.loads(values) == {"fields": {"rating": "2", "photo": {"url": MEDIA, "alt": ""}}}
        assert MEDIA.rpartition("/")[2] in used_media(session)
        assert VERSIONS[EntryKind.POST].get(session, post_id).fields == {"rating": 1, "kicker": "Old"}
    editor.get(f"/studio/posts/{post_id}/")
    assert form_of(editor)["fields.rating"] == "2"
    press(editor, "publish", **{"fields.photo.url": ""})
    with database.reading() as session:
        assert session.sql("SELECT id FROM version WHERE saved_by IS NOT NULL") == []
        fields = VERSIONS[EntryKind.POST].get(session, post_id).fields
    assert (fields["rating"], fields["kicker"]) == (2, "Old")


def test_a_preview_shows_the_fields_as_the_form_has_them(
    runtime_with_fields: Runtime, editor: Browser, make_post: MakePost
) -> None:
    """By a template of the site; nothing is stored."""
    template = runtime_with_fields.settings.folder / "templates/post.html"
    template.parent.mkdir()
    template.write_text("{{ post.card.title }}: {{ post.fields.rating }}")
    post_id = make_post("ebb", status=Status.DRAFT, fields={"rating": 1}, markdown="", body="")
    editor.get(f"/studio/posts/{post_id}/")
    address = f"/studio/posts/{post_id}/preview/"
    assert "Ebb: 3" in press(editor, "save", address, **{"fields.rating": "3"}).get_data(as_text=True)
    editor.get(f"/studio/posts/{post_id}/")
    refused = press(editor, "save", address, **{"fields.rating": "x"})
    assert (refused.status_code, "A valid number is required." in editor.text) == (400, True)
    assert runtime_with_fields.database.read(VERSIONS[EntryKind.POST].get, post_id).fields == {"rating": 1}
