"""Results of looking for problems: what `check`, `verify`, `doctor` and `status` report, in one form."""

from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace


class Severity(StrEnum):
    """Weight of a finding: an error is wrong now, a warning may become wrong, `ok` is in order."""

    OK = "ok"
    WARNING = "warning"
    ERROR = "error"


class Finding(Struct, frozen=True):
    """One result of one check.

    `kind` is a stable word for programs. `file` is relative to the site folder; `place` is a place in the file, or the
    name of what is concerned; `url` is a page that shows the problem, `pages` the number of pages that show it.
    `is_repairable`: `sitecms verify --repair` can correct it; `is_repaired`: it just did.
    """

    severity: Severity
    kind: str
    what: str
    remedy: str = ""
    place: str = ""
    file: str = ""
    line: int | None = None
    url: str = ""
    pages: int = 0
    is_repairable: bool = False
    is_repaired: bool = False

    @property
    def where(self) -> str:
        """`content/posts/x.md:12 title`, the address of a page, or the name of what is concerned; may be ""."""
        if self.file:
            line = f":{self.line}" if self.line else ""
            return f"{self.file}{line} {self.place}".rstrip()
        return self.url or self.place

    def repaired(self) -> "Finding":
        """Return the finding, marked as corrected."""
        return replace(self, is_repaired=True)

    def __str__(self) -> str:
        """Return `where: severity: what (remedy) [kind]`; a finding without a place begins with its kind."""
        remedy = "repaired" if self.is_repaired else self.remedy
        text = f"{self.severity}: {self.what}" + (f" ({remedy})" if remedy else "")
        return f"{self.where}: {text} [{self.kind}]" if self.where else f"{self.kind}: {text}"


def ok(kind: str, what: str) -> Finding:
    """Return a finding about something that is in order."""
    return Finding(Severity.OK, kind, what)


def warning(kind: str, what: str, remedy: str) -> Finding:
    """Return a finding about something that works and needs attention."""
    return Finding(Severity.WARNING, kind, what, remedy)


def error(kind: str, what: str, remedy: str) -> Finding:
    """Return a finding about something that does not work, or loses content."""
    return Finding(Severity.ERROR, kind, what, remedy)


def count_findings(findings: Iterable[Finding], severity: Severity) -> int:
    """Return the number of findings of one severity that are not repaired."""
    return sum(finding.severity is severity and not finding.is_repaired for finding in findings)
