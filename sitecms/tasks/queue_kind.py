"""The kind of queue that the settings of a site name.

This module imports no client library: the parent process of `sitecms serve` needs none, and they take 15 MB or more.
"""

from enum import StrEnum

from sitecms.errors import ConfigurationError
from sitecms.optional_packages import Extra, is_installed, missing_package
from sitecms.settings.site import SiteSettings


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
    if queue_kind(settings) is QueueKind.REDIS and not is_installed(Extra.REDIS):
        raise ConfigurationError(missing_package(Extra.REDIS, "The queue on Redis"))


def queue_address(settings: SiteSettings) -> str:
    """Return the address of the queue's server, without a password."""
    return str(settings.queue_url or settings.store_url)
