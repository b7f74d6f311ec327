"""Changes of values in one file of the site folder: checked, written in place, and kept so that they can be undone.

The values that somebody was shown are a part of each change. A value that the file has otherwise by now was changed by
hand: then nothing is written. All others are set in the file as it is.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from msgspec import Struct

from sitecms.actions.accounts.permissions import require
from sitecms.actions.editing.edited import EditContext
from sitecms.actions.syncing.edits import put, read_bytes
from sitecms.actions.syncing.git.changes import FILES_LOCK, AuthoredChange, Verb, note_change
from sitecms.actions.syncing.git.people import person_of
from sitecms.content.user import Action
from sitecms.documents.comparison import CannotRewrite
from sitecms.documents.folders import link_out, link_problem
from sitecms.documents.rewriting import BYTE_ORDER_MARK
from sitecms.errors import FileError, InvalidFields, InvalidFiles, InvalidRequest
from sitecms.files import why_not_writable
from sitecms.messages import N_, Text
from sitecms.settings.files import WriteBack
from sitecms.settings.site import SiteSettings
from sitecms.store.accounts.audit import record_action
from sitecms.store.engines.locks import LockFiles, try_lock
from sitecms.store.site_state.settings_changes import SettingsChange, ValueChange, mark_undone, save_settings_change
from sitecms.store.site_state.site_builds import count_site_change

Values: TypeAlias = dict[str, Any]
WAIT_SECONDS, POLL_SECONDS = 5.0, 0.05
BUSY = N_("Another process writes files of the site now. Nothing was changed; try again in a moment.")
CHANGED_BY_HAND = N_("It was changed in %(file)s meanwhile, to %(value)s. Nothing was saved; look at it again.")
OFF = N_("site.toml has write_back = false under [files], so the studio changes no files.")
_SHOWN = 60


class SiteFile(Struct, frozen=True):
    """A file whose values admins change; `noun` names it in commits and in the log.

    `read` returns the values in a text, `rewrite` the text with other values, and `check` raises InvalidFiles for
    values that a load or a build would refuse.
    """

    name: str
    noun: str
    read: Callable[[str], Values]
    rewrite: Callable[[str, Values], str]
    check: Callable[[SiteSettings, Values], None]


def why_not_changeable(settings: SiteSettings) -> str:
    """Return why no file of the site can be changed, as a sentence; "" if they can."""
    if settings.files.write_back is WriteBack.OFF:
        return OFF
    problem = why_not_writable(settings.folder)
    return (
        Text("The folder of the site on the server cannot be written: %(problem)s.", problem=problem) if problem else ""
    )


def read_values(settings: SiteSettings, file: SiteFile) -> Values:
    """Return the values of a file as it is now. Raises InvalidFiles."""
    return file.read(_text(settings, file)[0])


def change_site_file(
    context: EditContext, file: SiteFile, changes: Sequence[ValueChange], undoes: SettingsChange | None = None
) -> int:
    """Change values of a file, and return the id of the change; 0 if the file had them already.

    Raises Forbidden, InvalidRequest if the file cannot be written, and InvalidFields by the key of the value.
    """
    require(context.user, Action.MANAGE_SITE)
    settings, at = context.writes.settings, context.writes.clock()
    if problem := why_not_changeable(settings):
        raise InvalidRequest(f"{problem} Nothing was changed.")
    with alone(settings):
        text, mark = _text(settings, file)
        values = file.read(text)
        made = merge(values, changes, file.name)
        if not made and undoes is None:
            return 0
        new_text = mark + _rewritten(settings, file, text, values)
        if made:
            note_for_git(context, Verb.UPDATE, file.noun, file.name)
        with context.writes.database.writing() as transaction:
            change = SettingsChange(file.name, at, context.user.name, tuple(made))
            change_id = save_settings_change(transaction, change) if made else 0
            if undoes is not None:
                mark_undone(transaction, undoes.id)
            if made:
                action = "undo settings" if undoes else "change settings"
                record_action(transaction, context.user, action, file.noun, at, detail=_names(made))
                count_site_change(transaction)
                _put(settings, file, new_text)  # a transaction that fails afterwards leaves the file without history
    return change_id


def note_for_git(context: EditContext, verb: Verb, kind: str, path: str, title: str = "") -> None:
    """Note a change of a file for a commit in the name of the user, before it is written."""
    person = context.writes.database.read(person_of, context.user.name)
    note_change(context.writes.settings, AuthoredChange(person, verb, kind, title, (path,), context.writes.clock()))


def merge(values: Values, changes: Sequence[ValueChange], file: str) -> list[ValueChange]:
    """Set values, and return the changes that were none before. Raises InvalidFields for what was changed by hand."""
    errors, made = {}, []
    for change in changes:
        present = find_value(values, change.key)
        if present == change.after:
            continue
        if present != change.before:
            errors[".".join(change.key)] = [Text(CHANGED_BY_HAND, file=file, value=in_words(present))]
            continue
        set_value(values, change.key, change.after)
        made.append(change)
    if errors:
        raise InvalidFields(errors)
    return made


def find_value(values: Mapping[str, Any], key: Sequence[str]) -> Any:
    """Return the value at the end of these names, None if it is not set."""
    found: Any = values
    for name in key:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def in_words(value: object) -> str:
    """Return a value as people read it: `“Tide”`, `not set`, `yes`, `en, es`, `en: Tide, es: Marea`."""
    if value is None or value in ("", [], {}):
        return "not set" if value is None else "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(in_words(each).strip("“”") for each in value)
    if isinstance(value, dict):
        return ", ".join(f"{name}: {in_words(each).strip('“”')}" for name, each in value.items())
    text = str(value)
    shortened = f"{text[:_SHOWN].rstrip()}…" if len(text) > _SHOWN else text
    return f"“{shortened}”" if isinstance(value, str) else shortened


def fields_of(error: InvalidFiles) -> InvalidFields:
    """Return errors of a file by the key of the value."""
    messages: dict[str, list[str]] = {}
    for each in error.errors:
        messages.setdefault(each.place, []).append(_sentence(each))
    return InvalidFields(messages)


def _sentence(error: FileError) -> str:
    remedy = f" ({error.remedy})" if error.remedy else ""
    return f"It {error.problem}{remedy}."


def set_value(values: Values, key: Sequence[str], value: object) -> None:
    """Set a value, or remove it for None, and tables that are empty then."""
    *tables, name = key
    places: list[Values] = [values]
    for table in tables:
        inner = places[-1].get(table)
        places.append(inner if isinstance(inner, dict) else places[-1].setdefault(table, {}))
    if value is not None:
        places[-1][name] = value
        return
    places[-1].pop(name, None)
    for table, place, inner in zip(reversed(tables), reversed(places[:-1]), reversed(places[1:]), strict=True):
        if not inner:
            del place[table]


def _rewritten(settings: SiteSettings, file: SiteFile, text: str, values: Values) -> str:
    try:
        file.check(settings, values)
        return file.rewrite(text, values)
    except InvalidFiles as error:
        raise fields_of(error) from None
    except CannotRewrite as error:
        raise InvalidRequest(f"{file.name} cannot be changed by the studio, since {error}. Change it there.") from None


def _text(settings: SiteSettings, file: SiteFile) -> tuple[str, str]:
    """Return the text of a file without byte order mark, "" for no file, and the mark. Raises InvalidFiles."""
    try:
        text = (read_bytes(settings.folder / file.name) or b"").decode()
    except UnicodeDecodeError:
        raise InvalidFiles([FileError(file.name, "", "is not UTF-8 text", "save the file as UTF-8")]) from None
    except OSError as error:
        raise InvalidFiles([FileError(file.name, "", f"cannot be read: {error.strerror}")]) from None
    mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
    return text.removeprefix(mark), mark


def _put(settings: SiteSettings, file: SiteFile, text: str) -> None:
    if target := link_out(settings.folder, file.name):
        raise InvalidRequest(f"{file.name} {link_problem(target)}. Nothing was changed.")
    try:
        put(settings.folder / file.name, text.encode())
    except OSError as error:
        raise InvalidRequest(f"{file.name} cannot be written: {error.strerror}. Nothing was changed.") from None


@contextmanager
def alone(settings: SiteSettings) -> Iterator[None]:
    """Hold the lock of who writes files of the site. Raises InvalidRequest if another process holds it for long."""
    end = time.monotonic() + WAIT_SECONDS
    while True:
        with try_lock(LockFiles(settings.workers_dir), FILES_LOCK) as is_alone:
            if is_alone:
                yield
                return
        if time.monotonic() > end:
            raise InvalidRequest(BUSY)
        time.sleep(POLL_SECONDS)


def _names(changes: Sequence[ValueChange]) -> str:
    return ", ".join(".".join(change.key) for change in changes)
