"""Translations of the theme in each locale, from gettext catalogues (`translations/<locale>.po`)."""

from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sitecms.errors import ConfigurationError

if TYPE_CHECKING:
    from babel.core import Locale


class Forms(NamedTuple):
    """Translation of a message with a number, and the rule of its catalogue: the index of the form for a number."""

    forms: tuple[str, ...]
    rule: Callable[[int], int]


MessageCatalogue = Mapping[str, str | Forms]
Words = Callable[[str], str]
"""Translation of words that a site has in one language only, such as names of terms."""


class Translations:
    """Messages of all locales; English where a catalogue has no translation.

    `own` are words of the site that its settings translate, by locale and text.
    """

    def __init__(
        self, files: Mapping[str, tuple[Path, ...]], own: Mapping[str, Mapping[str, str]] | None = None
    ) -> None:
        self._files = files
        self._own = own or {}
        self._catalogues: dict[str, MessageCatalogue] = {}

    def text(self, locale: str, message: str) -> str:
        """Return the message in the locale."""
        found = self._catalogue(locale).get(message)
        return found if isinstance(found, str) else message

    def counted(self, locale: str, singular: str, plural: str, number: int) -> str:
        """Return the form of the message for a number, by the catalogue's plural rule."""
        found = self._catalogue(locale).get(singular)
        if isinstance(found, Forms):
            return found.forms[min(found.rule(number), len(found.forms) - 1)]
        return singular if number == 1 else plural

    def of_content(self, locale: str, default_locale: str) -> Words:
        """Return the translation of words of the site, such as names of terms, which it has in its default locale."""
        return str if locale == default_locale else partial(self._content_text, locale)

    def _content_text(self, locale: str, text: str) -> str:
        return self._own.get(locale, {}).get(text) or self.text(locale, text)

    def _catalogue(self, locale: str) -> MessageCatalogue:
        if locale not in self._catalogues:
            self._catalogues[locale] = _read(catalogue_files(self._files, locale), locale)
        return self._catalogues[locale]


def catalogue_files(files: Mapping[str, tuple[Path, ...]], locale: str) -> tuple[Path, ...]:
    """Return the catalogues of a locale, those of its language first: `pt` before `pt-BR`.

    Traditional Chinese is not written as `zh` is, so it has catalogues of its own alone.
    """
    language = locale.partition("-")[0]
    is_other_script = language == "zh" and ("Hant" in locale or locale.endswith(("TW", "HK", "MO")))
    shared = () if language == locale or is_other_script else files.get(language, ())
    return (*shared, *files.get(locale, ()))


def _read(paths: tuple[Path, ...], locale: str) -> MessageCatalogue:
    """Return messages by their English text; a later file covers an earlier one.

    The header Plural-Forms of a file is its rule; one without it has the rule that Babel knows for the locale. Raises
    ConfigurationError if the header is invalid.
    """
    if not paths:
        return {}
    from babel.messages.pofile import read_po

    found: dict[str, str | Forms] = {}
    for path in paths:
        with path.open("rb") as file:
            catalogue = read_po(file, babel_locale(locale))
        rule = _plural_rule(path, catalogue.plural_expr)
        for message in catalogue:
            key = message.id if isinstance(message.id, str) else message.id[0]
            translated = message.string
            if key and translated and not message.fuzzy:
                found[key] = translated if isinstance(translated, str) else Forms(tuple(translated), rule)
    return found


def _plural_rule(path: Path, expression: str) -> Callable[[int], int]:
    from gettext import c2py

    try:
        return c2py(expression)
    except ValueError as error:
        raise ConfigurationError(
            f'translations/{path.name}: Plural-Forms has the invalid rule "{expression}" ({error}). '
            "Copy the header of the theme's catalogue of that language."
        ) from error


def babel_locale(code: str) -> "Locale":
    """Return Babel's data of a locale, or the nearest; English if Babel has none. Plain `en` writes 4 October 2025."""
    from babel.core import Locale, UnknownLocaleError

    if code == "en":
        return Locale("en", "GB")
    try:
        return Locale.parse(code.replace("-", "_"))
    except (UnknownLocaleError, ValueError):
        return Locale("en", "GB")


def language_name(code: str) -> str:
    """Return the name of a language in itself, `Español`."""
    name = babel_locale(code).get_language_name() or code
    return name[:1].upper() + name[1:]


@cache
def text_direction(code: str) -> str:
    """Return `ltr` or `rtl`."""
    return str(babel_locale(code).text_direction)
