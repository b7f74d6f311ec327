"""Texts of the studio in the language of a request, from gettext catalogues (`translations/<language>.po`).

A text is written in English where it is used: `_("Saved.")`, `_("Saved by %(name)s.", name=name)` or
`ngettext("%(num)s post", "%(num)s posts", count)`. A constant is marked by `sitecms.messages.N_`, and translated by `_`
where it is used in an answer. A per cent sign is written twice. Scripts do the same with `texts.js`, and get their
translations from the module `texts/<language>.js`.
"""

import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import orjson
from flask import g, has_app_context

from sitecms.translations import Forms, Translations, catalogue_names

ENGLISH = "en"
FOLDER = Path(__file__).parent / "translations"
_FILES = {path.stem: (path,) for path in sorted(FOLDER.glob("*.po"))}
LANGUAGES = (ENGLISH, *_FILES)
"""The languages of the studio, by tag."""
_translations = Translations(_FILES)
_SCRIPT_TEXT = re.compile(r'\b(?:_|ngettext)\(\s*("(?:[^"\\]|\\.)*")')


def use_language(chosen: str, accepted: Iterable[tuple[str, float]] = ()) -> None:
    """Use a language for this request: the chosen one, else the first that the browser accepts, else English.

    `accepted` has language tags with their quality, best first, as in the header Accept-Language.
    """
    g.language = chosen if chosen in LANGUAGES else _first_of(tag for tag, quality in accepted if quality > 0)


def _first_of(tags: Iterable[str]) -> str:
    names = (name for tag in tags for name in reversed(catalogue_names(tag, tag)))
    return next((name for name in names if name in LANGUAGES), ENGLISH)


def language() -> str:
    """Return the language of this request; English outside of one."""
    return str(g.get("language", ENGLISH)) if has_app_context() else ENGLISH


def _(message: str, /, **values: object) -> str:
    """Return a text with its values."""
    return translation(message) % values


def ngettext(singular: str, plural: str, number: int, /, **values: object) -> str:
    """Return the form of a text for a number, which is its value `num`."""
    return counted_translation(singular, plural, number) % {"num": number, **values}


def pgettext(context: str, message: str, /, **values: object) -> str:
    """Return a text that says something else in another context."""
    return translation_in_context(context, message) % values


def translation(message: str) -> str:
    """Return a text without its values, as templates ask for it."""
    return _translations.text(language(), message)


def counted_translation(singular: str, plural: str, number: int) -> str:
    """Return the form of a text for a number, without its values."""
    return _translations.counted(language(), singular, plural, number)


def translation_in_context(context: str, message: str) -> str:
    """Return a text of a context, without its values."""
    return _translations.text(language(), message, context)


def script_texts(script: str) -> frozenset[str]:
    """Return the texts of a script, of those with a number the singular."""
    return frozenset(json.loads(text) for text in _SCRIPT_TEXT.findall(script))


@cache
def script_module(language: str, messages: frozenset[str]) -> bytes:
    """Return the module that gives scripts the translations of some texts."""
    translations, rule = dict[str, str | tuple[str, ...]](), "0"
    for message in sorted(messages):
        match _translations.find(language, message):
            case Forms(forms=forms, expression=expression):
                translations[message], rule = forms, expression
            case str(text):
                translations[message] = text
    texts = orjson.dumps(translations).decode()
    return f'import {{ use }} from "../texts.js";\nuse({texts}, (n) => Number({rule}));\n'.encode()
