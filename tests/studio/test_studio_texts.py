"""The language of the studio: which one a request gets, and what is written in it."""

from collections.abc import Callable

import pytest
from flask import Flask

from sitecms.runtime import Runtime
from sitecms.store.accounts.users import get_user
from sitecms.studio.rendering import Assets
from sitecms.studio.texts import _, language, ngettext, script_texts, use_language

from .conftest import MakeBrowser, SignedIn


@pytest.mark.parametrize(
    ("accepted", "expected"),
    [
        ("", "en"), ("de", "de"), ("de-AT,en;q=0.8", "de"), ("en-GB,de;q=0.8", "en"), ("xx, ar-EG;q=0.5", "ar"),
        ("de;q=0", "en"), ("*", "en"), ("fr;q=0.4, de;q=0.9", "de"),
    ],
)  # fmt: skip
def test_the_browser_says_which_language_it_wants(browser: MakeBrowser, accepted: str, expected: str) -> None:
    """The best that the studio has, by the general language too; else English."""
    visitor = browser()
    visitor.get("/studio/sign-in/", headers={"Accept-Language": accepted})
    direction = "rtl" if expected == "ar" else "ltr"
    assert f'<html lang="{expected}" dir="{direction}">' in visitor.page


def test_a_user_chooses_a_language(signed_in: SignedIn, runtime: Runtime) -> None:
    """It is stored, counts more than the browser's, and can be taken back."""
    browser = signed_in(name="mira")
    browser.get("/studio/account/")
    browser.send("/studio/account/language/", language="de")
    assert '<html lang="de" dir="ltr">' in browser.page
    assert "Sprache des Studios" in browser.text
    assert '<option value="de" selected>Deutsch</option>' in browser.page
    assert runtime.database.read(get_user, "mira").language == "de"
    browser.get("/studio/account/", headers={"Accept-Language": "ar"})
    assert '<html lang="de"' in browser.page
    browser.send("/studio/account/language/", language="")
    browser.get("/studio/account/", headers={"Accept-Language": "ar"})
    assert '<html lang="ar" dir="rtl">' in browser.page


def test_an_unknown_language_is_refused(signed_in: SignedIn) -> None:
    """With what is right; the stored one stays."""
    browser = signed_in(name="mira")
    browser.get("/studio/account/")
    assert browser.send("/studio/account/language/", language="xx").status_code == 400
    assert "Choose one of the languages." in browser.text


def test_texts_have_values_and_forms() -> None:
    """By name, in English outside of a request; a per cent sign is written twice."""
    assert _("Saved by %(name)s.", name="Ann") == "Saved by Ann."
    assert _("100 %% of it") == "100 % of it"
    counted: Callable[[int], str] = lambda number: ngettext("%(num)s post", "%(num)s posts", number)  # noqa: E731
    assert [counted(number) for number in (0, 1, 2)] == ["0 posts", "1 post", "2 posts"]
    with Flask("x").app_context():
        use_language("", [("de-CH", 1.0)])
        assert (language(), _("Posts")) == ("de", "Beiträge")


def test_scripts_get_the_translations_of_their_texts() -> None:
    """A module for each language, with the texts that the scripts name and no others."""
    assert script_texts('a(_("Saved."), foo_("no"));\nngettext(\n  "%(num)s \\"x\\"", "b", 2)') == {
        "Saved.",
        '%(num)s "x"',
    }
    assets = Assets()
    digest = assets.address("texts/de.js").split("/")[3]
    response = assets.response(digest, "texts/de.js")
    assert response is not None
    assert response.mimetype == "text/javascript"
    assert response.data.startswith(b'import { use } from "../texts.js";\nuse({')
    assert assets.response(digest, "texts/xx.js") is None
