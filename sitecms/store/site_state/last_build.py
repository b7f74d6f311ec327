"""Results of the last build of the site, saved in the state folder for status reports and metrics."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

import orjson

from sitecms.clock import format_timestamp, parse_timestamp
from sitecms.files import write_atomically

_NAME = "last-build.json"


@dataclass(frozen=True, slots=True)
class LastBuild:
    """Results of a build. `files` and `size_bytes` count the whole published site; `phases` are seconds."""

    finished_at: datetime
    output: str
    seconds: float
    written: int
    failed: int
    files: int
    size_bytes: int
    phases: Mapping[str, float]


def save_last_build(state: Path, build: LastBuild) -> None:
    """Save the results in the state folder, atomically."""
    data = {**asdict(build), "finished_at": format_timestamp(build.finished_at)}
    state.mkdir(exist_ok=True)
    write_atomically(state / _NAME, orjson.dumps(data))


def find_last_build(state: Path) -> LastBuild | None:
    """Return the results of the last build; None if there was none or they cannot be read."""
    try:
        data = orjson.loads((state / _NAME).read_bytes())
        return LastBuild(**{**data, "finished_at": parse_timestamp(data["finished_at"])})
    except (OSError, ValueError, LookupError, TypeError):
        return None
