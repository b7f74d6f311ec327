"""The kind of queue that the settings of a site name.

This module imports no client library: the parent process of `sitecms serve` needs none, and they take 15 MB or more.
"""

from enum import StrEnum
from importlib.util import find_spec

from sitecms.errors import ConfigurationError
from sitecms.settings.site import SiteSettings

REDIS_MISSING = "The queue is on Redis, whose client library is not installed: pip install 'sitecms[redis]'"


class QueueKind(StrEnum):
    """Where the queue keeps its hints."""

    SQLITE = "sqlite"
    REDIS = "redis"
    POSTGRESQL = "postgresql"


def queue_kind(settings: SiteSettings) -> QueueKind:
    """Return the kind that the settings name, otherwise the one that matches the store."""
    if settings.queue_url:
        return QueueKind.REDIS
    return QueueKind.POSTGRESQL if settings.store_url else QueueKind.SQLITE


def check_queue(settings: SiteSettings) -> None:
    """Raise ConfigurationError if a library is missing that the queue needs."""
    if queue_kind(settings) is QueueKind.REDIS and find_spec("redis") is None:
        raise ConfigurationError(REDIS_MISSING)


def queue_address(settings: SiteSettings) -> str:
    """Return the address of the queue's server, without a password."""
    return str(settings.queue_url or settings.store_url)
