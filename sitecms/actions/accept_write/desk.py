"""How every write is accepted: checked as a whole, its media looked for, then kept in one durable transaction."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from sitecms.actions.request_media import AskedMedia, Probe
from sitecms.clock import Clock
from sitecms.content.fieldvalue import FieldValue
from sitecms.content.locale import Locales
from sitecms.content.token import Token
from sitecms.content.write import EntryKind, IdempotencyKey, Operation, Write, WriteStatus
from sitecms.errors import InvalidFields, KeyReused, Stale
from sitecms.settings import SiteSettings
from sitecms.store import reservations, writes
from sitecms.store.database import Database, Session, Transaction
from sitecms.store.writes import is_waiting

Body: TypeAlias = Mapping[str, object]
STALE = "The entry is not what it was when you read it, or a write to it is waiting."
REUSED = "This Idempotency-Key was used with another request."
WARNINGS = "warnings"


@dataclass(frozen=True, slots=True)
class Desk:
    """What accepting a write needs. `new_id` makes ids that nobody can guess."""

    database: Database
    settings: SiteSettings
    locales: Locales
    probe: Probe
    clock: Clock
    new_id: Callable[[], str]

    def locale(self, code: str) -> str:
        """The locale of a write, "" the default one. Raises InvalidFields under `locale`."""
        if code and code not in self.locales.codes:
            known = ", ".join(self.locales.codes)
            raise InvalidFields({"locale": [f'"{code[:40]}" is not a configured locale. Locales: {known}.']})
        return code or self.locales.default


@dataclass(frozen=True, slots=True)
class Caller:
    """Who writes, and on what conditions: `is_fresh` is asked within the transaction that accepts the write."""

    token: Token
    key: IdempotencyKey | None = None
    is_fresh: Callable[[], bool] | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """A write that is not accepted yet. Without an `entry_id` it makes a new entry.

    `entry_key` is what writes are kept in order by; "": that of the new entry alone. `reserves` are names of the
    entry's kind.
    """

    kind: EntryKind
    operation: Operation
    payload: dict[str, FieldValue]
    entry_id: int | None = None
    entry_key: str = ""
    reserves: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What a request comes down to; `warnings` are told with the acknowledgement."""

    drafts: tuple[Draft, ...]
    warnings: dict[str, FieldValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Accepted:
    """The acknowledgement: the ids of the writes, of which the first stands for all, and warnings by name."""

    write_ids: tuple[str, ...]
    warnings: Mapping[str, FieldValue]


MakePlan: TypeAlias = Callable[[Session, AskedMedia], Plan]


def accept(desk: Desk, caller: Caller, make_plan: MakePlan) -> Accepted:
    """Keep what is planned. The plan is made twice: to find out what is wrong and which media to look for, and
    again within the transaction, where it is final.

    Raises what the plan raises, KeyReused and Stale.
    """
    refusal = None
    with desk.database.reading() as session:
        if repeated := _repeated(session, caller):
            return repeated
        media = AskedMedia(session)
        try:
            make_plan(session, media)
        except InvalidFields as error:
            refusal = error
    media.probe(desk.probe)
    if refusal:
        with desk.database.reading() as session:
            media.session = session
            make_plan(session, media)  # once more, with the media that cannot be had
        raise refusal
    with desk.database.writing(is_shown=False) as transaction:
        media.session = transaction
        return _repeated(transaction, caller) or _keep(transaction, desk, caller, make_plan(transaction, media))


def _repeated(session: Session, caller: Caller) -> Accepted | None:
    """The answer that the same request got before."""
    if caller.key is None:
        return None
    found = writes.find_repeated(session, caller.token.id, caller.key.name)
    if found is None:
        return None
    write, digest = found
    if digest != caller.key.digest:
        raise KeyReused(REUSED)
    warnings = write.payload.get(WARNINGS)
    return Accepted((write.id,), warnings if isinstance(warnings, dict) else {})


def _keep(transaction: Transaction, desk: Desk, caller: Caller, plan: Plan) -> Accepted:
    if caller.is_fresh is not None:
        is_busy = any(is_waiting(transaction, draft.entry_key) for draft in plan.drafts if draft.entry_id is not None)
        if is_busy or not caller.is_fresh():
            raise Stale(STALE)
    first = desk.new_id()
    ids = (first, *(f"{first}-{number}" for number in range(2, len(plan.drafts) + 1)))
    for write_id, draft in zip(ids, plan.drafts, strict=True):
        draft.payload[WARNINGS] = plan.warnings
        _insert(transaction, desk, caller, draft, write_id, caller.key if write_id == first else None)
    return Accepted(ids, plan.warnings)


def _insert(
    transaction: Transaction, desk: Desk, caller: Caller, draft: Draft, write_id: str, key: IdempotencyKey | None
) -> None:
    entry_id = draft.entry_id
    if entry_id is None:
        entry_id = reservations.next_entry_id(transaction, draft.kind)
    write = Write(
        id=write_id,
        sequence=0,
        kind=draft.kind,
        operation=draft.operation,
        entry_key=draft.entry_key or key_of(draft.kind, entry_id),
        entry_id=entry_id,
        payload=draft.payload,
        status=WriteStatus.ACCEPTED,
        attempt=0,
        errors={},
        accepted_at=desk.clock(),
        token_id=caller.token.id,
    )
    writes.insert_write(transaction, write, key)
    for name in draft.reserves:
        reservations.reserve(transaction, draft.kind, name, write_id)


def key_of(kind: EntryKind, number: int) -> str:
    """What the writes to one entry are kept in order by: `page:<id>`, `item:<id>`, `post:<id of its locale group>`."""
    return f"{kind}:{number}"
