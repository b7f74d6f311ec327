"""The settings of one site: site.toml, checked, with defaults filled in.

content_schema/site.schema.json declares every setting with default, bounds and help.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote
from zoneinfo import ZoneInfo

from msgspec import Struct, convert
from msgspec.structs import replace

from sitecms.documents import Locate, Step, locator, nowhere, place_of, read_toml, schema_errors, with_defaults
from sitecms.documents.folders import LINK_REMEDY, STATIC_FOLDER, link_problem, part_out
from sitecms.errors import ConfigurationError, FileError, InvalidFiles
from sitecms.files import FileStamp, stamp_of
from sitecms.plugins.discovery import PLUGINS_FOLDER
from sitecms.plugins.site_plugins import SitePlugins, open_plugins
from sitecms.plugins.values import Site
from sitecms.settings import media as media_tables
from sitecms.settings.files import FileSettings
from sitecms.settings.integrations import Integrations, integrations, missing_keys
from sitecms.settings.locales import WORDS, in_locale, language_tag, words_in
from sitecms.settings.mail import MailSettings, mail_port, mail_problems
from sitecms.settings.media import ImageSettings, InBuild, MediaSettings, ShareImageSettings
from sitecms.settings.operations import (
    Housekeeping,
    Limits,
    LogSettings,
    MetricsSettings,
    ProxySettings,
    RateLimitSettings,
    StudioSettings,
    WebhookSettings,
)
from sitecms.settings.service_url import ServiceUrl, is_from_environment, service_url, variable_of
from sitecms.settings.theme import DeliverySettings, SearchSettings, ThemeSettings, choose_theme
from sitecms.settings.theme_folder import THEMES_FOLDER
from sitecms.settings.timezones import is_timezone, timezone_remedy
from sitecms.web_address import InvalidBaseUrl, base_url, split_address

SETTINGS_FILE = "site.toml"
REDIRECTS_FILE = "redirects.yaml"
SITE_FOLDERS = (
    "assets", "content", "data", "media", PLUGINS_FOLDER, "schema", STATIC_FOLDER, "templates", THEMES_FOLDER,
    "translations",
)  # fmt: skip
"""Folders of a site (site folder reference)."""
STATE_FOLDER = ".sitecms"
TEMPLATE_CACHE = f"{STATE_FOLDER}/templates"
METRICS_FOLDER = f"{STATE_FOLDER}/metrics"
_FOLDERS = ("assets", "blog", "media", "pagefind", "search")
"""First parts of addresses of the built site that no setting names."""
STORE_IN_FILE = "sqlite"
STORE_SCHEMES = ("postgresql", "postgres")
QUEUE_SCHEMES = ("redis", "rediss")


class Permalinks(Struct, frozen=True):
    """Patterns of paths on the built site, within a locale: each contains `{slug}`, `year` contains `{year}`."""

    post: str
    page: str
    single_page: str
    category: str
    tag: str
    author: str
    year: str


class SlugSource(StrEnum):
    """The source of the slug of a post file that declares none."""

    FILE = "file"
    TITLE = "title"


class FeedSettings(Struct, frozen=True):
    """Settings of feeds: kinds (rss, atom, json) for the site and for archives, and the number of posts."""

    kinds: tuple[str, ...]
    length: int
    archives: tuple[str, ...]


class BuildSettings(Struct, frozen=True):
    """Settings of the build. `output` is relative to the site folder; `home` is "", `page_type/slug` or `slug`.

    `before` are commands that run before a build. `jobs` 0 means the best number of processes. With `on_publish` the
    background worker builds after each change that readers see. With `indexes` categories, tags, authors, page types
    and collections have index pages.
    """

    output: str
    before: tuple[tuple[str, ...], ...]
    page_size: int
    home: str
    jobs: int
    on_publish: bool
    indexes: bool


class SiteSettings(Struct, frozen=True):
    """The settings of one site. Addresses have no slash at the end; with `url` "" links are relative to the root.

    `name` and `description` are those of the default locale; `words_in` has those of others by locale and these texts.
    `language_tags` are BCP 47 tags by locale, as far as its language is known. `stamp` is that of the file.
    """

    folder: Path
    name: str
    url: str
    description: str
    words_in: Mapping[str, Mapping[str, str]]
    locales: tuple[str, ...]
    default_locale: str
    language_tags: Mapping[str, str]
    owner: str
    timezone: str
    permalinks: Permalinks
    post_slug_from: SlugSource
    feeds: FeedSettings
    build: BuildSettings
    files: FileSettings
    limits: Limits
    media: MediaSettings
    images: ImageSettings
    share_images: ShareImageSettings
    webhooks: WebhookSettings
    mail: MailSettings
    housekeeping: Housekeeping
    store_url: ServiceUrl
    queue_url: ServiceUrl
    markdown_extensions: tuple[str, ...]
    math_macros: Mapping[str, str]
    trust_html: bool
    serve_url: str
    proxies: ProxySettings
    rate_limits: RateLimitSettings
    logs: LogSettings
    metrics: MetricsSettings
    studio: StudioSettings
    theme: ThemeSettings
    delivery: DeliverySettings
    search: SearchSettings
    integrations: Integrations
    plugins: SitePlugins = SitePlugins()
    stamp: FileStamp = None

    def at(self, url: str) -> "SiteSettings":
        """Return the settings with another address of the site."""
        return replace(self, url=url, plugins=self.plugins.at(url))

    def language_tag(self, locale: str) -> str:
        """Return the language of a locale as a BCP 47 tag; "" if it is not known."""
        return self.language_tags.get(locale, "")

    @property
    def zone(self) -> ZoneInfo:
        """The time zone of times that state none."""
        return ZoneInfo(self.timezone)

    @property
    def state_dir(self) -> Path:
        """The folder of internal files on this machine."""
        return self.folder / STATE_FOLDER

    @property
    def store(self) -> Path | ServiceUrl:
        """The store of the content: an SQLite file, or a PostgreSQL database (`store.opening.open_database`)."""
        return self.store_url or self.store_path

    @property
    def store_path(self) -> Path:
        """The SQLite file of the content, where no server stores it."""
        return self.folder / STATE_FOLDER / "store.db"

    @property
    def queue_path(self) -> Path:
        """The SQLite file of the queue."""
        return self.folder / STATE_FOLDER / "queue.db"

    @property
    def workers_dir(self) -> Path:
        """The folder in which each worker holds a lock while it runs."""
        return self.folder / STATE_FOLDER / "workers"

    @property
    def metrics_dir(self) -> Path:
        """The folder of metrics, in which each process holds a lock while it runs."""
        return self.folder / METRICS_FOLDER

    @property
    def rate_limits_path(self) -> Path:
        """The file in which the web processes of this machine count requests by client."""
        return self.folder / STATE_FOLDER / "rate-limits"

    @property
    def sign_in_limits_path(self) -> Path:
        """The file in which they count attempts to sign in, apart from other requests, which could displace them."""
        return self.folder / STATE_FOLDER / "sign-in-limits"

    @property
    def media_dir(self) -> Path:
        """The folder of stored media files."""
        return self.folder / STATE_FOLDER / "media"

    @property
    def media_cache_dir(self) -> Path:
        """The folder of local copies of media files in object storage."""
        return self.media.cache or self.folder / STATE_FOLDER / "media-cache"

    @property
    def derived_dir(self) -> Path:
        """The folder of derived image sizes and share images."""
        return self.folder / STATE_FOLDER / "derived"

    @property
    def output_dir(self) -> Path:
        """The folder that the static site is written to."""
        return self.folder / self.build.output

    @property
    def base_path(self) -> str:
        """The path in `url`, as `/magazine`, percent-encoded; "" for a site at the root of its host."""
        return split_address(self.url).path

    @property
    def readable_base_path(self) -> str:
        """The path in `url` as readable text, as servers compare it with requests."""
        return unquote(self.base_path)


def load_settings(folder: Path, *, with_plugins: bool = True) -> SiteSettings:
    """Return the settings of the site in the folder, with its plug-ins, which are imported.

    Raises ConfigurationError if there is none, or InvalidFiles.
    """
    path = folder / SETTINGS_FILE
    if not path.is_file():
        missing = f"has no {SETTINGS_FILE}" if folder.is_dir() else "does not exist"
        raise ConfigurationError(f"The site folder {folder} {missing}. Create a new site with: sitecms init {folder}")
    if links := tuple(_links_out(folder)):
        raise InvalidFiles(links)
    stamp = stamp_of(path)
    settings = settings_of(folder, read_toml(path, SETTINGS_FILE), locator(path), with_plugins=with_plugins)
    return replace(settings, stamp=stamp)


def settings_of(
    folder: Path,
    data: Mapping[str, Any],
    locate: Locate = nowhere,
    *,
    plugins: SitePlugins | None = None,
    with_plugins: bool = True,
) -> SiteSettings:
    """Return the settings of a site whose site.toml has this data. Raises InvalidFiles.

    Its plug-ins are `plugins` where they have been imported already, else they are imported `with_plugins`.
    """
    _raise(schema_errors(data, "site", SETTINGS_FILE, locate))
    theme = data.get("theme", {})
    data = with_defaults(data, "site")
    data.setdefault("locales", [data["default_locale"]])
    data["feeds"].setdefault("archives", data["feeds"]["kinds"][:1])
    _raise(_cross_errors(data, locate))
    site = Site(
        folder.resolve(),
        in_locale(data, "name", data["default_locale"]),
        base_url(data["url"]),
        tuple(data["locales"]),
        data["default_locale"],
    )
    if plugins is not None:
        plugins = plugins.of(site)
    elif with_plugins:
        plugins = open_plugins(data["plugins"], site, SETTINGS_FILE, locate)
    else:
        plugins = SitePlugins(are_left_out=True)
    chosen = choose_theme(theme, site.folder, plugins.named("themes", "theme"), has_formulas=data["markdown"]["math"])
    return _settings(site, data, plugins, chosen)


def _raise(errors: Iterable[FileError]) -> None:
    if found := tuple(errors):
        raise InvalidFiles(found)


def _links_out(folder: Path) -> Iterator[FileError]:
    """Yield an error for each part of the site that is a link out of its folder."""
    for name in (SETTINGS_FILE, REDIRECTS_FILE, *SITE_FOLDERS):
        if (folder / name).is_symlink() and (target := part_out(folder, name)):
            yield FileError(name, "", link_problem(target), LINK_REMEDY)


def _settings(site: Site, data: Mapping[str, Any], plugins: SitePlugins, theme: ThemeSettings) -> SiteSettings:
    """Return the settings of checked data: tables as structs of the same keys, but for what is computed."""
    computed = {
        "folder": site.folder,
        "plugins": plugins,
        "name": site.name,
        "url": site.url,
        "description": in_locale(data, "description", data["default_locale"]),
        "words_in": {locale: words for locale in data["locales"] if (words := words_in(data, locale))},
        "language_tags": {locale: tag for locale in data["locales"] if (tag := language_tag(data, locale))},
        "post_slug_from": data["posts"]["slug_from"],
        "build": {**data["build"], "before": _commands(data["build"]["before"])},
        "files": {**data["files"], "write_back": str(data["files"]["write_back"]).lower()},
        "media": {
            **data["media"], "url": service_url(data, "media"), "public_url": base_url(data["media"]["public_url"]),
        },
        "images": {**data["images"], "widths": sorted(data["images"]["widths"])},
        "mail": {**data["mail"], "port": mail_port(data["mail"])},
        "store_url": _store_url(data),
        "queue_url": service_url(data, "queue"),
        "trust_html": data["content"]["trust_html"],
        "markdown_extensions": sorted(name for name, is_on in data["markdown"].items() if is_on is True),
        "math_macros": data["markdown"]["math_macros"],
        "serve_url": base_url(data["serve"]["url"]),
        "proxies": data["serve"],
        "theme": theme,
        "delivery": {**data["delivery"], "csp": dict(sorted(data["delivery"]["csp"].items()))},
        "integrations": integrations(data),
    }  # fmt: skip
    return convert({**data, **computed}, SiteSettings, strict=False)


def _commands(written: Sequence[Any]) -> tuple[tuple[str, ...], ...]:
    """Return the commands of a setting that has one, or a list of them."""
    if written and isinstance(written[0], str):
        return (tuple(written),)
    return tuple(map(tuple, written))


def _cross_errors(data: Mapping[str, Any], locate: Locate) -> Iterator[FileError]:
    """Yield the errors that a JSON Schema cannot express."""
    if data["default_locale"] not in data["locales"]:
        problem = f'is "{data["default_locale"]}", which is not among locales'
        yield _error(locate, ("default_locale",), problem, f"locales: {', '.join(data['locales'])}")
    yield from _locale_errors(data, locate)
    for key in (key for key in WORDS if isinstance(data[key], dict)):
        if data["default_locale"] not in data[key]:
            yield _error(locate, (key,), "has no text for the default locale", f"add {data['default_locale']}")
        for unknown in data[key].keys() - {*data["locales"]}:
            codes = ", ".join(data["locales"])
            yield _error(locate, (key, unknown), "is not a locale of the site", f"locales: {codes}")
    if data["timezone"] != "UTC" and not is_timezone(data["timezone"]):
        yield _error(locate, ("timezone",), f'is "{data["timezone"]}"', timezone_remedy(data["timezone"]))
    yield from _base_url_errors(data, locate)
    if PurePosixPath(data["build"]["output"]).parts[:1] in {(name,) for name in SITE_FOLDERS}:
        problem = f'is "{data["build"]["output"]}", a folder that the site is made from'
        yield _error(locate, ("build", "output"), problem, 'expected another folder, as "public"')
    if data["serve"]["hsts_seconds"] and not data["serve"]["trusted_proxies"]:
        problem, remedy = "needs a proxy that reports requests over https", "set trusted_proxies under [serve]"
        yield _error(locate, ("serve", "hsts_seconds"), problem, remedy)
    for table, key, service in missing_keys(data):
        problem = f"is missing, and {service} needs it"
        yield _error(locate, (table, key), problem, f"see the settings under [{table}] in the manual")
    for key, problem, remedy in mail_problems(data):
        yield _error(locate, ("mail", key), problem, remedy)
    store = _store_url(data)
    if store and not (store.scheme in STORE_SCHEMES and store.is_valid()):
        yield _url_error(locate, "store", "is not the address of a PostgreSQL database", "postgresql://localhost/tide")
    yield from _media_errors(data, locate)
    queue = service_url(data, "queue")
    if queue and not (queue.scheme in QUEUE_SCHEMES and queue.is_valid()):
        yield _url_error(locate, "queue", "is not the address of a queue", "redis://localhost:6379/0")


def _locale_errors(data: Mapping[str, Any], locate: Locate) -> Iterator[FileError]:
    """Yield an error for each language of no locale, and for each locale whose folder of the built site is taken."""
    for unknown in data["languages"].keys() - {*data["locales"]}:
        problem, remedy = "is not a locale of the site", f"locales: {', '.join(data['locales'])}"
        yield FileError(SETTINGS_FILE, f"languages.{unknown}", problem, remedy, locate(("languages", unknown, "tag")))
    firsts = {pattern.split("/")[1] for pattern in data["permalinks"].values()}
    reserved = {*_FOLDERS, *(first.lower() for first in firsts), data["default_locale"].lower()}
    for number, locale in enumerate(data["locales"]):
        if locale != data["default_locale"] and locale.lower() in reserved:
            problem = f'is "{locale}", and other addresses of the site begin with /{locale.lower()}/'
            yield _error(locate, ("locales", number), problem, "choose another name")
        reserved.add(locale.lower())


def _base_url_errors(data: Mapping[str, Any], locate: Locate) -> Iterator[FileError]:
    address_keys = {
        ("url",): data["url"],
        ("serve", "url"): data["serve"]["url"],
        ("media", "public_url"): data["media"]["public_url"],
    }
    for place, url in address_keys.items():
        try:
            right = base_url(url)
        except InvalidBaseUrl as error:
            yield _error(locate, place, error.problem, error.remedy)
            continue
        if place == ("serve", "url") and (path := split_address(right).path):
            problem = f'is "{url}", and API and studio answer at the root of a host only'
            yield _error(locate, place, problem, f"write {right.removesuffix(path)}, a host of their own")


def _store_url(data: Mapping[str, Any]) -> ServiceUrl:
    """Return the address of a database; "sqlite" in the environment overrides site.toml with the file."""
    url = service_url(data, "store")
    return ServiceUrl() if url.reveal() == STORE_IN_FILE else url


def _media_errors(data: Mapping[str, Any], locate: Locate) -> Iterator[FileError]:
    url = service_url(data, "media")
    for problem in media_tables.bucket_problems(url) if url else ():
        yield _url_error(locate, "media", problem, media_tables.EXAMPLE)
    if data["media"]["in_build"] == InBuild.LINK and not data["media"]["public_url"]:
        problem = 'is "link", and there is no public_url to link to'
        yield _error(locate, ("media", "in_build"), problem, 'set public_url under [media], or in_build = "copy"')


def _error(locate: Locate, path: tuple[Step, ...], problem: str, remedy: str) -> FileError:
    return FileError(SETTINGS_FILE, place_of(path), problem, remedy, locate(path))


def _url_error(locate: Locate, part: str, problem: str, example: str) -> FileError:
    """Return an error that does not show the address, since it may contain a password."""
    remedy = f"expected an address such as {example}"
    if is_from_environment(part):
        return FileError("environment", variable_of(part), problem, remedy)
    return _error(locate, (part, "url"), problem, remedy)
