"""Rendering of the stale outputs of a build, in several processes where that is faster, and its results."""

import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Protocol

from jinja2 import Environment, TemplateError
from jinja2.exceptions import TemplateNotFound, TemplateSyntaxError
from msgspec import Struct

from sitecms.documents.folders import reason_of
from sitecms.documents.locations import nearest
from sitecms.errors import OutputFailed, PluginFailed, SitecmsError
from sitecms.media.library import MediaLibrary
from sitecms.plugins.site_plugins import SitePlugins
from sitecms.plugins.values import RenderedPage
from sitecms.pool import run_in_processes
from sitecms.resources import resource_dir
from sitecms.site.images.images import DOWNLOAD_BATCH
from sitecms.site.output.generation import KEPT, Generation
from sitecms.site.plan.diff import Job
from sitecms.site.plan.plan import PageJob
from sitecms.site.plan.planned_page import Bodies
from sitecms.site.render.addresses import OutputAddresses
from sitecms.site.theme.assets import FileJob
from sitecms.site.theme.environment import page_context
from sitecms.site.theme.plugin_names import HEAD_ADDITIONS, PAGE_RENDERED, is_page

MIN_JOBS_PER_PROCESS = 400
PIECES_PER_CHUNK = 10_000
_FAILED = -1  # in the place of a size
_UNKNOWN_NAME = re.compile(r"(No (filter|test) named '([^']+)')(?: found)?\.")
"""The message of Jinja about a filter or test that the environment does not have."""

_HEAD_END = "</head>"


class Outcome(Struct, frozen=True):
    """The result of one job: `error` is "" unless it failed, `written` is False if equal bytes are published already.

    `is_fatal`: no further output can be written, so the build fails. `missing`: addresses on the site that the output
    names, and that lead to no file of it.
    """

    path: str
    size_bytes: int = 0
    written: bool = False
    error: str = ""
    seconds: float = 0.0
    is_fatal: bool = False
    missing: tuple[str, ...] = ()


class Sink(Protocol):
    """A receiver of rendered outputs, such as a generation."""

    def write(self, path: str, data: bytes) -> bool:
        """Take an output; return False if the same bytes are there already."""

    def copy(self, path: str, source: Path) -> bool:
        """Take a copy of a file; return False if the same bytes are there already."""
        return self.write(path, source.read_bytes())


class LastOutput(Sink):
    """Receiver that keeps the last output."""

    data = b""

    def write(self, path: str, data: bytes) -> bool:  # noqa: ARG002 - a Sink
        """Keep the output."""
        self.data = data
        return True


class Renderer(Struct, frozen=True):
    """Renders jobs into a sink. `read_bodies` reads the store, so only the process that opened the store calls it.

    `finish` turns a rendered page into the bytes that are written, after `plugins` changed it. `addresses`: those of
    the site that is built.
    """

    environment: Environment
    sink: Sink
    read_bodies: Callable[[Sequence[int]], Bodies]
    finish: Callable[[bytes], bytes] = bytes
    plugins: SitePlugins = SitePlugins()
    addresses: OutputAddresses | None = None

    def bodies(self, jobs: Sequence[Job]) -> Bodies:
        """Read the bodies of posts that these jobs need from the store."""
        ids = {post_id: None for job in jobs if isinstance(job, PageJob) for post_id in job.bodies}
        return self.read_bodies(tuple(ids)) if ids else {}

    def run(self, job: Job, bodies: Bodies) -> Outcome:
        """Render one output and write it. An error in a template or a missing media file fails this output only."""
        started = time.perf_counter()
        try:
            size_bytes, written, missing = self._written(job, bodies)
            return Outcome(job.path, size_bytes, written, seconds=time.perf_counter() - started, missing=missing)
        except OutputFailed as error:
            return Outcome(job.path, error=str(error), is_fatal=True)
        except Exception as error:  # noqa: BLE001  # templates are people's code: anything may come out of them
            return Outcome(job.path, error=_description(error, job, self.environment))

    def _written(self, job: Job, bodies: Bodies) -> tuple[int, bool, tuple[str, ...]]:
        """Write the output of a job; return its size, whether bytes changed, and its addresses that lead nowhere."""
        if isinstance(job, FileJob) and job.source:
            try:
                return job.source.stat().st_size, self.sink.copy(job.path, job.source), ()
            except OSError as error:
                raise SitecmsError(f"{job.name} cannot be read: {reason_of(error)}; make it readable") from error
        data = self._page(job, bodies) if isinstance(job, PageJob) else job.read()
        written = self.sink.write(job.path, data)
        return len(data), written, self.addresses.missing(job.path, data) if self.addresses else ()

    def _page(self, job: PageJob, bodies: Bodies) -> bytes:
        """Render a page.

        Pieces are joined in chunks, since all pieces of a long sitemap take many times its memory.
        """
        pieces = self.environment.get_template(job.template).generate(page_context(job.context(bodies)))
        chunks = []
        while chunk := list(islice(pieces, PIECES_PER_CHUNK)):
            chunks.append("".join(chunk).encode("utf-8", "replace"))
        return self.finish(changed_page(self.plugins, job, b"".join(chunks)))


def render(renderer: Renderer, jobs: Sequence[Job], processes: int) -> Iterator[tuple[int, Outcome]]:
    """Run all jobs; yield outcomes as they are ready, in no order, each with the place of its job.

    `processes` 0: as many as make it faster. Pages that show the same posts are rendered one after the other, since
    they share cached views. Pages do not wait for the last file: publishing puts files in their places first.
    """
    pages = [(number, job.newest) for number, job in enumerate(jobs) if isinstance(job, PageJob)]
    pages.sort(key=lambda page: page[1], reverse=True)
    order = [number for number, job in enumerate(jobs) if not isinstance(job, PageJob)]
    order += [number for number, _newest in pages]
    _warm_up(renderer.environment, jobs)
    yield from _run(order, jobs, renderer, processes)


def _run(
    numbers: Sequence[int], jobs: Sequence[Job], renderer: Renderer, processes: int
) -> Iterator[tuple[int, Outcome]]:
    count = min(processes or min(os.cpu_count() or 1, 1 + len(numbers) // MIN_JOBS_PER_PROCESS), len(numbers))

    def prepare(batch: range) -> Bodies:
        return renderer.bodies([jobs[numbers[at]] for at in batch])

    def run(batch: range, bodies: Bodies) -> list[tuple[int, Outcome]]:
        return [(numbers[at], renderer.run(jobs[numbers[at]], bodies)) for at in batch]

    yield from run_in_processes(count, len(numbers), run, prepare)


def _warm_up(environment: Environment, jobs: Sequence[Job]) -> None:
    """Load the templates of the pages, so that processes share them."""
    for name in sorted({job.template for job in jobs if isinstance(job, PageJob)}):
        with suppress(Exception):  # the error is reported for each page that it fails
            environment.get_template(name)


def _description(error: Exception, job: Job, environment: Environment) -> str:
    """Return the message of an error; for one in a template with its file and line, and the entry that was rendered."""
    if isinstance(error, SitecmsError | OSError) and not isinstance(error, TemplateError | PluginFailed):
        return str(error)
    place, within = _place(error.__traceback__)
    problem = str(error) if isinstance(error, TemplateError | PluginFailed) else f"{type(error).__name__}: {error}"
    if isinstance(error, TemplateSyntaxError):
        place, within, problem = f"{error.filename or error.name}:{error.lineno}: ", "", error.message or ""
    elif isinstance(error, TemplateNotFound):
        problem = f"there is no template {' or '.join(getattr(error, 'templates', None) or [str(error.name)])}"
    shows = job.shows if isinstance(job, PageJob) else job.path
    return f"{place}{_with_nearest(problem, environment)}{within} (in the {shows})"


def _with_nearest(problem: str, environment: Environment) -> str:
    """Return the message of an error; for a filter or test that does not exist with the name that was meant."""
    if not (match := _UNKNOWN_NAME.fullmatch(problem)):
        return problem
    meant = nearest(match[3], environment.filters if match[2] == "filter" else environment.tests)
    rest = f'did you mean "{meant}"?' if meant else "no plug-in that runs has one either"
    return f"{match[1]}; {rest}"


def _place(trace: TracebackType | None) -> tuple[str, str]:
    """Return where a template failed: in the site's own template that used the theme's, and the line of the theme."""
    places = []
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name.endswith((".html", ".xml", ".txt")):
            places.append((name, trace.tb_lineno))
        trace = trace.tb_next
    if not places:
        return "", ""
    themes = f"{resource_dir('templates/themes')}/"
    file, line = next((place for place in reversed(places) if not place[0].startswith(themes)), places[-1])
    last, last_line = places[-1]
    if last == file:
        return f"{file}:{line}: ", ""
    theme, _templates, name = last.removeprefix(themes).split("/", 2)
    return f"{file}:{line}: ", f" (in line {last_line} of {name} of the theme {theme})"


class RenderResults:
    """Results of the jobs of a build: size and seconds by the place of the job, errors by path.

    `missing`: addresses without a file that outputs name. `broken`: errors of outputs that are published all the same,
    and made again by the next build.

    """

    def __init__(self, jobs: Sequence[Job]) -> None:
        self.jobs = jobs
        self.sizes = [_FAILED] * len(jobs)
        self.seconds = [0.0] * len(jobs)
        self.failed: dict[str, str] = {}
        self.missing: dict[str, tuple[str, ...]] = {}
        self.broken: dict[str, str] = {}
        self.written = 0

    def add(self, number: int, outcome: Outcome) -> None:
        """Add the outcome of a job. Raises OutputFailed if no other output can be written."""
        if outcome.is_fatal:
            raise OutputFailed(outcome.error)
        if outcome.error:
            self.failed[outcome.path] = outcome.error
            return
        self.sizes[number] = outcome.size_bytes
        self.seconds[number] = outcome.seconds
        self.written += outcome.written
        if outcome.missing:
            self.missing[outcome.path] = outcome.missing

    def add_to(self, generation: Generation) -> None:
        """Enter all outputs in the generation."""
        for job, size_bytes in zip(self.jobs, self.sizes, strict=True):
            if size_bytes == _FAILED:
                generation.note_failed(job.path)
            else:
                generation.note_made(job.path, KEPT if job.path in self.broken else job.fingerprint, size_bytes)
        for path in self.broken.keys() - {job.path for job in self.jobs}:
            generation.note_broken(path)
        if self.failed:
            generation.keep_files()


def render_stale(
    jobs: Sequence[Job],
    renderer: Renderer,
    library: MediaLibrary,
    processes: int,
    progress: Callable[[int, int], None] | None,
) -> RenderResults:
    """Render these jobs. Raises OutputFailed if outputs cannot be written."""
    results = RenderResults(jobs)
    for done, (number, outcome) in enumerate(_render(renderer, jobs, processes, library), 1):
        results.add(number, outcome)
        if progress:
            progress(done, len(jobs))
    return results


def _render(
    renderer: Renderer, jobs: Sequence[Job], processes: int, library: MediaLibrary
) -> Iterator[tuple[int, Outcome]]:
    """Render as `render` does; files of a remote library are downloaded in batches, before any page is rendered."""
    if not library.is_remote:
        yield from render(renderer, jobs, processes)
        return
    media = {number: job.media for number, job in enumerate(jobs) if isinstance(job, FileJob) and job.media}
    numbers = list(media)
    for start in range(0, len(numbers), DOWNLOAD_BATCH):
        batch = numbers[start : start + DOWNLOAD_BATCH]
        with library.storage.held([media[number] for number in batch], keep=True):
            yield from _render_some(batch, renderer, jobs, processes)
    others = [number for number in range(len(jobs)) if number not in media]
    yield from _render_some(others, renderer, jobs, processes)


def _render_some(
    numbers: Sequence[int], renderer: Renderer, jobs: Sequence[Job], processes: int
) -> Iterator[tuple[int, Outcome]]:
    for place, outcome in render(renderer, [jobs[number] for number in numbers], processes):
        yield numbers[place], outcome


def changed_page(plugins: SitePlugins, job: PageJob, data: bytes) -> bytes:
    """Return a page as the plug-ins leave it. Raises PluginFailed."""
    if not plugins.plugins or not is_page(job.template):
        return data
    html = data.decode()

    def page(text: str) -> Mapping[str, RenderedPage]:
        return {"page": RenderedPage(job.path, job.template, job.shows, text)}

    added = "".join(str(addition) for _, addition in plugins.results(HEAD_ADDITIONS, **page(html)))
    before, end, after = html.partition(_HEAD_END)
    html = f"{before}{added}{end}{after}" if end else html
    return plugins.changed(PAGE_RENDERED, html, page).encode("utf-8", "replace")
