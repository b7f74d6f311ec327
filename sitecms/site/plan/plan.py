"""The plan: every output of the site, with a fingerprint of everything that it is made from.

Equal content, settings and theme give equal plans, at any time and on any machine. Fingerprints are made from digests
of content, without building contexts.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from sitecms.content.entry import Entry
from sitecms.content.fingerprint import digest
from sitecms.content.media import MEDIA_PREFIX
from sitecms.content.permalink import folded_path
from sitecms.content.text.media_links import MEDIA_FOLDER
from sitecms.documents import load_schema
from sitecms.errors import ConfigurationError, FileError
from sitecms.media.library import open_library
from sitecms.settings.site import SiteSettings
from sitecms.site.images.image_plan import ImagePlan, file_name
from sitecms.site.images.media_links import linked_at
from sitecms.site.plan.conflicts import (
    REDIRECT,
    LeftOut,
    Output,
    find_conflicts,
    find_unfit,
    folders_above,
    has_conflicts,
    without,
)
from sitecms.site.plan.header_files import plan_headers
from sitecms.site.plan.locale_plan import LocalePlan
from sitecms.site.plan.planned_page import Bodies, PageGroup, PlannedPage
from sitecms.site.plan.redirect_files import plan_redirect_files
from sitecms.site.plan.redirect_rules import (
    CheckedRules,
    Rule,
    RuleIndex,
    check_rules,
    read_rules,
    server_notes,
    with_media,
)
from sitecms.site.plan.redirect_sources import Redirect, linkable_entries
from sitecms.site.plan.redirects import Redirects, find_redirects
from sitecms.site.plan.sitemap import SitemapListing, crawler_pages, sitemap_page
from sitecms.site.plan.static_files import plan_static, with_static
from sitecms.site.plan.stored_redirects import moved_notes
from sitecms.site.routes import Routes, output_path
from sitecms.site.snapshot import Snapshot
from sitecms.site.theme.assets import FileJob, plain_json, plan_assets, plan_media
from sitecms.site.theme.data_files import read_data_files
from sitecms.site.theme.plugin_names import TemplateDigests
from sitecms.site.theme.theme import Theme
from sitecms.site.views.page_metadata import Alternates
from sitecms.site.views.site_view import check_theme
from sitecms.site.views.template_content import SharedContent
from sitecms.site.views.view_builder import ViewBuilder
from sitecms.translations import Translations, catalogue_files

FINGERPRINT_PART = 16
_REPLACEABLE = frozenset({"404.html", "robots.txt", "sitemap.xml", "sitemap-index.xml"})
"""Templates of pages in whose place the owner may put a file of `static`."""
UNDATED = datetime.max.replace(tzinfo=UTC)
"""Stands for the time of pages without posts."""


class _PageKind(Struct, frozen=True):
    """The values that the pages of one template in one locale share.

    `digest`: the first two parts of their fingerprints.
    """

    template: str
    digest: str
    shown: SharedContent

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _PageKind) and (self.template, self.digest) == (other.template, other.digest)

    def __hash__(self) -> int:
        return hash((self.template, self.digest))


class PageJob(Struct, frozen=True):
    """One page to render, to the file `path` in the output folder. It is small, because a plan has many.

    `own`: the last part of its fingerprint, in bytes.
    """

    path: str
    own: bytes
    kind: _PageKind
    _pages: PageGroup
    _number: int

    def __eq__(self, other: object) -> bool:
        """Compare what is rendered, and where to: pages of two plans are equal if their fingerprints are."""
        if not isinstance(other, PageJob):
            return NotImplemented
        return (self.path, self.own, self.kind) == (other.path, other.own, other.kind)

    def __hash__(self) -> int:
        return hash((self.path, self.own))

    @property
    def template(self) -> str:
        """The template of the page."""
        return self.kind.template

    @property
    def fingerprint(self) -> str:
        """Fingerprint in three parts of 16 hexadecimal digits.

        They cover the template with all that it includes, the values that all pages of the locale share, and the values
        of this page.
        """
        return self.kind.digest + self.own.hex()

    @property
    def shows(self) -> str:
        """The name of the page in messages."""
        return self._pages.shows(self._number)

    @property
    def entry(self) -> Entry | None:
        """The entry whose own page it is."""
        return self._pages.entry(self._number)

    @property
    def bodies(self) -> tuple[int, ...]:
        """The ids of the posts whose bodies the context needs."""
        return self._pages.bodies(self._number)

    @property
    def newest(self) -> datetime:
        """The time of publication of its newest post; UNDATED for a page without posts."""
        return self._pages.newest(self._number) or UNDATED

    def context(self, bodies: Bodies) -> dict[str, object]:
        """Build the context of the template."""
        return {**self.kind.shown.context(), **self._pages.context(self._number, bodies)}


class Plan(Struct, frozen=True):
    """All outputs of a build, in the order of planning; `notes`: problems for the owner.

    `rules` are the valid rules of redirects.yaml, `rule_errors` the errors of all of them. `left_out`: entries and
    lists that the site is planned without. `redirects` are those to entries, and `stored` the ones among them that the
    store alone knows.
    """

    pages: tuple[PageJob, ...]
    files: tuple[FileJob, ...]
    notes: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    rule_errors: tuple[FileError, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    stored: tuple[Redirect, ...] = ()


class SharedValues:
    """The values that the pages of one locale share, and a digest of them with the settings that all pages use."""

    def __init__(self, local: LocalePlan, settings: SiteSettings, theme: Theme) -> None:
        site, image = local.site(), local.share_image
        places = (settings.url, settings.locales, settings.default_locale, settings.permalinks, settings.build.home)
        addresses = (*places, settings.language_tags, settings.feeds, *filter(None, (linked_at(settings),)))
        texts = (settings.markdown_extensions, settings.math_macros, *settings.plugins.text_inputs)
        rendering = (*texts, settings.theme.author_links)
        data = plain_json((site, image, addresses, settings.timezone, rendering))
        self.media = {*(file.name for file in local.images.variants.named_in(data)), file_name(image)}
        self._site = site
        self._digest = digest(data)[:FINGERPRINT_PART]
        self._content = local.content
        self._templates = TemplateDigests(theme, settings.plugins)
        self._kinds: dict[str, _PageKind] = {}

    def job(self, planned: PlannedPage) -> PageJob:
        """Return the job of a planned page."""
        kind = self._kinds.get(planned.template) or self._new_kind(planned.template)
        own_digest = digest(plain_json((planned.path, planned.inputs, *kind.shown.inputs)))
        own_bytes = bytes.fromhex(own_digest[:FINGERPRINT_PART])
        return PageJob(output_path(planned.path), own_bytes, kind, planned.pages, planned.number)

    def _new_kind(self, template: str) -> _PageKind:
        shared = self._content.shown_by(template, self._site)
        digests = self._templates.digest(template)[:FINGERPRINT_PART] + self._digest
        self.media.update(shared.media)
        kind = self._kinds[template] = _PageKind(template, digests, shared)
        return kind


def make_plan(
    snapshot: Snapshot,
    settings: SiteSettings,
    theme: Theme,
    *,
    images: ImagePlan | None = None,
    searchable: bool = False,
) -> Plan:
    """Plan the whole site. Without `images` every image is shown as it is; `searchable` adds a search page per locale.

    An entry from which no page can be planned, or whose path another output has, is left out; then the rest is planned
    again without it. Raises ConfigurationError if two outputs that the site needs have the same path, InvalidFiles if
    options name files that do not exist.
    """
    left_out: list[LeftOut] = []
    while True:
        try:
            plan = _plan_outputs(snapshot, settings, theme, images, searchable=searchable)
        except ConfigurationError:
            raise
        except Exception:
            conflicts = _unfit(snapshot, settings, theme, images)
            if not conflicts:
                raise
        else:
            conflicts = _conflicts(plan)
        left_out += conflicts
        if not any(each.entry for each in conflicts):
            lists = {each.number for each in conflicts}
            pages = tuple(job for number, job in enumerate(plan.pages) if number not in lists)
            return replace(plan, pages=pages, left_out=tuple(left_out)) if left_out else plan
        snapshot = without(snapshot, conflicts)
        left_out = [each for each in left_out if each.entry]  # lists may stand where an entry no longer does


def _unfit(snapshot: Snapshot, settings: SiteSettings, theme: Theme, images: ImagePlan | None) -> tuple[LeftOut, ...]:
    routes, translations = Routes(settings), Translations(theme.catalogues, settings.words_in, settings.language_tag)
    return find_unfit(snapshot, routes, _views_in(snapshot, routes, translations, images))


def _views_in(
    snapshot: Snapshot, routes: Routes, translations: Translations, images: ImagePlan | None
) -> Callable[[str], ViewBuilder]:
    """Return a function that returns the views of a locale, which are made once."""

    @cache
    def views_in(locale: str) -> ViewBuilder:
        words = translations.of_content(locale, routes.settings.default_locale)
        return ViewBuilder(snapshot, routes, locale, images, words)

    return views_in


def _conflicts(plan: Plan) -> tuple[LeftOut, ...]:
    """Return what gives way to other outputs of the plan. Raises ConfigurationError where nothing can."""
    jobs: tuple[PageJob | FileJob, ...] = (*plan.pages, *plan.files)
    outputs = [
        Output(number, job.path, job.shows, job.entry, job.template)
        if isinstance(job, PageJob)
        else Output(number, job.path, job.shows)
        for number, job in enumerate(jobs)
    ]
    return find_conflicts(outputs) if has_conflicts([each.name for each in outputs]) else ()


def _plan_outputs(
    snapshot: Snapshot, settings: SiteSettings, theme: Theme, images: ImagePlan | None, *, searchable: bool
) -> Plan:
    routes = Routes(settings)
    asset_urls, files = plan_assets(theme, routes)
    jobs: list[PageJob] = []
    media: set[str] = set()
    listing = SitemapListing(routes)
    locals_: dict[str, tuple[LocalePlan, SharedValues]] = {}
    for local in locale_plans(snapshot, routes, theme, asset_urls, images, searchable=searchable):
        shared = SharedValues(local, settings, theme)
        for planned in local.pages():
            jobs.append(shared.job(planned))
            media.update((*planned.media, planned.shared))
            if planned.listed:
                listing.add(sitemap_page(planned, local.locale))
        media |= shared.media
        locals_[local.locale] = local, shared
    local, default = locals_[settings.default_locale]
    jobs += map(default.job, crawler_pages(listing, routes))
    static = {job.path: job for job in plan_static(settings.folder)}
    jobs = [job for job in jobs if job.path not in static or job.template not in _REPLACEABLE]
    redirects = _redirects(snapshot, routes, (*jobs, *static.values()))
    originals = media - images.variants.stand_ins.keys() if images else media
    written, media_errors = with_media(read_rules(settings.folder), snapshot.media_places)
    originals |= {rule.to.removeprefix(MEDIA_PREFIX) for rule in written if rule.to.startswith(MEDIA_PREFIX)}
    copies = () if linked_at(settings) else plan_media(originals, snapshot.media, open_library(settings))
    copies += tuple(images.jobs(media)) if images else ()
    files += copies + plan_headers(settings, static, searchable=searchable)
    rules = _rules(written, settings, jobs, (*files, *static.values()), redirects)
    live = {job.path for job in jobs} | static.keys()
    index = RuleIndex(rules.rules)
    redirects = redirects.without(lambda path: index.find(path) is not None)
    jobs += [locals_[each.locale][1].job(locals_[each.locale][0].redirect(each)) for each in redirects.found]
    jobs += [default.job(local.rule_page(rule)) for rule in rules.rules if rule.has_page]
    jobs = list(_possible(jobs, (*files, *static.values())))
    files += plan_redirect_files(redirects.found, routes, rules.rules, (job.path for job in jobs))
    files = with_static(files, static.values())
    notes = (*check_theme(theme), *_notes(snapshot, routes, theme), *redirects.notes, *server_notes(rules.rules))
    notes += tuple(listing.notes()) if settings.url else ()
    notes += tuple(moved_notes(redirects.stored, snapshot.former_settings, settings, live))
    errors = (*media_errors, *rules.errors)
    return Plan(tuple(jobs), files, notes, rules.rules, errors, redirects=redirects.found, stored=redirects.stored)


def locale_plans(
    snapshot: Snapshot,
    routes: Routes,
    theme: Theme,
    asset_urls: dict[str, str],
    images: ImagePlan | None,
    *,
    searchable: bool,
) -> Iterator[LocalePlan]:
    """Yield the plan of each locale; all have the same views."""
    settings = routes.settings
    translations = Translations(theme.catalogues, settings.words_in, settings.language_tag)
    alternates = Alternates(snapshot, routes)
    data = read_data_files(settings.folder)
    views_in = _views_in(snapshot, routes, translations, images)
    for locale in settings.locales:
        yield LocalePlan(
            snapshot, routes, theme, locale, alternates, translations, asset_urls, data, views_in, searchable=searchable
        )


def _rules(
    rules: Sequence[Rule],
    settings: SiteSettings,
    jobs: Iterable[PageJob],
    files: Iterable[FileJob],
    redirects: Redirects,
) -> CheckedRules:
    """Check the rules of redirects.yaml against the pages and redirects of the site."""
    if not rules:
        return CheckedRules()
    live = {job.path: job.shows for job in jobs if job.template != REDIRECT}
    live |= {file.path: f"the {file.shows}" for file in files}
    is_linked = bool(linked_at(settings))

    def is_output(path: str) -> bool:
        return path in live or (is_linked and path.startswith(MEDIA_FOLDER))

    paths = {rule.path for rule in rules}
    stored = {each.path for each in redirects.stored if each.path in paths}  # the file decides where they lead
    aliases = {each.path: each.target for each in redirects.found if each.path not in stored}
    return check_rules(rules, live, is_output, aliases)


def _possible(jobs: Sequence[PageJob], files: Iterable[FileJob]) -> Iterator[PageJob]:
    """Yield the jobs without pages of redirects that would be a folder where a file is, or a file where a folder is.

    Of redirects from one file, as `/a/` and `/a/index.html`, the first has the page. One that differs from a page in
    case only, as `/pt-br/` from `/pt-BR/`, has none: on many systems it would replace the page.
    Web servers redirect from such addresses all the same: `/news.html/comments/` beside the page `/news.html`.
    """
    outputs = {job.path for job in jobs} | {file.path for file in files}
    paths = {job.path for job in jobs if job.template == REDIRECT and not job.path.endswith("/index.html")}
    folders: set[str] = set()
    if paths:
        folders = {
            path for job in jobs if job.template != REDIRECT for path in folders_above(job.path) if path in paths
        }
    has_redirects = any(job.template == REDIRECT for job in jobs)
    pages = {folded_path(job.path) for job in jobs if job.template != REDIRECT} if has_redirects else set()
    aliases: set[str] = set()
    for job in jobs:
        if job.template == REDIRECT:
            if job.path in aliases or job.path in folders or outputs.intersection(folders_above(job.path)):
                continue
            if folded_path(job.path) in pages:
                continue
            aliases.add(job.path)
        yield job


def _redirects(snapshot: Snapshot, routes: Routes, jobs: Iterable[PageJob | FileJob]) -> Redirects:
    live = {job.path: job for job in jobs}

    def shows(path: str) -> str:
        return live[path].shows if path in live else ""

    return find_redirects(linkable_entries(snapshot, routes), snapshot.former_addresses, routes, shows)


def _notes(snapshot: Snapshot, routes: Routes, theme: Theme) -> Iterator[str]:
    home = routes.settings.build.home
    if home and not any(map(routes.is_home, snapshot.pages)):
        layout = f'; for the layout of the home page, write home = "{home}" under [theme] (theme.home)'
        layouts = load_schema("site")["properties"]["theme"]["properties"]["home"]["enum"]
        hint = layout if home in layouts else ""
        yield f'site.toml: build.home is "{home}", but there is no published page of that name{hint}'
    form = routes.settings.integrations.contact_form
    if form and not any(not page.type and page.slug == form.page for page in snapshot.pages):
        yield (
            f"site.toml: contact_form.page: no published Single Page has the slug {form.page}, so the form is "
            f"nowhere (write content/pages/_single/{form.page}.md, or name another page)"
        )
    yield from _notes_on_languages(routes.settings, theme)


def _notes_on_languages(settings: SiteSettings, theme: Theme) -> Iterator[str]:
    names: dict[str, str] = {}
    for locale in settings.locales:
        language = settings.language_tag(locale)
        if not language:
            yield (
                f'site.toml: the language of the locale "{locale}" is not known, so its pages have neither lang nor '
                f'hreflang (add [languages.{locale}] with its language tag, such as tag = "es-419")'
            )
        elif not language.startswith("en") and not catalogue_files(theme.catalogues, locale, language):
            yield f"The theme's words stay English in {locale}: there is no translations/{locale}.po"
        if language and names.setdefault(language.lower(), locale) != locale:
            yield (
                f'site.toml: the locale "{locale}" has the language tag of "{names[language.lower()]}", {language}, so '
                f"search engines cannot tell their pages apart (give each its own)"
            )
