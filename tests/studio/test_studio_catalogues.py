"""The catalogues of the studio: every text is there in each language, with the same values and marks, in all forms."""

import pickle
import re
from collections.abc import Iterator
from gettext import c2py
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message

from sitecms.studio import texts
from sitecms.studio.rendering import Assets
from tests.studio_catalogues import STUDIO, read_catalogue, untranslated, used_texts
from tests.support.sites import MakeOnce

LANGUAGES = ("ar", "de", "es", "fr", "it", "ja", "nl", "pl", "pt", "zh")
FORMS = {"ar": 6, "pl": 3, "ja": 1, "zh": 1}
"""The number of plural forms of languages that have not two."""
VALUE = re.compile(r"%\(\w+\)s")
MARK = re.compile(r"<[^>]+>")
MOST_NUMBERS = 120


@pytest.fixture(scope="module")
def used(once: MakeOnce) -> Catalog:
    """The texts of the studio, which the processes of a run collect once for all."""

    def collect(folder: Path) -> None:
        (folder / "used.pickle").write_bytes(pickle.dumps(used_texts()))

    found: Catalog = pickle.loads((once("texts", collect) / "used.pickle").read_bytes())
    return found


def forms_of(message: Message) -> tuple[str, ...]:
    """The forms of a translation; of a text without a number, the one."""
    forms = message.string if isinstance(message.string, tuple) else (message.string,)
    return tuple(str(form) for form in forms)


def test_the_studio_has_ten_languages_beside_english() -> None:
    """Each with a catalogue."""
    assert ("en", *LANGUAGES) == texts.LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_translated(language: str, used: Catalog) -> None:
    """None is missing or uncertain, and none is unused. `python -m tests.studio_catalogues` adds and removes them."""
    catalogue = read_catalogue(texts.FOLDER / f"{language}.po")
    keys = {(message.context, message.id) for message in catalogue if message.id}
    wanted = {(message.context, message.id) for message in used if message.id}
    assert len(wanted) > 1_000
    assert (wanted - keys, keys - wanted) == (set(), set())
    assert [message.id for message in untranslated(catalogue)] == []
    assert [message.id for message in catalogue if message.id and message.fuzzy] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_have_the_values_and_marks_of_the_english_ones(language: str) -> None:
    """By name, as often; a number may be a word, but not in the last form. Marks are in HTML as they are."""
    assert list(differences(language)) == []


def differences(language: str) -> Iterator[tuple[str, str]]:
    """Yield each form that has other values, marks or quotation marks than the English text."""
    for message in read_catalogue(texts.FOLDER / f"{language}.po"):
        if not message.id:
            continue
        english = message.id if isinstance(message.id, str) else message.id[-1]
        forms = forms_of(message)
        for place, form in enumerate(forms):
            expected, values = set(VALUE.findall(english)), set(VALUE.findall(form))
            is_word = place < len(forms) - 1 and expected - values == {"%(num)s"} and values <= expected
            is_like = sorted(MARK.findall(form)) == sorted(MARK.findall(english)) and form.count('"') == english.count(
                '"'
            )
            if not is_like or not (expected == values or is_word):
                yield english, form


@pytest.mark.parametrize("language", LANGUAGES)
def test_numbers_have_all_forms_of_the_language(language: str) -> None:
    """As many as its rule tells apart, and the rule uses each of them."""
    catalogue = read_catalogue(texts.FOLDER / f"{language}.po")
    count = FORMS.get(language, 2)
    counted = [message for message in catalogue if isinstance(message.id, tuple)]
    assert len(counted) > 30
    assert {len(forms_of(message)) for message in counted} == {count}
    assert catalogue.num_plurals == count
    assert {c2py(catalogue.plural_expr)(number) for number in range(MOST_NUMBERS)} == set(range(count))


def test_scripts_are_given_exactly_what_they_say(used: Catalog) -> None:
    """The texts that the server finds in scripts are those that the extractor of Babel finds there."""
    scripts = {path.relative_to(STUDIO).as_posix() for path in (STUDIO / "assets").rglob("*.js")}
    expected = {
        message.id if isinstance(message.id, str) else message.id[0]
        for message in used
        if message.id and any(place in scripts for place, _line in message.locations)
    }
    assert len(expected) > 100
    found = texts.script_module("de", frozenset(expected))
    assets = Assets()
    response = assets.response(assets.address("texts/de.js").split("/")[3], "texts/de.js")
    assert response is not None
    assert response.data == found
