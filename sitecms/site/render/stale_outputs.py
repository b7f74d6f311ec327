"""Renders the stale outputs of a build and collects the results."""

from array import array
from collections.abc import Callable, Iterator, Sequence

from sitecms.errors import OutputFailed
from sitecms.media.library import MediaLibrary
from sitecms.site.images.images import DOWNLOAD_BATCH
from sitecms.site.output.generation import Generation
from sitecms.site.plan.diff import Job
from sitecms.site.render.pages import Outcome, Renderer, render
from sitecms.site.theme.assets import FileJob

_FAILED = -1  # in the place of a size


class RenderResults:
    """Results of the jobs of a build: size and seconds by the place of the job, errors by path.

    They are plain numbers, because the processes that render share the memory of the jobs.
    """

    def __init__(self, jobs: Sequence[Job]) -> None:
        self.jobs = jobs
        self.sizes = array("q", [_FAILED]) * len(jobs)
        self.seconds = array("d", [0.0]) * len(jobs)
        self.failed: dict[str, str] = {}
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

    def add_to(self, generation: Generation) -> None:
        """Enter all outputs in the generation."""
        for job, size_bytes in zip(self.jobs, self.sizes, strict=True):
            if size_bytes == _FAILED:
                generation.note_failed(job.path)
            else:
                generation.note_made(job.path, job.fingerprint, size_bytes)
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
        with library.held([media[number] for number in batch]):
            yield from _render_some(batch, renderer, jobs, processes)
    others = [number for number in range(len(jobs)) if number not in media]
    yield from _render_some(others, renderer, jobs, processes)


def _render_some(
    numbers: Sequence[int], renderer: Renderer, jobs: Sequence[Job], processes: int
) -> Iterator[tuple[int, Outcome]]:
    for place, outcome in render(renderer, [jobs[number] for number in numbers], processes):
        yield numbers[place], outcome
