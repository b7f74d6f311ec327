"""Reports of builds, and the stopwatch that times their phases."""

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

if TYPE_CHECKING:
    from sitecms.errors import FileError
    from sitecms.site.output.manifest import Manifest, ManifestEntry
    from sitecms.site.plan.diff import Job
    from sitecms.site.plan.plan import Plan

_PLACE = re.compile(r"([^\n]+?):(\d+): ")
PHASES: Mapping[str, str] = {
    "snapshot": "Reading",
    "images": "Images",
    "plan": "Planning",
    "difference": "Comparing",
    "render": "Rendering",
    "search": "Indexing",
    "precompress": "Compressing",
    "publish": "Publishing",
}


class TemplatePages(Struct, frozen=True):
    """The use of one template in one build: all pages with it, and those that were rendered this time."""

    pages: int
    size_bytes: int
    rendered: int
    seconds: float


class Report(Struct, frozen=True):
    """The report of a build: counts of outputs; `failed` and `stale` have the reason by path.

    `left_out`: entries and lists that the site is built without. `notes`: problems for the owner. `seconds_by_phase` is
    in the order of the build. `templates` adds up the seconds of all processes when it is called.
    """

    written: int
    current: int
    pruned: int
    seconds: float
    failed: dict[str, str] = field(default_factory=dict)
    stale: dict[str, str] = field(default_factory=dict)
    left_out: tuple["FileError", ...] = ()
    orphaned: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    seconds_by_phase: Mapping[str, float] = field(default_factory=dict)
    templates: Callable[[], Mapping[str, TemplatePages]] = dict
    files: int = 0
    size_bytes: int = 0

    @property
    def failures(self) -> int:
        """The number of pages that failed, and of entries and lists that were left out."""
        return len(self.failed) + len(self.left_out)

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain data.

            {"counts": {"written": 3, "current": 40, "pruned": 0, "failed": 1, "files": 41},
             "size_bytes": 512000, "seconds": 0.41,
             "phases": {"snapshot": 0.02, "plan": 0.05, "difference": 0.01, "render": 0.3, "publish": 0.01},
             "templates": {"post.html": {"pages": 20, "size_bytes": 240000, "rendered": 3, "seconds": 0.02}},
             "stale": {"index.html": "what it shows changed"}, "pruned": [],
             "failed": [{"path": "about/index.html", "file": "/srv/site/templates/page.html", "line": 3,
                         "problem": "'x' is undefined (in the page about)"}],
             "left_out": [{"file": "content/posts/b.md", "line": 3, "problem": "slug: the post b would be written …"}],
             "notes": []}

        `files` and `size_bytes` count the whole published site; `file` and `line` are null if the error is not in a
        template. The command adds the phase `load`.
        """
        counts = {"written": self.written, "current": self.current, "pruned": self.pruned}
        return {
            "counts": {**counts, "failed": self.failures, "files": self.files},
            "size_bytes": self.size_bytes,
            "seconds": round(self.seconds, 4),
            "phases": {name: round(seconds, 4) for name, seconds in self.seconds_by_phase.items()},
            "templates": {
                name: {
                    "pages": use.pages,
                    "size_bytes": use.size_bytes,
                    "rendered": use.rendered,
                    "seconds": round(use.seconds, 4),
                }
                for name, use in self.templates().items()
            },
            "stale": self.stale,
            "pruned": list(self.orphaned),
            "failed": [_failure(path, problem) for path, problem in self.failed.items()],
            "left_out": [
                {
                    "file": error.file or None,
                    "line": error.line,
                    "problem": str(replace(error, file="", line=None)).strip(),
                }
                for error in self.left_out
            ],
            "notes": list(self.notes),
        }


def _failure(path: str, problem: str) -> dict[str, object]:
    place = _PLACE.match(problem)
    file, line = (place[1], int(place[2])) if place else (None, None)
    return {"path": path, "file": file, "line": line, "problem": problem[place.end() :] if place else problem}


class Stopwatch:
    """Measures the seconds of each phase, in the order in which phases first began, and reports them to `progress`."""

    def __init__(self, progress: Callable[[str, int, int], None] | None = None) -> None:
        self.started = time.perf_counter()
        self.seconds: dict[str, float] = {}
        self._progress = progress

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Time the block."""
        started = time.perf_counter()
        if self._progress:
            self._progress(PHASES.get(name, name.capitalize()), 0, 0)
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - started

    def progress_of(self, name: str) -> Callable[[int, int], None] | None:
        """Return a function that reports steps done and steps in all of a phase; None without `progress`."""
        return partial(self._progress, PHASES.get(name, name.capitalize())) if self._progress else None

    def total(self) -> float:
        """Return the seconds since the stopwatch was made."""
        return time.perf_counter() - self.started


def unchanged_report(manifest: "Manifest", notes: tuple[str, ...], stopwatch: Stopwatch) -> Report:
    """Return the report of a build that found every output current, with the notes of the build that made them."""
    size_bytes = sum(entry.size_bytes for entry in manifest.outputs.values())
    count = len(manifest.outputs)
    seconds, phases = stopwatch.total(), stopwatch.seconds
    return Report(0, count, 0, seconds, notes=notes, seconds_by_phase=phases, files=count, size_bytes=size_bytes)


def template_usage(
    plan: "Plan", rendered: "Sequence[Job]", seconds: Sequence[float], outputs: "Mapping[str, ManifestEntry]"
) -> dict[str, TemplatePages]:
    """Return the use of each template, sorted by name; `seconds` are those of each rendered job."""
    done = {job.path: job_seconds for job, job_seconds in zip(rendered, seconds, strict=True)}
    sums: dict[str, list[float]] = {}
    for job in plan.pages:
        entry = outputs.get(job.path)
        row = sums.setdefault(job.template, [0, 0, 0, 0.0])
        row[0] += 1
        row[1] += entry.size_bytes if entry else 0
        row[2] += job.path in done
        row[3] += done.get(job.path, 0.0)
    return {
        name: TemplatePages(int(pages), int(size), int(made_now), job_seconds)
        for name, (pages, size, made_now, job_seconds) in sorted(sums.items())
    }
