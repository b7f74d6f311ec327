"""The site with settings that are not saved: previews of its pages, each under a key."""

import threading

from sitecms.site.unsaved.page import UnsavedPages

MOST_KEPT = 6


class Looks:
    """Previews by their keys, the last ones of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pages: dict[str, UnsavedPages] = {}

    def find(self, key: str) -> UnsavedPages | None:
        """Return the preview of a key, if this process has it."""
        with self._lock:
            return self._pages.get(key)

    def keep(self, key: str, pages: UnsavedPages) -> UnsavedPages:
        """Keep a preview, and forget the oldest."""
        with self._lock:
            self._pages[key] = pages
            for oldest in [*self._pages][:-MOST_KEPT]:
                del self._pages[oldest]
        return pages
