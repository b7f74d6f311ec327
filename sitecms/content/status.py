"""The states of an entry (specification, States and transitions)."""

from enum import StrEnum


class Status(StrEnum):
    """Posts, pages and items share these; `scheduled` comes from files and the command line only."""

    DRAFT = "draft"
    PUBLISHED = "published"
    SCHEDULED = "scheduled"


class Version(StrEnum):
    """Pages and items keep a live and a draft version of each locale; posts have one."""

    LIVE = "live"
    DRAFT = "draft"
