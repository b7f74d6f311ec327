"""Deletions: carried out at once, soft, and recorded like every other write (API reference, Writes)."""

from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from sitecms.actions.writing.accept.acceptance import STALE, Caller, WriteContext, find_repeated
from sitecms.actions.writing.entry_events import EventCause, record_write_failed
from sitecms.actions.writing.known_entries import EntryName, KnownEntry, find_variant, get_known, not_found
from sitecms.actions.writing.trash import delete_locale_with_event, delete_with_event
from sitecms.content.kinds import KINDS
from sitecms.content.writes import Delete, Operation, SentEntry, Write, WriteStatus
from sitecms.errors import Stale
from sitecms.store.database import Session, Transaction
from sitecms.store.entries import entry_state
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.site_state.documents import load_content_schema
from sitecms.store.writes import reservations, writes

CANCELLED = "The entry was deleted before this write was applied."
LOCALE_CANCELLED = 'The locale "{locale}" of the entry was deleted before this write was applied.'


class _Deletion(Struct, frozen=True):
    """The entry to delete; with a `locale`, only the versions of a page or item in that locale."""

    entry: KnownEntry
    payload: Delete
    locale: str = ""


def delete(context: WriteContext, caller: Caller, name: EntryName, locale: str = "") -> None:
    """Delete the entry, or in a locale the variant of a post, or the versions of a page or item.

    The same request is carried out once. The entry goes to the trash; open writes to it are rejected. Raises NotFound,
    Forbidden, KeyReused and Stale.
    """
    chosen = context.locale(locale) if locale else ""
    with context.database.reading() as session:
        if find_repeated(session, caller):
            return
    with context.database.writing() as transaction:
        if find_repeated(transaction, caller):
            return
        deletion = _deletion(transaction, caller, name, chosen)
        entry = deletion.entry
        waiting = writes.find_open(transaction, entry.kind, entry.id)
        if caller.if_match is not None and waiting:
            raise Stale(STALE)
        caller.check_revision(transaction, entry.kind, entry.id, chosen or context.locales.default)
        _carry_out(transaction, context, caller, deletion, waiting)


def _deletion(session: Session, caller: Caller, name: EntryName, locale: str) -> _Deletion:
    """Return what is to be deleted. Raises NotFound and Forbidden."""
    entry: KnownEntry | None = get_known(session, load_content_schema(session), name)
    if entry is not None and entry.group_id and locale not in ("", entry.locale):
        entry = find_variant(session, name.kind, entry.group_id, locale)
    if entry is None:
        raise not_found(name.kind)
    caller.check_allowed(entry.kind, entry.author or entry.type)
    deletion = _Deletion(entry, Delete(entry.slug, entry.type, entry.locale))
    return _in_locale(session, deletion, locale) if KINDS[entry.kind].has_locales else deletion


def _in_locale(session: Session, deletion: _Deletion, locale: str) -> _Deletion:
    """Limit a deletion to one locale, unless no other would remain. Raises NotFound if the entry is not in it.

    Only stored versions are certain to remain, since a waiting write may still fail. For an entry that is not
    stored yet, the locales of its waiting writes decide.
    """
    if not locale:
        return deletion
    kind, entry_id = deletion.entry.kind, deletion.entry.id
    stored = {entry.locale for entry in VERSIONS[kind].of(session, (entry_id,))}
    known = stored.union(*(locales_of(write, entry_id) for write in writes.find_open(session, kind, entry_id)))
    if locale not in known:
        raise not_found(kind)
    payload = replace(deletion.payload, locale=locale)
    return replace(deletion, payload=payload, locale=locale if (stored or known) - {locale} else "")


def _carry_out(
    transaction: Transaction, context: WriteContext, caller: Caller, deletion: _Deletion, waiting: tuple[Write, ...]
) -> None:
    at = context.clock()
    write = _write_of(context, caller, deletion, at)
    writes.insert_write(transaction, write, caller.key)
    cause = EventCause(context.settings.default_locale, at, caller.by.name, write.id)
    _withdraw(transaction, deletion, waiting, cause)
    kind, entry_id = deletion.entry.kind, deletion.entry.id
    if not entry_state.is_there(transaction, kind.value, entry_id):
        return
    if deletion.locale:
        delete_locale_with_event(transaction, kind, entry_id, deletion.locale, cause)
    else:
        delete_with_event(transaction, kind, entry_id, cause)


def _withdraw(transaction: Transaction, deletion: _Deletion, waiting: tuple[Write, ...], cause: EventCause) -> None:
    """Reject the waiting writes to the deleted entry or locale; a write to more than that loses only this part."""
    reason = LOCALE_CANCELLED.format(locale=deletion.locale) if deletion.locale else CANCELLED
    for write in waiting:
        if deletion.locale and deletion.locale not in locales_of(write, deletion.entry.id):
            continue
        if _withdraw_part(transaction, write, deletion.entry.id, deletion.locale):
            continue
        rejected = writes.cancel(transaction, write, reason, cause.at)
        record_write_failed(transaction, rejected, replace(cause, write_id=write.id))


def _write_of(context: WriteContext, caller: Caller, deletion: _Deletion, at: datetime) -> Write:
    return Write(
        id=context.new_id(),
        sequence=0,
        kind=deletion.entry.kind,
        operation=Operation.DELETE,
        entry_key=deletion.entry.key,
        entry_id=deletion.entry.id,
        payload=deletion.payload,
        status=WriteStatus.APPLIED,
        attempt=0,
        errors={},
        accepted_at=at,
        finished_at=at,
        token_id=caller.token_id,
        user_id=caller.user_id,
    )


def locales_of(write: Write, entry_id: int) -> frozenset[str]:
    """Return the locales of a page or item that a waiting write changes."""
    return frozenset(locale for entry in write.entries if entry.id == entry_id for locale in entry.fields)


def _withdraw_part(transaction: Transaction, write: Write, entry_id: int, locale: str) -> bool:
    """Remove one entry, or one locale of it ("": all locales), from a waiting write.

    A worker that is applying the write loses its claim, and the rest of the write is applied again. Returns False
    if nothing would be left: then the write stays as it is, for the caller to reject.
    """
    entries = tuple(_without(entry, locale) if entry.id == entry_id else entry for entry in write.entries)
    left = tuple(entry for entry in entries if entry.fields or entry.id != entry_id)
    if not left:
        return False
    writes.replace_payload(transaction, write, replace(write.save, entries=left))
    if len(left) < len(entries):
        reservations.release_id(transaction, write.kind, entry_id)
    return True


def _without(entry: SentEntry, locale: str) -> SentEntry:
    """Return the entry without the fields in a locale ("": without all)."""
    return replace(entry, fields={code: entry.fields[code] for code in entry.fields if locale not in ("", code)})
