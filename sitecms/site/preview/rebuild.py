"""Rebuilding of the preview after each change: pages, marks of unpublished pages, and the search index on demand."""

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from itertools import chain
from pathlib import Path
from shutil import rmtree

from msgspec import Struct

from sitecms.actions.authoring.file_schemas import has_schemas, write_schemas
from sitecms.actions.entry_paths import item_paths
from sitecms.actions.garbage_collection import without_collector
from sitecms.actions.loading import load_site
from sitecms.clock import format_local_time
from sitecms.content.entry import Entry
from sitecms.content.fields import own_types
from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status, Version
from sitecms.errors import FileError, InvalidFiles, ProgramFailed, SitecmsError
from sitecms.optional_packages import has_pagefind
from sitecms.settings.site import SiteSettings, load_settings
from sitecms.site.before_build import WatchedCommands
from sitecms.site.dry_run import DryRun, plan_dry_run
from sitecms.site.plan.redirect_rules import RuleIndex
from sitecms.site.preview.pages import Found, Pages
from sitecms.site.preview.responses import PreviewProblem, RebuiltFiles, StatusBoard
from sitecms.site.render.added_files import ENTRY, index_key, is_indexed, make_index, missing_note, put_page
from sitecms.site.routes import SEARCH_FOLDER, SEARCH_SCRIPT, Routes
from sitecms.site.scratch_site import ScratchSite
from sitecms.site.theme.environment import TemplateProblem, template_errors
from sitecms.store.database import Database, Session
from sitecms.store.entries.bodies import bodies_of
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.maintenance.readiness import ChangeWatch
from sitecms.store.site_state.documents import load_content_schema

MOST_ENTRIES = 2_000
"""With more, the index would take longer to make than anybody waits, and gigabytes of memory."""
_TOO_LARGE = f"Search is left out of the preview: there are more than {MOST_ENTRIES} posts and pages to be indexed."
_BEGINNINGS = (SEARCH_SCRIPT.removeprefix("/"), f"{SEARCH_FOLDER}/{ENTRY}")
"""File that a page requests first; afterwards it needs the other files of the same index."""
_STYLE = ".css"


def search_note(site: DryRun, settings: SiteSettings) -> str:
    """Return a message about limits of search in the preview; "" if it works as on the built site."""
    if settings.search.enabled and not has_pagefind():
        return missing_note()
    return _TOO_LARGE if site.lacks_search else ""


class PreviewSearch:
    """Search index in a folder of its own, made at most once for each state of the site.

    `problem` is why the last one could not be made.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = self.problem = ""

    def find(self, name: str, pages: Pages) -> Found | None:
        """Return a file of the index."""
        site = pages.site
        if site is None or not site.searchable:
            return None
        if name in _BEGINNINGS:
            self._make(site, pages)
        try:
            return Found((self._folder / name).read_bytes())
        except OSError:
            return None

    def _make(self, site: DryRun, pages: Pages) -> None:
        jobs = [job for job in site.plan.pages if is_indexed(job)]
        key = index_key((job.path, job.fingerprint) for job in jobs)
        if key == self._key:
            return
        rmtree(self._folder, ignore_errors=True)
        for job in jobs:
            data = pages.made(job)
            if data is not None:
                put_page(self._folder / "site" / job.path, data)
        self._key, self.problem = key, ""
        try:
            make_index(self._folder / "site", self._folder / SEARCH_FOLDER)
        except ProgramFailed as error:
            self.problem = str(error)
        rmtree(self._folder / "site")


def marks_of(session: Session, settings: SiteSettings) -> dict[str, str]:
    """Return a mark for each page that is not published as it is shown, by its readable path."""
    routes = Routes(settings)
    zone = settings.zone
    items = item_paths(VERSIONS[EntryKind.ITEM].latest(session), load_content_schema(session), settings)
    marked = chain.from_iterable(_unpublished(stored.unpublished(session), zone) for stored in VERSIONS.values())
    marks = {path: words for entry, words in marked if (path := routes.find(entry, items))}
    return {settings.readable_base_path + path: words for path, words in marks.items()}


def _unpublished(versions: Sequence[Entry], zone: tzinfo) -> Iterator[tuple[Entry, str]]:
    """Yield the versions that are shown although they are not published, each with its mark."""
    published = {(entry.id, entry.locale) for entry in versions if entry.is_live}
    drafted = {(entry.id, entry.locale) for entry in versions if entry.version is Version.DRAFT}
    for entry in versions:
        key = entry.id, entry.locale
        if entry.version is Version.DRAFT:
            yield entry, "Draft of what is published" if key in published else _words(entry, zone)
        elif key not in drafted and key not in published:
            yield entry, _words(entry, zone)


def _words(entry: Entry, zone: tzinfo) -> str:
    if entry.status is Status.SCHEDULED and entry.scheduled_at:
        return f"Scheduled for {format_local_time(entry.scheduled_at, zone)}"
    return "Draft"


class Rebuilt(Struct, frozen=True):
    """Result of one rebuild: number of changed outputs, problems, seconds; `note` is a message for the author."""

    changed: int
    problems: tuple[PreviewProblem, ...]
    seconds: float
    note: str = ""


class PreviewRebuilder:
    """Keeps the scratch site up to date and renders its pages, for one thread. `host` is the preview's address.

    `commands` make files of the site before each rebuild that concerns them.
    """

    def __init__(
        self,
        settings: SiteSettings,
        scratch: ScratchSite,
        board: StatusBoard,
        host: str,
        clock: Callable[[], datetime],
        commands: WatchedCommands,
    ) -> None:
        self._real = settings
        self._scratch = scratch
        self._changes = ChangeWatch(settings.store)
        self._board = board
        self._host = host
        self._clock = clock
        self._commands = commands
        self._copied: tuple[int, int] | None = None
        self._database: Database | None = None
        self._marks: dict[str, str] = {}
        self._rules = RuleIndex()
        self._pages = Pages(self._bodies)
        self._search = PreviewSearch(scratch.folder / "search")
        self._load_problems: list[PreviewProblem] = []
        self._conflicts: dict[str, PreviewProblem] = {}
        self._shown_errors: Mapping[str, str] = {}

    @property
    def settings(self) -> SiteSettings:
        """Settings of the latest plan, with the address of the preview instead of the site's."""
        mine = self._scratch.settings(self._real)
        return mine.at(self._host + mine.base_path)

    @property
    def searchable(self) -> bool:
        """True if pages of the preview can be searched."""
        return self._pages.site is not None and self._pages.site.searchable

    @property
    def rules(self) -> RuleIndex:
        """The valid rules of redirects.yaml."""
        return self._rules

    def rebuild(self, changed: Collection[Path] = ()) -> Rebuilt:
        """Apply changes and inform the open pages. On errors the former pages stay."""
        started = time.perf_counter()
        count, change = 0, RebuiltFiles.NOTHING
        problems: list[PreviewProblem] = []
        try:
            self._real = load_settings(self._real.folder, with_plugins=not self._real.plugins.are_left_out)
            self._commands.run(changed)
            if has_schemas(self._real):
                write_schemas(self._real)
            count = self._rebuild()
            problems = self._problems()
            if count:
                change = RebuiltFiles.STYLES if _are_styles(changed) else RebuiltFiles.PAGES
        except InvalidFiles as error:
            problems = [_of_file(each) for each in error.errors]
        except SitecmsError as error:
            problems = [PreviewProblem("The site", line) for line in self._scratch.readable(str(error)).splitlines()]
        except OSError as error:  # a file that went while it was read; the next turn comes at once
            problems = [
                PreviewProblem(self._scratch.readable(str(error.filename or "A file")), error.strerror or str(error))
            ]
        self._board.post(change, problems, self._marks)
        site = self._pages.site
        note = self._search.problem or (search_note(site, self._real) if site else "")
        return Rebuilt(count, tuple(problems), time.perf_counter() - started, note)

    def resume(self) -> bool:
        """Render a few pages that were not requested; return True if more remain. Report new errors at the end."""
        is_more = self._pages.try_some()
        if not is_more:
            self._show_new_errors()
        return is_more

    def find(self, name: str) -> Found | None:
        """Return the content of a path of the output."""
        if name.startswith(f"{SEARCH_FOLDER}/"):
            return self._search.find(name, self._pages)
        page = self._pages.find(name)
        self._show_new_errors()
        return page

    def close(self) -> None:
        """Close the copy of the store."""
        self._changes.close()
        if self._database is not None:
            self._database.close()
            self._database = None

    def _rebuild(self) -> int:
        self._scratch.link_files()
        database, settings = self._fresh_database(), self.settings
        database.field_types = own_types(settings.plugins)
        loaded = load_site(database, settings, self._clock(), prune=True)
        errors = loaded.errors
        for each in loaded.conflicts:  # until the store is copied again, this copy has the file's value
            self._conflicts[each.where] = PreviewProblem(each.where, each.problem, each.remedy)
        self._load_problems = [*(_of_file(error) for error in errors), *self._conflicts.values()]
        with without_collector(), database.reading() as session:
            site = plan_dry_run(session, settings, drafts=True, max_searchable=MOST_ENTRIES)
            self._marks = marks_of(session, settings)
        self._load_problems += [
            PreviewProblem(_where(error.file, error.line, error.place) or "The site", error.problem)
            for error in site.left_out
        ]
        self._rules = RuleIndex(site.plan.rules)
        return self._pages.renew(site)

    def _bodies(self, ids: Sequence[int]) -> Mapping[int, str]:
        if self._database is None:
            return {}
        return self._database.read(bodies_of, ids)

    def _problems(self) -> list[PreviewProblem]:
        self._shown_errors = dict(self._pages.errors)
        return [*self._load_problems, *map(_of_template, template_errors(self._shown_errors, self._scratch.readable))]

    def _show_new_errors(self) -> None:
        if self._pages.errors != self._shown_errors:
            self._board.post(RebuiltFiles.NOTHING, self._problems(), self._marks)

    def _fresh_database(self) -> Database:
        """Return the copy of the store, copied again if the store changed or was replaced."""
        state = self._changes.now()
        if self._database is None or state != self._copied:
            self.close()
            self._database = self._scratch.copy_store()
            self._conflicts.clear()
            self._copied = state
        return self._database


def _are_styles(changed: Collection[Path]) -> bool:
    """Return True if only stylesheets changed; no path stands for a change of the store."""
    return bool(changed) and all(path.suffix == _STYLE for path in changed)


def _where(file: str, line: int | None, place: str) -> str:
    return f"{file}:{line} {place}".rstrip() if line else f"{file} {place}".rstrip()


def _of_file(error: FileError) -> PreviewProblem:
    return PreviewProblem(_where(error.file, error.line, error.place), error.problem, error.remedy)


def _of_template(error: TemplateProblem) -> PreviewProblem:
    pages = f" (on {len(error.paths)} pages)" if len(error.paths) > 1 else ""
    return PreviewProblem(_where(error.file, error.line, "") or "A page", error.what + pages)
