"""The steps of a check: load and render in a scratch site, then apply every rule.

Each page is rendered, read and dropped; nothing is written.
"""

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from functools import partial

from msgspec import Struct, field

from sitecms.actions.loading import LoadReport, load_site
from sitecms.actions.writing.publish_scheduled import publish_scheduled
from sitecms.errors import ConfigurationError, FileError, InvalidFiles
from sitecms.findings import Finding, Severity
from sitecms.settings.site import STATE_FOLDER, SiteSettings
from sitecms.site.check.checks import CheckedSite, findings_of
from sitecms.site.check.entries import read_entries
from sitecms.site.check.finding import CheckKind, check_finding, in_order, of_error
from sitecms.site.check.links import Links
from sitecms.site.check.pages import PageFacts, PageRules, read_page
from sitecms.site.dry_run import DryRun, plan_dry_run
from sitecms.site.plan.diff import Job
from sitecms.site.plan.planned_page import Bodies
from sitecms.site.plan.redirect_sources import Redirect
from sitecms.site.render.pages import Outcome, Renderer, Sink, render
from sitecms.site.scratch_site import ScratchSite, open_scratch_site
from sitecms.site.theme.assets import FileJob
from sitecms.site.theme.environment import template_errors
from sitecms.site.theme.stylesheets import missing_files
from sitecms.site.theme.theme import Theme, load_theme
from sitecms.store.database import Database, Session
from sitecms.store.entries.bodies import bodies_of
from sitecms.store.entries.media_files import all_media

STATIC_FOLDER = "static"


class Rendered(Struct, frozen=True):
    """Paths of all outputs, facts about the pages, errors, and the redirects that the store alone knows.

    `static` are facts about the HTML files of `static/`, whose links and anchors count as those of pages.
    """

    outputs: frozenset[str]
    facts: tuple[PageFacts, ...]
    findings: tuple[Finding, ...]
    stored: tuple[Redirect, ...] = ()
    static: tuple[PageFacts, ...] = ()


def render_site(scratch: ScratchSite, session: Session, settings: SiteSettings) -> Rendered:
    """Plan and render the site; if it cannot be planned, the result holds only findings."""
    try:
        site = plan_dry_run(session, settings)
    except InvalidFiles as error:
        return Rendered(frozenset(), (), tuple(map(of_error, error.errors)))
    except ConfigurationError as error:
        lines = scratch.readable(str(error)).splitlines()
        return Rendered(frozenset(), (), tuple(check_finding(CheckKind.SITE_UNUSABLE, line) for line in lines))
    outcomes = list(_render(site, settings, session))
    facts = [outcome.facts for outcome in outcomes if outcome.facts]
    failed = {outcome.path: outcome.error for outcome in outcomes if outcome.error}
    outputs = frozenset((*(job.path for job in site.plan.pages), *(job.path for job in site.plan.files)))
    notes = tuple(check_finding(CheckKind.SITE, note) for note in site.notes)
    notes += tuple(
        of_error(FileError(job.name, "", "cannot be read", "make the file readable"))
        for job in site.plan.files
        if job.source and not os.access(job.source, os.R_OK)
    )
    notes += tuple(of_error(error, CheckKind.REDIRECT) for error in site.plan.rule_errors)
    notes += tuple(_stylesheets(load_theme(settings.folder, settings.theme), settings, outputs))
    notes += tuple(of_error(error, CheckKind.PATH_TAKEN) for error in site.left_out)
    errors = tuple(_failures(failed, scratch))
    static = tuple(_static_pages(site.plan.files, settings))
    return Rendered(outputs, tuple(sorted(facts, key=_path)), (*errors, *notes), site.plan.stored, static)


def _static_pages(jobs: Iterable[FileJob], settings: SiteSettings) -> Iterator[PageFacts]:
    """Yield the facts about the HTML files of `static/`."""
    folder = settings.folder / STATIC_FOLDER
    for job in jobs:
        if job.path.endswith(".html") and job.source and job.source.is_relative_to(folder):
            with suppress(OSError):  # it is reported as a file that cannot be read
                yield read_page(job.path, job.source.read_text("utf-8", "replace"))


def _stylesheets(theme: Theme, settings: SiteSettings, outputs: frozenset[str]) -> Iterator[Finding]:
    """Yield a finding for each file that stylesheets of the site itself name and the site does not have."""
    for missing in missing_files(theme, outputs):
        path = theme.assets[missing.sheet]
        if path.is_relative_to(settings.folder):
            what = f"names {missing.written}, which the site does not have"
            remedy = "put the file into assets/, or correct the address"
            file = path.relative_to(settings.folder).as_posix()
            yield check_finding(CheckKind.LINK_BROKEN, what, remedy, file, missing.line)


def _path(page: PageFacts) -> str:
    return page.path


class _ReadPage(Outcome, frozen=True):
    """Output that was read; `facts` are None if it is no HTML page."""

    facts: PageFacts | None = None


class _PageReader(Sink):
    """Output folder that reads pages and keeps the facts of the last one."""

    def __init__(self) -> None:
        self.last: PageFacts | None = None

    def write(self, path: str, data: bytes) -> bool:
        """Read a page."""
        self.last = read_page(path, data.decode("utf-8", "replace")) if path.endswith(".html") else None
        return True


class _ReadingRenderer(Renderer, frozen=True):
    """Renderer that returns facts about pages."""

    reader: _PageReader = field(default_factory=_PageReader)

    def run(self, job: Job, bodies: Bodies) -> _ReadPage:
        """Render a page, in any process, and return its facts."""
        self.reader.last = None
        outcome = Renderer.run(self, job, bodies)
        return _ReadPage(outcome.path, outcome.size_bytes, error=outcome.error, facts=self.reader.last)


def _render(site: DryRun, settings: SiteSettings, session: Session) -> Iterator[_ReadPage]:
    """Render every page; files are not read."""
    reader = _PageReader()
    renderer = _ReadingRenderer(
        site.environment, reader, partial(bodies_of, session), finish=site.finish, plugins=site.plugins, reader=reader
    )
    pages = site.plan.pages
    for _number, outcome in render(renderer, pages, settings.build.jobs):
        if isinstance(outcome, _ReadPage):
            yield outcome


def _failures(failed: dict[str, str], scratch: ScratchSite) -> Iterator[Finding]:
    for error in template_errors(failed, scratch.readable):
        url, count = f"/{error.paths[0]}", len(error.paths)
        yield check_finding(
            CheckKind.TEMPLATE, error.what, "correct the template", error.file, error.line, url=url, pages=count
        )


class CheckOptions(Struct, frozen=True):
    """Options of a check; `external`: also request remote links."""

    external: bool = False


class CheckReport(Struct, frozen=True):
    """Findings by file and line; `pages` is the number of checked pages."""

    findings: tuple[Finding, ...]
    pages: int
    seconds: float

    def count(self, severity: Severity) -> int:
        """Return the number of findings of a severity."""
        return sum(finding.severity is severity for finding in self.findings)


def check_site(settings: SiteSettings, at: datetime, options: CheckOptions) -> CheckReport:
    """Return all problems of the site as its files and its store are now; neither is changed.

    The checked pages are those that `sitecms build` would publish at that moment.
    """
    started = time.perf_counter()
    with open_scratch_site(settings) as scratch:
        database = scratch.copy_store()
        try:
            findings, pages = _check(scratch, database, settings, at, options)
        finally:
            database.close()
    unique = dict.fromkeys(findings)
    return CheckReport(tuple(sorted(unique, key=in_order)), pages, time.perf_counter() - started)


def report_of(error: ConfigurationError) -> CheckReport:
    """Return a report about a site that cannot be opened."""
    if isinstance(error, InvalidFiles):
        return CheckReport(tuple(map(of_error, error.errors)), 0, 0.0)
    return CheckReport((check_finding(CheckKind.SITE_UNUSABLE, str(error)),), 0, 0.0)


def _check(
    scratch: ScratchSite, database: Database, real: SiteSettings, at: datetime, options: CheckOptions
) -> tuple[list[Finding], int]:
    mine = scratch.settings(real)
    try:
        loaded = load_site(database, mine, at)
    except InvalidFiles as error:  # without its schema no entry can be read
        return list(map(of_error, error.errors)), 0
    publish_scheduled(database, at, mine)
    with database.reading() as session:
        rendered = render_site(scratch, session, mine)
        entries = read_entries(session, mine, real)
        findings = [*_of_load(loaded), *rendered.findings]
        findings += findings_of(
            CheckedSite(mine, real, session, at, entries, rendered.facts, rendered.outputs, rendered.stored)
        )
        names = {name: media.original_name for name, media in all_media(session).items()}
    if rendered.outputs:
        files = {each.path: f"{STATIC_FOLDER}/{each.path}" for each in rendered.static}
        links = Links(entries, rendered.outputs, (*rendered.facts, *rendered.static), files)
        findings += links.findings()
        described = {each.file or each.place for each in findings if each.kind == CheckKind.ALT_MISSING}
        findings += PageRules(entries, rendered.facts, links.url_of, names, described).findings()
        if options.external:
            findings += _remote(links, real, at)
    return findings, len(rendered.facts)


def _of_load(report: LoadReport) -> Iterator[Finding]:
    yield from map(of_error, report.errors)
    for path in report.vanished:
        remedy = "put the file back, or build with --prune to move its entries to the trash"
        yield check_finding(CheckKind.FILE_GONE, "is gone, while its entries stay", remedy, path)
    for item in report.vanished_items:
        remedy = "list it again, or build with --prune to move it to the trash"
        what = f"no longer lists the item {item.id} {item.label!r}, which stays on the site"
        yield check_finding(CheckKind.FILE_GONE, what, remedy, item.path)


def _remote(links: Links, settings: SiteSettings, at: datetime) -> Iterator[Finding]:
    from sitecms.media.fetching.fetch import FetchRules  # the HTTP client takes its time to import
    from sitecms.site.check.remote_links import CACHE_NAME, RemoteRules, remote_problems

    rules = RemoteRules(FetchRules(settings.media.allow_hosts, total_seconds=10.0))
    problems, left = remote_problems(links.remote, rules, settings.folder / STATE_FOLDER / CACHE_NAME, at)
    yield from links.findings_of(problems)
    if left:
        what = f"{len(left)} remote links were not requested within {rules.total_seconds:.0f} s"
        yield check_finding(CheckKind.REMOTE_NOT_ASKED, what, "check again: results are kept for a day")
