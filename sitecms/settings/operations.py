"""Settings of operations: logs, metrics, proxies, rate limits, the studio, webhooks, limits and housekeeping."""

from msgspec import Struct, field


class LogSettings(Struct, frozen=True):
    """Settings of logs. `format` is auto, console or json, `level` the lowest level; `access` logs each request."""

    format: str = "auto"
    level: str = "info"
    access: bool = False


class MetricsSettings(Struct, frozen=True):
    """Settings of /metrics: whether it is enabled, and the name of the token it requires ("": none)."""

    enabled: bool = False
    token: str = ""


class ProxySettings(Struct, frozen=True):
    """Settings of proxies: the number of trusted ones in a row, and the seconds of HSTS (0: no header)."""

    trusted: int = field(default=0, name="trusted_proxies")
    hsts_seconds: int = 0


class RateLimitSettings(Struct, frozen=True):
    """Limits of requests a minute, 0 for none; those of `burst_seconds` may come at once."""

    token_reads_per_minute: int = 0
    token_writes_per_minute: int = 0
    address_reads_per_minute: int = 0
    address_writes_per_minute: int = 0
    burst_seconds: int = 10

    @property
    def limits_anything(self) -> bool:
        """True if any limit is set."""
        reads = self.token_reads_per_minute or self.address_reads_per_minute
        return bool(reads or self.token_writes_per_minute or self.address_writes_per_minute)


class StudioSettings(Struct, frozen=True):
    """Settings of the studio: whether it is served, and whether every user must have a second factor."""

    enabled: bool = True
    require_second_factor: bool = False


class Limits(Struct, frozen=True):
    """Limits of the service."""

    collection_items: int


class WebhookSettings(Struct, frozen=True):
    """Settings of webhooks: allowed private hosts, time limit of a receiver, seconds before further attempts."""

    allow_hosts: tuple[str, ...]
    timeout_seconds: int | float
    retry_seconds: tuple[int | float, ...]


class Housekeeping(Struct, frozen=True):
    """Retention of finished writes and deliveries, unused media, former versions, unsaved text and the log."""

    keep_writes_days: int
    keep_deliveries_days: int
    keep_media_days: int
    keep_revisions: int
    keep_published_revisions: int
    keep_unsaved_days: int
    keep_audit_days: int
