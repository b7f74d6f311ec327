"""Acceptance of a write that is applied later: planned once in a snapshot, then stored in one durable transaction.

A rejected or failed write can be accepted again, unless it would overwrite later changes.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from sitecms.actions.writing.known_entries import key_of
from sitecms.actions.writing.request_media import AskedMedia, Probe
from sitecms.clock import Clock, format_timestamp
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.locale import Locales
from sitecms.content.revision import ChangeKind
from sitecms.content.text.removed_markup import Dropped
from sitecms.content.token import Token, TokenLimits
from sitecms.content.user import Action, Scope, User
from sitecms.content.writes import IdempotencyKey, Operation, Save, Write, WriteStatus, WriteWarnings, write_warnings
from sitecms.errors import Conflict, Forbidden, InvalidFields, KeyReused, Stale
from sitecms.messages import N_
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Database, Session, Transaction
from sitecms.store.entries.entry_state import is_there, last_written, revisions_of
from sitecms.store.site_state.documents import content_schema_digest
from sitecms.store.writes import reservations, writes
from sitecms.store.writes.writes import find_creation, is_waiting

Body: TypeAlias = Mapping[str, object]
ANY_REVISION = "*"
NO_LIMITS = TokenLimits()
NO_AUTHOR = "~"
"""No slug of an author: the limit of a writer who has none."""
STALE = N_("The entry is not what it was when you read it, or a write to it is waiting.")
REUSED = "This Idempotency-Key was used with another request."
NOT_ALLOWED = "The token does not allow writes to {entries}."
MAX_NAMED = 5
_ASK = "It would replace what was written since. To apply it anyway, add --force."


class WriteContext(Struct, frozen=True):
    """Dependencies of accepting a write. `new_id` returns an id that nobody can guess.

    With `is_trial` a write is checked and planned, and not accepted (`writing.trial`).
    """

    database: Database
    settings: SiteSettings
    locales: Locales
    probe: Probe
    clock: Clock
    new_id: Callable[[], str]
    is_trial: bool = False

    def locale(self, code: str) -> str:
        """Return the locale of a write; "" means the default locale. Raises InvalidFields under `locale`."""
        if code and code not in self.locales.codes:
            known = ", ".join(self.locales.codes)
            raise InvalidFields({"locale": [f'"{code[:40]}" is not a configured locale. Locales: {known}.']})
        return code or self.locales.default


class Caller(Struct, frozen=True):
    """The token or the user of the studio that writes, and the conditions of the request.

    `if_match` are the revisions of which the entry must have one (ANY_REVISION: any), None without that condition.
    `restores` if the write brings a former version back.
    """

    by: Token | User
    key: IdempotencyKey | None = None
    if_match: frozenset[str] | None = None
    restores: bool = False

    @property
    def limits(self) -> TokenLimits:
        """The entries that may be written: a writer's own posts, all entries for other users."""
        if isinstance(self.by, Token):
            return self.by.limits
        return NO_LIMITS if self.by.scope(Action.EDIT) is Scope.ALL else TokenLimits(self.by.author or NO_AUTHOR)

    @property
    def token_id(self) -> int | None:
        """The id of the token."""
        return self.by.id if isinstance(self.by, Token) else None

    @property
    def user_id(self) -> int | None:
        """The id of the user."""
        return self.by.id if isinstance(self.by, User) else None

    def check_allowed(self, kind: EntryKind, owner: str) -> None:
        """Raise Forbidden unless entries of the kind may be written: of the author, page type or collection `owner`."""
        if not self.limits.allow(kind, owner):
            raise Forbidden(NOT_ALLOWED.format(entries=KINDS[kind].limited_to))

    def check_revision(self, session: Session, kind: EntryKind, entry_id: int | None, locale: str) -> None:
        """Check the condition against the entry as it is stored. Raises Stale."""
        if self.if_match is None:
            return
        stored = revisions_of(session, kind, entry_id, locale) if entry_id is not None else frozenset()
        if not stored or (ANY_REVISION not in self.if_match and stored.isdisjoint(self.if_match)):
            raise Stale(STALE)


class NewWrite(Struct, frozen=True):
    """A write that is not accepted yet. Without an `entry_id` it creates those of the payload.

    Writes with one `entry_key` are applied in order; "" means the key of the first new entry. `reserves` are names of
    its kind. `locale` is that of the versions of a page or item that `If-Match` is about.
    """

    kind: EntryKind
    operation: Operation
    payload: Save
    entry_id: int | None = None
    entry_key: str = ""
    reserves: tuple[str, ...] = ()
    locale: str = ""


def _holds(_session: Session) -> bool:
    return True


class WritePlan(Struct, frozen=True):
    """A checked write, before it is accepted.

    `holds` returns whether what must be unique is still free, within the transaction that accepts the write.
    `warnings` are part of the acknowledgement. `removed` names markup that was removed from the HTML, by field.
    """

    new_write: NewWrite
    holds: Callable[[Session], bool] = _holds
    warnings: Mapping[str, str] = field(default_factory=dict)
    removed: Sequence[tuple[str, Dropped]] = ()


class Accepted(Struct, frozen=True):
    """The acknowledgement of a write: its id, and warnings by name. `new_write` is the write of a trial."""

    write_id: str
    warnings: Mapping[str, str]
    new_write: NewWrite | None = None


MakePlan: TypeAlias = Callable[[AskedMedia], WritePlan]
"""Plans a write in the session of the media that it asks for."""


def accept(context: WriteContext, caller: Caller, make_plan: MakePlan) -> Accepted:
    """Plan a write in a snapshot of the store, and keep it in one durable transaction.

    The plan is made again in the transaction if the store has changed since the snapshot, and from the beginning if
    another write took in between what it needs, such as its slug. Raises the errors of the plan, KeyReused and Stale.
    """
    if context.is_trial:
        return _plan_trial(context, make_plan)
    while True:
        with context.database.reading() as session:
            if repeated := find_repeated(session, caller):
                return repeated
            media = AskedMedia(session)
            number = session.change_number()
            plan, problem = _plan_or_error(make_plan, media)
        media.probe(context.probe)
        if media.problems:
            with context.database.reading() as session:
                media.session = session
                number = session.change_number()
                plan, problem = _plan_or_error(make_plan, media)
        if plan is None:
            raise problem or InvalidFields({})
        with context.database.writing(counts_as_change=False) as transaction:
            if repeated := find_repeated(transaction, caller):
                return repeated
            if transaction.change_number() != number:
                media.session = transaction
                plan, problem = _plan_or_error(make_plan, media)
                if plan is None:
                    raise problem or InvalidFields({})
            if _is_current(transaction, plan):
                return _keep(transaction, context, caller, plan, names_remote_media=media.names_remote)


def _plan_trial(context: WriteContext, make_plan: MakePlan) -> Accepted:
    """Plan a write in a snapshot of the store; remote media are not probed. Raises the errors of the plan."""
    with context.database.reading() as session:
        plan = make_plan(AskedMedia(session))
        payload = replace(plan.new_write.payload, schema_digest=content_schema_digest(session))
    return Accepted("", plan.warnings, replace(plan.new_write, payload=payload))


def _plan_or_error(make_plan: MakePlan, media: AskedMedia) -> tuple[WritePlan | None, InvalidFields | None]:
    """Return the plan, or the error that refuses the request: remote media may add further errors to it."""
    try:
        return make_plan(media), None
    except InvalidFields as error:
        return None, error


def _is_current(transaction: Transaction, plan: WritePlan) -> bool:
    """Return whether the entry to be changed or copied still exists or is accepted, and the plan still holds."""
    new_write = plan.new_write
    kind = new_write.kind
    needed = new_write.payload.copy_of if new_write.entry_id is None else new_write.entry_id
    is_known = needed is None or is_there(transaction, kind, needed) or find_creation(transaction, kind, needed)
    return bool(is_known) and plan.holds(transaction)


def find_repeated(session: Session, caller: Caller) -> Accepted | None:
    """Return the answer to the same request that was sent before under the same key, or None. Raises KeyReused."""
    if caller.key is None or caller.token_id is None:
        return None
    stored = writes.find_repeated(session, caller.token_id, caller.key.name)
    if stored is None:
        return None
    write, digest = stored
    if digest != caller.key.digest:
        raise KeyReused(REUSED)
    return Accepted(write.id, write.payload.warnings if isinstance(write.payload, Save) else {})


def _keep(
    transaction: Transaction, context: WriteContext, caller: Caller, plan: WritePlan, *, names_remote_media: bool
) -> Accepted:
    new_write = plan.new_write
    if caller.if_match is not None and is_waiting(transaction, new_write.entry_key):
        raise Stale(STALE)
    caller.check_revision(transaction, new_write.kind, new_write.entry_id, new_write.locale)
    payload = replace(
        new_write.payload,
        schema_digest=content_schema_digest(transaction),
        names_remote_media=names_remote_media,
        warnings=plan.warnings,
        change_kind=ChangeKind.RESTORE if caller.restores else None,
    )
    new_write = replace(new_write, payload=payload)
    return Accepted(_insert(transaction, context, caller, new_write, write_warnings(plan.removed)), plan.warnings)


def _insert(
    transaction: Transaction, context: WriteContext, caller: Caller, new_write: NewWrite, removed: WriteWarnings
) -> str:
    """Insert the write with its reservations; return its id."""
    entries = new_write.payload.entries
    if new_write.entry_id is None:
        ids = reservations.next_entry_ids(transaction, new_write.kind, len(entries))
    else:
        ids = (new_write.entry_id,)
    entries = tuple(replace(entry, id=entry_id) for entry, entry_id in zip(entries, ids, strict=True))
    entry_id = ids[0]
    write = Write(
        id=context.new_id(),
        sequence=0,
        kind=new_write.kind,
        operation=new_write.operation,
        entry_key=new_write.entry_key or key_of(new_write.kind, entry_id),
        entry_id=entry_id,
        payload=replace(new_write.payload, entries=entries),
        status=WriteStatus.ACCEPTED,
        attempt=0,
        errors={},
        accepted_at=context.clock(),
        token_id=caller.token_id,
        user_id=caller.user_id,
        warnings=removed,
    )
    writes.insert_write(transaction, write, caller.key)
    for name in new_write.reserves:
        reservations.reserve(transaction, new_write.kind, name, write.id)
    _reserve_ids(transaction, write)
    return write.id


def _reserve_ids(transaction: Transaction, write: Write) -> None:
    """Reserve the ids of the entries that the write creates, of a kind of which it may create several."""
    if KINDS[write.kind].creates_several and write.operation is Operation.CREATE:
        reservations.reserve_ids(transaction, write.kind, write.entry_ids, write.id)


def retry_write(transaction: Transaction, write_id: str, *, is_forced: bool) -> Write:
    """Accept a rejected or failed write again, at its old place in the order.

    Raises NotFound, and Conflict where the write did not end rejected or failed, or where its entry was changed since
    then, unless `is_forced`.
    """
    write = writes.get_write(transaction, write_id)
    reopened = writes.reopen(transaction, write_id)
    if not is_forced:
        _check_unchanged(transaction, write)
    _reserve_ids(transaction, write)
    return reopened


def _check_unchanged(session: Session, write: Write) -> None:
    """Raise Conflict if a later write, or another change such as a load, changed the entry."""
    newer = writes.find_newer(session, write)
    if newer:
        named = "; ".join(map(_described, newer[:MAX_NAMED]))
        more = f"; and {len(newer) - MAX_NAMED} more" if len(newer) > MAX_NAMED else ""
        raise Conflict(
            "write", f"There are later writes to the same entry: {named}{more}. This one is {_described(write)}. {_ASK}"
        )
    found = (last_written(session, write.kind, entry_id) for entry_id in write.entry_ids)
    changed_at = max((at for _origin, at in filter(None, found)), default=None)
    if changed_at is not None and write.finished_at is not None and changed_at > write.finished_at:
        changed, ended = format_timestamp(changed_at), format_timestamp(write.finished_at)
        raise Conflict("write", f"The entry was changed at {changed}; write {write.id} ended at {ended}. {_ASK}")


def _described(write: Write) -> str:
    """Return id, operation, keys and time of a write: `4f1c (update of body, title, accepted 2026-...)`."""
    values = write.payload.sent_values() if isinstance(write.payload, Save) else ()
    keys = ", ".join(sorted({name for name, _locale, _value in values}))
    of_keys = f" of {keys}" if keys else ""
    return f"{write.id} ({write.operation}{of_keys}, accepted {format_timestamp(write.accepted_at)})"
