"""What open pages are told: which build they show, what is wrong, and which pages are no more than drafts."""

import secrets
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Change(StrEnum):
    """What a build changed: pages, stylesheets only, or nothing that anybody sees."""

    PAGES = "pages"
    STYLES = "styles"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault: `where` is `content/posts/x.md:3` or the name of what failed."""

    where: str
    what: str


@dataclass(frozen=True, slots=True)
class Moment:
    """The outcome of one build. `version` differs from that of every other one, of other previews too.

    `pages` and `styles` are the versions of the latest builds that changed pages, and stylesheets only: by these an
    open page knows whether it has to be taken anew. `marks` are words such as "Draft" by the readable path of a page.
    """

    version: str = ""
    pages: str = ""
    styles: str = ""
    problems: tuple[Problem, ...] = ()
    marks: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """As preview.js reads it."""
        problems = [{"where": problem.where, "what": problem.what} for problem in self.problems]
        versions = {"version": self.version, "pages": self.pages, "styles": self.styles}
        return {**versions, "problems": problems, "marks": dict(self.marks)}


class Board:
    """Holds the latest moment; threads wait here for the next one."""

    def __init__(self) -> None:
        self._session = secrets.token_hex(4)
        self._number = 0
        self._moment = Moment()
        self._changed = threading.Condition()
        self._closed = False

    @property
    def moment(self) -> Moment:
        """The latest."""
        return self._moment

    @property
    def is_closed(self) -> bool:
        """Whether there will be no further one."""
        return self._closed

    def post(self, change: Change, problems: Sequence[Problem], marks: Mapping[str, str]) -> None:
        """A build is done."""
        with self._changed:
            self._number += 1
            version, before = f"{self._session}.{self._number}", self._moment
            pages = version if change is Change.PAGES else before.pages
            styles = version if change is Change.STYLES else before.styles
            self._moment = Moment(version, pages, styles, tuple(problems), dict(marks))
            self._changed.notify_all()

    def wait_beyond(self, version: str, seconds: float) -> Moment | None:
        """The moment that follows this version; None if none comes in that time, or the preview ends."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._moment.version != version, seconds)
            return None if self._closed or self._moment.version == version else self._moment

    def close(self) -> None:
        """Let everybody go who waits."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
