"""Options of one build."""

from pathlib import Path

from msgspec import Struct

from sitecms.progress import Progress


class BuildOptions(Struct, frozen=True):
    """Options of one build, of a whole site or of one shard.

    `clean`: render every page, whatever is current. `jobs`: number of processes; 0 uses as many as help. `shards`:
    folder of the shards of this build, whose pages are published without being rendered again.
    """

    clean: bool = False
    jobs: int = 0
    progress: Progress | None = None
    shards: Path | None = None
