"""Render stale outputs and write them, in as many processes as help."""

import os
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Protocol

from jinja2 import Environment, TemplateError
from jinja2.exceptions import TemplateNotFound, TemplateSyntaxError

from sitecms.actions.fork_pool import BATCH, in_processes
from sitecms.errors import OutputFailed, SitecmsError
from sitecms.site.plan.diff import Job
from sitecms.site.plan.page_job import Bodies
from sitecms.site.plan.plan import PageJob
from sitecms.site.theme.environment import page_context

JOBS_WORTH_A_PROCESS = 400
PIECES_AT_ONCE = 10_000


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


class Made(Protocol):
    """Pages that need not be rendered, just as they are planned."""

    def holds(self, job: Job) -> bool:
        """Whether the page is among them."""

    def read(self, job: Job) -> bytes | None:
        """The page; None if it is not. Raises SitecmsError where it cannot be had after all."""


@dataclass(frozen=True, slots=True)
class Renderer:
    """What it takes to carry out jobs. `read_bodies` reads the store: in the process that opened it only.

    `finish` makes of a rendered page what is written. `made` has pages that were rendered before.
    """

    environment: Environment
    output: Sink
    read_bodies: Callable[[Sequence[int]], Bodies]
    finish: Callable[[bytes], bytes] = field(default=bytes, kw_only=True)
    made: Made | None = field(default=None, kw_only=True)

    def bodies(self, jobs: Sequence[Job]) -> Bodies:
        """What these jobs need of the store."""
        ids = {post_id: None for job in jobs for post_id in self.needs(job)}
        return self.read_bodies(tuple(ids)) if ids else {}

    def needs(self, job: Job) -> tuple[int, ...]:
        """The posts whose bodies the job needs."""
        is_made = self.made is not None and self.made.holds(job)
        return job.bodies if isinstance(job, PageJob) and not is_made else ()

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
        """A long page is put together in stretches: the pieces of a sitemap take many times its room."""
        found = self.made.read(job) if self.made is not None else None
        if found is not None:
            return found
        pieces = self.environment.get_template(job.template).generate(page_context(job.context(bodies)))
        data = []
        while stretch := list(islice(pieces, PIECES_AT_ONCE)):
            data.append("".join(stretch).encode("utf-8", "replace"))
        return self.finish(b"".join(data))


def render(renderer: Renderer, jobs: Sequence[Job], processes: int) -> Iterator[tuple[int, Outcome]]:
    """Carry out all jobs; outcomes come as they are done, in no order, each with the place of its job among them.

    `processes` 0: as many as help. All files are there before the first page is: a build that is killed leaves no page
    that names a lost asset. Pages that show the same posts are made one after the other, while what they have in common
    is still at hand.
    """
    pages = [(number, job.newest) for number, job in enumerate(jobs) if isinstance(job, PageJob)]
    pages.sort(key=lambda page: page[1], reverse=True)
    order = array("q", [number for number, _newest in pages])
    del pages
    files = array("q", [number for number, job in enumerate(jobs) if not isinstance(job, PageJob)])
    yield from _carry_out(files, jobs, renderer, processes)
    _warm_up(renderer.environment, jobs)
    yield from _carry_out(order, jobs, renderer, processes)


def _carry_out(
    numbers: Sequence[int], jobs: Sequence[Job], renderer: Renderer, processes: int
) -> Iterator[tuple[int, Outcome]]:
    count = min(processes or min(os.cpu_count() or 1, 1 + len(numbers) // JOBS_WORTH_A_PROCESS), len(numbers))
    needs = _Needs(renderer.needs(jobs[number]) for number in numbers)

    def prepare(batch: range) -> Bodies:
        ids = needs.of(batch)
        return renderer.read_bodies(ids) if ids else {}

    def carry_out(batch: range, bodies: Bodies) -> list[tuple[int, Outcome]]:
        return [(numbers[at], renderer.carry_out(jobs[numbers[at]], bodies)) for at in batch]

    if count > 1 and hasattr(os, "fork"):
        yield from in_processes(count, len(numbers), prepare, carry_out)
        return
    for start in range(0, len(numbers), BATCH):
        batch = range(start, min(start + BATCH, len(numbers)))
        yield from carry_out(batch, prepare(batch))


def _warm_up(environment: Environment, jobs: Sequence[Job]) -> None:
    """Have the templates loaded that pages are made with, so that processes share them."""
    for name in sorted({job.template for job in jobs if isinstance(job, PageJob)}):
        with suppress(Exception):  # a fault is told of each page that it fails
            environment.get_template(name)


class _Needs:
    """The posts whose bodies each of some jobs needs.

    As plain numbers: while other processes render, a look at a job would give this one a copy of its memory.
    """

    def __init__(self, needs: Iterable[tuple[int, ...]]) -> None:
        self._ids = array("q")
        self._ends = array("q", [0])
        for ids in needs:
            self._ids.extend(ids)
            self._ends.append(len(self._ids))

    def of(self, batch: range) -> tuple[int, ...]:
        """The ids, each of them once."""
        return tuple(dict.fromkeys(self._ids[self._ends[batch.start] : self._ends[batch.stop]]))


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
