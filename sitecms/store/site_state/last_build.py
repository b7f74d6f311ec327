"""What the last build of the site did, noted beside the store for those who watch over it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

import orjson

from sitecms.clock import format_timestamp, parse_timestamp

_NAME = "last-build.json"


@dataclass(frozen=True, slots=True)
class LastBuild:
    """`files` and `size_bytes` are of the whole site as published, `phases` are seconds."""

    finished_at: datetime
    output: str
    seconds: float
    written: int
    failed: int
    files: int
    size_bytes: int
    phases: Mapping[str, float]


def note_last_build(state: Path, build: LastBuild) -> None:
    """Keep it in the state folder, as a whole."""
    data = {**asdict(build), "finished_at": format_timestamp(build.finished_at)}
    state.mkdir(exist_ok=True)
    half = state / f"{_NAME}.half"
    half.write_bytes(orjson.dumps(data))
    half.replace(state / _NAME)


def find_last_build(state: Path) -> LastBuild | None:
    """None if there was none, or its note cannot be read."""
    try:
        data = orjson.loads((state / _NAME).read_bytes())
        return LastBuild(**{**data, "finished_at": parse_timestamp(data["finished_at"])})
    except (OSError, ValueError, LookupError, TypeError):
        return None
