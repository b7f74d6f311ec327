"""Settings of operations: logs, metrics, proxies and rate limits."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LogSettings:
    """Settings of logs. `format` is auto, console or json, `level` the lowest level; `access` logs each request."""

    format: str = "auto"
    level: str = "info"
    access: bool = False


@dataclass(frozen=True, slots=True)
class MetricsSettings:
    """Settings of /metrics: whether it is enabled, and the name of the token it requires ("": none)."""

    enabled: bool = False
    token: str = ""


@dataclass(frozen=True, slots=True)
class ProxySettings:
    """Settings of proxies: the number of trusted ones in a row, and the seconds of HSTS (0: no header)."""

    trusted: int = 0
    hsts_seconds: int = 0


@dataclass(frozen=True, slots=True)
class RateLimitSettings:
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
