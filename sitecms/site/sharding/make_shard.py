"""One shard of a site: the same plan as on every other machine, and of its pages this part, in a folder of its own."""

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sitecms.actions.garbage_collection import without_collector
from sitecms.content.fingerprint import digest
from sitecms.errors import OutputFailed, OutputRefused
from sitecms.settings.site import SiteSettings
from sitecms.site.build import BuildOptions
from sitecms.site.images.image_plan import make_gallery
from sitecms.site.images.images import Part
from sitecms.site.output.folder import write_new
from sitecms.site.output.manifest import read_manifest
from sitecms.site.pipeline import make_renderer
from sitecms.site.plan.plan import PageJob, make_plan
from sitecms.site.render.pages import render
from sitecms.site.render.steps import is_searchable
from sitecms.site.report import Stopwatch
from sitecms.site.sharding.derived_images import known_derived, leave_derived
from sitecms.site.sharding.partition import Division
from sitecms.site.sharding.shard import Shard
from sitecms.site.sharding.shard_manifest import SHEET, Sheet, origin_of, pages_folder, write_sheet
from sitecms.site.snapshot import take_snapshot
from sitecms.site.theme.theme import load_theme
from sitecms.store.database import Database, Session


@dataclass(frozen=True, slots=True)
class ShardReport:
    """What was done: pages made, those of the published site that stay as they are, and `failed` ones by path."""

    folder: Path
    made: int
    current: int
    seconds: float
    failed: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Pages:
    """Takes rendered pages, in whatever process."""

    root: str
    folders: set[str] = field(default_factory=set)

    def write(self, path: str, data: bytes) -> bool:
        """Keep the page."""
        write_new(self.root, path, data, self.folders)
        return True


def make_shard(
    database: Database,
    settings: SiteSettings,
    output: Path,
    shard: Shard,
    folder: Path,
    options: BuildOptions,
    *,
    images_alone: bool = False,
) -> ShardReport:
    """Make the pages of one shard, all but those that the manifest in the output folder, if it is here, says are there.

    Nothing is published. Run again, it begins anew. Raises as `build_site`; a page that cannot be rendered is left to
    the build that finishes, which tries it again. `images_alone`: no pages yet, but what they show of images: shards
    that come after know of it, and need not leave the pages that show them to the one that finishes.
    """
    watch = Stopwatch(options.progress)
    mine = shard.folder_in(folder)
    with _alone(mine), database.reading() as session, without_collector():
        (mine / SHEET).unlink(missing_ok=True)
        shutil.rmtree(pages_folder(mine), ignore_errors=True)
        pages_folder(mine).mkdir()
        return _make(session, settings, output, shard, mine, options, watch, is_for_images=images_alone)


def _make(
    session: Session,
    settings: SiteSettings,
    output: Path,
    shard: Shard,
    folder: Path,
    options: BuildOptions,
    watch: Stopwatch,
    *,
    is_for_images: bool,
) -> ShardReport:
    theme = load_theme(settings.folder, settings.theme)
    snapshot = take_snapshot(session)
    searchable = is_searchable(settings, snapshot)
    division = Division(snapshot, settings, shard.count)
    others = [each.folder_in(folder.parent) for each in shard.others()]
    part = Part(division.share(shard, snapshot), known_derived(others))
    gallery = make_gallery(snapshot, settings, options.jobs, watch.told("images"), part)
    leave_derived(gallery, part, folder)
    if is_for_images:
        return ShardReport(folder, 0, 0, watch.total())
    plan = make_plan(snapshot, settings, theme, gallery=gallery, searchable=searchable)
    published = {} if options.clean else read_manifest(output).outputs
    mine = [job for job in plan.pages if division.makes(shard, job)]
    due = [job for job in mine if job.path not in published or published[job.path].fingerprint != job.fingerprint]
    root = str(pages_folder(folder))
    renderer = make_renderer(theme, settings, gallery.pictures, _Pages(root), session)
    failed: dict[str, str] = {}
    for done, (_number, outcome) in enumerate(render(renderer, due, options.jobs), 1):
        if outcome.is_fatal:
            raise OutputFailed(outcome.error)
        if outcome.error:
            failed[outcome.path] = outcome.error
        if options.progress:
            options.progress("Rendering", done, len(due))
    pages = {job.path: _made(job, root) for job in due if job.path not in failed}
    write_sheet(folder, Sheet(shard, origin_of(session, settings, theme, searchable=searchable), pages))
    return ShardReport(folder, len(pages), len(mine) - len(due), watch.total(), dict(sorted(failed.items())))


def _made(job: PageJob, root: str) -> str:
    return f"{job.fingerprint} {digest(Path(f'{root}/{job.path}').read_bytes())}"


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Make the folder of the shard; the same one cannot be made twice at once."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OutputRefused(f"This shard is being made just now, in {folder}. Wait for it to end.") from None
        yield
