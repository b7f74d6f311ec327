"""The Jinja environment of a build: filters and translations. Nothing in it reads the store, the clock or the net."""

import re
from collections.abc import Callable
from datetime import datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemBytecodeCache, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from sitecms.clock import format_timestamp
from sitecms.content import markdown
from sitecms.content.markdown import ResolvedImage
from sitecms.site.theme import Theme
from sitecms.site.translations import Translations, babel_locale

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ROOTED = re.compile(r'(\s(?:href|src|poster|cite)=")(/(?!/))')
_SRCSET = re.compile(r'(\ssrcset=")([^"]*)(")')


def make_environment(
    theme: Theme, site_url: str, images: Callable[[str], ResolvedImage | None], cache_folder: Path | None = None
) -> Environment:
    """The environment templates are rendered in. `images` knows the size of a media file by its address."""
    environment = Environment(
        loader=FileSystemLoader(theme.template_folders),
        autoescape=lambda name: name is not None and name.endswith((".html", ".xml")),  # noqa: S701  # robots.txt is text
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        cache_size=-1,
        extensions=["jinja2.ext.i18n"],
        bytecode_cache=FileSystemBytecodeCache(str(cache_folder)) if cache_folder else None,
    )
    _install_translations(environment, Translations(theme.catalogues))
    environment.filters.update(
        date=_date,
        isotime=_isotime,
        rfc822=lambda moment: format_datetime(moment, usegmt=True),
        markdown=lambda text: Markup(markdown.render(text, resolve_image=images)),  # noqa: S704  # sanitised by render
        absolute=lambda text: absolute(text, site_url),
        xmltext=lambda text: _NOT_XML.sub("", text),
    )
    return environment


def rooted(html: str, prefix: str) -> str:
    """The HTML with `prefix` before every address that starts at the root of the host.

    Works on sanitised HTML only, where every attribute stands in double quotes.
    """
    if not prefix:
        return html
    html = _ROOTED.sub(rf"\g<1>{prefix}\g<2>", html)
    return _SRCSET.sub(lambda match: match[1] + _rooted_set(match[2], prefix) + match[3], html)


def _rooted_set(addresses: str, prefix: str) -> str:
    parts = (part.strip() for part in addresses.split(","))
    return ", ".join(prefix + part if part.startswith("/") and not part.startswith("//") else part for part in parts)


def absolute(text: str, site_url: str) -> str:
    """One root-relative address, or all of those in an HTML text, as whole addresses.

    Both already carry the path of the site's `url`, so only its scheme and host are put before them.
    """
    host = "/".join(site_url.split("/")[:3])
    if text.startswith("/") and not text.startswith("//"):
        return host + text
    return rooted(text, host)


def _install_translations(environment: Environment, translations: Translations) -> None:
    @pass_context
    def gettext(context: Context, message: str) -> str:
        return translations.text(context["site"].locale, message)

    @pass_context
    def ngettext(context: Context, singular: str, plural: str, number: int) -> str:
        return translations.counted(context["site"].locale, singular, plural, number)

    installer: Any = environment
    installer.install_gettext_callables(gettext, ngettext, newstyle=True)


def _isotime(moment: datetime) -> str:
    """Times of entries in UTC; dates of fields as they are, without zone."""
    return moment.isoformat() if moment.tzinfo is None else format_timestamp(moment)


@pass_context
def _date(context: Context, moment: datetime) -> str:
    """The day in words, as people of the page's locale write it."""
    from babel.dates import format_date

    return format_date(moment, "long", babel_locale(context["site"].locale))
