"""The errors that sitecms raises on purpose, in one tree.

Each interface translates the tree once: `api.errors` to a status and body, `cli.report` to an exit code, `tasks` to
"retry" or "give up".

    SitecmsError
    ├── ConfigurationError        the site cannot be opened with its settings (exit code 3)
    │   ├── InvalidFiles          errors in files that people wrote; carries each as a FileError
    │   ├── StoreUnusable         missing folder, corrupt file, made by a newer version, unreachable
    │   │   ├── StoreMissing      there is no store yet
    │   │   ├── StoreUnreachable  its server does not answer, or refuses the connection
    │   │   ├── StoreNotWritable  it can be read at most: a full disk, no permission, a standby server
    │   │   └── StoreMoved        the store has moved, or is being moved
    │   ├── MediaUnusable         object storage does not answer, or refuses access (503)
    │   ├── OutputRefused         the output folder contains files that sitecms did not make
    │   └── OutputFailed          the new site could not be written; the old one stays
    ├── NotFound                  nothing has that name (404)
    ├── Unauthenticated           no token, or an invalid one (401)
    ├── Forbidden                 understood, but not allowed for this caller or in this form (403)
    ├── InvalidInput              a value the caller sent is wrong
    │   ├── InvalidFields         {field: [message, ...]}: the specification's 400 field map
    │   ├── InvalidRequest        one sentence: 400 {detail}
    │   ├── LimitReached          a limit of the whole site: 400 {error}
    │   ├── KeyReused             the idempotency key of another request: 422
    │   └── InvalidMedia          bytes that are not a supported media file
    ├── Conflict                  a unique name is taken; carries the field
    ├── Stale                     the entry is not what the caller last saw (412)
    ├── PluginFailed              an error in a plug-in: it costs the page, entry or event
    ├── ProgramFailed             a program that sitecms started failed, or took too long
    │   └── GitFailed             Git refused a command; one line without passwords
    └── FetchFailed               a remote file could not be retrieved: one text for all reasons
        ├── FetchRefused          an address that sitecms does not connect to; trying again is useless
        └── RemoteMissing         the remote server answered 404 or 410
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct


class SitecmsError(Exception):
    """The root: an error whose text is meant for the person who caused it."""


class FileError(Struct, frozen=True):
    """An error in a file: its place, the problem, and the remedy."""

    file: str
    place: str
    problem: str
    remedy: str = ""
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        """Return the error on one line: `file:line:column place: problem (remedy)`."""
        where = f"{self.file}:{self.line}" if self.line else self.file
        where = f"{where}:{self.column}" if self.line and self.column else where
        place = f" {self.place}" if self.place else ""
        remedy = f" ({self.remedy})" if self.remedy else ""
        return f"{where}{place}: {self.problem}{remedy}"


class ConfigurationError(SitecmsError):
    """The site cannot be opened or built with its settings."""


class InvalidFiles(ConfigurationError):
    """Errors in files that people wrote; all of them at once, in order of file and place."""

    def __init__(self, errors: Sequence[FileError]) -> None:
        """Keep the errors of the files."""
        super().__init__("\n".join(str(error) for error in errors))
        self.errors = tuple(errors)


class StoreUnusable(ConfigurationError):
    """The store's file is missing, corrupt, or made by a newer version. Nothing was overwritten."""


class StoreMissing(StoreUnusable):
    """There is no store at its address yet."""


class StoreUnreachable(StoreUnusable):
    """The server of the store does not answer, or refuses the connection; it may do so again."""


class StoreNotWritable(StoreUnusable):
    """The store cannot be written: the disk is full, the permission is missing, or the server only reads."""


class StoreMoved(StoreUnusable):
    """The store has moved, or is being moved: a write here would be lost."""


class MediaUnusable(ConfigurationError):
    """Object storage cannot be reached, or refuses access; trying again later may help."""


class OutputRefused(ConfigurationError):
    """The output folder contains files that sitecms did not make."""


class OutputFailed(ConfigurationError):
    """A file of the new site could not be written, as on a full disk; the published site stays as it was."""


class NotFound(SitecmsError):
    """Nothing has that name, or the caller may not see it."""


class Unauthenticated(SitecmsError):
    """The caller sent no token, or an invalid one."""


class Forbidden(SitecmsError):
    """The request is understood and not allowed: an unknown filter field, a slug that several pages have."""


class InvalidInput(SitecmsError):
    """A value the caller sent is wrong."""


class InvalidFields(InvalidInput):
    """Field names mapped to messages, as the body of a 400 has them."""

    def __init__(self, messages: Mapping[str, Sequence[str]]) -> None:
        """Keep the messages by field."""
        super().__init__("; ".join(f"{name}: {' '.join(texts)}" for name, texts in messages.items()))
        self.messages = {name: list(texts) for name, texts in messages.items()}


class InvalidRequest(InvalidInput):
    """The request as a whole cannot be answered; the text gives the reason and the remedy."""


class LimitReached(InvalidInput):
    """A limit of the whole site is reached; nothing is wrong with the value itself."""


class KeyReused(InvalidInput):
    """An idempotency key stands for another request already."""


class InvalidMedia(InvalidInput):
    """The bytes are not a supported media file; the text gives the reason."""


class Conflict(SitecmsError):
    """A name that must be unique is taken."""

    def __init__(self, field: str, message: str) -> None:
        """Keep the field whose value is taken."""
        super().__init__(message)
        self.field = field


class Stale(SitecmsError):
    """The entry has changed since the caller last read it, or a change is waiting."""


class FetchFailed(SitecmsError):
    """A remote file could not be retrieved, which may pass. `reason` is for the log, the text for those who write."""

    def __init__(self, reason: str, text: str = "The remote host could not be reached.") -> None:
        """Keep the reason for the log."""
        super().__init__(text)
        self.reason = reason


class PluginFailed(SitecmsError):
    """An error in a plug-in, at a line of its `file`; `name` is that of the hook, or `filter stars` and the like."""

    def __init__(self, plugin: str, name: str, problem: str, file: str, line: int | None) -> None:
        """Write all of it in one sentence."""
        place = f"{file}:{line}" if line else file
        super().__init__(f"the plug-in {plugin} failed ({name}, {place}): {problem}")
        self.parts = plugin, name, problem, file, line

    def __reduce__(self) -> tuple[type["PluginFailed"], tuple[str, str, str, str, int | None]]:
        """Let the error cross to another process."""
        return type(self), self.parts


class ProgramFailed(SitecmsError):
    """A program that sitecms started failed, or was ended because it took too long."""


class GitFailed(ProgramFailed):
    """Git refused a command; `exit_code` is None where it is not installed, or did not end in time."""

    def __init__(self, text: str, exit_code: int | None = None) -> None:
        """Keep the exit code."""
        super().__init__(text)
        self.exit_code = exit_code


class HostBusy(FetchFailed):
    """The remote host cannot send the file now; `seconds` is the time that it asks to wait, 0 if it names none."""

    def __init__(self, status: int, seconds: float) -> None:
        """Keep the status and the time to wait."""
        super().__init__(f"the remote answered {status}", f"The remote host could not send the file (HTTP {status}).")
        self.status = status
        self.seconds = seconds


class FetchRejected(FetchFailed):
    """A remote file cannot be retrieved, now or later."""


class FetchRefused(FetchRejected):
    """Remote media may not come from the address; nothing was sent to it."""


class FileTooLarge(FetchRejected):
    """The remote file is larger than the limit."""

    def __init__(self, max_bytes: int) -> None:
        """Name the limit."""
        super().__init__("the file is too large", f"The remote file is larger than {max_bytes // 1024**2} MB.")


class RemoteMissing(FetchRejected):
    """The remote server answered 404 or 410."""

    def __init__(self, status: int) -> None:
        """Keep the remote server's status."""
        super().__init__(f"the remote answered {status}", f"The remote file could not be found (HTTP {status}).")
        self.status = status
