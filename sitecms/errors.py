"""Everything sitecms raises on purpose, in one tree.

Each door translates the tree once: `api.errors` to a status and body, `cli.report` to an exit code, `tasks` to
"retry" or "give up".

    SitecmsError
    ├── ConfigurationError        the site cannot be opened as it stands (exit code 3)
    │   ├── InvalidFiles          faults in files that people wrote; carries every Fault
    │   ├── StoreUnusable         missing folder, corrupt file, made by a newer version, out of reach
    │   │   ├── StoreMissing      there is none yet
    │   │   └── StoreMoved        it is elsewhere by now, or on its way there
    │   ├── MediaUnusable         the storage of media files does not answer, or refuses us (503)
    │   ├── OutputRefused         the output folder is not ours to write to
    │   └── OutputFailed          the new site could not be written as a whole; the old one stays
    ├── NotFound                  nothing by that name (404)
    ├── Unauthenticated           no token, or none that opens anything (401)
    ├── Forbidden                 understood, and not done for this caller or in this form (403)
    ├── InvalidInput              a value the caller sent is wrong
    │   ├── InvalidFields         {field: [message, ...]}: the specification's 400 field map
    │   ├── InvalidRequest        one sentence: 400 {detail}
    │   ├── LimitReached          a limit of the whole site: 400 {error}
    │   ├── KeyReused             an idempotency key that stands for another request: 422
    │   └── InvalidMedia          bytes that are no media file we keep
    ├── Conflict                  a unique name is taken; carries the field
    ├── Stale                     the entry is not what the caller last saw (412)
    └── FetchFailed               a remote file could not be had: one text, whatever the reason
        ├── FetchRefused          an address that we do not connect to; trying again will not help
        └── RemoteMissing         the remote said so itself: 404 or 410
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


class SitecmsError(Exception):
    """The root: an error whose text is meant for the person who caused it."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong in one file: where it stands, what it is, what would be right."""

    file: str
    place: str
    problem: str
    remedy: str = ""
    line: int | None = None

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else self.file
        place = f" {self.place}" if self.place else ""
        remedy = f" ({self.remedy})" if self.remedy else ""
        return f"{where}{place}: {self.problem}{remedy}"


class ConfigurationError(SitecmsError):
    """The site cannot be opened or built as it stands."""


class InvalidFiles(ConfigurationError):
    """Faults in files that people wrote; all of them at once, in order of file and place."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__("\n".join(str(fault) for fault in faults))
        self.faults = tuple(faults)


class StoreUnusable(ConfigurationError):
    """The store's file is missing, corrupt, or made by a newer version. Nothing was overwritten."""


class StoreMissing(StoreUnusable):
    """There is no store yet where one is looked for."""


class StoreMoved(StoreUnusable):
    """The store has moved, or is being moved: what would be written here would be lost."""


class MediaUnusable(ConfigurationError):
    """The object storage that keeps media files cannot be reached, or refuses us; trying again later may help."""


class OutputRefused(ConfigurationError):
    """The output folder holds files that sitecms did not make."""


class OutputFailed(ConfigurationError):
    """A file of the new site could not be written, as on a full disk; the published site stays as it was."""


class NotFound(SitecmsError):
    """There is nothing by that name, or the caller may not see it."""


class Unauthenticated(SitecmsError):
    """The caller showed no token, or one that opens nothing."""


class Forbidden(SitecmsError):
    """The request is understood and not carried out: an unknown filter field, one slug of several pages."""


class InvalidInput(SitecmsError):
    """A value the caller sent is wrong."""


class InvalidFields(InvalidInput):
    """Field names mapped to messages, as the specification's 400 body has them."""

    def __init__(self, messages: Mapping[str, Sequence[str]]) -> None:
        super().__init__("; ".join(f"{name}: {' '.join(texts)}" for name, texts in messages.items()))
        self.messages = {name: list(texts) for name, texts in messages.items()}


class InvalidRequest(InvalidInput):
    """The request as a whole cannot be answered; the text says why and what would be right."""


class LimitReached(InvalidInput):
    """A limit of the whole site is reached; nothing is wrong with the value itself."""


class KeyReused(InvalidInput):
    """An idempotency key stands for another request already."""


class InvalidMedia(InvalidInput):
    """The bytes are no media file of a kind that is kept; the text says why."""


class Conflict(SitecmsError):
    """A name that must be unique is taken."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class Stale(SitecmsError):
    """The entry changed, or is about to, since the caller last read it."""


class FetchFailed(SitecmsError):
    """A remote file could not be had; `reason` is for the log, the text is the same for blocked, refused and slow."""

    def __init__(self, reason: str, text: str = "The remote file could not be retrieved.") -> None:
        super().__init__(text)
        self.reason = reason


class FetchRefused(FetchFailed):
    """The address is not one that remote media may come from; nothing was sent to it."""


class RemoteMissing(FetchFailed):
    """The remote answered that there is no such file: 404 or 410."""

    def __init__(self, status: int) -> None:
        super().__init__(f"the remote answered {status}", f"The remote file could not be found (HTTP {status}).")
        self.status = status
