"""The plan: every output of the site as a value, and a fingerprint of all that goes into it.

Pure: equal content, settings and theme give an equal plan, whenever and wherever it is made. Two pages with one path
are an error that names both.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import orjson

from sitecms.content.fingerprint import digest
from sitecms.content.media import MediaFile
from sitecms.errors import ConfigurationError
from sitecms.settings import SiteSettings
from sitecms.site.alternates import Alternates, language_name
from sitecms.site.assets import FileJob, media_named, plan_assets, plan_media
from sitecms.site.locale_plan import LocalePlan, Planned
from sitecms.site.manifest import is_inside
from sitecms.site.routes import Routes, output_path
from sitecms.site.snapshot import Snapshot
from sitecms.site.theme import Theme
from sitecms.site.translations import Translations
from sitecms.site.views import LocaleLink, SitemapUrl, SiteView

FINGERPRINT_PART = 16


@dataclass(frozen=True, slots=True)
class PageJob:
    """One page to render, to the file `path` in the output folder.

    `fingerprint` has three parts of 16 hex digits: the template with all it draws on, what the whole site shares,
    and the page's own context with the sizes of the images it names. `shows` says what it is, for messages.
    """

    path: str
    template: str
    context: Mapping[str, object]
    fingerprint: str
    shows: str


@dataclass(frozen=True, slots=True)
class Plan:
    """All outputs of a build, in the order they were planned; `notes` are what an owner may not have meant."""

    pages: tuple[PageJob, ...]
    files: tuple[FileJob, ...]
    notes: tuple[str, ...] = ()


def make_plan(snapshot: Snapshot, settings: SiteSettings, theme: Theme) -> Plan:
    """Plan the whole site. Raises ConfigurationError if two outputs would have one path."""
    routes = Routes(settings)
    translations = Translations(theme.catalogues)
    alternates = Alternates(snapshot, routes)
    asset_urls, files = plan_assets(theme, routes)
    jobs: list[PageJob] = []
    serialised: list[bytes] = []
    urls: list[SitemapUrl] = []
    for locale in settings.locales:
        local = LocalePlan(snapshot, routes, theme, locale, alternates, translations, asset_urls)
        site = local.site()
        shared = _in_order([site, settings.timezone, settings.markdown_typographer])
        serialised.append(shared)
        for planned in local.pages():
            jobs.append(_job(planned, site, shared, theme, snapshot.media, serialised))
            if planned.listed:
                urls.append(sitemap_url(planned, locale, routes))
        if locale == settings.default_locale:
            default = (site, shared)
    jobs += [_job(planned, *default, theme, snapshot.media, serialised) for planned in _for_crawlers(urls, routes)]
    media = plan_media(serialised, snapshot.media, settings.media_dir)
    plan = Plan(tuple(jobs), files + media, tuple(_notes(snapshot, routes, theme)))
    _check_paths(plan)
    return plan


def _notes(snapshot: Snapshot, routes: Routes, theme: Theme) -> Iterator[str]:
    home = routes.settings.build.home
    if home and not any(map(routes.is_home, snapshot.pages)):
        yield f'site.toml: build.home is "{home}", but there is no published page of that name'
    for locale in routes.settings.locales:
        if not locale.startswith("en") and locale not in theme.catalogues:
            yield f"The theme's words stay English in {locale}: there is no translations/{locale}.po"


def _job(
    planned: Planned,
    site: SiteView,
    shared: bytes,
    theme: Theme,
    media: Mapping[str, MediaFile],
    serialised: list[bytes],
) -> PageJob:
    own = _in_order(planned.context)
    serialised.append(own)
    sizes = _in_order([(file.name, file.width, file.height) for file in media_named(own, media)])  # for `|markdown`
    parts = (theme.digest(planned.template), digest(shared), digest(own + sizes))
    return PageJob(
        path=output_path(planned.path),
        template=planned.template,
        context={"site": site, **planned.context},
        fingerprint="".join(part[:FINGERPRINT_PART] for part in parts),
        shows=planned.shows,
    )


def sitemap_url(planned: Planned, locale: str, routes: Routes) -> SitemapUrl:
    """How the sitemap names a page of that locale."""
    absolute = routes.absolute(planned.path)
    return SitemapUrl(absolute, planned.updated_at, _variants(planned, locale, absolute, routes))


def _in_order(value: object) -> bytes:
    """The value as JSON. Unlike `canonical` it keeps the order of mappings, since templates walk over them."""
    return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS)


def _variants(planned: Planned, locale: str, absolute: str, routes: Routes) -> tuple[LocaleLink, ...]:
    """The page in all its locales, itself included; none where there is only one."""
    if not planned.translations:
        return ()
    own = LocaleLink(locale, language_name(locale), routes.url(planned.path), absolute)
    return tuple(sorted((own, *planned.translations), key=lambda link: routes.settings.locales.index(link.code)))


def _for_crawlers(urls: list[SitemapUrl], routes: Routes) -> Iterator[Planned]:
    sitemap = routes.absolute("/sitemap.xml") if routes.settings.url else ""
    if sitemap:
        yield Planned("/sitemap.xml", "sitemap.xml", {"urls": tuple(urls)}, "sitemap")
    yield Planned("/robots.txt", "robots.txt", {"absolute_sitemap_url": sitemap}, "robots.txt")


def _check_paths(plan: Plan) -> None:
    taken: dict[str, str] = {}
    problems = []
    for path, shows in _outputs(plan):
        if path in taken:
            problems.append(f"Both {taken[path]} and {shows} would be written to {path}. Give one another slug.")
        taken[path] = shows
        if not is_inside(path):
            problems.append(f"{shows} would be written to {path!r}, which is no path inside the site.")
    if problems:
        raise ConfigurationError("\n".join(problems))


def _outputs(plan: Plan) -> Iterable[tuple[str, str]]:
    yield from ((job.path, job.shows) for job in plan.pages)
    yield from ((job.path, f"the file {job.path}") for job in plan.files)
