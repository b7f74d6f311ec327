"""The further steps that every build of a site has: its search index, compressed copies."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeAlias

from sitecms.settings.site import STATE_FOLDER, SiteSettings
from sitecms.site.output.generation import Generation
from sitecms.site.plan.plan import PageJob, Plan
from sitecms.site.render import precompress, search_index
from sitecms.site.snapshot import Snapshot

_SEARCH_NOTES = "search.json"

Step: TypeAlias = Callable[[Generation], Iterable[str]]
"""A further step of a build: adds files that are made from the pages, and gives notes for the owner."""


def is_searchable(settings: SiteSettings, snapshot: Snapshot) -> bool:
    """Whether the site has search: it is wanted, Pagefind is there, and so is something to find."""
    return settings.search.enabled and bool(snapshot.posts or snapshot.pages) and search_index.is_installed()


def own_steps(settings: SiteSettings, plan: Plan, *, searchable: bool) -> Iterator[tuple[str, Step]]:
    """The steps with the names of their files; compressed copies last, since the index is copied too."""
    if searchable:
        pages = tuple(job.path for job in plan.pages if is_indexed(job))
        yield search_index.STEP, partial(_index, pages, settings.folder / STATE_FOLDER / _SEARCH_NOTES)
    elif settings.search.enabled and not search_index.is_installed():
        yield search_index.STEP, lambda _generation: (search_index.MISSING,)
    if encodings := settings.delivery.precompress:
        precompress.check_encodings(encodings)
        yield precompress.STEP, partial(_compress, encodings)


def is_indexed(job: PageJob) -> bool:
    """Whether search finds the page: posts and pages, of those that the sitemap lists."""
    return job.template == "post.html" or job.template.startswith("page/")


def _index(pages: tuple[str, ...], notes: Path, generation: Generation) -> tuple[str, ...]:
    search_index.add_index(generation, pages, notes)
    return ()


def _compress(encodings: tuple[str, ...], generation: Generation) -> tuple[str, ...]:
    precompress.add_copies(generation, encodings)
    return ()
