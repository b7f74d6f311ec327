"""The difference between a plan and the published site: which outputs are stale, current or orphaned."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from sitecms.site.output.manifest import Manifest
from sitecms.site.plan.plan import FINGERPRINT_PART, PageJob, Plan
from sitecms.site.theme.assets import FileJob

Job = PageJob | FileJob
_PARTS = (
    "its template or a plug-in changed",
    "what all pages share changed (settings, menu, theme)",
    "what it shows changed",
)


class Difference(Struct, frozen=True):
    """`stale` outputs are rendered, each for the reason at the same place; `current` ones stay as they are.

    `orphaned`: paths of outputs that are no longer planned. `kept`: those of entries from which no page can be planned,
    whose last page stays.
    """

    stale: tuple[Job, ...]
    reasons: tuple[str, ...]
    current: tuple[Job, ...]
    orphaned: tuple[str, ...]
    kept: tuple[str, ...] = ()

    def paths(self) -> frozenset[str]:
        """Return the paths of all planned outputs."""
        return frozenset(job.path for jobs in (self.stale, self.current) for job in jobs)


def find_difference(plan: Plan, manifest: Manifest, wrong: Mapping[str, str], *, clean: bool) -> Difference:
    """Divide the planned outputs into stale and current ones; `clean` makes all of them stale.

    `wrong`: how published outputs were changed by others, by path.
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
    kept = {each.path for each in plan.left_out if each.number < 0} & manifest.outputs.keys() - planned
    orphaned = {path for path, entry in manifest.outputs.items() if not entry.step} - planned - kept
    return Difference(tuple(stale), tuple(reasons), tuple(current), tuple(sorted(orphaned)), tuple(sorted(kept)))


def _jobs(plan: Plan) -> Iterator[Job]:
    """Yield files before pages, which name them."""
    yield from plan.files
    yield from plan.pages


def _reason(job: Job, manifest: Manifest, wrong: Mapping[str, str]) -> str:
    entry = manifest.outputs.get(job.path)
    if entry is None:
        return "it is new"
    if entry.fingerprint != job.fingerprint:
        return _changed(entry.fingerprint, job.fingerprint)
    return wrong.get(job.path, "")


def _changed(before: str, now: str) -> str:
    if len(before) != len(now) or len(now) != FINGERPRINT_PART * len(_PARTS):
        return "its content changed"
    cut = [slice(start, start + FINGERPRINT_PART) for start in range(0, len(now), FINGERPRINT_PART)]
    return " and ".join(part for part, where in zip(_PARTS, cut, strict=True) if before[where] != now[where])
