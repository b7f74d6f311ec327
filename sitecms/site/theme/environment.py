"""The Jinja environment of a build: filters, translations, and errors of templates.

It reads no store, clock or network.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from datetime import date, datetime
from email.utils import format_datetime
from functools import lru_cache, partial
from itertools import count
from pathlib import Path
from types import CodeType
from typing import Any
from zoneinfo import ZoneInfo

from jinja2 import (
    Environment,
    FileSystemBytecodeCache,
    FunctionLoader,
    StrictUndefined,
    Template,
    TemplateSyntaxError,
    nodes,
    pass_context,
)
from jinja2.runtime import Context
from jinja2.utils import missing
from markupsafe import Markup

from sitecms.clock import format_timestamp
from sitecms.content.text import markdown
from sitecms.content.text.markdown import ResolvedImage
from sitecms.documents import nearest
from sitecms.settings.site import SiteSettings
from sitecms.site.theme.fragments import KEPT_CHARACTERS, PART, Parts, menu_place
from sitecms.site.theme.html import ImageTag, absolute, link_address, outline, rewrite
from sitecms.site.theme.structured_data import structured_data, trail
from sitecms.site.theme.theme import SYNTAX, Theme, take_parsed, template_name
from sitecms.site.theme.translations import Translations, babel_locale

_PLACE = re.compile(r"(?P<file>[^:\n]+\.(?:html|xml|txt|json)):(?P<line>\d+): ")


@dataclass(frozen=True, slots=True)
class TemplateProblem:
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
        meant = nearest(name, _names(owner))
        return _without(name, owner) + (f'; did you mean "{meant}"?' if meant else "")


def _without(name: object, owner: object) -> str:
    """Describe the missing attribute: fields of content are in mappings, variables of the theme in views."""
    if owner is None:
        return f'nothing is there to have "{name}": it is none'
    return f'{"a mapping" if isinstance(owner, Mapping) else type(owner).__name__} has no "{name}"'


def _names(owner: object) -> Iterable[str]:
    if is_dataclass(owner):
        return [field.name for field in fields(owner) if not field.name.startswith("_")]
    return [key for key in owner if isinstance(key, str)] if isinstance(owner, Mapping) else []


_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NUMBERS = "_markdown_numbers"
_ABSOLUTE_KEPT = 256
"""Texts that are kept with whole addresses: a post stands in each kind of feed of its archives, one after the other."""


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

    @pass_context
    def rendered(context: Context, text: str) -> Markup:
        html = markdown.render(text, resolve_image=images, typographer=settings.markdown_typographer)
        number = next(context.get(_NUMBERS) or count(1))
        return Markup(rewrite(html, image=image, prefix=settings.base_path, number=number))  # noqa: S704  # sanitised

    environment = Environment(
        loader=_ThemeLoader(partial(_source, theme)),
        autoescape=lambda name: name is not None and name.endswith((".html", ".xml")),  # noqa: S701  # robots.txt is text
        undefined=Missing,
        auto_reload=False,
        cache_size=-1,
        **SYNTAX,
        bytecode_cache=_bytecode_cache(cache_folder, theme) if cache_folder else None,
    )
    environment.globals.update({PART: Parts(_NUMBERS, room_for_parts).part}, menu_place=menu_place, trail=trail)
    environment.globals["structured_data"] = structured_data
    _install_translations(environment, Translations(theme.catalogues))
    environment.filters.update(
        date=pass_context(partial(_date, ZoneInfo(settings.timezone), {})),
        isotime=_isotime,
        rfc822=lambda moment: format_datetime(moment, usegmt=True),
        markdown=rendered,
        address=lambda url: link_address(url or "", settings.base_path),
        absolute=lru_cache(_ABSOLUTE_KEPT, typed=True)(partial(absolute, site_url=settings.url)),
        xmltext=lambda text: _NOT_XML.sub("", text),
        json=json.JSONEncoder(ensure_ascii=False).encode,
        outline=outline,
    )
    return environment


def page_context(context: Mapping[str, object]) -> dict[str, object]:
    """Return the context of one page, with the counter of its Markdown texts after those in HTML."""
    page = context.get("page") or context.get("landing")
    return {**context, _NUMBERS: count(1 + getattr(page, "html_texts", 0))}


class _ThemeLoader(FunctionLoader):
    """Loader that compiles a template as the theme has parsed it, since parsing is half of the work."""

    def load(
        self,
        environment: Environment,
        name: str,
        globals: MutableMapping[str, Any] | None = None,  # noqa: A002 - Jinja's
    ) -> Template:
        """Return the template from the bytecode cache, or compile it."""
        source, filename, _ = self.get_source(environment, name)
        tree, cache = take_parsed(source), environment.bytecode_cache
        bucket = cache.get_bucket(environment, name, filename, source) if cache else None
        code = bucket.code if bucket else None
        if code is None:
            code = _compiled(environment, tree, source, name, filename)
            if cache and bucket:
                bucket.code = code
                cache.set_bucket(bucket)
        return environment.template_class.from_code(environment, code, globals or {}, None)


def _compiled(
    environment: Environment, tree: nodes.Template | None, source: str, name: str, filename: str | None
) -> CodeType:
    if tree is not None:
        with suppress(TemplateSyntaxError):  # raised again with the line of the source
            tree.set_environment(environment)
            return environment.compile(tree, name, filename)
    return environment.compile(source, name, filename)


def _source(theme: Theme, name: str) -> tuple[str, str, Callable[[], bool]] | None:
    """Return a template of the theme and its file; files that the theme's digests do not cover are not found."""
    plain = template_name(name)
    return (theme.sources[plain], str(theme.templates[plain]), lambda: True) if plain in theme.templates else None


def _bytecode_cache(folder: Path, theme: Theme) -> FileSystemBytecodeCache:
    """Return the cache of compiled templates; its names contain the versions of sitecms and Jinja."""
    return FileSystemBytecodeCache(str(folder), f"{theme.machinery[:16]}-%s.cache")


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


def _kept(gettext: Callable[..., str]) -> Callable[..., str]:
    """Cache translations without parameters, which occur on every page."""
    known: dict[tuple[str, str, bool], str] = {}

    @pass_context
    def kept(context: Context, message: str, /, **variables: object) -> str:
        if variables:
            return gettext(context, message, **variables)
        key = (context["site"].locale, message, bool(context.eval_ctx.autoescape))
        found = known.get(key)
        if found is None:
            found = known[key] = gettext(context, message)
        return found

    return kept


def _isotime(moment: datetime) -> str:
    """Format times of entries in UTC, and dates of fields without a zone."""
    return moment.isoformat() if moment.tzinfo is None else format_timestamp(moment)


def _date(zone: ZoneInfo, known: dict[tuple[str, date], str], context: Context, moment: datetime) -> str:
    """Format the day in the locale of the page; a time is converted to the zone of the site."""
    day, locale = (moment.astimezone(zone) if moment.tzinfo else moment).date(), context["site"].locale
    found = known.get((locale, day))
    if found is None:
        from babel.dates import format_date

        found = known[locale, day] = format_date(day, "long", babel_locale(locale))
    return found
