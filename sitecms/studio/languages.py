"""Names of languages, as people know them."""

from functools import cache

from babel import Locale, UnknownLocaleError


@cache
def language_name(locale: str) -> str:
    """Return the English name of the language of a locale, such as "Spanish"; the code where there is none."""
    try:
        return Locale.parse(locale, sep="-").get_display_name("en") or locale
    except (UnknownLocaleError, ValueError):
        return locale
