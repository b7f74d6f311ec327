"""Rendering of a whole site for a check: each page is read and dropped, nothing is written."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

from sitecms.errors import ConfigurationError
from sitecms.findings import Finding
from sitecms.settings.site import SiteSettings
from sitecms.site.check.finding import CheckKind, check_finding
from sitecms.site.check.pages import PageFacts, read_page
from sitecms.site.dry_run import DryRun, plan_dry_run
from sitecms.site.plan.diff import Job
from sitecms.site.plan.planned_page import Bodies
from sitecms.site.render.pages import Outcome, Renderer, render
from sitecms.site.scratch_site import ScratchSite
from sitecms.site.theme.template_errors import template_errors
from sitecms.store.database import Session
from sitecms.store.entries.posts import bodies_of


@dataclass(frozen=True, slots=True)
class Rendered:
    """Paths of all outputs, facts about the pages, and errors."""

    outputs: frozenset[str]
    facts: tuple[PageFacts, ...]
    findings: tuple[Finding, ...]


def render_site(scratch: ScratchSite, session: Session, settings: SiteSettings) -> Rendered:
    """Plan and render the site; if it cannot be planned, the result holds only findings."""
    try:
        site = plan_dry_run(session, settings)
    except ConfigurationError as error:
        kind = CheckKind.PATH_TAKEN if "would be written to" in str(error) else CheckKind.SITE
        lines = scratch.tell(str(error)).splitlines()
        return Rendered(frozenset(), (), tuple(check_finding(kind, line) for line in lines))
    outcomes = list(_render(site, settings, session))
    facts = [outcome.facts for outcome in outcomes if outcome.facts]
    failed = {outcome.path: outcome.error for outcome in outcomes if outcome.error}
    outputs = frozenset((*(job.path for job in site.plan.pages), *(job.path for job in site.plan.files)))
    notes = tuple(check_finding(CheckKind.SITE, note) for note in site.notes)
    return Rendered(outputs, tuple(sorted(facts, key=_path)), (*_failures(failed, scratch), *notes))


def _path(page: PageFacts) -> str:
    return page.path


@dataclass(frozen=True, slots=True)
class _Read(Outcome):
    """Output that was read; `facts` are None if it is no HTML page."""

    facts: PageFacts | None = None


@dataclass(slots=True)
class _Reader:
    """Output folder that reads pages and keeps the facts of the last one."""

    last: PageFacts | None = field(default=None)

    def write(self, path: str, data: bytes) -> bool:
        """Read a page."""
        self.last = read_page(path, data.decode("utf-8", "replace")) if path.endswith(".html") else None
        return True


@dataclass(frozen=True, slots=True)
class _ReadingRenderer(Renderer):
    """Renderer that returns facts about pages."""

    reader: _Reader = field(default_factory=_Reader)

    def run(self, job: Job, bodies: Bodies) -> _Read:
        """Render a page, in any process, and return its facts."""
        self.reader.last = None
        outcome = Renderer.run(self, job, bodies)
        return _Read(outcome.path, outcome.size_bytes, error=outcome.error, facts=self.reader.last)


def _render(site: DryRun, settings: SiteSettings, session: Session) -> Iterator[_Read]:
    """Render every page; files are not read."""
    reader = _Reader()
    renderer = _ReadingRenderer(
        site.environment, reader, partial(bodies_of, session), finish=site.finish, reader=reader
    )
    pages = site.plan.pages
    for _number, outcome in render(renderer, pages, settings.build.jobs):
        if isinstance(outcome, _Read):
            yield outcome


def _failures(failed: dict[str, str], scratch: ScratchSite) -> Iterator[Finding]:
    for error in template_errors(failed, scratch.tell):
        url, count = f"/{error.paths[0]}", len(error.paths)
        yield check_finding(
            CheckKind.TEMPLATE, error.what, "correct the template", error.file, error.line, url=url, pages=count
        )
