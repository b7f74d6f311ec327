"""Slugs and locales that a load frees before it stores any file, so that two entries can exchange theirs."""

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from sitecms.actions.loading.reading.post_stream import PostHead, head_of
from sitecms.actions.loading.reading.prepared import Prepared
from sitecms.actions.loading.reading.raw import RawPage
from sitecms.actions.loading.storing.claims import Claims, Pair
from sitecms.content.change import EntryKind, Origin, PostChange
from sitecms.store.database import Transaction
from sitecms.store.entries import pages, posts
from sitecms.store.site_state.loaded_files import LoadedFile

Name: TypeAlias = tuple[str, str, str]
"""Kind, page type and slug of a post or page."""


def rename_entry(transaction: Transaction, pair: Pair, slug: str) -> None:
    """Give a post or page this slug, ahead of the rest of a change."""
    kind, entry_id = pair
    if kind == EntryKind.POST:
        posts.update_post(transaction, entry_id, {"slug": slug})
    else:
        pages.rename_page(transaction, entry_id, slug, Origin.FILE)


def heads_of(prepared: list[Prepared]) -> dict[str, PostHead]:
    """Return the heads of the posts among the files, by path."""
    return {each.file.path: head_of(each.content) for each in prepared if isinstance(each.content, PostChange)}


def names_of(prepared: list[Prepared], heads: Mapping[str, PostHead]) -> dict[str, Name]:
    """Return what must be unique of posts and pages, by path."""
    named = {each.file.path: ("", "", "") for each in prepared}
    for each in prepared:
        if isinstance(each.content, RawPage):
            named[each.file.path] = (EntryKind.PAGE.value, each.file.group, each.content.slug)
    return {**named, **{path: (EntryKind.POST.value, "", head.slug) for path, head in heads.items()}}


def free_slugs(
    transaction: Transaction, names: Mapping[str, Name], known: Mapping[str, LoadedFile], pruned: frozenset[str]
) -> dict[Pair, str]:
    """Free the slugs that entries give up and another file wants, those of `pruned` files included; return them."""
    freed = {}
    for pair, slug in _freed(transaction, names, known, pruned):
        freed[pair] = slug
        rename_entry(transaction, pair, f"~{pair[1]}")
    return freed


def entry_with(transaction: Transaction, pair: Pair, slug: str) -> Pair:
    """Return the entry that has the slug that another one, a post or page, gave up; that one if none has it."""
    kind, entry_id = pair
    if kind == EntryKind.POST:
        return kind, posts.find_post_id(transaction, slug) or entry_id
    name = pages.find_page_name(transaction, entry_id)
    return kind, (pages.find_page_id(transaction, name[0], slug) if name else None) or entry_id


def detach_translations(transaction: Transaction, heads: Mapping[str, PostHead], claims: Claims) -> None:
    """Take translations that change their locale out of their group, until they are stored."""
    for path, head in heads.items():
        for post_id in claims.earlier(path, EntryKind.POST):
            place = posts.find_group(transaction, post_id)
            if place and post_id != place[0] and head.locale != place[1]:
                posts.update_post(transaction, post_id, {"group_id": post_id})


def _freed(
    transaction: Transaction, names: Mapping[str, Name], known: Mapping[str, LoadedFile], pruned: frozenset[str]
) -> Iterator[tuple[Pair, str]]:
    wanted = set(names.values())
    taken_over = {name for path, name in names.items() if path not in known}
    for path in known if wanted else ():
        is_gone = path in pruned
        for kind, entry_id in known[path].entries if path in names or is_gone else ():
            name = _stored_name(transaction, kind, entry_id)
            if name in wanted and name != names.get(path) and not (is_gone and name in taken_over):
                yield (kind, entry_id), name[2]


def _stored_name(transaction: Transaction, kind: str, entry_id: int) -> Name:
    if kind == EntryKind.POST:
        return kind, "", posts.find_slug(transaction, entry_id) or ""
    found = pages.find_page_name(transaction, entry_id) if kind == EntryKind.PAGE else None
    return (kind, *found) if found else (kind, "", "")
