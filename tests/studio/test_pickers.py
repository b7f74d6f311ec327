"""Fields with pickers of the browser, and references to entries that are created meanwhile."""

import pytest

from sitecms.content.kinds import EntryKind
from sitecms.content.status import Version
from sitecms.runtime import Runtime
from sitecms.store.listings.entries import MAX_TARGETS
from sitecms.studio.field_form import shown_date
from tests.support.entries import MakeItem, declare_fields

from .conftest import Browser, Versions
from .forms import form_of, press

pytestmark = pytest.mark.both_engines


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("2026-03-01T08:00:00", "2026-03-01T08:00"),
        ("2026-07-01T08:00:30", "2026-07-01T08:00:30"),
        ("2026-07-01T08:00:00.250000", "2026-07-01T08:00:00.250000"),
        ("0001-01-01T00:00:00", "0001-01-01T00:00"),
        ("2026-07-01", "2026-07-01T00:00"),
        ("2026-03-01T08:00:00Z", ""),
        ("soon", ""),
    ],
)
def test_dates_are_shown_as_the_picker_of_a_browser_has_them(stored: str, shown: str) -> None:
    """To the second where the stored time has one; "" where no picker can show the text."""
    assert shown_date(stored) == shown


@pytest.fixture
def dated(page_id: int, runtime: Runtime) -> int:
    """Give pages of the type guide a time and a colour; return the id of one."""
    declare_fields(runtime.database, {"slug": "when", "type": "date"}, {"slug": "tint", "type": "color"})
    return page_id


def test_time_and_colour_are_picked_or_typed(editor: Browser, dated: int, versions: Versions) -> None:
    """What no picker can show comes back as text beside its error."""
    page_id = dated
    editor.get(f"/studio/pages/{page_id}/")
    assert 'type="datetime-local"' in editor.page.split('name="fields.when"')[1].split(">")[0]
    press(editor, "publish", fields__when="2026-03-01T09:00", fields__tint="#0B6E99")
    stored = versions(page_id)["en", Version.LIVE].fields
    assert (stored["when"], stored["tint"]) == ("2026-03-01T09:00:00", "#0b6e99")
    press(editor, "save")
    assert "Nothing was changed" in editor.text
    assert press(editor, "save", fields__when="soon", fields__tint="red").status_code == 400
    assert "Not a date" in editor.text
    assert "Must be a colour written as" in editor.text
    assert 'type="datetime-local"' not in editor.page.split('name="fields.when"')[1].split(">")[0]
    assert (form_of(editor)["fields.when"], form_of(editor)["fields.tint"]) == ("soon", "red")
    press(editor, "publish", fields__when="", fields__tint="")
    assert versions(page_id)["en", Version.LIVE].fields["when"] is None


def test_new_entry_is_found_by_the_form_that_asked_for_it(
    admin: Browser, editor: Browser, page_id: int, versions: Versions
) -> None:
    """The link opens the form of a new entry; once that is there, the list has it and nothing typed is lost."""
    editor.get(f"/studio/pages/{page_id}/")
    assert 'href="/studio/collections/team/new/" target="_blank" data-add="fields.team"' in editor.page
    admin.get("/studio/collections/team/new/?asks=a1")
    press(admin, "save", fields__name="Bo & co")
    assert 'data-asks="a1"' in admin.page
    assert 'data-label="Bo &amp; co"' in admin.page
    uri = admin.page.split('data-value="')[1].split('"')[0]
    press(editor, "refresh:fields.team", fields__summary="typed")
    assert form_of(editor)["fields.summary"] == "typed"
    assert f'<option value="{uri}">Bo &amp; co</option>' in editor.page
    press(editor, "save", fields__team=[uri])
    draft = versions(page_id, EntryKind.PAGE)["en", Version.DRAFT].fields
    assert (draft["summary"], draft["team"]) == ("typed", [uri])


def test_long_lists_still_have_what_is_chosen(editor: Browser, page_id: int, make_item: MakeItem) -> None:
    """An entry that the list has no room for keeps its name, and only one that is gone is called missing."""
    *_, unlisted, chosen = [make_item(number, {"name": f"Name {number}"}) for number in range(2, MAX_TARGETS + 3)]
    editor.get(f"/studio/pages/{page_id}/")
    gone = "/v2/content/?keys=team[_id=9999]"
    press(editor, "refresh:fields.team", fields__team=[chosen, gone])
    assert f'<option value="{chosen}" selected>Name {MAX_TARGETS + 2}</option>' in editor.page
    assert f'<option value="{gone}" selected>missing: {gone}</option>' in editor.page
    assert unlisted not in editor.page
    found = editor.get("/studio/find/references/?targets=team page:guide nothing&text=name").get_json()["found"]
    assert [each["label"] for each in found] == [
        f"Name {number}" for number in range(2, MAX_TARGETS + 2)
    ]  # no match of the field called name
    found = editor.get(f"/studio/find/references/?targets=team page:guide&text=NAME {MAX_TARGETS + 2}").get_json()[
        "found"
    ]
    assert found == [{"value": chosen, "label": f"Name {MAX_TARGETS + 2}"}]
    found = editor.get("/studio/find/references/?targets=page:guide&text=kno").get_json()["found"]
    assert [each["value"] for each in found] == ["/v2/pages/guide/knots/"]


def test_new_author_is_found_by_a_post(editor: Browser, writer: Browser) -> None:
    """The form of a new post has the author once the list is read again."""
    editor.get("/studio/posts/new/")
    assert 'data-add="author"' in editor.page
    form = {**form_of(editor), "title": "typed", "do": "refresh:author"}
    editor.get("/studio/authors/-new/?asks=a2")
    asks = editor.value_of("asks")
    editor.send("/studio/authors/-new/", first_name="Cy", asks=asks, do="save", complete="1")
    assert 'data-asks="a2" data-value="cy"' in editor.page
    editor.send("/studio/posts/new/", **form)
    assert '<option value="cy">Cy</option>' in editor.page
    assert form_of(editor)["title"] == "typed"
    writer.get("/studio/posts/new/")
    assert "data-add" not in writer.page
