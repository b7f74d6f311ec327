"""Kinds of findings of a check, and their severities."""

from enum import StrEnum

from sitecms.errors import FileError
from sitecms.findings import Finding, Severity


class CheckKind(StrEnum):
    """Kinds of findings. The words are stable: programs rely on them."""

    FILE = "file"
    FILE_GONE = "file-gone"
    SITE = "site"
    SITE_UNUSABLE = "site-unusable"
    PATH_TAKEN = "path-taken"
    TEMPLATE = "template"
    THEME = "theme"
    LINK_BROKEN = "link-broken"
    LINK_TO_DRAFT = "link-to-draft"
    LINK_WITHOUT_SLASH = "link-without-slash"
    ANCHOR_MISSING = "anchor-missing"
    REFERENCE_TO_DRAFT = "reference-to-draft"
    REMOTE_MISSING = "remote-missing"
    REMOTE_FAILED = "remote-failed"
    REMOTE_NOT_ASKED = "remote-not-asked"
    ALT_MISSING = "alt-missing"
    PICTURE_MISSING = "picture-missing"
    MEDIA_UNUSED = "media-unused"
    LIBRARY_UNUSED = "library-unused"
    SLUG_TWIN = "slug-twin"
    TITLE_LONG = "title-long"
    TITLE_DUPLICATE = "title-duplicate"
    DESCRIPTION_LONG = "description-long"
    DESCRIPTION_MISSING = "description-missing"
    HEADING_SKIPPED = "heading-skipped"
    PAGE_UNLISTED = "page-unlisted"
    TERM_UNUSED = "term-unused"
    AUTHOR_UNUSED = "author-unused"
    DATE_AHEAD = "date-ahead"
    REDIRECT = "redirect"
    CLONE = "clone"
    TEXT = "text"
    PLACEHOLDER = "placeholder"
    GIT = "git"
    PLUGIN = "plugin"


_ERRORS = frozenset(
    {
        CheckKind.FILE,
        CheckKind.PLUGIN,
        CheckKind.SITE_UNUSABLE,
        CheckKind.PATH_TAKEN,
        CheckKind.TEMPLATE,
        CheckKind.LINK_BROKEN,
        CheckKind.LINK_TO_DRAFT,
        CheckKind.ANCHOR_MISSING,
        CheckKind.REMOTE_MISSING,
        CheckKind.SLUG_TWIN,
        CheckKind.REDIRECT,
    }
)


def check_finding(
    kind: CheckKind,
    what: str,
    remedy: str = "",
    file: str = "",
    line: int | None = None,
    place: str = "",
    url: str = "",
    pages: int = 0,
) -> Finding:
    """Return a finding with the severity of its kind. One without file, place and page is about the site."""
    severity = Severity.ERROR if kind in _ERRORS else Severity.WARNING
    place = place if file or url else place or "the site"
    return Finding(severity, kind, what, remedy, place, file, line, url, pages)


def of_error(error: FileError, kind: CheckKind = CheckKind.FILE) -> Finding:
    """Return the finding for an error in a file, by default one that is found while loading."""
    return check_finding(kind, error.problem, error.remedy, error.file, error.line, error.place)


def in_order(finding: Finding) -> tuple[object, ...]:
    """Return a sort key: by file and line, findings without a file last."""
    return (not finding.file, finding.file, finding.line or 0, finding.url, finding.kind, finding.what)
