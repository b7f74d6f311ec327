"""Writes that wait to be applied to an entry, or to one locale of it, that is being deleted."""

from collections.abc import Mapping
from typing import Any

from sitecms.content.change import ENTRY_IDS, EntryKind, Write
from sitecms.content.field_value import FieldValue
from sitecms.store.database import Transaction
from sitecms.store.writes import reservations, writes


def locales_of(write: Write, entry_id: int) -> frozenset[str]:
    """Return the locales of a page or item that the write is going to change."""
    return frozenset(_fields(write, entry_id))


def withdraw(transaction: Transaction, write: Write, entry_id: int, locale: str) -> bool:
    """Take one entry, or one locale of it ("": all of them), out of a waiting write.

    A worker that is applying the write loses its claim, and the rest of the write is applied anew. Returns False
    if nothing would be left: then the write stays as it is, for the caller to reject.
    """
    payload = _without(write, entry_id, locale)
    if payload is None:
        return False
    writes.replace_payload(transaction, write, payload)
    if entry_id not in payload.get(ENTRY_IDS, (entry_id,)):
        reservations.release_item(transaction, entry_id)
    return True


def _fields(write: Write, entry_id: int) -> Mapping[str, Any]:
    payload: Mapping[str, Any] = write.payload
    if write.kind is EntryKind.POST:
        return {}
    fields = payload["elements"][write.entry_ids.index(entry_id)] if "elements" in payload else payload["fields"]
    return fields if isinstance(fields, dict) else {}


def _without(write: Write, entry_id: int, locale: str) -> dict[str, Any] | None:
    payload: dict[str, Any] = dict(write.payload)
    left: dict[str, FieldValue] = {}
    if locale:
        left = {code: fields for code, fields in _fields(write, entry_id).items() if code != locale}
    if "elements" not in payload:
        return {**payload, "fields": left} if left else None
    pairs = [
        (number, left if number == entry_id else fields)
        for number, fields in zip(write.entry_ids, payload["elements"], strict=True)
        if left or number != entry_id
    ]
    if not pairs:
        return None
    return {**payload, ENTRY_IDS: [number for number, _ in pairs], "elements": [fields for _, fields in pairs]}
