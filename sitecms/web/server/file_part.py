"""A part of a file as the body of an answer, for a web server that reads and sends it by itself."""

from dataclasses import dataclass
from pathlib import Path

FILE_PART = "sitecms.file_part"
"""Where the environment of a request names it."""


@dataclass(frozen=True, slots=True)
class FilePart:
    """The bytes from `start` to before `end`; there is at least one."""

    path: Path
    start: int
    end: int
