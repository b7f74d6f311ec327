"""Stale outputs made, and what became of them."""

from array import array
from collections.abc import Iterator, Sequence

from sitecms.errors import OutputFailed
from sitecms.media.library import MediaLibrary
from sitecms.site.images.images import BROUGHT_AT_ONCE
from sitecms.site.output.generation import Generation
from sitecms.site.plan.diff import Job
from sitecms.site.render.pages import Outcome, Renderer, render
from sitecms.site.theme.assets import FileJob

_FAILED = -1  # in the place of a size


class Rendering:
    """What became of the jobs of a build, by their place among them.

    In plain numbers until it is over: meanwhile the processes that render share the jobs.
    """

    def __init__(self, jobs: Sequence[Job]) -> None:
        self.jobs = jobs
        self.sizes = array("q", [_FAILED]) * len(jobs)
        self.seconds = array("d", [0.0]) * len(jobs)
        self.failed: dict[str, str] = {}
        self.written = 0

    def note(self, number: int, outcome: Outcome) -> None:
        """This job is done. Raises OutputFailed where no other can be."""
        if outcome.is_fatal:
            raise OutputFailed(outcome.error)
        if outcome.error:
            self.failed[outcome.path] = outcome.error
            return
        self.sizes[number] = outcome.size_bytes
        self.seconds[number] = outcome.seconds
        self.written += outcome.written

    def tell(self, generation: Generation) -> None:
        """Note everything in the generation."""
        for job, size_bytes in zip(self.jobs, self.sizes, strict=True):
            if size_bytes == _FAILED:
                generation.note_failed(job.path)
            else:
                generation.note_made(job.path, job.fingerprint, size_bytes)
        if self.failed:
            generation.keep_files()


def rendered(
    renderer: Renderer, jobs: Sequence[Job], processes: int, library: MediaLibrary
) -> Iterator[tuple[int, Outcome]]:
    """As `render`; files of a remote library are brought here several at once, and pages come after all of them."""
    if not library.is_remote:
        yield from render(renderer, jobs, processes)
        return
    brought = {number: job.media for number, job in enumerate(jobs) if isinstance(job, FileJob) and job.media}
    due = list(brought)
    for start in range(0, len(due), BROUGHT_AT_ONCE):
        batch = due[start : start + BROUGHT_AT_ONCE]
        with library.held([brought[number] for number in batch]):
            yield from _among(batch, renderer, jobs, processes)
    yield from _among([number for number in range(len(jobs)) if number not in brought], renderer, jobs, processes)


def _among(
    numbers: Sequence[int], renderer: Renderer, jobs: Sequence[Job], processes: int
) -> Iterator[tuple[int, Outcome]]:
    for place, outcome in render(renderer, [jobs[number] for number in numbers], processes):
        yield numbers[place], outcome
