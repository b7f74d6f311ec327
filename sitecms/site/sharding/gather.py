"""The shards of one build, together: pages that need only be taken where a build would render them."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from sitecms.content.fingerprint import digest
from sitecms.errors import ConfigurationError, SitecmsError
from sitecms.site.plan.diff import Job
from sitecms.site.sharding.derived_images import bring_derived
from sitecms.site.sharding.shard import shards_in
from sitecms.site.sharding.shard_manifest import Origin, Sheet, pages_folder, read_sheet


class Gathered:
    """What all shards made. A page counts only under the fingerprint that the plan of this build gives it too."""

    def __init__(self, folder: Path, sheets: Sequence[Sheet]) -> None:
        self._folder = folder
        self._sheets = sheets
        self._places = {sheet.shard: str(pages_folder(sheet.shard.folder_in(folder))) for sheet in sheets}
        self._sheet_of = {path: sheet for sheet in sheets for path in sheet.pages}

    def holds(self, job: Job) -> bool:
        """Whether the page need not be rendered."""
        return self._find(job) is not None

    def read(self, job: Job) -> bytes | None:
        """The page; None if no shard made just this one. Raises SitecmsError for a file that is not as it was made."""
        sheet = self._find(job)
        if sheet is None:
            return None
        again = f"copy the folder of shard {sheet.shard} anew, or run it again"
        try:
            data = Path(f"{self._places[sheet.shard]}/{job.path}").read_bytes()
        except OSError as error:
            reason = (error.strerror or "unreadable").lower()
            raise SitecmsError(f"shard {sheet.shard} has it no more ({reason}): {again}") from error
        if not sheet.pages[job.path].endswith(f" {digest(data)}"):
            raise SitecmsError(f"its file in shard {sheet.shard} was damaged: {again}")
        return data

    def _find(self, job: Job) -> Sheet | None:
        sheet = self._sheet_of.get(job.path)
        return sheet if sheet and sheet.pages[job.path].startswith(f"{job.fingerprint} ") else None


def gather(folder: Path, origin: Origin, cache_folder: Path) -> Gathered:
    """All shards in the folder, what they made of images brought to the site's own cache.

    Raises ConfigurationError for one that is missing, or made from something else.
    """
    sheets = [read_sheet(shard.folder_in(folder), shard) for shard in shards_in(folder)]
    problems = list(_problems(sheets, origin))
    if problems:
        raise ConfigurationError("\n".join(problems))
    bring_derived([sheet.shard.folder_in(folder) for sheet in sheets], cache_folder)
    return Gathered(folder, sheets)


def _problems(sheets: Sequence[Sheet], origin: Origin) -> Iterator[str]:
    for sheet in sheets:
        if what := origin.difference(sheet.origin):
            yield f"The shard {sheet.shard} was made {what}. Run it again: sitecms build --shard {sheet.shard}"
