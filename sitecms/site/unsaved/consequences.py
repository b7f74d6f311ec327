"""Findings about an unsaved entry, and the pages of the site that would change if it was published as it is.

The pages are found as a build finds them: by the fingerprints of two plans, of the published content and of the same
with the entry over it. A page with another fingerprint is rendered from both, and counts only if readers get another
file. What a build would do besides, since files or settings were changed, is not among them.
"""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from jinja2 import Environment
from msgspec import Struct

from sitecms.content.entry import Entry
from sitecms.content.kinds import KINDS
from sitecms.content.permalink import url_path
from sitecms.errors import ConfigurationError, InvalidFiles
from sitecms.findings import Finding
from sitecms.optional_packages import has_pagefind
from sitecms.settings.site import SiteSettings
from sitecms.site.check.content import addresses_in_fields, entry_findings
from sitecms.site.check.entries import Entries
from sitecms.site.check.finding import CheckKind, check_finding, of_error
from sitecms.site.check.links import Links, is_index
from sitecms.site.check.pages import PageFacts, PageRules, read_page
from sitecms.site.images.image_plan import plain_image_plan
from sitecms.site.plan.conflicts import REMEDY, key_of
from sitecms.site.plan.plan import PageJob, Plan, make_plan
from sitecms.site.routes import INDEX, Routes
from sitecms.site.snapshot import Snapshot
from sitecms.site.sources import Sources
from sitecms.site.theme.assets import plan_assets
from sitecms.site.theme.environment import make_environment, template_cache
from sitecms.site.theme.theme import Theme, load_theme
from sitecms.site.unsaved.content import PublishedContent, body_of, plan_entry, with_entry
from sitecms.site.unsaved.page import rendered, stamp_of
from sitecms.store.database import Database
from sitecms.store.entries.bodies import bodies_of
from sitecms.store.entries.versions import VERSIONS

Prints: TypeAlias = Mapping[str, str]
"""Fingerprints of pages by the path of their output."""
CHANGED = "changed"
LISTED = 20
MAX_RENDERED = 200
"""Pages that are rendered to be compared; where more have another fingerprint, the others count as changed."""
_NO_PICTURE = "give it a featured picture, or leave it as it is"


class ChangedPage(Struct, frozen=True):
    """A page that would be `new`, `changed` or `removed`; `url` is its address on the site."""

    url: str
    change: str


class Consequences(Struct, frozen=True):
    """The findings about an entry, the first of the pages that would change, and the number of all.

    With `is_most`, not all pages were compared: fewer may change.
    """

    findings: tuple[Finding, ...]
    pages: tuple[ChangedPage, ...]
    count: int
    is_most: bool = False


class Forecast:
    """Finds the consequences of publishing entries of one site, one at a time, for any thread."""

    def __init__(self, published: PublishedContent, database: Database, settings: SiteSettings) -> None:
        self._published = published
        self._database = database
        self._settings = settings
        self._lock = threading.Lock()
        self._before: tuple[object, Prints] | None = None

    def of(self, entry: Entry, own_author: str | None = None) -> Consequences:
        """Return the consequences of publishing the entry. Errors of the site become findings.

        With `own_author`, they name no drafts but posts of this author (slug).
        """
        with self._lock:
            number, published = self._published.now()
            theme = load_theme(self._settings.folder, self._settings.theme)
            snapshot = with_entry(published, entry)
            try:
                before = self._prints_before((number, *stamp_of(theme)), published, theme)
                plan = self._plan(snapshot, theme)
            except InvalidFiles as error:
                return Consequences(tuple(map(of_error, error.errors)), (), 0)
            except ConfigurationError as error:
                findings = [check_finding(CheckKind.SITE, line) for line in str(error).splitlines()]
                return Consequences(tuple(findings), (), 0)
            job = self._page_of(snapshot, theme, entry)
            entries = self._entries(snapshot, entry, own_author)
            findings = [*_conflicts(plan, entry), *self._findings(snapshot, theme, plan, job, entry, entries)]
            candidates = sorted(_changes(before, plan, job.path if job else ""))
            compared = [path for _rank, path, change in candidates if change == CHANGED][:MAX_RENDERED]
            same = self._rendered_alike(compared, published, plan, theme, entry) if compared else frozenset()
        changes = [(path, change) for _rank, path, change in candidates if path not in same]
        pages = tuple(ChangedPage(self._url(path), change) for path, change in changes[:LISTED])
        is_most = sum(change == CHANGED for _rank, _path, change in candidates) > MAX_RENDERED
        return Consequences(tuple(dict.fromkeys(findings)), pages, len(changes), is_most)

    def _rendered_alike(
        self, paths: Sequence[str], published: Snapshot, plan: Plan, theme: Theme, entry: Entry
    ) -> frozenset[str]:
        """Return the pages that are the same file with the entry and without it."""
        environment = self._environment(theme, published)
        before = {job.path: job for job in self._plan(published, theme).pages}
        after = {job.path: job for job in plan.pages}
        alike = set()
        for path in paths:
            stored = self._database.read(bodies_of, sorted({*before[path].bodies, *after[path].bodies}))
            was = rendered(before[path], environment, stored, self._settings.plugins)
            now = rendered(after[path], environment, {**stored, **body_of(entry)}, self._settings.plugins)
            if was == now and not now[1]:
                alike.add(path)
        return frozenset(alike)

    def _environment(self, theme: Theme, snapshot: Snapshot) -> Environment:
        images = plain_image_plan(snapshot.media, self._settings.base_path).variants
        cache = template_cache(self._settings)
        return make_environment(theme, self._settings, images.resolved, cache, room_for_parts=0)

    def _prints_before(self, key: object, published: Snapshot, theme: Theme) -> Prints:
        if self._before is None or self._before[0] != key:
            self._before = None
            plan = self._plan(published, theme)
            self._before = key, {job.path: job.fingerprint for job in plan.pages}
        return self._before[1]

    @property
    def _searchable(self) -> bool:
        return self._settings.search.enabled and has_pagefind()

    def _plan(self, snapshot: Snapshot, theme: Theme) -> Plan:
        return make_plan(snapshot, self._settings, theme, searchable=self._searchable)

    def _page_of(self, snapshot: Snapshot, theme: Theme, entry: Entry) -> PageJob | None:
        images = plain_image_plan(snapshot.media, self._settings.base_path)
        urls, _files = plan_assets(theme, Routes(self._settings))
        return plan_entry(snapshot, self._settings, theme, entry, urls, images, searchable=self._searchable)

    def _findings(
        self, snapshot: Snapshot, theme: Theme, plan: Plan, job: PageJob | None, entry: Entry, entries: Entries
    ) -> Iterator[Finding]:
        """Return the findings of `sitecms check` that are about this entry or its page."""
        findings = [*entry_findings(entries, entry)]
        yield from findings
        yield from _missing_picture(entry, snapshot)
        yield from _same_title(entry, snapshot)
        outputs = frozenset((*(each.path for each in plan.pages), *(each.path for each in plan.files)))
        addresses = {f"{self._settings.base_path}{address}": None for address in addresses_in_fields(entries, entry)}
        in_fields = PageFacts("", is_indexed=False, links=addresses)
        if job is None:
            yield from _broken(Links(entries, outputs, [in_fields]))
            return
        html, error = rendered(job, self._environment(theme, snapshot), body_of(entry), self._settings.plugins)
        if error:
            yield check_finding(CheckKind.TEMPLATE, error, "correct the template")
            return
        facts = read_page(job.path, html.decode("utf-8", "replace"))
        links = Links(entries, outputs, [facts, in_fields])
        without_alt = {each.place for each in findings if each.kind == CheckKind.ALT_MISSING}
        yield from _broken(links)
        yield from PageRules(entries, [facts], links.url_of, {}, without_alt).findings()

    def _entries(self, snapshot: Snapshot, entry: Entry, own_author: str | None) -> Entries:
        """Return the entries that links and references of this one may name: published ones, and drafts to be named."""
        with self._database.reading() as session:
            drafts = {
                kind: stored.unpublished(session)
                for kind, stored in VERSIONS.items()
                if own_author is None or KINDS[kind].has_author
            }
        named = {
            kind: _others((each for each in entries if own_author in (None, each.author.slug)), entry)
            for kind, entries in drafts.items()
        }
        return Entries(
            {kind: (*entries, *named.get(kind, ())) for kind, entries in snapshot.by_kind.items()},
            settings=self._settings,
            schema=snapshot.schema,
            terms=(),
            authors=(),
            sources=Sources(self._settings.folder, {}),
            media=snapshot.media,
        )

    def _url(self, path: str) -> str:
        readable = f"/{path}".removesuffix(f"/{INDEX}") + "/" * is_index(path)
        return self._settings.base_path + url_path(readable)


def _conflicts(plan: Plan, entry: Entry) -> Iterator[Finding]:
    """Yield a finding for each entry that the site would be built without because of this one."""
    for each in plan.left_out:
        if any(other is not None and key_of(other) == key_of(entry) for other in (each.entry, each.other)):
            yield check_finding(CheckKind.PATH_TAKEN, f"the {each.shows} {each.problem}", REMEDY)


def _broken(links: Links) -> Iterator[Finding]:
    return (check_finding(each.kind, each.what, each.remedy) for each in links.problems.values())


def _changes(before: Prints, plan: Plan, own_path: str) -> Iterator[tuple[tuple[bool, bool, int], str, str]]:
    """Yield rank, path and change of each page: the one of the entry first, then pages by length, then feeds."""
    after = {job.path: job.fingerprint for job in plan.pages}
    for path in before.keys() | after.keys():
        if before.get(path) != after.get(path):
            change = "new" if path not in before else "removed" if path not in after else CHANGED
            yield (path != own_path, not path.endswith(".html"), len(path)), path, change


def _missing_picture(entry: Entry, snapshot: Snapshot) -> Iterator[Finding]:
    """Return a finding for a post without a picture on a site where most posts have one."""
    if KINDS[entry.kind].is_dated and not entry.featured_image:
        with_picture = sum(bool(post.featured_image) for post in snapshot.posts)
        if with_picture * 2 > len(snapshot.posts):
            yield check_finding(CheckKind.PICTURE_MISSING, "has no featured picture, as most posts have", _NO_PICTURE)


def _same_title(entry: Entry, snapshot: Snapshot) -> Iterator[Finding]:
    """Return a finding for the title of another post or page of the locale."""
    if not KINDS[entry.kind].has_slug:
        return
    title = _title(entry)
    others = (each for each in _others(snapshot.with_slugs, entry) if each.locale == entry.locale)
    if other := next((each.slug for each in others if _title(each).casefold() == title.casefold()), ""):
        yield check_finding(CheckKind.TITLE_DUPLICATE, f'has the title "{title}", as {other}', "give each its own")


def _others(entries: Iterable[Entry], entry: Entry) -> tuple[Entry, ...]:
    """Return the entries of which this is no version."""
    return tuple(each for each in entries if (each.kind, each.id) != (entry.kind, entry.id))


def _title(entry: Entry) -> str:
    return entry.seo_title or entry.title
