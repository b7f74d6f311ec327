"""Payloads of writes as JSON. Those that earlier versions stored have other keys."""

from collections.abc import Mapping
from typing import Any

from msgspec import DecodeError, ValidationError, convert, json

from sitecms.content.kinds import EntryKind
from sitecms.content.term import TermKind
from sitecms.content.writes import Delete, Operation, Payload, Save, Unreadable

UNREADABLE = "The stored request of this write cannot be read: {problem}. Send the request again."
_VERB = "verb"
_encoder = json.Encoder()
_decoder: json.Decoder[Save | Delete] = json.Decoder(Save | Delete)
_MOVED = {"slug": "new_slug", "title": "title", "author": "author", "status": "status"}
_KEPT = (
    "slug", "title", "status", "locale", "scheduled_at", "replaces", "unpublishes", "copy_of", "ends_copy",
    "ends_markdown", "schema_digest", "names_remote_media", "warnings", "change_kind", "new_slug",
)  # fmt: skip


def encode_payload(payload: Payload) -> str:
    """Return the payload as JSON."""
    return payload.text if isinstance(payload, Unreadable) else _encoder.encode(payload).decode()


def decode_payload(text: str, kind: EntryKind, operation: Operation, entry_id: int) -> Payload:
    """Return the payload of a stored write; `Unreadable` if its text is no payload of this or an earlier version."""
    try:
        return _decoder.decode(text)
    except (DecodeError, ValidationError) as error:
        problem = str(error)
    try:
        stored = json.decode(text, type=dict[str, Any])
        if _VERB not in stored:
            return _of_earlier(stored, kind, operation, entry_id)
    except KeyError as error:
        problem = f"it has no {error}"
    except (DecodeError, ValidationError, TypeError, ValueError) as error:
        problem = str(error)
    return Unreadable(text, UNREADABLE.format(problem=problem.rstrip(".")))


def _of_earlier(stored: Mapping[str, Any], kind: EntryKind, operation: Operation, entry_id: int) -> Payload:
    """Return the payload that an earlier version stored. Raises KeyError, TypeError and ValidationError."""
    kept = {name: stored[name] for name in _KEPT if stored.get(name) is not None}
    owner = {"type": stored.get("page_type") or stored.get("collection") or ""}
    if operation is Operation.DELETE:
        return convert({**kept, **owner}, Delete)
    fields = _post(stored, operation, entry_id) if kind is EntryKind.POST else _versions(stored, entry_id)
    return convert({"names_remote_media": True, **kept, **owner, **fields}, Save)


def _post(stored: Mapping[str, Any], operation: Operation, entry_id: int) -> dict[str, Any]:
    """Return what the fields of a post were in an earlier version: all that was sent, and the declared ones in them."""
    fields = dict(stored["fields"])
    for name, kind in (("categories", TermKind.CATEGORY), ("tags", TermKind.TAG)):
        if name in fields:
            fields[name] = [term if isinstance(term, str) else {"kind": kind, **term} for term in fields[name]]
    declared = {stored["locale"]: fields["fields"]} if "fields" in fields else {}
    moved = {name: fields[key] for key, name in _MOVED.items() if key in fields}
    author = {"author": stored["author_slug"]} if operation is Operation.CREATE else {}
    return {
        **moved,
        **author,
        "entries": [{"id": entry_id, "fields": declared}],
        "built_in": fields,
        "markdown": stored.get("markdown"),
        "uploads_images": stored["upload_images"],
    }


def _versions(stored: Mapping[str, Any], entry_id: int) -> dict[str, Any]:
    """Return what the fields and names of pages and items were in an earlier version."""
    if "elements" in stored:
        pairs = zip(stored["ids"], stored["elements"], strict=True)
        return {"entries": [{"id": item_id, "fields": fields} for item_id, fields in pairs]}
    names = {"title": stored["new_title"], "locale": stored["title_locale"]} if "new_title" in stored else {}
    return {**names, "entries": [{"id": entry_id, "fields": stored["fields"]}]}
