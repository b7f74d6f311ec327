"""Records of conflicts in the store, with which the studio shows them to people until somebody decides."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import msgspec

from sitecms.actions.loading.storing.context import LoadContext
from sitecms.actions.loading.storing.merging import Conflicting
from sitecms.content.change import EntryChange
from sitecms.content.kinds import BODY, HTML, MARKDOWN, EntryKind
from sitecms.content.query import Window
from sitecms.content.revision import Change, ChangeSource
from sitecms.store.database import Session
from sitecms.store.entries.load_conflicts import LoadConflict, save_conflict
from sitecms.store.entries.revisions import find_revisions, get_revision

LOOKED_THROUGH = 30
"""Number of revisions in which the change is looked for that made a former value."""
_DRAFT, _FIELDS = "draft", "fields"


def record_conflicts(context: LoadContext, path: str, change: EntryChange, conflicts: Sequence[Conflicting]) -> None:
    """Keep the conflicts of an entry with the file at `path`, after the change of the file is stored."""
    transaction, settings, at = context.transaction, context.settings, context.reading.source.at
    kind, entry_id = change.kind, change.id or 0
    own = [each.locale for each in change.versions]
    main = settings.default_locale if settings.default_locale in own else own[0]
    for each in conflicts:
        locale, name = _place(each.field, settings.locales, main)
        value, former = map(msgspec.to_builtins, each.texts or (each.value, each.former))
        if name == BODY:
            text_format = MARKDOWN if each.is_markdown else HTML
            value, former = ({"text": text, "format": text_format} for text in (value, former))
        record = LoadConflict(
            kind=kind, entry_id=entry_id, locale=locale, field=name, value=value, former=former, path=path,
            written=_written(transaction, (kind, entry_id, locale), name), found_at=at,
        )  # fmt: skip
        save_conflict(transaction, record)


def _place(name: str, locales: Sequence[str], main: str) -> tuple[str, str]:
    """Return the locale of a conflict and its field; names that all versions of a page have are in the main locale."""
    head, dot, rest = name.partition(".")
    return (head, rest) if head in locales and (dot or not rest) else (main, name)


def _written(session: Session, place: tuple[EntryKind, int, str], field: str) -> Change | None:
    """Return the change that made the value which the load replaced; None where the history does not have it."""
    revisions = find_revisions(session, *place, Window(LOOKED_THROUGH)).entries
    if not revisions:
        return None
    if revisions[0].ended.source is not ChangeSource.FILE:  # the load replaced nothing that histories have
        return revisions[0].ended
    former = _value(get_revision(session, *place, revisions[0].id)[1], field)
    for revision, older in pairwise(revisions):
        if _value(get_revision(session, *place, older.id)[1], field) != former:
            return revision.made
    return revisions[-1].made


def _value(state: Mapping[str, Any], field: str) -> object:
    """Return a field in a state of the history."""
    is_draft = field.partition(".")[0] == _DRAFT
    field = field.removeprefix(_DRAFT).removeprefix(".")
    version = state["draft"] if is_draft else state["live"] or state["draft"] or {}
    if not field:
        return version
    values = {**state, **(version or {})}
    if field == BODY:
        return values[MARKDOWN] or values[BODY]
    name, _, slug = field.partition(".")
    return (values.get(_FIELDS) or {}).get(slug) if name == _FIELDS else values.get(name)
