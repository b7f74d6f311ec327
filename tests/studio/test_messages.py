"""Messages of the lower layers in the language of the user."""

import pytest

from sitecms.content.user import Role
from sitecms.errors import Conflict, Forbidden
from sitecms.messages import Text, read_message, stored_form, text_of
from sitecms.store.models.writes import WriteRow
from sitecms.studio.messages import message_text
from tests.studio.forms import press
from tests.support.entries import MakePost

from .conftest import Browser, MakeBrowser, MakeUser, SignedIn


def german(browser: Browser) -> Browser:
    """The same browser, which asks for German."""
    browser.client.environ_base["HTTP_ACCEPT_LANGUAGE"] = "de"
    return browser


def test_a_text_is_english_and_knows_its_values() -> None:
    """Two of them are equal as their texts are; a stored one is the same when it is read."""
    inner = Text("Authors there are: %(names)s (content/authors.yaml).", names="ann")
    text = Text("There is no author %(name)s. %(known)s", name="'bo'", known=inner)
    assert text == "There is no author 'bo'. Authors there are: ann (content/authors.yaml)."
    again = read_message(stored_form(text))
    assert again == text
    assert isinstance(again, Text)
    assert isinstance(again.values["known"], Text)
    assert (stored_form("100 %"), read_message("100 %")) == ("100 %", "100 %")


def test_a_rejected_write_keeps_the_texts_of_its_errors() -> None:
    """Beside those of earlier versions, which are plain."""
    errors = {"slug": [Text("Use at most %(num)s characters.", num=5), "Not a valid string."]}
    stored = WriteRow.errors.db_value(errors)
    read = WriteRow.errors.python_value(stored)
    assert read == errors
    assert isinstance(read["slug"][0], Text)
    assert WriteRow.errors.python_value('{"slug": ["Taken."]}') == {"slug": ["Taken."]}


@pytest.mark.parametrize("error", [Forbidden(Text("%(num)s.", num=3)), Conflict("slug", Text("%(num)s.", num=3))])
def test_an_error_keeps_its_text(error: Exception) -> None:
    """`str` would make a plain text of it."""
    assert isinstance(text_of(error), Text)
    assert str(error) == "3."


def test_a_known_message_is_translated_and_another_one_stays(browser: MakeBrowser, make_user: MakeUser) -> None:
    """As that of a wrong password; another one stays in English."""
    make_user("mira")
    visitor = browser()
    visitor.get("/studio/sign-in/")
    german(visitor).send("/studio/sign-in/", name="mira", password="wrong")
    assert "Name oder Passwort ist falsch." in visitor.text
    assert message_text("The sea is high.") == "The sea is high."


def test_a_form_says_in_the_language_of_the_user_what_is_wrong(signed_in: SignedIn, make_post: MakePost) -> None:
    """With the values of the message."""
    editor = german(signed_in(Role.EDITOR))
    editor.get(f"/studio/posts/{make_post('calm')}/")
    press(editor, "review:note", note="A" * 5_001)
    assert "Verwenden Sie höchstens 5,000 Zeichen." in editor.text


def test_a_refusal_is_in_the_language_of_the_user(signed_in: SignedIn) -> None:
    """Its values are as they are."""
    writer = german(signed_in(Role.WRITER))
    assert writer.get("/studio/site/").status_code == 403
    assert "Ihre Rolle (writer) erlaubt das nicht" in writer.page
