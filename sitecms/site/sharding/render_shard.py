"""Rendering of one shard into its folder: every machine plans the whole site, and renders a part of its pages."""

import fcntl
import shutil
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from zlib import crc32

from msgspec import Struct, field
from msgspec.structs import replace

from sitecms.actions.garbage_collection import without_collector
from sitecms.content.fingerprint import digest
from sitecms.content.page import Page
from sitecms.content.post import Post
from sitecms.errors import OutputFailed, OutputRefused
from sitecms.settings.site import SiteSettings
from sitecms.site.images.image_plan import ImagePlan
from sitecms.site.images.images import ImageShare
from sitecms.site.options import BuildOptions
from sitecms.site.output.folder import write_new
from sitecms.site.output.manifest import ManifestEntry, read_manifest
from sitecms.site.pipeline import Pipeline, SiteContent
from sitecms.site.plan.plan import UNDATED, PageJob
from sitecms.site.render.pages import Sink, render
from sitecms.site.report import Stopwatch
from sitecms.site.routes import Routes, output_path
from sitecms.site.sharding.shard import Shard
from sitecms.site.sharding.shard_manifest import (
    MANIFEST,
    ShardManifest,
    inputs_of,
    known_images,
    pages_folder,
    write_images,
    write_manifest,
)
from sitecms.site.snapshot import Snapshot
from sitecms.site.views.view_builder import published_at
from sitecms.store.database import Database


class ShardReport(Struct, frozen=True):
    """Counts of the pages of a shard, rendered and current, and `failed` ones with their errors by path."""

    folder: Path
    made: int
    current: int
    seconds: float
    failed: dict[str, str] = field(default_factory=dict)


class ShardPartition:
    """The partition of a snapshot among `count` shards, equal on every machine.

    Posts published one after the other are in one shard, with the lists that show them; other pages are distributed by
    a checksum of their path.
    """

    def __init__(self, snapshot: Snapshot, settings: SiteSettings, count: int) -> None:
        times = sorted(published_at(post) for post in snapshot.posts if post.locale in settings.locales)
        self._count = count
        self._cuts: Sequence[datetime] = [
            times[len(times) * cut // count] for cut in range(1, count) if len(times) > cut
        ]
        self._routes = Routes(settings)

    def contains(self, shard: Shard, job: PageJob) -> bool:
        """Return whether the page belongs to the shard."""
        newest = job.newest
        number = self._by_path(job.path) if newest == UNDATED else self._by_time(newest)
        return number == shard.number

    def share(self, shard: Shard, snapshot: Snapshot) -> Snapshot:
        """Return the snapshot without the posts and pages of other shards; any page may show the rest."""

        def is_included(entry: Post | Page) -> bool:
            if isinstance(entry, Post):
                return self._by_time(published_at(entry)) == shard.number
            return self._by_path(output_path(self._routes.find(entry) or "")) == shard.number

        posts, pages = tuple(filter(is_included, snapshot.posts)), tuple(filter(is_included, snapshot.pages))
        return replace(snapshot, posts=posts, pages=pages)

    def _by_time(self, time: datetime) -> int:
        return 1 + bisect_left(self._cuts, time)

    def _by_path(self, path: str) -> int:
        return 1 + crc32(path.encode("utf-8", "surrogateescape")) % self._count


class _FolderSink(Sink):
    """Writes rendered pages to a folder, in any process."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.folders: set[str] = set()

    def write(self, path: str, data: bytes) -> bool:
        """Write the page."""
        write_new(self.root, path, data, self.folders)
        return True


def render_shard(
    database: Database,
    settings: SiteSettings,
    output: Path,
    shard: Shard,
    folder: Path,
    options: BuildOptions,
    *,
    images_only: bool = False,
) -> ShardReport:
    """Render the pages of one shard into its folder, but for those that the manifest in `output` shows to be current.

    Nothing is published; a second run starts again. A page that fails to render is left to the build that finishes.
    `images_only`: derive the images of the shard without rendering pages, so that other shards know them and need not
    leave the pages that show them to the build that finishes. Raises as `build_site` does.
    """
    stopwatch = Stopwatch(options.progress)
    own = shard.folder_in(folder)
    with _locked(own), database.reading() as session, without_collector():
        (own / MANIFEST).unlink(missing_ok=True)
        shutil.rmtree(pages_folder(own), ignore_errors=True)
        pages_folder(own).mkdir()
        pipeline = Pipeline(session, settings, options, stopwatch)
        content = pipeline.snapshot()
        partition = ShardPartition(content.snapshot, settings, shard.count)
        others = [each.folder_in(folder) for each in shard.others()]
        share = ImageShare(partition.share(shard, content.snapshot), known_images(others))
        images = pipeline.images(content, share)
        write_images(images, share, own)
        if images_only:
            return ShardReport(own, 0, 0, stopwatch.total())
        plan = pipeline.plan(content, images)
        pages = [job for job in plan.pages if partition.contains(shard, job)]
        stale = _stale(pages, {} if options.clean else read_manifest(output).outputs)
        failed = _render(content, images, stale, own, options)
        digests = {job.path: _entry(job, own) for job in stale if job.path not in failed}
        write_manifest(own, ShardManifest(shard, inputs_of(content), digests))
    return ShardReport(own, len(digests), len(pages) - len(stale), stopwatch.total(), dict(sorted(failed.items())))


def _stale(pages: Sequence[PageJob], published: Mapping[str, ManifestEntry]) -> list[PageJob]:
    return [job for job in pages if job.path not in published or published[job.path].fingerprint != job.fingerprint]


def _render(
    content: SiteContent, images: ImagePlan, jobs: Sequence[PageJob], folder: Path, options: BuildOptions
) -> dict[str, str]:
    """Render these pages and return the errors by path. Raises OutputFailed if pages cannot be written."""
    renderer = content.renderer(images, _FolderSink(str(pages_folder(folder))))
    failed: dict[str, str] = {}
    for done, (_number, outcome) in enumerate(render(renderer, jobs, options.jobs), 1):
        if outcome.is_fatal:
            raise OutputFailed(outcome.error)
        if outcome.error:
            failed[outcome.path] = outcome.error
        if options.progress:
            options.progress("Rendering", done, len(jobs))
    return failed


def _entry(job: PageJob, folder: Path) -> str:
    return f"{job.fingerprint} {digest((pages_folder(folder) / job.path).read_bytes())}"


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Make and lock the folder of the shard. Raises OutputRefused while another process renders this shard."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OutputRefused(f"Another process renders this shard in {folder}. Wait for it to end.") from None
        yield
