"""Texts and languages of the locales of a site, as site.toml has them."""

import re
from collections.abc import Mapping
from typing import Any

from sitecms.documents import load_schema

WORDS = ("name", "description")
"""The texts that may differ by locale."""


def in_locale(data: Mapping[str, Any], key: str, locale: str) -> str:
    """Return a text that site.toml may have for each locale; "" if it has none for this one."""
    return str(data[key].get(locale, "") if isinstance(data[key], dict) else data[key])


def language_tag(data: Mapping[str, Any], locale: str) -> str:
    """Return the tag of [languages], or the locale if it is a tag itself, as `pt-BR` or `pt_BR`; else ""."""
    if locale in data["languages"]:
        return str(data["languages"][locale]["tag"])
    tag = load_schema("site")["properties"]["languages"]["additionalProperties"]["properties"]["tag"]
    own = locale.replace("_", "-")
    return own if re.search(tag["pattern"], own) else ""


def words_in(data: Mapping[str, Any], locale: str) -> dict[str, str]:
    """Return the texts of a locale by those of the default one, where they differ."""
    pairs = ((in_locale(data, key, data["default_locale"]), in_locale(data, key, locale)) for key in WORDS)
    return {text: translation for text, translation in pairs if text and translation and translation != text}
