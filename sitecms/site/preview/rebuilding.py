"""From files and store to the pages of the preview, again and again."""

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from sitecms.actions.load_site import load_site
from sitecms.errors import InvalidFiles, SitecmsError
from sitecms.settings import SiteSettings, load_settings
from sitecms.site.build import BuildOptions, build_site
from sitecms.site.preview.marks import marks_of
from sitecms.site.preview.state import Board, Change, Problem
from sitecms.site.report import Report
from sitecms.site.shadow import Shadow
from sitecms.site.template_faults import TemplateFault, template_faults
from sitecms.store.copies import change_of
from sitecms.store.database import Database

_STYLE = ".css"


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What one turn did: pages written, faults, seconds."""

    written: int
    problems: tuple[Problem, ...]
    seconds: float


class Rebuilder:
    """Keeps the shadow like the site; to be used by one thread. `url` is where the preview is seen."""

    def __init__(
        self, settings: SiteSettings, shadow: Shadow, board: Board, host: str, clock: Callable[[], datetime]
    ) -> None:
        self._real = settings
        self._shadow = shadow
        self._board = board
        self._host = host
        self._clock = clock
        self._copied: tuple[int, int] | None = None
        self._database: Database | None = None
        self._marks: dict[str, str] = {}

    @property
    def settings(self) -> SiteSettings:
        """Those that the latest build was made with: the preview's address in the place of the site's."""
        mine = self._shadow.settings(self._real)
        return replace(mine, url=self._host + mine.base_path)

    def turn(self, changed: Collection[Path] = ()) -> Rebuilt:
        """Take in what changed, and tell the open pages. Faults are told too, and the former pages stay."""
        started = time.perf_counter()
        written, change = 0, Change.NOTHING
        problems: list[Problem] = []
        try:
            self._real = load_settings(self._real.folder)
            report, problems = self._rebuild()
            written = report.written
            if written or report.pruned:
                change = Change.STYLES if _are_styles(changed) else Change.PAGES
        except InvalidFiles as error:
            problems = [Problem(_where(fault.file, fault.line, fault.place), fault.problem) for fault in error.faults]
        except SitecmsError as error:
            problems = [Problem("The site", line) for line in self._shadow.tell(str(error)).splitlines()]
        except OSError as error:  # a file that went while it was read; the next turn comes at once
            problems = [Problem(self._shadow.tell(str(error.filename or "A file")), error.strerror or str(error))]
        self._board.post(change, problems, self._marks)
        return Rebuilt(written, tuple(problems), time.perf_counter() - started)

    def close(self) -> None:
        """Close the copy of the store."""
        if self._database is not None:
            self._database.close()
            self._database = None

    def _rebuild(self) -> tuple[Report, list[Problem]]:
        database, settings = self._fresh_database(), self.settings
        loaded = load_site(database, settings, self._clock(), prune=True)
        problems = [Problem(_where(fault.file, fault.line, fault.place), fault.problem) for fault in loaded.faults]
        with database.reading() as session:
            self._marks = marks_of(session, settings)
        options = BuildOptions(jobs=settings.build.jobs, drafts=True, bare=True)
        report = build_site(database, settings, self._shadow.output, options)
        return report, [*problems, *map(_of_template, template_faults(report.failed, self._shadow.tell))]

    def _fresh_database(self) -> Database:
        """The copy; made anew where the store changed, or was made or replaced, since it was copied."""
        found = change_of(self._real.store_path)
        if self._database is None or found != self._copied:
            self.close()
            self._database = self._shadow.copy_store()
            self._copied = found
        return self._database


def _are_styles(changed: Collection[Path]) -> bool:
    """Whether nothing but stylesheets changed; no path stands for a change of the store."""
    return bool(changed) and all(path.suffix == _STYLE for path in changed)


def _where(file: str, line: int | None, place: str) -> str:
    return f"{file}:{line} {place}".rstrip() if line else f"{file} {place}".rstrip()


def _of_template(fault: TemplateFault) -> Problem:
    pages = f" (on {len(fault.paths)} pages)" if len(fault.paths) > 1 else ""
    return Problem(_where(fault.file, fault.line, "") or "A page", fault.what + pages)
