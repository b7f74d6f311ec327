"""The recipe of a build: snapshot, plan, difference, render, write, prune, manifest last.

A build that is killed at any moment leaves an output folder in which every file is whole, and a note of the files
it was about to touch, so that the next build makes those again.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sitecms.content.markdown import ResolvedImage
from sitecms.content.media import MEDIA_PREFIX, MediaFile
from sitecms.settings import STATE_FOLDER, SiteSettings
from sitecms.site.assets import is_file_path
from sitecms.site.diff import Difference, Stale, find_difference
from sitecms.site.environment import make_environment
from sitecms.site.manifest import (
    MANIFEST_NAME,
    UNDERWAY_NAME,
    Made,
    Manifest,
    manifest_bytes,
    read_manifest,
    underway_bytes,
)
from sitecms.site.output import OutputFolder, build_lock
from sitecms.site.plan import make_plan
from sitecms.site.render import Outcome, Renderer, render
from sitecms.site.snapshot import Snapshot, take_snapshot
from sitecms.site.theme import Theme, load_theme
from sitecms.store.database import Database

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """`jobs` 0: as many processes as help. `progress` is told phase, outputs done and outputs in all."""

    clean: bool = False
    jobs: int = 0
    progress: Progress | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """What a build did: counts of outputs, `failed` and `stale` with the reason by path.

    `notes` are what an owner may not have meant.
    """

    written: int
    current: int
    pruned: int
    seconds: float
    failed: dict[str, str] = field(default_factory=dict)
    stale: dict[str, str] = field(default_factory=dict)
    orphaned: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def build_site(database: Database, settings: SiteSettings, output: Path, options: BuildOptions) -> Report:
    """Bring the output folder to what the store holds.

    Raises OutputRefused for a folder that is not ours, ConfigurationError where two outputs would have one path; a
    page that cannot be rendered is reported, its old file stays, and all others are built.
    """
    started = time.perf_counter()
    with build_lock(settings.folder / STATE_FOLDER, output):
        folder = OutputFolder(output)
        theme = load_theme(settings.folder, settings.accent)
        snapshot = take_snapshot(database)
        plan = make_plan(snapshot, settings, theme)
        manifest = read_manifest(output)
        difference = find_difference(plan, manifest, folder, clean=options.clean)
        renderer = _renderer(theme, settings, snapshot, folder)
        outcomes, pruned = _carry_out(difference, manifest, folder, renderer, options)
    return Report(
        written=sum(outcome.written for outcome in outcomes),
        current=len(plan.pages) + len(plan.files) - sum(outcome.written or bool(outcome.error) for outcome in outcomes),
        pruned=len(pruned),
        seconds=time.perf_counter() - started,
        failed={outcome.path: outcome.error for outcome in sorted(outcomes, key=_path) if outcome.error},
        stale={stale.job.path: stale.reason for stale in difference.stale},
        orphaned=pruned,
        notes=plan.notes,
    )


def _renderer(theme: Theme, settings: SiteSettings, snapshot: Snapshot, folder: OutputFolder) -> Renderer:
    cache = settings.folder / STATE_FOLDER / "templates"
    cache.mkdir(parents=True, exist_ok=True)
    images = _image_sizes(snapshot.media)
    environment = make_environment(theme, settings, images, cache)
    return Renderer(environment, folder)


def _image_sizes(media: Mapping[str, MediaFile]) -> Callable[[str], ResolvedImage | None]:
    def resolve(src: str) -> ResolvedImage | None:
        found = media.get(src.removeprefix(MEDIA_PREFIX)) if src.startswith(MEDIA_PREFIX) else None
        return ResolvedImage(src, found.width, found.height) if found else None

    return resolve


def _carry_out(
    difference: Difference, manifest: Manifest, folder: OutputFolder, renderer: Renderer, options: BuildOptions
) -> tuple[list[Outcome], tuple[str, ...]]:
    """The outcomes, and the paths that were pruned."""
    touched = [stale.job.path for stale in difference.stale] + list(difference.orphaned)
    if not touched:
        return [], ()
    for path in manifest.interrupted:
        folder.clear_unfinished(path)
    folder.write(UNDERWAY_NAME, underway_bytes({*touched, *manifest.interrupted}))
    outcomes = _render(difference.stale, renderer, options)
    pruned = _prunable(difference, outcomes)
    for path in pruned:
        folder.remove(path)
    kept = {path: size for path in touched if path not in pruned and (size := folder.size(path)) is not None}
    folder.write(MANIFEST_NAME, manifest_bytes(_made(difference, manifest, outcomes, kept)))
    folder.remove(UNDERWAY_NAME)
    return outcomes, pruned


def _prunable(difference: Difference, outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """The orphans that can go, pages before the files they name.

    Files stay while a page failed: its old version, which stays too, may show them.
    """
    pages = tuple(path for path in difference.orphaned if not is_file_path(path))
    files = tuple(path for path in difference.orphaned if is_file_path(path))
    return pages if any(outcome.error for outcome in outcomes) else pages + files


def _render(stale: tuple[Stale, ...], renderer: Renderer, options: BuildOptions) -> list[Outcome]:
    outcomes = []
    jobs = [entry.job for entry in stale]
    for outcome in render(renderer, jobs, options.jobs):
        outcomes.append(outcome)
        if options.progress:
            options.progress("Rendering", len(outcomes), len(jobs))
    return outcomes


def _made(
    difference: Difference, manifest: Manifest, outcomes: Sequence[Outcome], kept: Mapping[str, int]
) -> dict[str, Made]:
    """The new manifest. A file of ours that is `kept` without being made has a fingerprint that no plan has."""
    fingerprints = {stale.job.path: stale.job.fingerprint for stale in difference.stale}
    ours = manifest.outputs.keys() | manifest.interrupted
    made = {path: Made("kept", size_bytes) for path, size_bytes in kept.items() if path in ours}
    made |= {job.path: manifest.outputs[job.path] for job in difference.current}
    for outcome in outcomes:
        if not outcome.error:
            made[outcome.path] = Made(fingerprints[outcome.path], outcome.size_bytes)
    return made


def _path(outcome: Outcome) -> str:
    return outcome.path
