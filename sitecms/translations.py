"""Messages in other languages, from gettext catalogues (`translations/<locale>.po`); facts of Babel about languages."""

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sitecms.errors import ConfigurationError

if TYPE_CHECKING:
    from babel.core import Locale


class Forms(NamedTuple):
    """Translation of a message with a number, and the rule of its catalogue: the index of the form for a number.

    `expression` is the rule in C, which the header of the catalogue has.
    """

    forms: tuple[str, ...]
    rule: Callable[[int], int]
    expression: str


MessageCatalogue = Mapping[str, str | Forms]
Words = Callable[[str], str]
"""Translation of words that a site has in one language only, such as names of terms."""


class Translations:
    """Messages of all locales; English where a catalogue has no translation.

    `site_words` are words of the site that its settings translate, by locale and text. `language_tag` returns the
    language tag of a locale.
    """

    def __init__(
        self,
        files: Mapping[str, tuple[Path, ...]],
        site_words: Mapping[str, Mapping[str, str]] | None = None,
        language_tag: Callable[[str], str] = str,
    ) -> None:
        self._files = files
        self._site_words = site_words or {}
        self._language_tag = language_tag
        self._catalogues: dict[str, MessageCatalogue] = {}

    def text(self, locale: str, message: str, context: str = "") -> str:
        """Return the message in the locale; `context` tells messages apart that are one in English."""
        translation = self.find(locale, message, context)
        return translation if isinstance(translation, str) else message

    def find(self, locale: str, message: str, context: str = "") -> "str | Forms | None":
        """Return the translation of a message, or the forms of one with a number, which its singular names."""
        return self._catalogue(locale).get(_key(context, message))

    def counted(self, locale: str, singular: str, plural: str, number: int) -> str:
        """Return the form of the message for a number, by the catalogue's plural rule."""
        translation = self.find(locale, singular)
        if isinstance(translation, Forms):
            return translation.forms[min(translation.rule(number), len(translation.forms) - 1)]
        return singular if number == 1 else plural

    def has(self, locale: str, message: str) -> bool:
        """Return whether a catalogue of the locale has the message, or the singular of a message with a number."""
        return self.find(locale, message) is not None

    def of_content(self, locale: str, default_locale: str) -> Words:
        """Return the translation of words of the site, such as names of terms, which it has in its default locale."""
        return str if locale == default_locale else partial(self._content_text, locale)

    def _content_text(self, locale: str, text: str) -> str:
        return self._site_words.get(locale, {}).get(text) or self.text(locale, text)

    def _catalogue(self, locale: str) -> MessageCatalogue:
        if locale not in self._catalogues:
            language = self._language_tag(locale)
            self._catalogues[locale] = _read(catalogue_files(self._files, locale, language), language)
        return self._catalogues[locale]


def catalogue_files(files: Mapping[str, tuple[Path, ...]], locale: str, language: str) -> tuple[Path, ...]:
    """Return the catalogues of a locale of that language tag, the most general first."""
    return tuple(file for name in catalogue_names(locale, language) for file in files.get(name, ()))


def catalogue_names(locale: str, language: str) -> tuple[str, ...]:
    """Return the names of catalogues of a locale of that language tag, the most general first: `pt`, `pt-BR`, `brasil`.

    Traditional Chinese is not written as `zh` is, so it has catalogues of its own alone.
    """
    general = language.partition("-")[0]
    is_other_script = general == "zh" and ("Hant" in language or language.endswith(("TW", "HK", "MO")))
    return tuple(dict.fromkeys((*(() if is_other_script else (general,)), language, locale)))


def _read(paths: tuple[Path, ...], language: str) -> MessageCatalogue:
    """Return messages by their English text; a later file covers an earlier one.

    The header Plural-Forms of a file is its rule; one without it has the rule that Babel knows for the language. Raises
    ConfigurationError if the header is invalid.
    """
    if not paths:
        return {}
    from babel.messages.pofile import read_po

    messages: dict[str, str | Forms] = {}
    for path in paths:
        with path.open("rb") as file:
            catalogue = read_po(file, babel_locale(language))
        rule = _plural_rule(path, catalogue.plural_expr)
        for message in catalogue:
            text = message.id if isinstance(message.id, str) else message.id[0]
            translated = message.string
            if text and translated and not message.fuzzy:
                messages[_key(message.context or "", text)] = (
                    translated if isinstance(translated, str) else Forms(tuple(translated), rule, catalogue.plural_expr)
                )
    return messages


def _key(context: str, message: str) -> str:
    """Return the key of a message in a catalogue, as gettext writes it into compiled ones."""
    return f"{context}\4{message}" if context else message


def _plural_rule(path: Path, expression: str) -> Callable[[int], int]:
    from gettext import c2py

    try:
        return c2py(expression)
    except ValueError as error:
        raise ConfigurationError(
            f'translations/{path.name}: Plural-Forms has the invalid rule "{expression}" ({error}). '
            "Copy the header of the theme's catalogue of that language."
        ) from error


def babel_locale(language: str) -> "Locale":
    """Return Babel's data of a language tag, or the nearest, else English. Plain `en` writes 4 October 2025."""
    from babel.core import Locale

    return _known_locale(language) or Locale("en", "GB")


def _known_locale(language: str) -> "Locale | None":
    """Return Babel's data of a language tag without the subtags at its end that Babel does not know."""
    from babel.core import Locale, UnknownLocaleError

    while language and language != "en":
        try:
            return Locale.parse(language, sep="-")
        except (UnknownLocaleError, ValueError):
            language = language.rpartition("-")[0]
    return Locale("en", "GB") if language else None


@cache
def language_names(languages: tuple[str, ...]) -> Mapping[str, str]:
    """Return the name of each known language in itself, by tag: `Español`.

    One whose name another language has too is named with its region: `Español (Latinoamérica)`.
    """
    locales = {language: found for language in languages if (found := _known_locale(language))}
    names = {language: locale.get_language_name() or language for language, locale in locales.items()}
    shared = {name for name, count in Counter(names.values()).items() if count > 1}
    full = {
        language: locales[language].get_display_name() or name
        for language, name in names.items()
        if name in shared and "-" in language
    }
    return {language: name[:1].upper() + name[1:] for language, name in {**names, **full}.items()}


@cache
def text_direction(language: str) -> str:
    """Return `ltr` or `rtl`."""
    return str(babel_locale(language).text_direction)
