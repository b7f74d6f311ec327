"""Building a site: whether there is anything to do at all, and if so, having it done.

Site code says what is to be there, and `generation` how it lands: the published folder is the former generation until
the new one is whole, whenever a build is killed and whichever disk fills. Importing this loads little: most builds
find nothing new. What they do otherwise is in `making`.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sitecms.progress import Progress
from sitecms.settings.site import STATE_FOLDER, SiteSettings
from sitecms.site.output.build_record import read_record, record_path, spare_tree
from sitecms.site.output.folder import OutputFolder, build_lock
from sitecms.site.output.in_place import complete_interrupted
from sitecms.site.output.inspection import Place, inspecting
from sitecms.site.output.manifest import Manifest, read_manifest
from sitecms.site.plan.unchanged import inputs_digest, is_as_built, note_built
from sitecms.site.report import Report, Stopwatch
from sitecms.store.database import Database

if TYPE_CHECKING:
    from sitecms.site.render.steps import Step


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """`jobs` 0: as many processes as help. `progress` is told phase, steps done and steps in all.

    `steps` run in their order when all pages are made, each under the name that its files have in the manifest.
    `drafts`: as if everything were published. `bare`: pages and files only, without search index and compressed copies.
    `shards`: the folder of shards of this very build, whose pages are taken and not rendered again.
    """

    clean: bool = False
    jobs: int = 0
    progress: Progress | None = None
    steps: "tuple[tuple[str, Step], ...]" = ()
    drafts: bool = False
    bare: bool = False
    shards: Path | None = None


def build_site(database: Database, settings: SiteSettings, output: Path, options: BuildOptions) -> Report:
    """Bring the output folder to what the store holds.

    Raises OutputRefused for a folder that is not ours, OutputFailed if the disk takes no more, ConfigurationError where
    two outputs would have one path; a page that cannot be rendered is reported, its old file stays, and all others are
    built.
    """
    watch = Stopwatch(options.progress)
    with build_lock(settings.folder / STATE_FOLDER, output), database.reading() as session:
        folder = OutputFolder(output)
        complete_interrupted(folder.folder)
        manifest = read_manifest(folder.folder)
        record = read_record(record_path(folder.folder), folder.folder)
        kind = (f"drafts={options.drafts}", f"bare={options.bare}")
        with inspecting(Place(folder.folder, spare_tree(folder.folder), manifest, record)) as inspection:
            inputs = "" if options.steps else inputs_digest(session, settings, output, *kind)
            is_wanted = options.clean or options.shards is not None
            is_as_before = inputs and not is_wanted and is_as_built(settings, output, inputs)
            if is_as_before and not inspection.outputs():
                return _nothing_new(manifest, watch)
            from sitecms.actions.garbage_collection import without_collector
            from sitecms.site.pipeline import Former, make_site

            former = Former(folder, manifest, record, inspection)
            with without_collector():
                report, is_sound = make_site(session, settings, former, options, watch)
        note_built(settings, output, inputs if is_sound else "")
    return report


def _nothing_new(manifest: Manifest, watch: Stopwatch) -> Report:
    """Nothing that goes into the site has changed, and every output is there."""
    size_bytes = sum(made.size_bytes for made in manifest.outputs.values())
    count = len(manifest.outputs)
    return Report(0, count, 0, watch.total(), seconds_by_phase=watch.seconds, files=count, size_bytes=size_bytes)
