"""Shards of a build by their numbers, and their folders."""

import re
from pathlib import Path

from msgspec import Struct

from sitecms.errors import ConfigurationError

MAX_SHARDS = 1_000
_WRITTEN = re.compile(r"([1-9][0-9]{0,3})/([1-9][0-9]{0,3})")
_FOLDER = re.compile(r"([1-9][0-9]{0,3})-of-([1-9][0-9]{0,3})")


class Shard(Struct, frozen=True, order=True):
    """Shard `number` of `count`, counted from 1."""

    number: int
    count: int

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    def others(self) -> tuple["Shard", ...]:
        """Return the other shards of the same build."""
        return tuple(Shard(number, self.count) for number in range(1, self.count + 1) if number != self.number)

    def folder_in(self, folder: Path) -> Path:
        """Return the folder of this shard below the folder of all shards."""
        return folder / f"{self.number}-of-{self.count}"


def parse_shard(text: str) -> Shard | None:
    """Return the shard that a text such as `2/3` names; None for an invalid one."""
    return _shard(_WRITTEN.fullmatch(text))


def shards_in(folder: Path) -> tuple[Shard, ...]:
    """Return the shards in a folder. Raises ConfigurationError if any is missing, or if they are of several builds."""
    names = [path.name for path in folder.iterdir() if path.is_dir()] if folder.is_dir() else []
    shards = sorted(shard for shard in (_shard(_FOLDER.fullmatch(name)) for name in names) if shard)
    if not shards:
        raise ConfigurationError(f"There are no shards in {folder}. Make them first: sitecms build --shard 1/2 ...")
    counts = sorted({shard.count for shard in shards})
    if len(counts) > 1:
        kinds = " and ".join(f"*-of-{count}" for count in counts)
        raise ConfigurationError(
            f"{folder} has shards of several builds, {kinds}. Delete the folders of the builds that are over."
        )
    numbers = {shard.number for shard in shards}
    missing = [str(Shard(number, counts[0])) for number in range(1, counts[0] + 1) if number not in numbers]
    if missing:
        raise ConfigurationError(f"{folder} lacks the shards {', '.join(missing)}. Run: sitecms build --shard I/N")
    return tuple(shards)


def _shard(match: re.Match[str] | None) -> Shard | None:
    if match is None or not int(match[1]) <= int(match[2]) <= MAX_SHARDS:
        return None
    return Shard(int(match[1]), int(match[2]))
