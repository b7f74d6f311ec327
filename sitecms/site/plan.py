"""The plan: every output of the site as a value, and a fingerprint of all that goes into it.

Pure: equal content, settings and theme give an equal plan, whenever and wherever it is made. Fingerprints are made
from digests of content; no context is composed for them. Two pages with one path are an error that names both.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from unicodedata import normalize

from sitecms.content.fingerprint import digest
from sitecms.errors import ConfigurationError
from sitecms.settings import SiteSettings
from sitecms.site.alternates import Alternates
from sitecms.site.assets import FileJob, media_named, plain_json, plan_assets, plan_media
from sitecms.site.delivery import plan_headers
from sitecms.site.gallery import Gallery, file_name
from sitecms.site.locale_plan import LocalePlan
from sitecms.site.manifest import is_inside
from sitecms.site.planned import Bodies, Listed, Planned
from sitecms.site.redirects import Redirects, find_redirects, plan_redirect_files
from sitecms.site.routes import Routes, output_path
from sitecms.site.shown_collections import Collections
from sitecms.site.sitemap import crawler_pages, listing
from sitecms.site.snapshot import Snapshot
from sitecms.site.theme import Theme
from sitecms.site.theme_view import check_theme
from sitecms.site.translations import Translations
from sitecms.site.views import EntryView, SiteView

FINGERPRINT_PART = 16
_REDIRECT = "redirect.html"
_LAST = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class PageJob:
    """One page to render, to the file `path` in the output folder.

    `fingerprint` has three parts of 16 hex digits: the template with all it draws on, what the whole site shares,
    and what the page itself shows. `shows` says what it is, for messages. `bodies` are the ids of the posts whose
    bodies its context needs; `newest` is when the newest post that it shows was published.
    """

    path: str
    template: str
    fingerprint: str
    shows: str
    bodies: tuple[int, ...] = field(compare=False)
    newest: datetime = field(compare=False)
    _site: SiteView = field(compare=False, repr=False)
    _collections: Mapping[str, tuple[EntryView, ...]] = field(compare=False, repr=False)
    _compose: Callable[[Bodies], Mapping[str, object]] = field(compare=False, repr=False)

    def context(self, bodies: Bodies) -> dict[str, object]:
        """What the template is given; made anew each time."""
        return {"site": self._site, "collections": self._collections, **self._compose(bodies)}


@dataclass(frozen=True, slots=True)
class Plan:
    """All outputs of a build, in the order they were planned; `notes` are what an owner may not have meant."""

    pages: tuple[PageJob, ...]
    files: tuple[FileJob, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Shared:
    """What the pages of one locale share, and a digest of it with all settings that addresses and filters use."""

    site: SiteView
    collections: Collections
    digest: str
    media: tuple[str, ...]


def make_plan(
    snapshot: Snapshot,
    settings: SiteSettings,
    theme: Theme,
    *,
    gallery: Gallery | None = None,
    searchable: bool = False,
) -> Plan:
    """Plan the whole site, images as they are in the `gallery`; `searchable`: with a page for search in each locale.

    Raises ConfigurationError if two outputs would have one path, InvalidFiles where options name files that are not
    there.
    """
    routes = Routes(settings)
    translations = Translations(theme.catalogues)
    alternates = Alternates(snapshot, routes)
    asset_urls, files = plan_assets(theme, routes)
    jobs: list[PageJob] = []
    media: set[str] = set()
    listed: list[Listed] = []
    locals_: dict[str, tuple[LocalePlan, _Shared]] = {}
    for locale in settings.locales:
        local = LocalePlan(
            snapshot,
            routes,
            theme,
            locale,
            alternates,
            translations,
            asset_urls,
            gallery=gallery,
            searchable=searchable,
        )
        shared = _shared(local, settings, snapshot)
        media.update(shared.media)
        for planned in local.pages():
            jobs.append(_job(planned, shared, theme))
            media.update((*planned.media, planned.shared))
            if planned.listed:
                listed.append(listing(planned, locale))
            media.update(shared.collections.shown_by(planned.template).media)
        locals_[locale] = local, shared
    default = locals_[settings.default_locale][1]
    jobs += [_job(planned, default, theme) for planned in crawler_pages(listed, routes)]
    moved = _redirects(snapshot, routes, jobs)
    for redirect in moved.found:
        local, shared = locals_[redirect.locale]
        jobs.append(_job(local.redirect(redirect), shared, theme))
    copies = plan_media(media, snapshot.media, settings.media_dir)
    copies += tuple(gallery.jobs(media)) if gallery else ()
    told = (*plan_headers(settings, searchable=searchable), *plan_redirect_files(moved.found, routes))
    notes = (*check_theme(theme), *_notes(snapshot, routes, theme), *moved.notes)
    plan = Plan(tuple(jobs), files + copies + told, notes)
    _check_paths(plan)
    return plan


def _redirects(snapshot: Snapshot, routes: Routes, jobs: Iterable[PageJob]) -> Redirects:
    locales = routes.settings.locales
    posts = [post for post in snapshot.posts if post.locale in locales]
    pages = [page for page in snapshot.pages if page.locale in locales]
    return find_redirects(posts, pages, snapshot.former_names, routes, {job.path: job.shows for job in jobs})


def _shared(local: LocalePlan, settings: SiteSettings, snapshot: Snapshot) -> _Shared:
    site, image = local.site(), local.share_image
    places = (settings.url, settings.locales, settings.default_locale, settings.permalinks, settings.build.home)
    addresses = (*places, settings.feeds)
    data = plain_json((site, image, addresses, settings.timezone, settings.markdown_typographer))
    named = tuple(file.name for file in media_named(data, snapshot.media))
    return _Shared(site, local.collections, digest(data)[:FINGERPRINT_PART], (*named, file_name(image)))


def _notes(snapshot: Snapshot, routes: Routes, theme: Theme) -> Iterator[str]:
    home = routes.settings.build.home
    if home and not any(map(routes.is_home, snapshot.pages)):
        yield f'site.toml: build.home is "{home}", but there is no published page of that name'
    for locale in routes.settings.locales:
        if not locale.startswith("en") and locale not in theme.catalogues:
            yield f"The theme's words stay English in {locale}: there is no translations/{locale}.po"


def _job(planned: Planned, shared: _Shared, theme: Theme) -> PageJob:
    shown = shared.collections.shown_by(planned.template)
    own = digest(plain_json((planned.path, planned.inputs, *shown.inputs)))
    return PageJob(
        path=output_path(planned.path),
        template=planned.template,
        fingerprint=theme.digest(planned.template)[:FINGERPRINT_PART] + shared.digest + own[:FINGERPRINT_PART],
        shows=planned.shows,
        bodies=planned.bodies,
        newest=planned.newest or _LAST,
        _site=shared.site,
        _collections=shown.items,
        _compose=planned.compose,
    )


def _check_paths(plan: Plan) -> None:
    """No two outputs at one path, nor at paths that many systems take for one: those of pages by case or Unicode form.

    A redirect may be the twin of the page it leads to: where both are one file, readers need no redirect.
    """
    taken: dict[str, tuple[str, str]] = {}
    problems = []
    for path, shows, is_redirect in _outputs(plan):
        name = path if is_redirect else path.lower() if path.isascii() else normalize("NFC", path).lower()
        other, other_shows = taken.setdefault(name, (path, shows))
        if other_shows is not shows:
            where = path if path == other else f"{other} and {path}, which are one file on many systems"
            problems.append(f"Both {other_shows} and {shows} would be written to {where}. Give one another slug.")
        if not is_inside(path):
            problems.append(f"{shows} would be written to {path!r}, which is no path inside the site.")
    if problems:
        raise ConfigurationError("\n".join(problems))


def _outputs(plan: Plan) -> Iterable[tuple[str, str, bool]]:
    yield from ((job.path, job.shows, job.template == _REDIRECT) for job in plan.pages)
    yield from ((job.path, f"the file {job.path}", False) for job in plan.files)
