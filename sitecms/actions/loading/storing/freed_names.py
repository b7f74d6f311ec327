"""Slugs and locales that a load frees before it stores any file, so that two entries can exchange theirs."""

from collections.abc import Iterator, Mapping, Sequence

from sitecms.actions.loading.reading.post_stream import EntryHead, head_of
from sitecms.actions.loading.reading.prepared import Prepared
from sitecms.actions.loading.storing.entry_names import Name, Pair, name_of, rename_entry
from sitecms.store.database import Transaction
from sitecms.store.entries.entry_rows import change_entry, find_present
from sitecms.store.site_state.last_ids import reserve_ids
from sitecms.store.site_state.loaded_files import LoadedFile


def heads_of(prepared: Sequence[Prepared]) -> dict[str, EntryHead]:
    """Return the heads of the entries that have a slug, by path of their file."""
    return {each.file.path: head_of(entry) for each in prepared for entry in each.entries if entry.slug}


def reserve_given_ids(transaction: Transaction, heads: Mapping[str, EntryHead]) -> None:
    """Reserve the ids that files give their entries."""
    for kind in {head.kind for head in heads.values() if head.id}:
        reserve_ids(transaction, kind.value, [head.id for head in heads.values() if head.kind is kind])


def free_slugs(
    transaction: Transaction,
    heads: Mapping[str, EntryHead],
    known: Mapping[str, LoadedFile],
    gone: frozenset[str],
) -> dict[Pair, str]:
    """Free the slugs that entries give up and another file has, also those of files that are `gone`; return them."""
    freed = {}
    for pair, slug in _freed(transaction, heads, known, gone):
        freed[pair] = slug
        rename_entry(transaction, pair, f"~{pair[1]}")
    return freed


def detach_translations(
    transaction: Transaction, heads: Mapping[str, EntryHead], known: Mapping[str, LoadedFile]
) -> None:
    """Take translations that change their locale out of their group, until they are stored."""
    for path, head in heads.items():
        if not head.locale or path not in known:
            continue
        for _kind, post_id in known[path].entries:
            own = find_present(transaction, head.kind, post_id)
            if own and post_id != own.group_id and head.locale != own.locale:
                change_entry(transaction, head.kind, post_id, {"group_id": post_id})


def _freed(
    transaction: Transaction,
    heads: Mapping[str, EntryHead],
    known: Mapping[str, LoadedFile],
    gone: frozenset[str],
) -> Iterator[tuple[Pair, str]]:
    names = {path: head.name for path, head in heads.items()}
    given = set(names.values())
    taken_over = {name for path, name in names.items() if path not in known}
    for path in known if given else ():
        is_gone = path in gone
        for pair in known[path].entries if path in names or is_gone else ():
            name: Name = name_of(transaction, pair)
            if name in given and name != names.get(path) and not (is_gone and name in taken_over):
                yield pair, name[2]
