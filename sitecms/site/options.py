"""Options of one build."""

from msgspec import Struct

from sitecms.progress import Progress


class BuildOptions(Struct, frozen=True):
    """Options of one build.

    `clean`: render every page, whatever is current. `jobs`: number of processes; 0 uses as many as help.
    """

    clean: bool = False
    jobs: int = 0
    progress: Progress | None = None
