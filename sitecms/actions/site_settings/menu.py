"""The menu of the site as one list of rows: entries at the top, and those below them.

An entry at the top is an item of the collection `menu`; what is below it are rows of its field `children`. Saving
compares the rows with those that were shown, checks every changed item before the first is written, and keeps both
lists, so that the menu can be put back as a whole. Each locale has entries of its own; their order is the same in all.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from sitecms.actions.accounts.permissions import require
from sitecms.actions.editing.bulk import Settle
from sitecms.actions.editing.edited import EditContext, Edited, NewEntry, get_edited
from sitecms.actions.editing.entries import Form, Target, create, delete, entry_of_form, save
from sitecms.actions.editing.values import fields_in
from sitecms.actions.item_order import arrange_items
from sitecms.actions.site_settings.site_file import alone, note_for_git, why_not_changeable
from sitecms.actions.syncing.edits import put
from sitecms.actions.syncing.git.changes import Verb
from sitecms.content.entry import FIELDS
from sitecms.content.kinds import EntryKind
from sitecms.content.schema import Collection, FieldSpec, collection_from
from sitecms.content.status import Version
from sitecms.content.user import Action
from sitecms.documents.yaml12 import load_yaml
from sitecms.errors import InvalidFields, InvalidRequest, NotFound, Stale
from sitecms.messages import N_, Text
from sitecms.resources import resource_dir
from sitecms.store.accounts.audit import record_action
from sitecms.store.database import Session
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.site_state.documents import load_content_schema, save_content_schema
from sitecms.store.site_state.settings_changes import (
    SettingsChange,
    ValueChange,
    mark_undone,
    save_settings_change,
)
from sitecms.store.writes.writes import get_write

MENU = "menu"
LABEL, ADDRESS, CHILDREN = "label", "url", "children"
MOST_ROWS = 200
SCHEMA_FILE = f"schema/collections/{MENU}.yaml"
NEEDED = {LABEL: N_("Write the text that readers see."), ADDRESS: N_("Say where it leads.")}
NO_PARENT = N_("Nothing is above it that it can be below.")
NOT_NESTED = N_("The menu of this site has one level: its collection has no rows below an entry.")
UNFIT = N_("The collection `menu` has no fields `label` and `url`, so its entries are changed in Collections.")
CHANGED = N_("Somebody else changed the menu meanwhile. Nothing was saved; open it again.")


class MenuRow(Struct, frozen=True):
    """A row of the menu, at the top (`level` 0) or below; one at the top has the id of its item, 0 for a new one."""

    label: str
    url: str
    level: int = 0
    id: int = 0


class Menu(Struct, frozen=True):
    """The menu in a locale. `exists`: there is a collection. `nests`: it has rows below entries."""

    locale: str
    rows: tuple[MenuRow, ...]
    exists: bool = True
    nests: bool = True
    label_length: int | None = None


def read_menu(session: Session, locale: str) -> Menu:
    """Return the menu as its editor shows it. Raises InvalidRequest for a collection of another form."""
    collection = load_content_schema(session).collections.get(MENU)
    if collection is None:
        return Menu(locale, (), exists=False)
    if not {LABEL, ADDRESS} <= {spec.slug for spec in collection.fields}:
        raise InvalidRequest(UNFIT)
    rows, fields_by_id = list[MenuRow](), dict[int, Mapping[str, Any]]()
    for each in VERSIONS[EntryKind.ITEM].of_type(session, MENU):
        if each.locale == locale and (each.id not in fields_by_id or each.version is Version.DRAFT):
            fields_by_id[each.id] = each.fields
    for item_id, fields in fields_by_id.items():
        rows.append(MenuRow(str(fields.get(LABEL) or ""), str(fields.get(ADDRESS) or ""), 0, item_id))
        rows += _below(fields.get(CHILDREN))
    spec = next(spec for spec in collection.fields if spec.slug == LABEL)
    return Menu(locale, tuple(rows), nests=_rows_field(collection) is not None, label_length=spec.max_length)


def is_menu_alone(collection: Collection) -> bool:
    """Return whether a collection is the menu, and its items hold nothing beside what the editor of the menu shows."""
    slugs = {spec.slug for spec in collection.fields}
    rows = _rows_field(collection)
    inner = {spec.slug for spec in rows.fields} if rows else set[str]()
    known = {LABEL, ADDRESS} | ({CHILDREN} if rows else set())
    return collection.key == MENU and {LABEL, ADDRESS} <= slugs <= known and inner <= {LABEL, ADDRESS}


def save_menu(
    context: EditContext,
    before: Sequence[MenuRow],
    rows: Sequence[MenuRow],
    locale: str,
    settle: Settle,
    undoes: SettingsChange | None = None,
) -> int:
    """Save the rows in place of those that were shown, and return the id of the change; 0 if they are the same.

    Raises Stale if the menu is another one by now, and InvalidFields by the number of a row and its field (`3.url`).
    """
    require(context.user, Action.MANAGE_SITE)
    with context.writes.database.reading() as session:
        menu = read_menu(session, locale)
    if menu.exists and _shape(menu.rows) != _shape(before):
        raise Stale(CHANGED)
    _check(rows, nests=menu.nests)
    if menu.exists and list(rows) == list(menu.rows):
        return 0
    if not menu.exists:
        _make_collection(context)
    tops = [*_tops(rows)]
    _check_items(context, tops, locale)
    ids = [_write(context, row, below, locale, settle) for _number, row, below in tops]
    gone = {row.id for row in menu.rows if row.id} - {*ids}
    for item_id in sorted(gone):
        _delete(context, item_id, locale)
    arrange_items(context.writes, context.user, MENU, ids)
    return _keep(context, menu, ids, rows, undoes)


def undo_menu(context: EditContext, change: SettingsChange, settle: Settle) -> int:
    """Put the menu back as it was before a change. Raises Stale if it was changed again since."""
    (values,) = change.values
    before, after = ([MenuRow(*row) for row in rows or ()] for rows in (values.before, values.after))
    locale = values.key[1]
    with context.writes.database.reading() as session:
        menu = read_menu(session, locale)
    if _shape(menu.rows) != _shape(after):
        raise Stale(CHANGED)
    here = {row.id for row in menu.rows if row.id}
    restored = [row if row.id in here else msgspec.structs.replace(row, id=0) for row in before]
    return save_menu(context, menu.rows, restored, locale, settle, change)


def _shape(rows: Sequence[MenuRow]) -> list[tuple[str, str, int]]:
    return [(row.label, row.url, row.level) for row in rows]


def _below(rows: object) -> Iterator[MenuRow]:
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, Mapping):
            yield MenuRow(str(row.get(LABEL) or ""), str(row.get(ADDRESS) or ""), 1)


def _rows_field(collection: Collection) -> FieldSpec | None:
    """Return the field with the rows below an entry."""
    specs = (spec for spec in collection.fields if spec.slug == CHILDREN and spec.type == "repeater")
    return next((spec for spec in specs if {LABEL, ADDRESS} <= {inner.slug for inner in spec.fields}), None)


def _check(rows: Sequence[MenuRow], *, nests: bool) -> None:
    if len(rows) > MOST_ROWS:
        raise InvalidRequest(Text("The menu has more than %(num)s entries.", num=MOST_ROWS))
    errors: dict[str, list[str]] = {}
    for number, row in enumerate(rows):
        for name, message in NEEDED.items():
            if not getattr(row, name):
                errors[f"{number}.{name}"] = [message]
        if row.level and (not number or not nests):
            errors[f"{number}.{LABEL}"] = [NO_PARENT if nests else NOT_NESTED]
    if errors:
        raise InvalidFields(errors)


def _tops(rows: Sequence[MenuRow]) -> Iterator[tuple[int, MenuRow, list[MenuRow]]]:
    """Yield the number of each row at the top, the row, and those below it."""
    starts = [number for number, row in enumerate(rows) if not row.level]
    for start, end in zip(starts, [*starts[1:], len(rows)], strict=True):
        yield start, rows[start], list(rows[start + 1 : end])


def _check_items(context: EditContext, tops: Sequence[tuple[int, MenuRow, list[MenuRow]]], locale: str) -> None:
    """Check every item as a write would, before the first is written. Raises InvalidFields by the row."""
    errors: dict[str, list[str]] = {}
    for number, row, below in tops:
        place = _place_of(context, row, locale)
        try:
            entry_of_form(context, place, {FIELDS: _fields(place, row, below)})
        except InvalidFields as error:
            for name, messages in error.messages.items():
                errors.setdefault(_row_of(name, number), []).extend(messages)
    if errors:
        raise InvalidFields(errors)


def _row_of(name: str, number: int) -> str:
    """Return the row and the field of an error of an item: `children[1].url` of row 3 is `5.url`."""
    parts = name.removeprefix(f"{FIELDS}.").replace("[", ".").replace("]", "").split(".")
    if parts[0] == CHILDREN and len(parts) > 1 and parts[1].isdecimal():
        return f"{number + 1 + int(parts[1])}.{parts[-1] if parts[-1] in (LABEL, ADDRESS) else LABEL}"
    return f"{number}.{parts[0] if parts[0] in (LABEL, ADDRESS) else LABEL}"


def _fields(place: Edited | NewEntry, row: MenuRow, below: Sequence[MenuRow]) -> dict[str, Any]:
    """Return the fields of an item; rows keep what else they have where their text and address stay."""
    stored: dict[str, Any] = dict(fields_in(place.values)) if isinstance(place, Edited) else {}
    former = [each for each in stored.get(CHILDREN) or () if isinstance(each, dict)]
    known = {(each.get(LABEL), each.get(ADDRESS)): each for each in former}
    rows = [{**known.get((each.label, each.url), {}), LABEL: each.label, ADDRESS: each.url} for each in below]
    fields = {**stored, LABEL: row.label, ADDRESS: row.url}
    if rows or CHILDREN in stored:
        fields[CHILDREN] = rows
    return fields


def _place_of(context: EditContext, row: MenuRow, locale: str) -> Edited | NewEntry:
    """Return the item of a row, or the place of a new one."""
    return _edited(context, row.id, locale) if row.id else NewEntry(EntryKind.ITEM, MENU, locale)


def _edited(context: EditContext, item_id: int, locale: str) -> Edited:
    with context.writes.database.reading() as session:
        edited = get_edited(session, context.user, EntryKind.ITEM, item_id, locale)
    if edited.type != MENU:
        raise NotFound("Not found.")
    return edited


def _write(context: EditContext, row: MenuRow, below: Sequence[MenuRow], locale: str, settle: Settle) -> int:
    """Write an item if it differs, and return its id."""
    edited = _place_of(context, row, locale)
    fields = _fields(edited, row, below)
    if isinstance(edited, NewEntry):
        saved = create(context, edited, Form({FIELDS: fields}), Target.PUBLISH)
        return _applied_id(context, saved.write_id, settle)
    if fields != fields_in(edited.values):
        saved = save(context, edited, Form({**edited.values, FIELDS: fields}, edited.revision), Target.PUBLISH)
        if saved.write_id:
            settle(saved.write_id)
    return row.id


def _applied_id(context: EditContext, write_id: str, settle: Settle) -> int:
    """Wait until a write is applied, and return the id of its entry."""
    settle(write_id)
    with context.writes.database.reading() as session:
        return get_write(session, write_id).entry_id


def _delete(context: EditContext, item_id: int, locale: str) -> None:
    edited = _edited(context, item_id, locale)
    delete(context, edited, edited.revision, locale if len(edited.locales) > 1 else "")


def _keep(
    context: EditContext, menu: Menu, ids: Sequence[int], rows: Sequence[MenuRow], undoes: SettingsChange | None
) -> int:
    """Keep both lists, and return the id of the change."""
    numbers = iter(ids)
    after = [msgspec.structs.replace(row, id=0 if row.level else next(numbers)) for row in rows]
    former, new = ([list(msgspec.structs.astuple(row)) for row in each] for each in (menu.rows, after))
    change = ValueChange((MENU, menu.locale), former, new)
    at = context.writes.clock()
    with context.writes.database.writing(counts_as_change=False) as transaction:
        if undoes is not None:
            mark_undone(transaction, undoes.id)
        record_action(transaction, context.user, "undo settings" if undoes else "change settings", MENU, at)
        return save_settings_change(transaction, SettingsChange(MENU, at, context.user.name, (change,)))


def _make_collection(context: EditContext) -> None:
    """Add the collection that starter sites have to a site without a menu of its own. Raises InvalidRequest."""
    settings = context.writes.settings
    if problem := why_not_changeable(settings):
        raise InvalidRequest(f"{problem} Nothing was changed.")
    data = (resource_dir("starters") / "common" / SCHEMA_FILE).read_bytes()
    declared: Any = load_yaml(data.decode())
    note_for_git(context, Verb.ADD, MENU, SCHEMA_FILE)
    with alone(settings), context.writes.database.writing() as transaction:
        schema = load_content_schema(transaction)
        collections = {**schema.collections, MENU: collection_from(declared, MENU)}
        save_content_schema(transaction, msgspec.structs.replace(schema, collections=collections))
        put(settings.folder / SCHEMA_FILE, data)
