"""One thing that a check found: how bad, of what kind, where, what, and what would be right."""

from dataclasses import dataclass
from enum import StrEnum

from sitecms.errors import Fault


class Severity(StrEnum):
    """An error is wrong for whoever reads the site; a warning is worth a look."""

    ERROR = "error"
    WARNING = "warning"


class Kind(StrEnum):
    """What kind of thing it is; the words are stable, so that programs can go by them."""

    FILE = "file"
    FILE_GONE = "file-gone"
    SITE = "site"
    SITE_UNUSABLE = "site-unusable"
    PATH_TAKEN = "path-taken"
    TEMPLATE = "template"
    LINK_BROKEN = "link-broken"
    LINK_TO_DRAFT = "link-to-draft"
    LINK_WITHOUT_SLASH = "link-without-slash"
    ANCHOR_MISSING = "anchor-missing"
    REFERENCE_TO_DRAFT = "reference-to-draft"
    REMOTE_MISSING = "remote-missing"
    REMOTE_FAILED = "remote-failed"
    REMOTE_NOT_ASKED = "remote-not-asked"
    ALT_MISSING = "alt-missing"
    MEDIA_UNUSED = "media-unused"
    LIBRARY_UNUSED = "library-unused"
    SLUG_TWIN = "slug-twin"
    TITLE_LONG = "title-long"
    TITLE_DUPLICATE = "title-duplicate"
    DESCRIPTION_LONG = "description-long"
    DESCRIPTION_MISSING = "description-missing"
    HEADING_SKIPPED = "heading-skipped"
    TERM_UNUSED = "term-unused"
    AUTHOR_UNUSED = "author-unused"
    DATE_AHEAD = "date-ahead"


_ERRORS = frozenset(
    {
        Kind.FILE,
        Kind.SITE_UNUSABLE,
        Kind.PATH_TAKEN,
        Kind.TEMPLATE,
        Kind.LINK_BROKEN,
        Kind.LINK_TO_DRAFT,
        Kind.ANCHOR_MISSING,
        Kind.REMOTE_MISSING,
        Kind.SLUG_TWIN,
    }
)


@dataclass(frozen=True, slots=True)
class Finding:
    """`file` is relative to the site folder, `place` a place in it or an entry, `url` a page it shows on.

    `pages` says on how many pages it shows, 0 where that means nothing.
    """

    kind: Kind
    what: str
    remedy: str = ""
    file: str = ""
    line: int | None = None
    place: str = ""
    url: str = ""
    pages: int = 0

    @property
    def severity(self) -> Severity:
        """Goes by the kind."""
        return Severity.ERROR if self.kind in _ERRORS else Severity.WARNING

    @property
    def where(self) -> str:
        """`content/posts/x.md:12 title`, the address of a page, or "the site"."""
        if self.file:
            line = f":{self.line}" if self.line else ""
            return f"{self.file}{line} {self.place}".rstrip()
        return self.url or self.place or "the site"

    def __str__(self) -> str:
        remedy = f" ({self.remedy})" if self.remedy else ""
        return f"{self.where}: {self.severity}: {self.what}{remedy} [{self.kind}]"


def of_fault(fault: Fault) -> Finding:
    """A fault of a file, found while loading."""
    return Finding(Kind.FILE, fault.problem, fault.remedy, fault.file, fault.line, fault.place)


def in_order(finding: Finding) -> tuple[object, ...]:
    """Sorts findings: by file and line, those without a file last."""
    return (not finding.file, finding.file, finding.line or 0, finding.url, finding.kind, finding.what)
