"""Templates of the studio, and the headers of its responses."""

import gzip
import posixpath
import re
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cache, cached_property, partial
from hashlib import sha256
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, format_time, get_datetime_format
from babel.numbers import format_decimal
from flask import Response, request
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.bccache import Bucket, BytecodeCache

from sitecms.content.media import MEDIA_NAME
from sitecms.settings.site import SiteSettings
from sitecms.studio.field_controls import creations
from sitecms.studio.field_form import shown_date
from sitecms.studio.messages import message_text
from sitecms.studio.texts import (
    FOLDER,
    LANGUAGES,
    _,
    counted_translation,
    language,
    script_module,
    script_texts,
    translation,
    translation_in_context,
)
from sitecms.studio.value_texts import label_of
from sitecms.studio.words import word
from sitecms.translations import babel_locale, text_direction

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob: https:; "
    "media-src 'self' https:; connect-src 'self'; font-src 'self'; frame-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
OPEN_TO_FRAMES = {"Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin"}
"""Headers of files that the preview loads, whose origin is none that has a name."""
NO_STORE = "no-store"
_FOREVER = "private, max-age=31536000, immutable"
_FOLDER = Path(__file__).parent
_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
_COMMENTS = re.compile(rb"^[ \t]*(?://[^\n]*|/\*\*.*?\*/)$", re.M | re.S)
_INDENTATION = re.compile(rb"^[ \t]+", re.M)
_IMPORTS = re.compile(rb"^(?:import|export)\b[^;\"]* from \"(\.[^\"]+)\";$", re.M)
_BROWSERS = (
    ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser", "Samsung Internet"), ("Firefox/", "Firefox"),
    ("FxiOS", "Firefox"), ("CriOS", "Chrome"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
)  # fmt: skip
_SYSTEMS = (
    ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"), ("CrOS", "ChromeOS"),
    ("Mac OS X", "macOS"), ("Linux", "Linux"),
)  # fmt: skip


def complete(response: Response) -> Response:
    """Add the headers of every response, but those that it has: the preview of a page has a policy of its own.

    A redirect that Werkzeug has made to the same host loses the host, which is only what the request says.
    """
    if response.location and response.location.startswith(request.host_url):
        response.location = f"/{response.location.removeprefix(request.host_url).lstrip('/')}"
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    response.headers.setdefault("Cache-Control", NO_STORE)
    return response


class Assets:
    """Styles and scripts of the studio, read once; their addresses change with their content.

    All have one digest in their addresses, so that scripts import each other by relative paths. Files in `vendor` are
    there only where the package was built with npm (`studio/bundle`). Comments on lines of their own are not sent.
    `texts/<language>.js` are the translations of the texts in scripts.
    """

    def __init__(self, folder: Path = _FOLDER / "assets") -> None:
        paths = sorted(path for path in folder.rglob("*") if path.suffix in _TYPES)
        self._files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
        self._packed = cache(lambda name: gzip.compress(self._content(name), mtime=0))
        self.scripts_of = cache(self._scripts_of)
        for name, data in self._files.items():
            if name.endswith(".js") and not name.startswith("vendor/"):
                plain = _COMMENTS.sub(lambda comment: b"\n" * comment[0].count(b"\n"), data)
                self._files[name] = _INDENTATION.sub(b"", plain)
        self._texts = {f"texts/{each}.js": each for each in LANGUAGES}
        digest = sha256()
        for name, data in self._files.items():
            digest.update(name.encode() + sha256(data).digest())
        for path in sorted(FOLDER.glob("*.po")):
            digest.update(sha256(path.read_bytes()).digest())
        self._digest = digest.hexdigest()[:12]

    def __contains__(self, name: str) -> bool:
        return name in self._files or name in self._texts

    def address(self, name: str) -> str:
        """Return the address of a file."""
        if name not in self:
            raise KeyError(name)
        return f"/studio/assets/{self._digest}/{name}"

    def _content(self, name: str) -> bytes:
        return script_module(self._texts[name], self._script_texts) if name in self._texts else self._files[name]

    @cached_property
    def _script_texts(self) -> frozenset[str]:
        """The texts of all scripts but those of `vendor`."""
        scripts = (name for name in self._files if name.endswith(".js") and not name.startswith("vendor/"))
        return frozenset().union(*(script_texts(self._files[name].decode()) for name in scripts))

    def _scripts_of(self, name: str) -> tuple[str, ...]:
        """Return a script and all that it imports, in the order of their names; nothing if one of them is missing."""
        scripts, new = set[str](), {name}
        while new:
            if not new <= self._files.keys():
                return ()
            scripts |= new
            new = {
                posixpath.normpath(posixpath.join(posixpath.dirname(each), path.decode()))
                for each in new
                for path in _IMPORTS.findall(self._files[each])
            } - scripts
        return tuple(sorted(scripts))

    def response(self, digest: str, name: str, *, is_packed: bool = False) -> Response | None:
        """Return a file, packed with gzip if `is_packed`; None if there is none of that name and content."""
        if digest != self._digest or name not in self:
            return None
        response = Response(
            self._packed(name) if is_packed else self._content(name), content_type=_TYPES[Path(name).suffix]
        )
        response.headers["Vary"] = "Accept-Encoding"
        if is_packed:
            response.headers["Content-Encoding"] = "gzip"
        response.headers["Cache-Control"] = _FOREVER
        for header, value in OPEN_TO_FRAMES.items():
            response.headers[header] = value
        return response


class CompiledTemplates(BytecodeCache):
    """Compiled templates in memory, which all apps of a process share."""

    def __init__(self) -> None:
        self._bytecode = dict[str, bytes]()

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give the bucket the bytecode of its template, if that was compiled before."""
        if bytecode := self._bytecode.get(bucket.key):
            bucket.bytecode_from_string(bytecode)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the bytecode of a template."""
        self._bytecode[bucket.key] = bucket.bytecode_to_string()


_COMPILED = CompiledTemplates()


def make_renderer(settings: SiteSettings, assets: Assets, **values: object) -> Callable[..., str]:
    """Return the function that renders a template of the studio; all values are escaped.

    `values` are what every template may use.
    """
    environment = Environment(
        loader=FileSystemLoader(_FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        bytecode_cache=_COMPILED,
        extensions=["jinja2.ext.i18n"],
    )
    texts: Any = environment  # the extension adds methods to it
    texts.install_gettext_callables(translation, counted_translation, newstyle=True, pgettext=translation_in_context)
    zone = settings.zone
    environment.globals.update(values)
    environment.globals["site_name"] = settings.name
    environment.globals["site_url"] = settings.url
    environment.globals["builds_on_publish"] = settings.build.on_publish
    environment.globals["timezone"] = settings.timezone
    environment.globals["locales"] = settings.locales
    environment.globals["page_language"] = language
    environment.globals["page_direction"] = lambda: text_direction(language())
    environment.globals["asset"] = assets.address
    environment.globals["has_asset"] = assets.__contains__
    environment.globals["scripts_of"] = assets.scripts_of
    environment.filters["moment"] = partial(_moment, zone)
    environment.filters["day"] = partial(_day, zone)
    environment.filters["clock"] = partial(_clock, zone)
    environment.filters["label"] = label_of
    environment.filters["word"] = word
    environment.filters["message"] = message_text
    environment.filters["is_known_device"] = is_known_device
    environment.filters["device"] = device_name
    environment.filters["language"] = partial(language_name, settings)
    environment.filters["language_tag"] = settings.language_tag
    environment.filters["shown_date"] = shown_date
    environment.filters["creations"] = creations
    environment.filters["size"] = _size
    environment.filters["thumbnail_address"] = _thumbnail_address
    environment.filters["markdown_words"] = lambda text: re.sub(r"([\\\[\]])", r"\\\1", text)
    environment.filters["machine_time"] = lambda moment: moment.isoformat()

    def render(template: str, /, **values: Any) -> str:
        return environment.get_template(template).render(**values)

    return render


def _thumbnail_address(address: str) -> str:
    """Return the address of the small version of a file of the library; another address unchanged."""
    match = MEDIA_NAME.fullmatch(address)
    return f"/studio/media/{match[1]}/thumbnail/" if match else address


def _size(size_bytes: int) -> str:
    """Return `12.4 MB` or `340 kB`."""
    if size_bytes >= 1_000_000:
        return f"{format_decimal(round(size_bytes / 1_000_000, 1), '0.0', babel_locale(language()))} MB"
    return f"{-(-size_bytes // 1000)} kB"


def _moment(zone: ZoneInfo, moment: datetime) -> str:
    """Return `1 Mar 2026, 12:00` in the time zone of the site, as the language of the request writes it."""
    pattern = str(get_datetime_format("medium", babel_locale(language())))
    return pattern.replace("'", "").format(_clock(zone, moment), _day(zone, moment))


def _clock(zone: ZoneInfo, moment: datetime) -> str:
    return format_time(moment, "short", tzinfo=zone, locale=babel_locale(language()))


def _day(zone: ZoneInfo, moment: datetime) -> str:
    return format_date(moment.astimezone(zone), "medium", babel_locale(language()))


def device_name(client: str) -> str:
    """Return `Firefox on Linux`; what is not recognised is named as far as it is."""
    browser, system = _first(_BROWSERS, client), _first(_SYSTEMS, client)
    if browser and system:
        return _("%(browser)s on %(system)s", browser=browser, system=system)
    return browser or system or _("Unknown browser")


def is_known_device(client: str) -> bool:
    """Return whether the browser or the system is recognised."""
    return bool(_first(_BROWSERS, client) or _first(_SYSTEMS, client))


def _first(names: Sequence[tuple[str, str]], client: str) -> str:
    return next((name for mark, name in names if mark in client), "")


def language_name(settings: SiteSettings, locale: str) -> str:
    """Return the name of the language of a locale, such as "Spanish"; the code where there is none."""
    return _name_of_tag(settings.language_tag(locale), language()) or locale


@cache
def _name_of_tag(tag: str, language: str) -> str:
    """Return the name that a language has in another one."""
    try:
        return Locale.parse(tag, sep="-").get_display_name(babel_locale(language)) or ""
    except (UnknownLocaleError, ValueError):
        return ""
