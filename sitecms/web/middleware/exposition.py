"""Numbers in Prometheus' text format."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sitecms.store.maintenance.counters import BOUNDS_SECONDS, Counts

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_PREFIX = "sitecms_"


@dataclass(frozen=True, slots=True)
class Duration:
    """What processes count and time: the name of its series, then of their labels in order."""

    name: str
    help: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Gauge:
    """What holds at this moment: values by labels."""

    name: str
    help: str
    values: Iterable[tuple[Mapping[str, str], float]]


def exposition(gauges: Iterable[Gauge], durations: Iterable[Duration], counted: Counts) -> str:
    """All of it as text."""
    lines = [line for gauge in gauges for line in _gauge(gauge)]
    for metric in durations:
        lines += _duration(metric, counted)
    return "\n".join(lines) + "\n"


def _gauge(gauge: Gauge) -> list[str]:
    name = _PREFIX + gauge.name
    return [
        *_head(name, gauge.help, "gauge"),
        *(f"{name}{_labels(labels)} {value:.16g}" for labels, value in gauge.values),
    ]


def _duration(metric: Duration, counted: Counts) -> list[str]:
    name = f"{_PREFIX}{metric.name}_duration_seconds"
    lines = _head(name, metric.help, "histogram")
    for labels, (total, *buckets) in _of(metric, counted):
        count = 0
        for bound, number in zip((*map(str, BOUNDS_SECONDS), "+Inf"), buckets, strict=True):
            count += number
            lines.append(f"{name}_bucket{_labels({**labels, 'le': bound})} {count}")
        lines += [f"{name}_sum{_labels(labels)} {total / 1e9:.9f}", f"{name}_count{_labels(labels)} {count}"]
    return lines


def _of(metric: Duration, counted: Counts) -> list[tuple[dict[str, str], list[int]]]:
    """Labels and slots of its series, in order."""
    mine = sorted((series[1:], slots) for series, slots in counted.items() if series[0] == metric.name)
    return [(dict(zip(metric.labels, values, strict=True)), slots) for values, slots in mine]


def _head(name: str, text: str, kind: str) -> list[str]:
    return [f"# HELP {name} {text}", f"# TYPE {name} {kind}"]


def _labels(labels: Mapping[str, str]) -> str:
    pairs = ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items())
    return f"{{{pairs}}}" if pairs else ""


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
