"""Forms of an entry that somebody else changed meanwhile: merged, chosen, and nothing stored before that."""

import pytest

from sitecms.content.user import Role
from sitecms.runtime import Runtime
from tests.support.entries import declare
from tests.support.reading import execute

from .conftest import Browser, EntryForm, SignedIn
from .forms import form_of, press

pytestmark = pytest.mark.both_engines

Pair = tuple[Browser, Browser]


@pytest.fixture
def pair(signed_in: SignedIn, entry: EntryForm) -> Pair:
    """Two people who have the form open."""
    pair = signed_in(Role.EDITOR), signed_in(Role.ADMIN)
    for browser in pair:
        browser.get(entry.address)
    return pair


@pytest.mark.parametrize("between", ["keep-picture", "bring-back", "refresh:author", "schedule"])
def test_form_that_is_shown_again_still_finds_the_conflict(pair: Pair, entry: EntryForm, between: str) -> None:
    """A form that was shown again after somebody else saved begins from the version that it began from."""
    mine, theirs = pair
    press(theirs, "save", **{entry.text: "theirs"})
    press(mine, between, **{entry.text: "mine"})
    assert form_of(mine)[entry.text] == "mine"
    assert press(mine, "save").status_code == 412
    assert entry.stored()["text"] == "theirs"
    press(mine, "save", **{f"choose.{entry.text}": "mine"})
    assert entry.stored()["text"] == "mine"


def test_conflict_shows_both_texts(pair: Pair, entry: EntryForm) -> None:
    """The form keeps what was typed, what is stored stands above it; nothing is stored until each field is chosen."""
    mine, theirs = pair
    press(theirs, "save", **{entry.text: "their text", entry.other: "7"})
    assert press(mine, "save", **{entry.text: "my text", entry.other: "8"}).status_code == 412
    assert "admin changed this meanwhile" in mine.text
    assert ("<ins>their" in mine.page, "<ins>my" in mine.page) == (True, True)
    assert (form_of(mine)[entry.text], form_of(mine)[entry.other]) == ("my text", "8")
    assert press(mine, "save", **{f"choose.{entry.text}": "theirs"}).status_code == 400
    assert "choose yours or the stored one" in mine.text
    assert entry.stored() == {"text": "their text", "other": "7"}
    press(mine, "save", **{f"choose.{entry.text}": "theirs", f"choose.{entry.other}": "mine"})
    assert entry.stored() == {"text": "their text", "other": "8"}


def test_different_fields_are_merged(pair: Pair, entry: EntryForm) -> None:
    """Both changes are in the form, theirs is named; the person confirms, also if it is the same one in two tabs."""
    first, _theirs = pair
    second = Browser(first.client)
    second.get(entry.address)
    press(first, "save", **{entry.other: "7"})
    assert press(second, "save", **{entry.text: "second"}).status_code == 412
    assert "You changed this in another place meanwhile" in second.text
    assert "Taken from what is stored now: " in second.text
    assert form_of(second)[entry.other] == "7"
    assert entry.stored()["text"] != "second"
    assert press(second, "save").status_code == 200
    assert entry.stored() == {"text": "second", "other": "7"}


@pytest.mark.parametrize("button", ["publish", "unpublish", "delete", "schedule", "discard"])
def test_each_button_finds_the_conflict(pair: Pair, entry: EntryForm, button: str) -> None:
    """A change of status over a version that the person has not seen does nothing but show it."""
    mine, theirs = pair
    if button == "schedule":
        press(theirs, "unpublish")
        mine.get(entry.address)
    press(theirs, "save" if button in ("schedule", "discard") else "publish", **{entry.text: "theirs"})
    before = entry.stored()
    assert press(mine, button, scheduled_at="2099-01-01T12:00").status_code == 412
    assert entry.stored() == before
    assert form_of(mine)[entry.text] == "theirs"


def test_without_the_base_each_differing_field_is_chosen(pair: Pair, entry: EntryForm, runtime: Runtime) -> None:
    """As for a form that was open for longer than its version is kept."""
    mine, theirs = pair
    press(theirs, "save", **{entry.other: "7"})
    execute(runtime.database, "DELETE FROM revision")
    assert press(mine, "save", **{entry.text: "mine"}).status_code == 412
    assert set(form_of(mine).getlist("conflict")) == {entry.text, entry.other}
    press(mine, "save", **{f"choose.{entry.other}": "theirs", f"choose.{entry.text}": "mine"})
    assert entry.stored() == {"text": "mine", "other": "7"}


def test_changed_schema_is_told(pair: Pair, entry: EntryForm, runtime: Runtime) -> None:
    """What was typed stays; sent again it is saved, also if somebody else has changed the entry before."""
    mine, theirs = pair
    press(theirs, "save", **{entry.text: "theirs"})
    assert press(mine, "save", **{entry.text: "mine"}).status_code == 412
    declare(runtime.database, lambda data: data["page_types"][0]["fields"][0].update(help="Declared anew."))
    press(mine, "save", **{f"choose.{entry.text}": "mine"})
    assert "The declaration of the fields changed" in mine.text
    assert (form_of(mine)[entry.text], entry.stored()["text"]) == ("mine", "theirs")
    press(mine, "save")
    assert entry.stored()["text"] == "mine"
