"""The states of an entry (API reference, Locales and drafts)."""

from enum import StrEnum


class Status(StrEnum):
    """Status of a post, page or item; `scheduled` comes from files and the command line only."""

    DRAFT = "draft"
    PUBLISHED = "published"
    SCHEDULED = "scheduled"


class Version(StrEnum):
    """Version of a page or item in one locale: live or draft. Posts have one version."""

    LIVE = "live"
    DRAFT = "draft"
