"""What a build has to do: the plan held against the manifest of the last build and the files that are there."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from sitecms.site.output.manifest import Manifest
from sitecms.site.plan.plan import FINGERPRINT_PART, PageJob, Plan
from sitecms.site.theme.assets import FileJob

Job = PageJob | FileJob
_PARTS = ("its template changed", "what all pages share changed (settings, menu, theme)", "what it shows changed")


@dataclass(frozen=True, slots=True)
class Difference:
    """`stale` outputs are to be made, each for the reason in the same place; `current` ones stay as they are.

    `orphaned` ones (paths) are no longer planned.
    """

    stale: tuple[Job, ...]
    reasons: tuple[str, ...]
    current: tuple[Job, ...]
    orphaned: tuple[str, ...]


def find_difference(plan: Plan, manifest: Manifest, wrong: Mapping[str, str], *, clean: bool) -> Difference:
    """Sort every planned output into stale and current; `clean` makes all of them stale.

    `wrong`: what somebody else did to outputs of the manifest, by path.
    """
    stale, reasons, current = [], [], []
    for job in _jobs(plan):
        reason = "a clean build was asked for" if clean else _reason(job, manifest, wrong)
        if reason:
            stale.append(job)
            reasons.append(reason)
        else:
            current.append(job)
    planned = {job.path for job in _jobs(plan)} if manifest.outputs else set()
    orphaned = {path for path, made in manifest.outputs.items() if not made.step} - planned
    return Difference(tuple(stale), tuple(reasons), tuple(current), tuple(sorted(orphaned)))


def _jobs(plan: Plan) -> Iterator[Job]:
    """Files first: a page never names an asset that is not there yet."""
    yield from plan.files
    yield from plan.pages


def _reason(job: Job, manifest: Manifest, wrong: Mapping[str, str]) -> str:
    made = manifest.outputs.get(job.path)
    if made is None:
        return "it is new"
    if made.fingerprint != job.fingerprint:
        return _changed(made.fingerprint, job.fingerprint)
    return wrong.get(job.path, "")


def _changed(before: str, now: str) -> str:
    if len(before) != len(now) or len(now) != FINGERPRINT_PART * len(_PARTS):
        return "its content changed"
    cut = [slice(start, start + FINGERPRINT_PART) for start in range(0, len(now), FINGERPRINT_PART)]
    return " and ".join(part for part, where in zip(_PARTS, cut, strict=True) if before[where] != now[where])


def paths(jobs: Iterable[Job]) -> set[str]:
    """The output paths of these jobs."""
    return {job.path for job in jobs}
