"""The contents of a shard's folder: pages, derived images, and the manifest, which is written last.

The list of derived images is for all shards; the image files are copied into the cache of the build that finishes. That
build takes the pages that the shards rendered.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
from msgspec import Struct, field
from msgspec.structs import asdict

from sitecms import __version__
from sitecms.content.fingerprint import canonical, digest
from sitecms.errors import ConfigurationError, SitecmsError
from sitecms.media.images.derive_cache import CacheEntry, DerivedFile, open_cache, write_whole
from sitecms.site.images.image_plan import ImagePlan
from sitecms.site.images.images import ImageShare
from sitecms.site.images.media_links import linked_at
from sitecms.site.pipeline import SiteContent
from sitecms.site.plan.diff import Job
from sitecms.site.sharding.shard import Shard, shards_in
from sitecms.site.theme.assets import plain_json
from sitecms.site.theme.data_files import read_data_files

MANIFEST = "shard.json"
_IMAGE_LIST = "derived.json"
_IMAGE_FOLDER = "derived"
_FORMAT = 1
_DIFFERENCES = {
    "change_number": "from change {other} of the store, and here it is at {own}",
    "change_mark": "from another store, or another copy of it that was changed since",
    "programs": "with other versions of sitecms and its libraries",
    "theme": "with another theme (templates, assets, translations)",
    "settings": "with other settings (site.toml, --base-url)",
}


class BuildInputs(Struct, frozen=True):
    """The inputs of a build, equal on all machines with the same snapshot, site folder and programs."""

    change_number: int
    change_mark: str
    programs: str
    theme: str
    settings: str

    def difference(self, other: "BuildInputs") -> str:
        """Return what the other was built from, in words, if that is different; else ""."""
        for name, words in _DIFFERENCES.items():
            if getattr(self, name) != getattr(other, name):
                return words.format(own=getattr(self, name), other=getattr(other, name))
        return ""


def inputs_of(content: SiteContent) -> BuildInputs:
    """Return the inputs of a build of this content."""
    session, settings, theme, build = content.session, content.settings, content.theme, content.settings.build
    relevant = (
        settings.name, settings.url, settings.description, settings.words_in, settings.locales, settings.default_locale,
        settings.language_tags, settings.timezone, settings.permalinks, settings.feeds, build.page_size, build.home,
        build.indexes, settings.images, settings.share_images, settings.markdown_extensions, settings.math_macros,
        settings.theme, settings.delivery, settings.search, settings.integrations, linked_at(settings),
        content.searchable,
    )  # fmt: skip
    assets = {name: digest(theme.asset_bytes(name)) for name in theme.assets}
    return BuildInputs(
        change_number=session.change_number(),
        change_mark=session.change_mark(),
        programs=digest(f"{__version__} {theme.machinery}".encode()),
        theme=digest(canonical((dict(theme.sources), assets, plain_json(read_data_files(settings.folder)).decode()))),
        settings=digest(canonical(relevant)),
    )


class ShardManifest(Struct, frozen=True):
    """The manifest of a shard. `pages`: fingerprint in the plan, a space, and digest of the bytes, by path."""

    shard: Shard
    inputs: BuildInputs
    pages: Mapping[str, str] = field(default_factory=dict)


def pages_folder(folder: Path) -> Path:
    """Return the folder of the pages of a shard."""
    return folder / "pages"


def write_manifest(folder: Path, manifest: ShardManifest) -> None:
    """Write the manifest in one step: the shard is complete."""
    plain = {
        "format": _FORMAT,
        "shard": (manifest.shard.number, manifest.shard.count),
        "origin": manifest.inputs,
        "pages": manifest.pages,
    }
    write_whole(folder / MANIFEST, orjson.dumps(plain, default=asdict, option=orjson.OPT_SORT_KEYS))


def read_shard_manifest(folder: Path, shard: Shard) -> ShardManifest:
    """Read the manifest of that shard. Raises ConfigurationError if it is missing or invalid."""
    again = f"Run it again: sitecms build --shard {shard}"
    try:
        data: Any = orjson.loads((folder / MANIFEST).read_bytes())
        if data["format"] != _FORMAT or Shard(*data["shard"]) != shard:
            raise ConfigurationError(
                f"{folder / MANIFEST} is that of another shard, or of another version of sitecms. {again}"
            )
        return ShardManifest(shard, BuildInputs(**data["origin"]), dict(data["pages"]))
    except FileNotFoundError:
        raise ConfigurationError(f"The shard {shard} is not complete: {folder} has no {MANIFEST}. {again}") from None
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ConfigurationError(f"{folder / MANIFEST} cannot be read as the manifest of a shard. {again}") from error


def write_images(images: ImagePlan, share: ImageShare, folder: Path) -> None:
    """Copy the derived images of this shard into its folder, with a list of them."""
    files = folder / _IMAGE_FOLDER
    files.mkdir(exist_ok=True)
    own = [entry for entry in images.variants.entries.values() if entry.key not in share.known]
    for file in (file for entry in own for file in entry.files):
        _copy(file, images.variants.folder, files)
    plain = [(entry.key, entry.color, entry.files, entry.problem) for entry in own]
    write_whole(folder / _IMAGE_LIST, orjson.dumps(plain))


def known_images(folders: Iterable[Path]) -> dict[str, CacheEntry]:
    """Return the derived images that these shards list, by key; a shard without a list has none."""
    return {entry.key: entry for folder in folders for entry in _listed(folder)}


def import_images(folders: Iterable[Path], cache_folder: Path) -> None:
    """Copy the derived images of shards into the site's own cache; the build derives incomplete ones again."""
    with open_cache(cache_folder) as cache:
        cache.used.update(cache.entries)  # an entry is not dropped because this did not use it
        for folder in folders:
            for entry in _listed(folder):
                if cache.find(entry.key) is None and _import(entry, folder / _IMAGE_FOLDER, cache_folder):
                    cache.keep(entry)


def _listed(folder: Path) -> Iterator[CacheEntry]:
    try:
        plain: Any = orjson.loads((folder / _IMAGE_LIST).read_bytes())
        for key, color, files, problem in plain:
            yield CacheEntry(key, color, tuple(DerivedFile(**file) for file in files), problem)
    except (OSError, ValueError, TypeError):
        return


def _copy(file: DerivedFile, source: Path, target: Path) -> None:
    try:
        (target / file.name).hardlink_to(source / file.name)
    except FileExistsError:
        return  # the name is a digest of all that it was made from
    except OSError:
        write_whole(target / file.name, (source / file.name).read_bytes())


def _import(entry: CacheEntry, source: Path, target: Path) -> bool:
    for file in entry.files:
        try:
            data = (source / file.name).read_bytes()
        except OSError:
            return False
        if len(data) != file.size_bytes:
            return False
        write_whole(target / file.name, data)
    return True


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
