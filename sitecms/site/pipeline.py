"""The recipe of a build that has something to do: snapshot, plan, difference, render, further steps, publish."""

from dataclasses import dataclass
from functools import partial

from sitecms.media.library import MediaLibrary, open_library
from sitecms.settings.site import STATE_FOLDER, SiteSettings
from sitecms.site.build import BuildOptions
from sitecms.site.images.image_plan import make_gallery
from sitecms.site.images.images import Pictures
from sitecms.site.images.media_links import make_linker
from sitecms.site.output.build_record import Record
from sitecms.site.output.folder import OutputFolder
from sitecms.site.output.generation import Generation, closing_well
from sitecms.site.output.inspection import Inspection
from sitecms.site.output.manifest import Manifest
from sitecms.site.plan.diff import Difference, find_difference
from sitecms.site.plan.plan import Plan, make_plan
from sitecms.site.render.pages import Made, Renderer, Sink
from sitecms.site.render.stale_outputs import Rendering, rendered
from sitecms.site.render.steps import is_searchable, own_steps
from sitecms.site.report import Report, Stopwatch, uses_of_templates
from sitecms.site.snapshot import Snapshot, take_snapshot
from sitecms.site.theme.environment import make_environment
from sitecms.site.theme.theme import Theme, load_theme
from sitecms.store.database import Session
from sitecms.store.entries.posts import bodies_of


@dataclass(frozen=True, slots=True)
class Former:
    """The former generation: where it is published, what the build that made it noted, and what became of it since."""

    folder: OutputFolder
    manifest: Manifest
    record: Record | None
    inspection: Inspection


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
    made = _gathered(session, settings, theme, snapshot, options)
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
            renderer = make_renderer(theme, settings, gallery.pictures, generation, session, made)
            rendering = _make(difference, generation, renderer, options, open_library(settings))
        own = () if options.bare else own_steps(settings, plan, searchable=searchable)
        for name, step in (*own, *options.steps):
            with watch.phase(name):
                notes += step(generation)
        with watch.phase("publish"):
            pruned = generation.publish()
    notes = [*plan.notes, *gallery.notes, *notes, *generation.notes]
    is_sound = not notes and not rendering.failed
    return _report(plan, difference, rendering, generation, pruned, tuple(notes), watch), is_sound


def _gathered(
    session: Session, settings: SiteSettings, theme: Theme, snapshot: Snapshot, options: BuildOptions
) -> Made | None:
    """What shards made of this site, if there are any."""
    if options.shards is None:
        return None
    from sitecms.site.sharding.gather import gather
    from sitecms.site.sharding.shard_manifest import origin_of

    origin = origin_of(session, settings, theme, searchable=is_searchable(settings, snapshot))
    return gather(options.shards, origin, settings.derived_dir)


def _make(
    difference: Difference, generation: Generation, renderer: Renderer, options: BuildOptions, library: MediaLibrary
) -> Rendering:
    """Have every planned output in the new generation."""
    generation.carry_on(job.path for job in difference.current)
    rendering = Rendering(difference.stale)
    if not difference.stale:
        return rendering
    generation.begin(job.path for job in difference.stale)
    for done, (number, outcome) in enumerate(rendered(renderer, difference.stale, options.jobs, library), 1):
        rendering.note(number, outcome)
        if options.progress:
            options.progress("Rendering", done, len(difference.stale))
    rendering.tell(generation)
    return rendering


def make_renderer(
    theme: Theme, settings: SiteSettings, pictures: Pictures, sink: Sink, session: Session, made: Made | None = None
) -> Renderer:
    """What carries out the jobs of a plan with these pictures."""
    cache = settings.folder / STATE_FOLDER / "templates"
    cache.mkdir(parents=True, exist_ok=True)
    environment = make_environment(theme, settings, pictures.resolved, cache, pictures.in_html)
    return Renderer(
        environment, sink, partial(bodies_of, session), finish=make_linker(settings, pictures.stand_ins), made=made
    )


def _report(
    plan: Plan,
    difference: Difference,
    rendering: Rendering,
    generation: Generation,
    pruned: tuple[str, ...],
    notes: tuple[str, ...],
    watch: Stopwatch,
) -> Report:
    outputs = generation.outputs()
    written = generation.added + rendering.written
    of_steps = sum(bool(made.step) for made in outputs.values())
    return Report(
        written=written,
        current=len(plan.pages) + len(plan.files) + of_steps - written - len(rendering.failed),
        pruned=len(pruned),
        seconds=watch.total(),
        failed=dict(sorted(rendering.failed.items())),
        stale={job.path: reason for job, reason in zip(difference.stale, difference.reasons, strict=True)},
        orphaned=pruned,
        notes=notes,
        seconds_by_phase=watch.seconds,
        templates=partial(uses_of_templates, plan, rendering.jobs, rendering.seconds, outputs),
        files=len(outputs),
        size_bytes=sum(made.size_bytes for made in outputs.values()),
    )
