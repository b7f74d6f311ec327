"""What the last build noted beside the published folder: which spare goes with it, and how the two differ."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from sitecms.content.permalink import MAX_PART_BYTES, capped_part
from sitecms.site.output.manifest import is_inside

_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Record:
    """`foreign`: what others put into the published folder, with the inode of its twin in the spare.

    `behind`: outputs in which the spare differs from the published folder. `published` and `spare` name folders by
    their inodes; `spare` 0: there is none.
    """

    published: int
    spare: int
    foreign: Mapping[str, int] = field(default_factory=dict)
    behind: tuple[str, ...] = ()
    written_at_ns: int = 0


@dataclass(frozen=True, slots=True)
class Folders:
    """`touched`: folders in which names may have come or gone. `is_spare_whole`: it is as the last build left it.

    `made`: the inode of a spare that was made meanwhile, like the published folder; 0 if none was.
    """

    touched: tuple[str, ...]
    is_spare_whole: bool
    made: int = 0


def work_folder(published: Path) -> Path:
    """Where the next generation of this folder is prepared."""
    return published.with_name(capped_part(f".{published.name}", MAX_PART_BYTES - len(".sitecms")) + ".sitecms")


def spare_tree(published: Path) -> Path:
    """The former generation of this folder, where there is one."""
    return work_folder(published) / "tree"


def record_path(published: Path) -> Path:
    """The note on published folder and spare."""
    return work_folder(published) / "record.json"


def read_record(path: Path, published: Path) -> Record | None:
    """The record of this very folder, or None: a build that ended between publishing and noting leaves an old one."""
    try:
        with path.open("rb") as file:
            data = orjson.loads(file.read())
            written_at_ns = os.fstat(file.fileno()).st_mtime_ns
        if data["format"] != _FORMAT or data["published"] != inode(published):
            return None
        foreign = {path: int(number) for path, number in data["foreign"].items() if is_inside(path)}
        behind = tuple(path for path in data["behind"] if is_inside(path))
        return Record(data["published"], data["spare"], foreign, behind, written_at_ns)
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None


def write_record(path: Path, record: Record) -> None:
    """Keep it, as a whole."""
    data = {"format": _FORMAT, "published": record.published, "spare": record.spare}
    half = path.with_name(path.name + ".half")
    half.write_bytes(orjson.dumps({**data, "foreign": record.foreign, "behind": record.behind}))
    half.replace(path)


def inode(path: Path | str) -> int:
    """The inode of what stands there, links not followed; 0 if nothing does."""
    try:
        return os.lstat(path).st_ino
    except OSError:
        return 0
