"""Search in a preview: Pagefind's index, made when a page requests it."""

from pathlib import Path
from shutil import rmtree

from sitecms.settings.site import SiteSettings
from sitecms.site.dry_run import DryRun
from sitecms.site.preview.pages import Found, Pages
from sitecms.site.render.search_index import ENTRY, MISSING, index_key, is_indexed, is_installed, make_index, put_page
from sitecms.site.routes import SEARCH_FOLDER, SEARCH_SCRIPT

MOST_ENTRIES = 2_000
"""With more, the index would take longer to make than anybody waits, and gigabytes of memory."""
_TOO_LARGE = f"Search is left out of the preview: there are more than {MOST_ENTRIES} posts and pages to be indexed."
_BEGINNINGS = (SEARCH_SCRIPT.removeprefix("/"), f"{SEARCH_FOLDER}/{ENTRY}")
"""What a page asks for first: after that it needs the other files of the same index."""


def search_note(site: DryRun, settings: SiteSettings) -> str:
    """Return a message about limits of search in the preview; "" if it works as on the built site."""
    if settings.search.enabled and not is_installed():
        return MISSING
    return _TOO_LARGE if site.lacks_search else ""


class PreviewSearch:
    """Search index in a folder of its own, made at most once for each state of the site."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ""

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
        make_index(self._folder / "site", self._folder / SEARCH_FOLDER)
        rmtree(self._folder / "site")
        self._key = key
