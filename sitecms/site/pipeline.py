"""The steps of a build, in their order; `build` and `dry_run` put them together."""

from collections.abc import Callable, Sequence
from functools import partial

from jinja2 import Environment
from msgspec import Struct

from sitecms.errors import FileError
from sitecms.media.library import open_library
from sitecms.optional_packages import has_pagefind
from sitecms.settings.site import STATE_FOLDER, SiteSettings
from sitecms.site.images.image_plan import ImagePlan, plan_images
from sitecms.site.images.media_links import make_linker
from sitecms.site.options import BuildOptions
from sitecms.site.output.generation import Generation
from sitecms.site.output.inspection import PreviousBuild
from sitecms.site.plan.diff import Difference, find_difference
from sitecms.site.plan.plan import PageJob, Plan, make_plan
from sitecms.site.plan.redirect_rules import media_targets, read_rules
from sitecms.site.render import added_files
from sitecms.site.render.addresses import OutputAddresses, naming_removed
from sitecms.site.render.pages import Renderer, RenderResults, Sink, render_stale
from sitecms.site.render.written_texts import WrittenTexts
from sitecms.site.report import Report, Stopwatch, template_usage
from sitecms.site.snapshot import Snapshot, take_snapshot
from sitecms.site.theme.environment import make_environment, template_cache
from sitecms.site.theme.theme import Theme, load_theme
from sitecms.store.database import Session
from sitecms.store.entries.bodies import bodies_of

_SEARCH_NOTES = "search.json"


class SiteContent(Struct, frozen=True):
    """Everything that a build reads before it plans. `searchable`: the site gets a search page and an index."""

    session: Session
    settings: SiteSettings
    theme: Theme
    snapshot: Snapshot
    searchable: bool

    def environment(self, images: ImagePlan) -> Environment:
        """Return the environment in which templates are rendered."""
        variants = images.variants
        return make_environment(
            self.theme, self.settings, variants.resolved, template_cache(self.settings), variants.tag_in_text
        )

    def finisher(self, images: ImagePlan) -> Callable[[bytes], bytes]:
        """Return the function that turns a rendered page into the bytes that are written."""
        return make_linker(self.settings, images.variants.stand_ins)

    def renderer(self, images: ImagePlan, sink: Sink, addresses: OutputAddresses | None = None) -> Renderer:
        """Return a renderer of the pages of a plan with these images."""
        return Renderer(
            self.environment(images),
            sink,
            partial(bodies_of, self.session),
            finish=self.finisher(images),
            plugins=self.settings.plugins,
            addresses=addresses,
        )

    def written_texts(self) -> WrittenTexts:
        """Return the texts that people wrote."""
        return WrittenTexts(self.snapshot, self.settings, self.theme, partial(bodies_of, self.session))


def read_content(session: Session, settings: SiteSettings, *, drafts: bool = False) -> SiteContent:
    """Read the theme, and everything published from the store; with `drafts` the latest version of everything."""
    theme = load_theme(settings.folder, settings.theme)
    snapshot = take_snapshot(
        session,
        drafts=drafts,
        media=media_targets(read_rules(settings.folder)),
        with_files=bool(settings.theme.edit_url),
    )
    searchable = settings.search.enabled and bool(snapshot.with_slugs) and has_pagefind()
    return SiteContent(session, settings, theme, snapshot, searchable)


class Pipeline:
    """The steps of one build. Each is a phase of the report, and takes what the steps before it returned."""

    def __init__(self, session: Session, settings: SiteSettings, options: BuildOptions, stopwatch: Stopwatch) -> None:
        self._session = session
        self._settings = settings
        self._options = options
        self._stopwatch = stopwatch

    def snapshot(self) -> SiteContent:
        """Read everything that the site is made from."""
        with self._stopwatch.phase("snapshot"):
            return read_content(self._session, self._settings)

    def images(self, content: SiteContent) -> ImagePlan:
        """Derive the images that pages show."""
        with self._stopwatch.phase("images"):
            progress = self._stopwatch.progress_of("images")
            return plan_images(content.snapshot, self._settings, self._options.jobs, progress)

    def plan(self, content: SiteContent, images: ImagePlan) -> Plan:
        """Plan every output. Raises as `make_plan`."""
        with self._stopwatch.phase("plan"):
            return make_plan(
                content.snapshot, self._settings, content.theme, images=images, searchable=content.searchable
            )

    def left_out(self, plan: Plan) -> tuple[FileError, ...]:
        """Return an error for each entry or list that the site is planned without, with its file."""
        if not plan.left_out:
            return ()
        from sitecms.site.sources import Sources
        from sitecms.store.site_state.loaded_files import all_loaded_files

        sources = Sources(self._settings.folder, all_loaded_files(self._session))
        return tuple(map(sources.error_of, plan.left_out))

    def diff(self, plan: Plan, previous: PreviousBuild) -> Difference:
        """Compare the plan with what is published."""
        with self._stopwatch.phase("difference"):
            wrong = previous.inspection.outputs()
            return find_difference(plan, previous.manifest, wrong, clean=self._options.clean)

    def render(
        self, content: SiteContent, images: ImagePlan, difference: Difference, generation: Generation
    ) -> RenderResults:
        """Bring every planned output into the generation: current ones as they are, stale ones rendered again."""
        with self._stopwatch.phase("render"):
            addresses = OutputAddresses(difference.paths(), self._settings)
            renderer = content.renderer(images, generation, addresses)
            generation.carry_on(job.path for job in difference.current)
            if difference.stale:
                generation.begin(job.path for job in difference.stale)
            progress = self._stopwatch.progress_of("render")
            library = open_library(self._settings)
            results = render_stale(difference.stale, renderer, library, self._options.jobs, progress)
            missing = {**results.missing, **self._naming_removed(difference, addresses, generation)}
            if missing:
                jobs = (*difference.stale, *difference.current)
                written = content.written_texts().made_by_build(missing, jobs, addresses, generation.is_unmanaged)
                results.broken |= {path: _broken(addresses_of_output) for path, addresses_of_output in written.items()}
            results.add_to(generation)
            for path in difference.kept:
                generation.note_failed(path)
            return results

    def _naming_removed(
        self, difference: Difference, addresses: OutputAddresses, generation: Generation
    ) -> dict[str, tuple[str, ...]]:
        """Return the addresses of outputs that are gone now, by the current page that names them."""
        removed = frozenset(difference.orphaned)
        pages = (job.path for job in difference.current if isinstance(job, PageJob))
        return naming_removed(pages, generation.read, removed, addresses) if removed else {}

    def post_process(self, content: SiteContent, plan: Plan, generation: Generation) -> tuple[str, ...]:
        """Add the files that are made from outputs: the search index, compressed copies. Return notes for the owner.

        Compressed copies come last, since the index is compressed too.
        """
        notes: list[str] = []
        if content.searchable:
            with self._stopwatch.phase(added_files.STEP):
                pages = tuple(job.path for job in plan.pages if added_files.is_indexed(job))
                remembered = self._settings.folder / STATE_FOLDER / _SEARCH_NOTES
                if self._options.clean:
                    remembered.unlink(missing_ok=True)
                if problem := added_files.add_index(generation, pages, remembered):
                    notes.append(problem)
        elif self._settings.search.enabled and not has_pagefind():
            with self._stopwatch.phase(added_files.STEP):
                notes.append(added_files.missing_note())
        if encodings := self._settings.delivery.precompress:
            with self._stopwatch.phase(added_files.STEP):
                added_files.add_copies(generation, encodings)
        return tuple(notes)

    def publish(self, generation: Generation) -> tuple[str, ...]:
        """Make the generation the published one, and return the paths of the outputs that are gone."""
        with self._stopwatch.phase("publish"):
            return generation.publish()

    def report(
        self,
        plan: Plan,
        difference: Difference,
        results: RenderResults,
        generation: Generation,
        pruned: tuple[str, ...],
        notes: tuple[str, ...],
    ) -> Report:
        """Return the report of a build that was published."""
        outputs = generation.outputs()
        written = generation.added + results.written
        derived = sum(bool(entry.step) for entry in outputs.values())
        return Report(
            written=written,
            current=len(plan.pages) + len(plan.files) + derived - written - len(results.failed),
            pruned=len(pruned),
            seconds=self._stopwatch.total(),
            failed=dict(sorted({**results.failed, **results.broken}.items())),
            left_out=self.left_out(plan),
            stale={job.path: reason for job, reason in zip(difference.stale, difference.reasons, strict=True)},
            orphaned=pruned,
            notes=notes,
            seconds_by_phase=self._stopwatch.seconds,
            templates=partial(template_usage, plan, results.jobs, results.seconds, outputs),
            files=len(outputs),
            size_bytes=sum(entry.size_bytes for entry in outputs.values()),
        )


def _broken(addresses: Sequence[str]) -> str:
    """Return the error of an output that names addresses without a file."""
    first, more = addresses[0], len(addresses) - 1
    others = f" and {more} more" if more else ""
    return f"names {first}{others}, which the build has no file for, and which stands in no text of the site"
