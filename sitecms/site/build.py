"""The recipe of a build: snapshot, plan, diff, render, publish.

`output.generation` publishes the result as a whole: until then the output folder holds the former generation, also when
a build is killed or a disk is full. Most builds find nothing to do, so this module loads little before that is known.
"""

from pathlib import Path

from msgspec.structs import replace

from sitecms.plugins.values import BuildResult
from sitecms.settings.site import STATE_FOLDER, SiteSettings
from sitecms.site.options import BuildOptions
from sitecms.site.output.folder import build_lock
from sitecms.site.output.inspection import PreviousBuild, inspect_previous
from sitecms.site.plan.unchanged import find_unchanged, inputs_digest, remember_inputs
from sitecms.site.report import Report, Stopwatch, unchanged_report
from sitecms.store.database import Database, Session


def build_site(database: Database, settings: SiteSettings, output: Path, options: BuildOptions) -> Report:
    """Bring the output folder up to date with the store.

    A page that fails to render is reported and keeps its former file, an entry that cannot be planned is reported and
    left out; all others are built. Raises OutputRefused for a folder that sitecms did not make, OutputFailed if a file
    cannot be written, ConfigurationError if two outputs that the site needs have the same path.
    """
    stopwatch = Stopwatch(options.progress)
    with build_lock(settings.folder / STATE_FOLDER, output):
        problems = settings.plugins.tell("before_build")
        report = _build(database, settings, output, options, stopwatch)
    counts = (report.written, report.current, report.pruned, report.failures)
    problems += settings.plugins.tell("after_build", result=BuildResult(output, *counts))
    return replace(report, notes=(*report.notes, *problems)) if problems else report


def _build(
    database: Database, settings: SiteSettings, output: Path, options: BuildOptions, stopwatch: Stopwatch
) -> Report:
    """Build, unless the site was built from the same inputs."""
    with database.reading() as session:
        previous = inspect_previous(output)
        inputs = inputs_digest(session, settings, output)
        notes = None if options.clean else find_unchanged(settings, output, inputs, previous)
        if notes is not None:
            return unchanged_report(previous.manifest, notes, stopwatch)
        report, is_final = _rebuild(session, settings, previous, options, stopwatch)
        remember_inputs(settings, output, inputs if is_final else "", report.notes)
    return report


def _rebuild(
    session: Session, settings: SiteSettings, previous: PreviousBuild, options: BuildOptions, stopwatch: Stopwatch
) -> tuple[Report, bool]:
    """Return the report, and True if another build of the same inputs would do and say the same."""
    from sitecms.actions.garbage_collection import without_collector
    from sitecms.site.output.generation import open_generation
    from sitecms.site.pipeline import Pipeline  # loads Jinja, Markdown and Pillow

    with without_collector():
        pipeline = Pipeline(session, settings, options, stopwatch)
        content = pipeline.snapshot()
        images = pipeline.images(content)
        plan = pipeline.plan(content, images)
        difference = pipeline.diff(plan, previous)
        with open_generation(previous) as generation:
            results = pipeline.render(content, images, difference, generation)
            notes = pipeline.post_process(content, plan, generation)
            pruned = pipeline.publish(generation)
    report = pipeline.report(
        plan, difference, results, generation, pruned, (*plan.notes, *map(str, plan.rule_errors), *notes, *images.notes)
    )
    return report, not (images.notes or report.failures)
