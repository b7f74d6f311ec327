"""Buttons of rows, which change what a form shows and save nothing: `up:fields.steps.1`, `add:fields.body:quote:2`.

The fields of a row have the path of the row before their names, so a row is moved by renaming them.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from sitecms.errors import InvalidRequest
from sitecms.messages import N_
from sitecms.studio.field_form import COUNT, MAX_ROWS, ORIGIN, count_of_rows, row_number
from sitecms.studio.sent_form import Form
from sitecms.studio.texts import _

NO_ROW = N_("There is no such row any more. Open the page again.")
NEW_ROW = ".*."
_INSERT = "insert:"
_MOVES = {"up": -1, "down": 1}


class Rearranged(Struct, frozen=True):
    """A form whose rows a button changed, and the name of the row to show open, "" for none.

    `insert:` before the name: the choice of what is added before that row.
    """

    form: Form
    opened: str = ""


def rearrange(form: Form, button: str) -> Rearranged | None:
    """Return the form as the button of a row changes it; None for other buttons.

    `refresh` changes nothing: the form is shown again, with the references that there are now. Raises InvalidRequest
    for a row that does not exist.
    """
    act, _, place = button.partition(":")
    if act == "refresh":
        return Rearranged(form)
    if act == "add":
        return _add(form, place)
    if act not in (*_MOVES, "insert", "remove", "double"):
        return None
    path, _, number = place.rpartition(".")
    rows = [*range(_count(form, path))]
    row = _number(number, len(rows) - 1)
    if act == "insert":
        return Rearranged(form, f"{_INSERT}{place}")
    if act == "remove":
        return Rearranged(_with_rows(form, path, [*rows[:row], *rows[row + 1 :]]))
    if act == "double":
        if len(rows) < MAX_ROWS:
            rows.insert(row + 1, row)
        return Rearranged(_with_rows(form, path, rows), f"{path}.{min(row + 1, len(rows) - 1)}")
    to = min(max(row + _MOVES[act], 0), len(rows) - 1)
    rows.insert(to, rows.pop(row))
    return Rearranged(_with_rows(form, path, rows), f"{path}.{to}")


def add_pictures(form: Form, place: str, pictures: Iterable[tuple[str, str]]) -> Rearranged:
    """Return the form with a new row for each picture: its address and description, in `fields.steps.*.image`.

    Raises InvalidRequest for a list that does not exist.
    """
    path, _separator, slug = place.rpartition(NEW_ROW)
    opened = ""
    for address, alt in pictures:
        added = _add(form, path)
        if not added.opened:
            break
        form, opened = added.form, added.opened
        form[f"{opened}.{slug}.url"] = address
        form[f"{opened}.{slug}.alt"] = alt
    return Rearranged(form, opened)


def opened_name(opened: str) -> str:
    """Return the name of the row to show open, or before which something is to be added."""
    return opened.removeprefix(_INSERT)


def chooses_before(opened: str, name: str) -> bool:
    """Return whether the form shows the choice of what is added before the row of that name."""
    return opened == f"{_INSERT}{name}"


def _add(form: Form, place: str) -> Rearranged:
    """Return the form with a new row: `fields.steps`, or with its component and number `fields.body:quote:2`."""
    path, component, number = [*place.split(":"), "", ""][:3]
    count = _count(form, path)
    if count >= MAX_ROWS:
        return Rearranged(form)
    at = _number(number, count) if number else count
    added = _with_rows(form, path, [*range(at), None, *range(at, count)])
    if component:
        added[f"{path}.{at}.type"] = component
    return Rearranged(added, f"{path}.{at}")


def _count(form: Form, path: str) -> int:
    """Return the number of rows of a list. Raises InvalidRequest if the form has no such list."""
    count = count_of_rows(form, path)
    if count is None:
        raise InvalidRequest(_(NO_ROW))
    return count


def _number(text: str, last: int) -> int:
    """Return the number of a row, `last` at most. Raises InvalidRequest."""
    number = row_number(text)
    if number is None or number > last:
        raise InvalidRequest(_(NO_ROW))
    return number


def _with_rows(form: Form, path: str, rows: Sequence[int | None]) -> Form:
    """Return the form with these rows of a list, by their numbers in it; None is a new one, without fields."""
    before = f"{path}."
    fields: dict[int, list[tuple[str, str]]] = {}
    changed = Form()
    for name, value in form.items(multi=True):
        number, _, inner = name.removeprefix(before).partition(".") if name.startswith(before) else ("", "", "")
        if inner and (row_before := row_number(number)) is not None:
            fields.setdefault(row_before, []).append((inner, value))
        else:
            changed.add(name, value)
    for at, row in enumerate(rows):
        for inner, value in [(ORIGIN, "")] if row is None else fields.get(row, []):
            changed.add(f"{before}{at}.{inner}", value)
    changed[f"{before}{COUNT}"] = str(len(rows))
    return changed
