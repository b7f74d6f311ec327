"""References of pages and items against what there is."""

from sitecms.actions.operations.verify.finding import Finding, FindingKind
from sitecms.content.change import EntryKind
from sitecms.content.references import ItemTarget, Target
from sitecms.store.database import Session
from sitecms.store.entries import common
from sitecms.store.maintenance.media_usage import entry_label, is_in_trash


def reference_findings(session: Session) -> list[Finding]:
    """References of entries outside the trash that lead to nothing."""
    there = common.all_targets(session)
    found: dict[tuple[str, int, str], Finding] = {}
    for kind, entry_id, named in common.all_named(session):
        if kind == EntryKind.POST or not common.is_there(session, kind, entry_id):
            continue
        gone = [target for target in named if not isinstance(target, int) and target not in there]
        for target in sorted(gone, key=lambda each: each.uri):
            where = entry_label(session, EntryKind(kind), entry_id)
            found[kind, entry_id, target.uri] = _finding(session, where, target)
    return [finding for _key, finding in sorted(found.items())]


def _finding(session: Session, where: str, target: Target) -> Finding:
    if isinstance(target, ItemTarget):
        named = f"the item {target.id} of {target.collection}"
    else:
        named = f"the page {target.page_type or '_single'}/{target.slug}"
    if is_in_trash(session, target):
        what, remedy = f"names {named}, which is in the trash", "restore it (sitecms trash), or name another"
    else:
        what, remedy = f"names {named}, which does not exist", "name another"
    return Finding(FindingKind.REFERENCE_DANGLING, where, what, remedy)
