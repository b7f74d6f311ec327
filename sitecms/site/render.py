"""Render stale outputs and write them, in as many processes as help."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from jinja2 import Environment, TemplateError
from jinja2.exceptions import TemplateNotFound, TemplateSyntaxError

from sitecms.actions.in_processes import BATCH, in_processes
from sitecms.errors import OutputFailed, SitecmsError
from sitecms.site.diff import Job
from sitecms.site.environment import page_context
from sitecms.site.plan import PageJob
from sitecms.site.planned import Bodies

JOBS_WORTH_A_PROCESS = 400


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one output: `error` is "" unless it failed; `written` is False where the bytes were the same.

    `is_fatal`: nothing more can be written, so that the build is over.
    """

    path: str
    size_bytes: int = 0
    written: bool = False
    error: str = ""
    seconds: float = 0.0
    is_fatal: bool = False


class Sink(Protocol):
    """Where rendered outputs go: a generation, or whoever only looks at them."""

    def write(self, path: str, data: bytes) -> bool:
        """Take an output; False if it was there already, byte for byte."""


@dataclass(frozen=True, slots=True)
class Renderer:
    """What it takes to carry out jobs. `read_bodies` reads the store: in the process that opened it only."""

    environment: Environment
    output: Sink
    read_bodies: Callable[[Sequence[int]], Bodies]

    def bodies(self, jobs: Sequence[Job]) -> Bodies:
        """What these jobs need of the store."""
        ids = {post_id: None for job in jobs if isinstance(job, PageJob) for post_id in job.bodies}
        return self.read_bodies(tuple(ids)) if ids else {}

    def carry_out(self, job: Job, bodies: Bodies) -> Outcome:
        """Make one output. A fault of a template or a lost media file fails this output only."""
        started = time.perf_counter()
        try:
            data = self._page(job, bodies) if isinstance(job, PageJob) else job.read()
            written = self.output.write(job.path, data)
            return Outcome(job.path, len(data), written, seconds=time.perf_counter() - started)
        except OutputFailed as error:
            return Outcome(job.path, error=str(error), is_fatal=True)
        except Exception as error:  # noqa: BLE001  # templates are people's code: anything may come out of them
            return Outcome(job.path, error=_described(error, job))

    def _page(self, job: PageJob, bodies: Bodies) -> bytes:
        template = self.environment.get_template(job.template)
        return template.render(page_context(job.context(bodies))).encode("utf-8", "replace")


def render(renderer: Renderer, jobs: Sequence[Job], processes: int) -> Iterator[Outcome]:
    """Carry out all jobs; outcomes come as they are done, in no order. `processes` 0: as many as help.

    All files are there before the first page is: a build that is killed leaves no page that names a lost asset. Pages
    that show the same posts are made one after the other, while what they have in common is still at hand.
    """
    yield from _carry_out([job for job in jobs if not isinstance(job, PageJob)], renderer, processes)
    pages = [job for job in jobs if isinstance(job, PageJob)]
    pages.sort(key=lambda job: job.newest, reverse=True)
    yield from _carry_out(pages, renderer, processes)


def _carry_out(jobs: Sequence[Job], renderer: Renderer, processes: int) -> Iterator[Outcome]:
    count = min(processes or min(os.cpu_count() or 1, 1 + len(jobs) // JOBS_WORTH_A_PROCESS), len(jobs))

    def prepare(batch: range) -> Bodies:
        return renderer.bodies([jobs[number] for number in batch])

    def carry_out(batch: range, bodies: Bodies) -> list[Outcome]:
        return [renderer.carry_out(jobs[number], bodies) for number in batch]

    if count > 1 and hasattr(os, "fork"):
        yield from in_processes(count, len(jobs), prepare, carry_out)
        return
    for start in range(0, len(jobs), BATCH):
        batch = range(start, min(start + BATCH, len(jobs)))
        bodies = prepare(batch)
        yield from (renderer.carry_out(jobs[number], bodies) for number in batch)


def _described(error: Exception, job: Job) -> str:
    """What went wrong; for a fault in a template its file and line, and the entry that was shown."""
    if isinstance(error, SitecmsError | OSError) and not isinstance(error, TemplateError):
        return str(error)
    place = ""
    trace = error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name.endswith((".html", ".xml", ".txt")):
            place = f"{name}:{trace.tb_lineno}: "
        trace = trace.tb_next
    problem = str(error) if isinstance(error, TemplateError) else f"{type(error).__name__}: {error}"
    if isinstance(error, TemplateSyntaxError):
        place, problem = f"{error.filename or error.name}:{error.lineno}: ", error.message or ""
    elif isinstance(error, TemplateNotFound):
        problem = f"there is no template {' or '.join(getattr(error, 'templates', None) or [str(error.name)])}"
    shows = job.shows if isinstance(job, PageJob) else job.path
    return f"{place}{problem} (in the {shows})"
