"""Languages of a WordPress site, which plug-ins add: which items are translations of each other.

Polylang has two taxonomies, `language` and `post_translations`; exports of WPML have meta keys for both.
"""

import re

from sitecms.importing.readers.wordpress.wxr import WxrItem

_LOCALE = re.compile(r"[A-Za-z0-9_-]{2,10}")
TAXONOMIES = frozenset({"language", "post_translations", "term_language", "term_translations"})
META = frozenset({"_wpml_import_language_code", "_wpml_import_source_language_code", "_wpml_import_translation_group"})


class Languages:
    """The items in several languages. An item is a translation of that in the site's language, or of the first one."""

    def __init__(self) -> None:
        self._groups: dict[str, dict[str, str]] = {}

    def add(self, item: WxrItem) -> bool:
        """Note an item; return whether it has translations, so that others must be known before it is converted."""
        group, language = _group(item), language_of(item)
        if group and language:
            self._groups.setdefault(group, {}).setdefault(language, item.id)
        return bool(group and language)

    def original(self, item: WxrItem, site_locale: str) -> str:
        """Return the key of the item of which this one is a translation; "" for an original."""
        ids = self._groups.get(_group(item), {})
        first = next(iter(ids.values()), "")
        original = ids.get(site_locale, first)
        return f"wp:{original}" if original != item.id and item.id in ids.values() else ""


def language_of(item: WxrItem) -> str:
    """Return the locale of an item; "" where the site has one language."""
    named = next((term.slug for term in item.terms if term.domain == "language"), "")
    locale = locale_of(named.removeprefix("pll_") or item.meta.get("_wpml_import_language_code", "").strip())
    return locale if _LOCALE.fullmatch(locale) else ""


def _group(item: WxrItem) -> str:
    named = next((term.slug for term in item.terms if term.domain == "post_translations"), "")
    return named or item.meta.get("_wpml_import_translation_group", "").strip()


def locale_of(language: str) -> str:
    """Return `en` for `en-US`, `pt-BR` for `pt-BR`: the variant counts only where it is not the usual one."""
    head, _, region = language.replace("_", "-").partition("-")
    usual = {"en": "US", "de": "DE", "fr": "FR", "es": "ES", "it": "IT", "nl": "NL", "ja": "JP", "pt": "PT", "ru": "RU"}
    is_usual = not region or usual.get(head.lower()) == region.upper() or len(region) != 2
    return head.lower() if is_usual else f"{head.lower()}-{region.upper()}"
