"""The whole site rendered for a check, as it would be built now: read and let go, page by page, and never written."""

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
from sitecms.site.plan.page_job import Bodies
from sitecms.site.render.pages import Outcome, Renderer, render
from sitecms.site.scratch_site import ScratchSite
from sitecms.site.theme.template_errors import template_faults
from sitecms.store.database import Session
from sitecms.store.entries.posts import bodies_of


@dataclass(frozen=True, slots=True)
class Rendered:
    """The paths of all outputs, what checks want to know of the pages among them, and what went wrong."""

    outputs: frozenset[str]
    facts: tuple[PageFacts, ...]
    findings: tuple[Finding, ...]


def render_site(shadow: ScratchSite, session: Session, settings: SiteSettings) -> Rendered:
    """Plan and render it; nothing where the site cannot be planned, which is among the findings then."""
    try:
        site = plan_dry_run(session, settings)
    except ConfigurationError as error:
        kind = CheckKind.PATH_TAKEN if "would be written to" in str(error) else CheckKind.SITE
        lines = shadow.tell(str(error)).splitlines()
        return Rendered(frozenset(), (), tuple(check_finding(kind, line) for line in lines))
    outcomes = list(_render(site, settings, session))
    facts = [outcome.facts for outcome in outcomes if outcome.facts]
    failed = {outcome.path: outcome.error for outcome in outcomes if outcome.error}
    outputs = frozenset((*(job.path for job in site.plan.pages), *(job.path for job in site.plan.files)))
    notes = tuple(check_finding(CheckKind.SITE, note) for note in site.notes)
    return Rendered(outputs, tuple(sorted(facts, key=_path)), (*_failures(failed, shadow), *notes))


def _path(page: PageFacts) -> str:
    return page.path


@dataclass(frozen=True, slots=True)
class _Read(Outcome):
    """An output that was only looked at; `facts` are None for what is no HTML page."""

    facts: PageFacts | None = None


@dataclass(slots=True)
class _Reader:
    """Takes rendered pages in the place of an output folder; keeps the facts of the last."""

    last: PageFacts | None = field(default=None)

    def write(self, path: str, data: bytes) -> bool:
        """Read the page."""
        self.last = read_page(path, data.decode("utf-8", "replace")) if path.endswith(".html") else None
        return True


@dataclass(frozen=True, slots=True)
class _ReadingRenderer(Renderer):
    """Renders pages for a reader."""

    reader: _Reader = field(default_factory=_Reader)

    def run(self, job: Job, bodies: Bodies) -> _Read:
        """Render the page, in whatever process, and give what was read in it."""
        self.reader.last = None
        outcome = Renderer.run(self, job, bodies)
        return _Read(outcome.path, outcome.size_bytes, error=outcome.error, facts=self.reader.last)


def _render(site: DryRun, settings: SiteSettings, session: Session) -> Iterator[_Read]:
    """Every page; files need not be read to know that they will be there."""
    reader = _Reader()
    renderer = _ReadingRenderer(
        site.environment, reader, partial(bodies_of, session), finish=site.finish, reader=reader
    )
    pages = site.plan.pages
    for _number, outcome in render(renderer, pages, settings.build.jobs):
        if isinstance(outcome, _Read):
            yield outcome


def _failures(failed: dict[str, str], shadow: ScratchSite) -> Iterator[Finding]:
    for fault in template_faults(failed, shadow.tell):
        url, count = f"/{fault.paths[0]}", len(fault.paths)
        yield check_finding(
            CheckKind.TEMPLATE, fault.what, "mend the template", fault.file, fault.line, url=url, pages=count
        )
