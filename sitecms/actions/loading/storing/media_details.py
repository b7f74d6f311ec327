"""Storage of the alt texts, focal points and tags that content/media.yaml gives."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import asdict, replace

from sitecms.actions.loading.reading.prepare_media import DescribedMedia
from sitecms.content.media import NO_DETAILS
from sitecms.store.database import Transaction
from sitecms.store.entries import media_files


class StoredDetails(NamedTuple):
    """The result of storing entries: whether anything changed, and the former values of edits that were replaced."""

    is_changed: bool
    replaced: Mapping[str, str]


def store_details(
    transaction: Transaction, described: Sequence[DescribedMedia], former: frozenset[str]
) -> StoredDetails:
    """Store the alt texts, focal points and tags that content/media.yaml has changed since it was last loaded.

    Other values stay as the store has them, so that an edit made in the studio is kept. `former` are the files that
    it listed then: what it no longer lists stays only where something uses it.
    """
    if unlisted := former - {one.file.name for one in described}:
        media_files.end_uploads(transaction, sorted(unlisted))
    each = [_store(transaction, one) for one in described]
    replaced = {name: value for stored in each for name, value in stored.replaced.items()}
    return StoredDetails(any(stored.is_changed for stored in each), replaced)


def _store(transaction: Transaction, described: DescribedMedia) -> StoredDetails:
    name, given = described.file.name, described.given
    media_files.save_media(transaction, described.file)
    before = media_files.find_media(transaction, [name])[name].details
    loaded = media_files.find_loaded_details(transaction, name)
    changed: dict[str, Any] = {key: value for key, value in given.items() if loaded.get(key) != value}
    after = replace(before, **changed)
    if loaded != given:
        media_files.save_loaded_details(transaction, name, given)
    if after == before:
        return StoredDetails(is_changed=False, replaced={})
    media_files.save_details(transaction, name, after)
    known, new = {**asdict(NO_DETAILS), **loaded}, asdict(after)
    edits = {key: value for key, value in asdict(before).items() if value not in (known[key], new[key])}
    replaced = {f"{described.address}: {key}": _text(value) for key, value in edits.items()}
    return StoredDetails(is_changed=True, replaced=replaced)


def _text(value: object) -> str:
    return ", ".join(value) if isinstance(value, tuple) else str(value)
