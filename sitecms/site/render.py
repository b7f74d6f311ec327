"""Render stale outputs and write them, in as many processes as help.

Processes are forked, so that they share the plan without copying it; the garbage collector is frozen first, since
its bookkeeping would copy every page of memory it touches.
"""

import gc
import multiprocessing
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from jinja2 import Environment, TemplateError
from jinja2.exceptions import TemplateNotFound, TemplateSyntaxError

from sitecms.errors import SitecmsError
from sitecms.site.diff import Job
from sitecms.site.environment import page_context
from sitecms.site.output import OutputFolder
from sitecms.site.plan import PageJob

JOBS_WORTH_A_PROCESS = 400
_BATCH = 64


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one output: `error` is "" unless it failed; `written` is False where the bytes were the same."""

    path: str
    size_bytes: int = 0
    written: bool = False
    error: str = ""


@dataclass(frozen=True, slots=True)
class Renderer:
    """What a process needs to carry out jobs."""

    environment: Environment
    output: OutputFolder

    def carry_out(self, job: Job) -> Outcome:
        """Make one output. A fault of a template or a lost media file fails this output only."""
        try:
            data = self._page(job) if isinstance(job, PageJob) else job.read()
            return Outcome(job.path, len(data), self.output.write(job.path, data))
        except Exception as error:  # noqa: BLE001  # templates are people's code: anything may come out of them
            return Outcome(job.path, error=_described(error, job))

    def _page(self, job: PageJob) -> bytes:
        return self.environment.get_template(job.template).render(page_context(job.context)).encode("utf-8", "replace")


def render(renderer: Renderer, jobs: Sequence[Job], processes: int) -> Iterator[Outcome]:
    """Carry out all jobs; outcomes come as they are done, in no order. `processes` 0: as many as help.

    All files are there before the first page is: a build that is killed leaves no page that names a lost asset.
    """
    yield from _carry_out([job for job in jobs if not isinstance(job, PageJob)], renderer, processes)
    yield from _carry_out([job for job in jobs if isinstance(job, PageJob)], renderer, processes)


def _carry_out(jobs: Sequence[Job], renderer: Renderer, processes: int) -> Iterator[Outcome]:
    count = min(processes or min(os.cpu_count() or 1, 1 + len(jobs) // JOBS_WORTH_A_PROCESS), len(jobs))
    if count <= 1 or not hasattr(os, "fork"):
        yield from map(renderer.carry_out, jobs)
        return
    context = multiprocessing.get_context("fork")
    readers: dict[Connection, BaseProcess] = {}
    gc.collect()
    gc.freeze()
    try:
        for number in range(count):
            reader, writer = context.Pipe(duplex=False)
            inherited = (*readers, reader)
            process: BaseProcess = context.Process(
                target=_work, args=(renderer, jobs[number::count], writer, inherited), daemon=True
            )
            process.start()
            writer.close()
            readers[reader] = process
        yield from _collect(readers)
    finally:
        gc.unfreeze()
        for process in readers.values():
            process.terminate()
            process.join()


def _work(renderer: Renderer, jobs: Sequence[Job], writer: Connection, inherited: Sequence[Connection]) -> None:
    """The life of a rendering process. It ends with the build, even a killed one, whose lock it holds too."""
    for reader in inherited:  # else nobody would notice that the build has gone, and sending would wait for ever
        reader.close()
    with suppress(BrokenPipeError):
        for start in range(0, len(jobs), _BATCH):
            writer.send([renderer.carry_out(job) for job in jobs[start : start + _BATCH]])
        writer.send(None)
    writer.close()


def _collect(readers: dict[Connection, BaseProcess]) -> Iterator[Outcome]:
    open_readers = set(readers)
    while open_readers:
        for reader in wait(list(open_readers)):
            if not isinstance(reader, Connection):
                continue
            try:
                outcomes: list[Outcome] | None = reader.recv()
            except EOFError:
                raise SitecmsError("A rendering process ended before its work was done (out of memory?).") from None
            if outcomes is None:
                open_readers.discard(reader)
                reader.close()
            else:
                yield from outcomes


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
