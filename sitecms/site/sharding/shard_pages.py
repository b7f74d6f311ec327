"""The pages that the shards of one build rendered."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from sitecms.content.fingerprint import digest
from sitecms.errors import ConfigurationError, SitecmsError
from sitecms.site.pipeline import SiteContent
from sitecms.site.plan.diff import Job
from sitecms.site.sharding.shard import shards_in
from sitecms.site.sharding.shard_manifest import (
    BuildInputs,
    ShardManifest,
    import_images,
    inputs_of,
    pages_folder,
    read_shard_manifest,
)


class ShardPages:
    """The pages of all shards. One is used only if it has the fingerprint that the plan of this build gives it."""

    def __init__(self, folder: Path, manifests: Sequence[ShardManifest]) -> None:
        self._folders = {each.shard: str(pages_folder(each.shard.folder_in(folder))) for each in manifests}
        self._by_path = {path: manifest for manifest in manifests for path in manifest.pages}

    def holds(self, job: Job) -> bool:
        """Return whether a shard rendered the page of this job."""
        return self._find(job) is not None

    def read(self, job: Job) -> bytes | None:
        """Return the page; None if no shard rendered it. Raises SitecmsError for a missing or damaged file."""
        manifest = self._find(job)
        if manifest is None:
            return None
        again = f"copy the folder of shard {manifest.shard} again, or run it again"
        try:
            data = Path(f"{self._folders[manifest.shard]}/{job.path}").read_bytes()
        except OSError as error:
            reason = (error.strerror or "unreadable").lower()
            raise SitecmsError(f"shard {manifest.shard} no longer has it ({reason}): {again}") from error
        if not manifest.pages[job.path].endswith(f" {digest(data)}"):
            raise SitecmsError(f"its file in shard {manifest.shard} is damaged: {again}")
        return data

    def _find(self, job: Job) -> ShardManifest | None:
        manifest = self._by_path.get(job.path)
        return manifest if manifest and manifest.pages[job.path].startswith(f"{job.fingerprint} ") else None


def collect_shards(folder: Path, content: SiteContent) -> ShardPages:
    """Read all shards in the folder, and copy the images that they derived into the site's own cache.

    Raises ConfigurationError for a shard that is missing or was built from other inputs.
    """
    manifests = [read_shard_manifest(shard.folder_in(folder), shard) for shard in shards_in(folder)]
    problems = list(_problems(manifests, inputs_of(content)))
    if problems:
        raise ConfigurationError("\n".join(problems))
    import_images([each.shard.folder_in(folder) for each in manifests], content.settings.derived_dir)
    return ShardPages(folder, manifests)


def _problems(manifests: Sequence[ShardManifest], inputs: BuildInputs) -> Iterator[str]:
    for manifest in manifests:
        if difference := inputs.difference(manifest.inputs):
            shard = manifest.shard
            yield f"The shard {shard} was built {difference}. Run it again: sitecms build --shard {shard}"
