"""Files that this load has to read once more: what their entries name is gone, has moved or may be back."""

from collections.abc import Sequence, Set

from sitecms.actions.loading.reading.files import ContentFile
from sitecms.content.change import Origin
from sitecms.content.references import Target
from sitecms.store.database import Session, Transaction
from sitecms.store.entries import entry_state, references
from sitecms.store.entries.references import PostId
from sitecms.store.site_state import loaded_files

Targets = Set[Target | PostId]


def files_to_read_again(
    session: Session, files: Sequence[ContentFile], before: Targets
) -> tuple[list[ContentFile], frozenset[str]]:
    """Those of the files whose entries name what is not there, and the paths of those that lost it just now.

    `before` is what there was before the load. Entries that were edited through the API stay as they are.
    """
    after = references.all_targets(session)
    lost, is_any_new = before - after, bool(after - before)
    if not lost and not is_any_new:
        return [], frozenset()
    dangling: dict[tuple[str, int], set[Target | PostId]] = {}
    for kind, entry_id, named in references.all_named(session):
        if gone := named - after:
            dangling.setdefault((kind, entry_id), set()).update(gone)
    known = loaded_files.all_loaded_files(session) if dangling else {}
    again, losers = [], set()
    for file in files:
        pairs = known[file.path].entries if file.path in known else ()
        missing = {target for pair in pairs for target in dangling.get(pair, ())}
        is_hit = missing & lost or (missing and is_any_new)
        if is_hit and all(entry_state.origin_of(session, *pair) == Origin.FILE.value for pair in pairs):
            again.append(file)
            if missing & lost:
                losers.add(file.path)
    return again, frozenset(losers)


def read_next_time(transaction: Transaction, paths: Set[str]) -> None:
    """Take the files for changed from now on: they have an error, which every load is to tell until it is mended."""
    known = loaded_files.all_loaded_files(transaction)
    for path in known.keys() & paths:
        loaded_files.save_loaded_file(transaction, known[path]._replace(digest="", stamp=""))
