"""Outputs of a previewed site, rendered on demand."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from msgspec import Struct

from sitecms.cache import BoundedCache
from sitecms.site.dry_run import DryRun
from sitecms.site.plan.diff import Job
from sitecms.site.plan.plan import PageJob
from sitecms.site.plan.planned_page import Bodies
from sitecms.site.render.pages import LastOutput, Renderer
from sitecms.site.routes import INDEX

MADE_KEPT = 200
"""Pages whose latest sound bytes are kept: those that an author goes back and forth between."""
AT_ONCE = 24
"""Number of pages that are rendered before open pages hear of a change."""

ReadBodies = Callable[[Sequence[int]], Bodies]


class Found(Struct, frozen=True):
    """Content of a path: bytes; None for a folder with a page in it."""

    data: bytes | None


class _Shown(Struct, dict=True):
    """One planned site: its jobs by path."""

    site: DryRun

    @cached_property
    def jobs(self) -> dict[str, Job]:
        """Return the jobs of its files and pages, by path."""
        jobs: tuple[Job, ...] = (*self.site.plan.files, *self.site.plan.pages)
        return {job.path: job for job in jobs}


class Pages:
    """Pages of a preview, for one thread. A page that fails is shown in its former state, and in `errors`.

    Changed pages are also rendered one by one without a request, so that their errors are reported.
    """

    def __init__(self, read_bodies: ReadBodies) -> None:
        self._read_bodies = read_bodies
        self._now: _Shown | None = None
        self._sound: _Shown | None = None
        self._asked: BoundedCache[tuple[str, bytes]] = BoundedCache(MADE_KEPT)
        self._untried: dict[str, None] = {}
        self.errors: dict[str, str] = {}

    @property
    def site(self) -> DryRun | None:
        """The latest site that could be planned."""
        return self._now.site if self._now else None

    def renew(self, site: DryRun) -> int:
        """Show this site, and return the number of outputs that differ from before, removed ones included.

        Some of them are rendered at once: those that were viewed, and one for each template.
        """
        before = self._now.jobs if self._now else {}
        self._sound = self._now if not self.errors else self._sound
        self._now = now = _Shown(site)
        changed = [path for path, job in now.jobs.items() if _differ(before.get(path), job)]
        pages = [path for path in changed if isinstance(now.jobs[path], PageJob)]
        self._untried = {path: None for path in (*self._untried, *self.errors, *pages) if path in now.jobs}
        self.errors = {path: error for path, error in self.errors.items() if path in now.jobs}
        self._try(list(self._first(now)))
        return len(changed) + len(before.keys() - now.jobs.keys())

    def try_some(self) -> bool:
        """Render a few pages that were not requested yet; return True if more remain."""
        self._try(list(self._untried)[:AT_ONCE])
        return bool(self._untried)

    def find(self, name: str) -> Found | None:
        """Return the content of a path of the output; None if there is none."""
        job = self._now.jobs.get(name) if self._now else None
        if job is None:
            return Found(None) if self._now and f"{name}/{INDEX}" in self._now.jobs else None
        viewed = self._asked.get(name)
        if viewed and viewed[0] == job.fingerprint:
            return Found(viewed[1])
        data = self.made(job)
        if data is None and viewed:
            return Found(viewed[1])
        if data is None and self._sound and name in self._sound.jobs:
            data = self._rendered(self._sound, self._sound.jobs[name])[0]
        elif data is not None and isinstance(job, PageJob):
            self._asked.put(name, (job.fingerprint, data))
        return None if data is None else Found(data)

    def made(self, job: Job) -> bytes | None:
        """Return the output of a job of the latest site; None if it failed, which is recorded."""
        self._untried.pop(job.path, None)
        self.errors.pop(job.path, None)
        if self._now is None:
            return None
        data, error = self._rendered(self._now, job)
        if data is None:
            self.errors[job.path] = error
        return data

    def _first(self, now: _Shown) -> Iterator[str]:
        """Return the pages to render at once: those viewed last, one for each template, and a few more."""
        seen = [path for path in reversed(self._asked.keys()) if path in self._untried]
        by_template: dict[str, str] = {}
        for path in self._untried:
            job = now.jobs[path]
            if isinstance(job, PageJob):
                by_template.setdefault(job.template, path)
        yield from dict.fromkeys((*seen[:AT_ONCE], *by_template.values(), *list(self._untried)[:AT_ONCE]))

    def _try(self, paths: Sequence[str]) -> None:
        if self._now is None:
            return
        for path in paths:
            job = self._now.jobs[path]
            data = self.made(job)
            if data is not None and path in self._asked:
                self._asked.put(path, (job.fingerprint, data))
        if not self._untried and not self.errors:
            self._sound = None

    def _rendered(self, shown: _Shown, job: Job) -> tuple[bytes | None, str]:
        sink = LastOutput()
        site = shown.site
        renderer = Renderer(site.environment, sink, self._read_bodies, finish=site.finish, plugins=site.plugins)
        bodies = defaultdict(str, renderer.bodies([job]))  # of a post that went while an older plan is shown: nothing
        outcome = renderer.run(job, bodies)
        return (None, outcome.error) if outcome.error else (sink.data, "")


def _differ(before: Job | None, now: Job) -> bool:
    return before is None or before.fingerprint != now.fingerprint
