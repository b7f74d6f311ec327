"""State that open pages receive: the build they show, problems, and marks of drafts."""

import secrets
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Change(StrEnum):
    """Kind of change of a rebuild: pages, stylesheets only, or nothing visible."""

    PAGES = "pages"
    STYLES = "styles"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class PreviewProblem:
    """One problem; `where` is `content/posts/x.md:3` or the name of the failed part."""

    where: str
    what: str


@dataclass(frozen=True, slots=True)
class Moment:
    """Result of one rebuild. `version` is unique, also among other previews.

    `pages` and `styles` are the versions of the latest rebuilds that changed pages, and stylesheets only: they tell an
    open page if it must reload. `marks` are words such as "Draft" by the readable path of a page.
    """

    version: str = ""
    pages: str = ""
    styles: str = ""
    problems: tuple[PreviewProblem, ...] = ()
    marks: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the state as preview.js reads it."""
        problems = [{"where": problem.where, "what": problem.what} for problem in self.problems]
        versions = {"version": self.version, "pages": self.pages, "styles": self.styles}
        return {**versions, "problems": problems, "marks": dict(self.marks)}


class Board:
    """Holder of the latest state, on which threads wait for the next one."""

    def __init__(self) -> None:
        self._session = secrets.token_hex(4)
        self._number = 0
        self._moment = Moment()
        self._changed = threading.Condition()
        self._closed = False

    @property
    def moment(self) -> Moment:
        """The latest state."""
        return self._moment

    @property
    def is_closed(self) -> bool:
        """True if no further state will follow."""
        return self._closed

    def post(self, change: Change, problems: Sequence[PreviewProblem], marks: Mapping[str, str]) -> None:
        """Publish the state after a rebuild."""
        with self._changed:
            self._number += 1
            version, before = f"{self._session}.{self._number}", self._moment
            pages = version if change is Change.PAGES else before.pages
            styles = version if change is Change.STYLES else before.styles
            self._moment = Moment(version, pages, styles, tuple(problems), dict(marks))
            self._changed.notify_all()

    def wait_beyond(self, version: str, seconds: float) -> Moment | None:
        """Return the state that follows this version; None after the timeout, or when the preview ends."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._moment.version != version, seconds)
            return None if self._closed or self._moment.version == version else self._moment

    def close(self) -> None:
        """Release all waiting threads."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
