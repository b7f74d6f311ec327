"""The Jinja environment of a build: filters, translations, and errors of templates.

It reads no store, clock or network.
"""

import json
import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from datetime import date, datetime
from email.utils import format_datetime
from functools import lru_cache, partial
from itertools import count
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from jinja2 import Environment, FileSystemBytecodeCache, FunctionLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from jinja2.utils import missing
from markupsafe import Markup
from msgspec import Struct

from sitecms.clock import format_timestamp
from sitecms.content.fingerprint import digest
from sitecms.content.text import markdown
from sitecms.content.text.markdown import ResolvedImage
from sitecms.documents import nearest
from sitecms.settings.site import TEMPLATE_CACHE, SiteSettings
from sitecms.site.theme.addresses import absolute, link_address
from sitecms.site.theme.fragments import KEPT_CHARACTERS, PART, Parts, menu_place
from sitecms.site.theme.html import ImageTag, outline, rewrite
from sitecms.site.theme.plugin_names import add_names, code_inputs
from sitecms.site.theme.structured_data import structured_data, trail
from sitecms.site.theme.template_source import SYNTAX
from sitecms.site.theme.theme import Theme, template_name
from sitecms.translations import Translations, babel_locale

_PLACE = re.compile(r"(?P<file>[^:\n]+\.(?:html|xml|txt|json)):(?P<line>\d+): ")
_NAMES_SHOWN = 20
_ENCODER = json.JSONEncoder(ensure_ascii=False)
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_NUMBERS = "_markdown_numbers"
_KEPT_WITH = frozenset({str, int})
"""Types of parameters of which equal ones are written alike: neither Markup, which is not escaped, nor True."""
_TRANSLATIONS_KEPT = 10_000
_TEXTS_KEPT = 512
"""Texts that filters of feeds keep: a post stands in each kind of feed of its archives, one after the other."""


class TemplateProblem(Struct, frozen=True):
    """Error of a template; `file` is "" and `line` None without a place; `paths` are the failed outputs."""

    file: str
    line: int | None
    what: str
    paths: tuple[str, ...]


def template_errors(failed: Mapping[str, str], readable: Callable[[str], str]) -> tuple[TemplateProblem, ...]:
    """Group `Report.failed` by error; `readable` replaces file names in messages by those of the site."""
    by_error: dict[str, dict[str, str]] = {}
    for path, error in failed.items():
        message = readable(error)
        by_error.setdefault(message.rpartition(" (in the ")[0] or message, {})[path] = message
    return tuple(_error(error, paths) for error, paths in by_error.items())


def _error(error: str, paths: Mapping[str, str]) -> TemplateProblem:
    """Name the entry in the message if only one page failed."""
    text = error if len(paths) > 1 else next(iter(paths.values()))
    place = _PLACE.match(text)
    if place is None:
        return TemplateProblem("", None, text, tuple(paths))
    return TemplateProblem(place["file"], int(place["line"]), text[place.end() :], tuple(paths))


class NamedValues(dict[str, object]):
    """The values that a template names, of all that the site has; a misspelt name is compared with all `names`."""

    def __init__(self, title: str, names: Iterable[str], values: Mapping[str, object]) -> None:
        super().__init__(values)
        self.title = title
        self.names = tuple(names)


class Missing(StrictUndefined):
    """Undefined value that fails on any use, like StrictUndefined, with a message for authors of templates."""

    __slots__ = ()

    @property
    def _undefined_message(self) -> str:
        name, owner = self._undefined_name, self._undefined_obj
        if self._undefined_hint:
            return self._undefined_hint
        if owner is missing:
            return f"{name} is not defined here"
        if not isinstance(name, str):
            return _without(name, owner)
        suggestion = nearest(name, _names(owner))
        return _without(name, owner) + (f'; did you mean "{suggestion}"?' if suggestion else _known(owner))


def _without(name: object, owner: object) -> str:
    """Describe the missing attribute: fields of content are in mappings, variables of the theme in views."""
    if owner is None:
        return f'the value is empty here, so it has no "{name}"'
    if isinstance(owner, NamedValues):
        return f'{owner.title} has no "{name}"'
    return f'{"a mapping" if isinstance(owner, Mapping) else type(owner).__name__} has no "{name}"'


def _known(owner: object) -> str:
    """Return the names that a view or mapping has, for a name that is like none of them."""
    names = list(_names(owner))
    if not names:
        return ""
    return f": it has {', '.join(names[:_NAMES_SHOWN])}" + (" and others" if len(names) > _NAMES_SHOWN else "")


def _names(owner: object) -> Iterable[str]:
    if isinstance(owner, Struct):
        return [name for name in owner.__struct_fields__ if not name.startswith("_")]
    if isinstance(owner, NamedValues):
        return owner.names
    return [key for key in owner if isinstance(key, str)] if isinstance(owner, Mapping) else []


def template_cache(settings: SiteSettings) -> Path:
    """Return the folder of a site's compiled templates, and make it."""
    folder = settings.folder / TEMPLATE_CACHE
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def make_environment(
    theme: Theme,
    settings: SiteSettings,
    images: Callable[[str], ResolvedImage | None],
    cache_folder: Path | None = None,
    image: ImageTag | None = None,
    *,
    room_for_parts: int = KEPT_CHARACTERS,
) -> Environment:
    """Return the environment in which templates are rendered.

    `images` returns the size of a media file by its address. `image` replaces images in the HTML of Markdown texts.
    `room_for_parts` is the number of characters of rendered fragments that are kept.

    Every setting that filters use is part of what all pages share (see `plan`), so that a change of it is seen.
    """
    environment = Environment(
        loader=FunctionLoader(partial(_source, theme)),
        autoescape=lambda name: name is not None and name.endswith((".html", ".xml")),  # noqa: S701  # robots.txt is text
        undefined=Missing,
        auto_reload=False,
        cache_size=-1,
        **SYNTAX,
        bytecode_cache=_bytecode_cache(cache_folder, theme, settings) if cache_folder else None,
    )
    environment.globals.update({PART: Parts(_NUMBERS, room_for_parts).part}, menu_place=menu_place, trail=trail)
    environment.globals["structured_data"] = structured_data
    _install_translations(environment, Translations(theme.catalogues, settings.words_in, settings.language_tag))
    environment.filters.update(_filters(settings, images, image))
    add_names(environment, settings.plugins)
    return environment


def _filters(
    settings: SiteSettings, images: Callable[[str], ResolvedImage | None], image: ImageTag | None
) -> dict[str, Callable[..., object]]:
    """Return the filters of templates by name."""

    @pass_context
    def rendered(context: Context, text: str) -> Markup:
        """Render Markdown to safe HTML; images get their sizes, and headings ids that are unique on the page."""
        html = markdown.render(
            text,
            resolve_image=images,
            extensions=settings.markdown_extensions,
            plugins=settings.plugins,
            macros=settings.math_macros,
            language=context["site"].language,
        )
        number = next(context.get(_NUMBERS) or count(1))
        return Markup(rewrite(html, image=image, prefix=settings.base_path, number=number))  # noqa: S704  # sanitised

    known_absolute = lru_cache(_TEXTS_KEPT, typed=True)(partial(absolute, site_url=settings.url))

    @pass_context  # else Jinja would put the results for constants, which depend on the settings, into the kept code
    def with_host(_context: Context, text: str) -> str:
        """Return a root-relative address, or the HTML with all of its root-relative addresses, with scheme and host.

        The addresses already have the path of the site's `url`.
        """
        return known_absolute(text)

    @pass_context
    def address(_context: Context, url: str | None) -> str:
        """Return an address that people wrote, for a link: below the site's path, or "" if links may not have it."""
        return link_address(url or "", settings.base_path)

    return {
        "date": pass_context(partial(_date, ZoneInfo(settings.timezone), {})),
        "isotime": _isotime,
        "rfc822": _rfc822,
        "markdown": rendered,
        "address": address,
        "absolute": with_host,
        "xmltext": lru_cache(_TEXTS_KEPT, typed=True)(_xmltext),
        "json": _json,
        "outline": outline,
    }


def page_context(context: Mapping[str, object]) -> dict[str, object]:
    """Return the context of one page, with the counter of its Markdown texts after those in HTML."""
    page = context.get("page") or context.get("landing")
    return {**context, _NUMBERS: count(1 + getattr(page, "html_texts", 0))}


def _source(theme: Theme, name: str) -> tuple[str, str, Callable[[], bool]] | None:
    """Return a template of the theme and its file; files that the theme's digests do not cover are not found."""
    plain = template_name(name)
    return (theme.sources[plain], str(theme.templates[plain]), lambda: True) if plain in theme.templates else None


def _bytecode_cache(folder: Path, theme: Theme, settings: SiteSettings) -> FileSystemBytecodeCache:
    """Return the cache of compiled templates; its names contain the versions of sitecms, Jinja and plug-ins."""
    versions = digest("\n".join((theme.machinery, *code_inputs(settings.plugins))).encode())
    return FileSystemBytecodeCache(str(folder), f"{versions[:16]}-%s.cache")


def _install_translations(environment: Environment, translations: Translations) -> None:
    @pass_context
    def gettext(context: Context, message: str) -> str:
        return translations.text(context["site"].locale, message)

    @pass_context
    def ngettext(context: Context, singular: str, plural: str, number: int) -> str:
        return translations.counted(context["site"].locale, singular, plural, number)

    installer: Any = environment
    installer.install_gettext_callables(gettext, ngettext, newstyle=True)
    installer.globals["gettext"] = installer.globals["_"] = _kept(installer.globals["gettext"])
    installer.globals["ngettext"] = _kept(installer.globals["ngettext"])


def _kept(translated: Callable[..., str]) -> Callable[..., str]:
    """Cache translations, most of which occur on many pages with equal parameters."""
    texts: dict[Hashable, str] = {}

    @pass_context
    def kept(context: Context, /, *message: object, **variables: object) -> str:
        """Return a text of the theme in the locale of the page: `_("Page %(number)s", number=2)`."""
        for it in (*message, *variables.values()):
            if type(it) not in _KEPT_WITH:
                return translated(context, *message, **variables)
        key = (context["site"].locale, bool(context.eval_ctx.autoescape), message, *variables.items())
        translation = texts.get(key)
        if translation is None:
            if len(texts) >= _TRANSLATIONS_KEPT:
                texts.clear()
            translation = texts[key] = translated(context, *message, **variables)
        return translation

    return kept


def _xmltext(text: str) -> str:
    """Remove the characters that XML cannot hold."""
    return _NOT_XML.sub("", text)


def _json(value: object) -> str:
    """Return the value as JSON."""
    return _ENCODER.encode(value)


def _rfc822(moment: datetime) -> str:
    """Format a time as RSS and e-mail do."""
    return format_datetime(moment, usegmt=True)


def _isotime(moment: datetime) -> str:
    """Format a time as ISO 8601: times of entries in UTC, dates of fields without a zone."""
    return moment.isoformat() if moment.tzinfo is None else format_timestamp(moment)


def _date(zone: ZoneInfo, dates: dict[tuple[str, date], str], context: Context, moment: datetime) -> str:
    """Format the day in the language of the page; a time is converted to the zone of the site."""
    day, language = (moment.astimezone(zone) if moment.tzinfo else moment).date(), context["site"].language
    text = dates.get((language, day))
    if text is None:
        from babel.dates import format_date

        text = dates[language, day] = format_date(day, "long", babel_locale(language))
    return text
