"""The settings of what an operator sees and guards: log lines, metrics, proxies, rate limits."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class LogSettings:
    """`format` is auto, console or json; `level` the least that is told; `access`: a line for each request."""

    format: str = "auto"
    level: str = "info"
    access: bool = False


@dataclass(frozen=True, slots=True)
class MetricsSettings:
    """`enabled`: /metrics answers; `token` names the token it takes, "" none."""

    enabled: bool = False
    token: str = ""


@dataclass(frozen=True, slots=True)
class ProxySettings:
    """`trusted`: how many proxies in a row are believed; `hsts_seconds` 0: nothing is told of https."""

    trusted: int = 0
    hsts_seconds: int = 0


@dataclass(frozen=True, slots=True)
class RateLimitSettings:
    """Requests a minute, 0 for any number; those of `burst_seconds` may come at once."""

    token_reads_per_minute: int = 0
    token_writes_per_minute: int = 0
    address_reads_per_minute: int = 0
    address_writes_per_minute: int = 0
    burst_seconds: int = 10

    @property
    def limits_anything(self) -> bool:
        """Whether requests have to be counted at all."""
        reads = self.token_reads_per_minute or self.address_reads_per_minute
        return bool(reads or self.token_writes_per_minute or self.address_writes_per_minute)


def log_settings(data: Mapping[str, Any]) -> LogSettings:
    """[logs] of site.toml, defaults filled in."""
    return LogSettings(**data)


def metrics_settings(data: Mapping[str, Any]) -> MetricsSettings:
    """[metrics] of site.toml, defaults filled in."""
    return MetricsSettings(**data)


def proxy_settings(data: Mapping[str, Any]) -> ProxySettings:
    """[serve] of site.toml, defaults filled in, without the address."""
    return ProxySettings(data["trusted_proxies"], data["hsts_seconds"])


def rate_limit_settings(data: Mapping[str, Any]) -> RateLimitSettings:
    """[rate_limits] of site.toml, defaults filled in."""
    return RateLimitSettings(**data)
