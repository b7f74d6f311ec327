"""The states of an entry (API reference, Locales and drafts)."""

from enum import StrEnum


class Status(StrEnum):
    """Status of a post, page or item; `scheduled` comes from files and the command line only."""

    DRAFT = "draft"
    PUBLISHED = "published"
    SCHEDULED = "scheduled"


class Version(StrEnum):
    """Version of an entry in one locale. That of a post is live whatever its status; its draft is a working copy."""

    LIVE = "live"
    DRAFT = "draft"
