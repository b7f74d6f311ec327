"""The recipe of a build that has something to do: snapshot, plan, difference, render, further steps, publish."""

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from sitecms.errors import OutputFailed
from sitecms.settings import STATE_FOLDER, SiteSettings
from sitecms.site.build import BuildOptions
from sitecms.site.diff import Difference, find_difference
from sitecms.site.environment import make_environment
from sitecms.site.gallery import make_gallery
from sitecms.site.generation import Generation, closing_well
from sitecms.site.images import Pictures
from sitecms.site.inspection import Inspection
from sitecms.site.manifest import Manifest
from sitecms.site.output import OutputFolder
from sitecms.site.plan import Plan, make_plan
from sitecms.site.record import Record
from sitecms.site.render import Outcome, Renderer, render
from sitecms.site.report import Report, Stopwatch, uses_of_templates
from sitecms.site.snapshot import take_snapshot
from sitecms.site.steps import is_searchable, own_steps
from sitecms.site.theme import Theme, load_theme
from sitecms.store.database import Session
from sitecms.store.posts import bodies_of


@dataclass(frozen=True, slots=True)
class Former:
    """The former generation: where it is published, what the build that made it noted, and what became of it since."""

    folder: OutputFolder
    manifest: Manifest
    record: Record | None
    inspection: Inspection


@contextmanager
def without_collector() -> Iterator[None]:
    """Have no garbage looked for: a plan is a great many values, none of them in a circle, and looking takes a tenth.

    The processes that render take this over.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def make_site(
    session: Session, settings: SiteSettings, former: Former, options: BuildOptions, watch: Stopwatch
) -> tuple[Report, bool]:
    """Make and publish the next generation; whether it may count as made from what there was, with nothing to say."""
    notes: list[str] = []
    if not settings.build.in_place:
        former.inspection.want_spare()
    with watch.phase("snapshot"):
        theme = load_theme(settings.folder, settings.theme)
        snapshot = take_snapshot(session, drafts=options.drafts)
    with watch.phase("images"):
        gallery = make_gallery(snapshot, settings, options.jobs, watch.told("images"))
    with watch.phase("plan"):
        searchable = is_searchable(settings, snapshot)
        plan = make_plan(snapshot, settings, theme, gallery=gallery, searchable=searchable)
    with watch.phase("difference"):
        difference = find_difference(plan, former.manifest, former.inspection.outputs(), clean=options.clean)
    in_place = settings.build.in_place
    generation = Generation(former.folder, former.manifest, former.inspection, former.record, in_place=in_place)
    with closing_well(generation):
        with watch.phase("render"):
            renderer = _renderer(theme, settings, gallery.pictures, generation, session)
            outcomes = _make(difference, generation, renderer, options)
        own = () if options.bare else own_steps(settings, plan, searchable=searchable)
        for name, step in (*own, *options.steps):
            with watch.phase(name):
                notes += step(generation)
        with watch.phase("publish"):
            pruned = generation.publish()
    notes = [*plan.notes, *gallery.notes, *notes, *generation.notes]
    is_sound = not notes and not any(outcome.error for outcome in outcomes)
    return _report(plan, difference, outcomes, generation, pruned, tuple(notes), watch), is_sound


def _make(difference: Difference, generation: Generation, renderer: Renderer, options: BuildOptions) -> list[Outcome]:
    """Have every planned output in the new generation."""
    generation.carry_on(job.path for job in difference.current)
    if not difference.stale:
        return []
    jobs = [stale.job for stale in difference.stale]
    fingerprints = {job.path: job.fingerprint for job in jobs}
    generation.begin(fingerprints)
    outcomes = []
    for outcome in render(renderer, jobs, options.jobs):
        outcomes.append(outcome)
        if outcome.is_fatal:
            raise OutputFailed(outcome.error)
        if outcome.error:
            generation.note_failed(outcome.path)
        else:
            generation.note_made(outcome.path, fingerprints[outcome.path], outcome.size_bytes)
        if options.progress:
            options.progress("Rendering", len(outcomes), len(jobs))
    if any(outcome.error for outcome in outcomes):
        generation.keep_files()
    return outcomes


def _renderer(
    theme: Theme, settings: SiteSettings, pictures: Pictures, generation: Generation, session: Session
) -> Renderer:
    cache = settings.folder / STATE_FOLDER / "templates"
    cache.mkdir(parents=True, exist_ok=True)
    environment = make_environment(theme, settings, pictures.resolved, cache, pictures.in_html)
    return Renderer(environment, generation, partial(bodies_of, session))


def _report(
    plan: Plan,
    difference: Difference,
    outcomes: Sequence[Outcome],
    generation: Generation,
    pruned: tuple[str, ...],
    notes: tuple[str, ...],
    watch: Stopwatch,
) -> Report:
    outputs = generation.outputs()
    written = generation.added + sum(outcome.written for outcome in outcomes)
    of_steps = sum(bool(made.step) for made in outputs.values())
    failures = sum(bool(outcome.error) for outcome in outcomes)
    return Report(
        written=written,
        current=len(plan.pages) + len(plan.files) + of_steps - written - failures,
        pruned=len(pruned),
        seconds=watch.total(),
        failed={outcome.path: outcome.error for outcome in sorted(outcomes, key=_path) if outcome.error},
        stale={stale.job.path: stale.reason for stale in difference.stale},
        orphaned=pruned,
        notes=notes,
        seconds_by_phase=watch.seconds,
        templates=partial(uses_of_templates, plan, outcomes, outputs),
        files=len(outputs),
        size_bytes=sum(made.size_bytes for made in outputs.values()),
    )


def _path(outcome: Outcome) -> str:
    return outcome.path
