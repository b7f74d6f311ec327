"""Where things stand on the built site: plain paths such as `/es/blog/leer-la-niebla/`.

A path is written as people read it; `url_path` makes it fit for a URL. The default locale stands at the root, every
other one under `/<locale>` (design, section 5).
"""

from urllib.parse import quote


def locale_root(locale: str, default_locale: str) -> str:
    """`""` for the default locale, else `/<locale>`: what every path of the locale begins with."""
    return "" if locale == default_locale else f"/{locale}"


def fill(pattern: str, *, slug: str, page_type: str = "") -> str:
    """A permalink pattern with its `{slug}` and `{page_type}` filled in."""
    return pattern.replace("{page_type}", page_type).replace("{slug}", slug)


def entry_path(pattern: str, locale: str, default_locale: str, *, slug: str, page_type: str = "") -> str:
    """The path of an entry, locale included."""
    return locale_root(locale, default_locale) + fill(pattern, slug=slug, page_type=page_type)


def url_path(path: str) -> str:
    """The path with everything percent-encoded that a URL cannot carry."""
    return quote(path, safe="/~@!$&'()*+,;=:-._")
