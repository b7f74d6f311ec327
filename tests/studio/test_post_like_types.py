"""Forms of pages and items whose type declares categories, tags and a featured picture."""

from typing import Any

import pytest

from sitecms.actions.authoring.file_schemas import file_schemas
from sitecms.content.kinds import EntryKind
from sitecms.content.status import Version
from sitecms.runtime import Runtime
from tests.support.entries import MakePost, declare

from .conftest import Browser, Versions
from .forms import carried, form_of, press

pytestmark = pytest.mark.both_engines
PLACES = {EntryKind.PAGE: "/studio/pages/{}/", EntryKind.ITEM: "/studio/collections/team/{}/"}


@pytest.fixture
def declared(runtime: Runtime, page_id: int) -> int:
    """Declare terms and a picture; return the id of a page."""

    def change(data: dict[str, Any]) -> None:
        for owner in (data["page_types"][0], *(each for each in data["collections"] if each["key"] == "team")):
            owner |= {"terms": ["categories", "tags"], "featured_image": True}

    declare(runtime.database, change)
    return page_id


@pytest.mark.parametrize("kind", PLACES)
def test_terms_and_picture_are_chosen_as_those_of_posts(
    editor: Browser, declared: int, versions: Versions, make_post: MakePost,
    kind: EntryKind,
) -> None:  # fmt: skip
    """One name on each line, with those that there are as suggestions; the picture by the same page of pictures."""
    make_post("calm", tags=("Moon",), categories=("Tides",))
    entry_id = declared if kind is EntryKind.PAGE else 1
    place = PLACES[kind].format(entry_id)
    editor.get(place)
    panel = editor.page[editor.page.index('id="panel"') :]
    assert '<option value="Moon">' in panel
    assert 'name="fields.featured_image.url"' in panel
    assert 'name="fields.tags"' not in editor.page[: editor.page.index('id="panel"')]
    press(editor, "publish", fields__tags="Moon\n Sea \n\nMoon", fields__categories="Tides")
    stored = versions(entry_id, kind)["en", Version.LIVE].fields
    assert (stored["tags"], stored["categories"]) == (["Moon", "Sea"], ["Tides"])
    assert form_of(editor)["fields.tags"] == "Moon\r\nSea"
    press(editor, "choose-picture:fields.featured_image", fields__tags="Sea")
    assert "Choose a picture" in editor.text
    url = "/media/" + "0" * 32 + ".png"
    choice = {"picture_for": "fields.featured_image", "do": "use-picture", "picture": url}
    editor.send(place, **{**carried(editor.page), **choice})
    assert (form_of(editor)["fields.featured_image.url"], form_of(editor)["fields.tags"]) == (url, "Sea")
    editor.get(place)
    press(editor, "publish", fields__tags="")
    assert versions(entry_id, kind)["en", Version.LIVE].fields["tags"] == []
    assert press(editor, "publish", fields__tags="!").status_code == 400
    assert "from which no address can be made" in editor.text
    press(editor, "publish", fields__tags="Moon")
    editor.get("/studio/terms/")
    noun = "1 page" if kind is EntryKind.PAGE else "1 item"
    assert f"Moon 1 post · {noun}" in editor.text
    if kind is EntryKind.PAGE:
        for query, shown in (("tag=moon", True), ("tag=none", False), ("category=tides&tag=moon", True)):
            editor.get(f"/studio/pages/?{query}")
            assert (place in editor.page) is shown


def test_types_that_declare_nothing_have_no_such_fields(editor: Browser, page_id: int) -> None:
    """A page of another site has none."""
    editor.get(f"/studio/pages/{page_id}/")
    assert not {"fields.tags", "fields.categories", "fields.featured_image.url"} & form_of(editor).keys()


def test_schemas_for_editors_have_the_keys_of_types_that_declare_them(runtime: Runtime) -> None:
    """Others do not."""
    folder = runtime.settings.folder
    for name, declared in (("boat", "terms: [tags]\nfeatured_image: true\n"), ("plain", "")):
        path = folder / f"schema/page_types/{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{declared}fields: [{{slug: name, type: short_text}}]\n", "utf-8")
    schemas = {each.name: each.schema["properties"].keys() for each in file_schemas(runtime.settings)
               if each.name.startswith("page.")}  # fmt: skip
    keys = {"categories", "tags", "featured_image"}
    assert schemas["page.boat"] & keys == {"tags", "featured_image"}
    assert schemas["page.plain"] & keys == set()
