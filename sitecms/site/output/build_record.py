"""Record of the last build beside the published folder: its staging directory and how the two differ."""

import os
from collections.abc import Mapping
from pathlib import Path

import orjson
from msgspec import Struct, field

from sitecms.content.permalink import MAX_PART_BYTES, capped_part
from sitecms.files import write_atomically
from sitecms.site.output.manifest import is_inside

_FORMAT = 1


class BuildRecord(Struct, frozen=True):
    """Record of a build. `unmanaged`: unmanaged files in the published folder, with the inodes of their hard links.

    `behind`: outputs in which the staging directory differs from the published folder. `published` and `staging` are
    the inodes of the two folders; `staging` is 0 if there is no staging directory.
    """

    published: int
    staging: int
    unmanaged: Mapping[str, int] = field(default_factory=dict)
    behind: tuple[str, ...] = ()
    written_at_ns: int = 0


class Folders(Struct, frozen=True):
    """State of the folders. `touched`: folders in which names may have changed since the last build.

    `is_staging_complete`: the staging directory is as the last build left it.
    """

    touched: tuple[str, ...]
    is_staging_complete: bool


def work_folder(published: Path) -> Path:
    """Return the folder in which the next generation is prepared."""
    return published.with_name(capped_part(f".{published.name}", MAX_PART_BYTES - len(".sitecms")) + ".sitecms")


def staging_tree(published: Path) -> Path:
    """Return the staging directory, which is the former generation."""
    return work_folder(published) / "tree"


def record_path(published: Path) -> Path:
    """Return the path of the record."""
    return work_folder(published) / "record.json"


def read_record(path: Path, published: Path) -> BuildRecord | None:
    """Return the record of this folder; None if a build ended between publishing and recording."""
    try:
        with path.open("rb") as file:
            data = orjson.loads(file.read())
            written_at_ns = os.fstat(file.fileno()).st_mtime_ns
        if data["format"] != _FORMAT or data["published"] != inode(published):
            return None
        unmanaged = {path: int(number) for path, number in data["unmanaged"].items() if is_inside(path)}
        behind = tuple(path for path in data["behind"] if is_inside(path))
        return BuildRecord(data["published"], data["staging"], unmanaged, behind, written_at_ns)
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None


def write_record(path: Path, record: BuildRecord) -> None:
    """Write the record atomically."""
    data = {"format": _FORMAT, "published": record.published, "staging": record.staging}
    write_atomically(path, orjson.dumps({**data, "unmanaged": record.unmanaged, "behind": record.behind}))


def inode(path: Path | str) -> int:
    """Return the inode at a path without following links; 0 if nothing is there."""
    try:
        return os.lstat(path).st_ino
    except OSError:
        return 0
