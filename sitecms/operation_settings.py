"""The settings of what an operator sees: log lines and metrics."""

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


def log_settings(data: Mapping[str, Any]) -> LogSettings:
    """[logs] of site.toml, defaults filled in."""
    return LogSettings(**data)


def metrics_settings(data: Mapping[str, Any]) -> MetricsSettings:
    """[metrics] of site.toml, defaults filled in."""
    return MetricsSettings(**data)
