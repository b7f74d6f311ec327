"""The form of a post: its values as they were typed, and what browsers change of them taken back.

Browsers send the lines of a text with CRLF, and drop line breaks from fields of one line: what nobody touched must come
back as it is stored. A field that is missing from a form is not changed.
"""

import re
from datetime import datetime, tzinfo
from html import escape

from werkzeug.datastructures import MultiDict

from sitecms.actions.editing.post_values import TEXTS, PostValues
from sitecms.content.field_value import FieldValue
from sitecms.errors import InvalidRequest

LAST_FIELD = "complete"
INCOMPLETE = "The form did not arrive as a whole. Nothing was changed; go back and send it again."
AREAS = frozenset({"body", "summary", "meta_description"})
_LINES = re.compile(r"\r\n|\r|\n")
Form = MultiDict[str, str]


def check_complete(form: Form) -> None:
    """Raise InvalidRequest unless the form arrived up to its last field."""
    if LAST_FIELD not in form:
        raise InvalidRequest(INCOMPLETE)


def typed_values(form: Form, before: PostValues) -> dict[str, FieldValue]:
    """Return the values in the form; `before` are those that the form showed."""
    values = dict(before)
    for name in TEXTS:
        if name in form:
            values[name] = typed_text(form[name], str(before.get(name, "")), is_area=name in AREAS)
    if "author" in form:
        values["author"] = form["author"]
    if "categories_shown" in form:
        categories = [name for name in _list(before, "categories") if name in form.getlist("categories")]
        added = [name for name in form.getlist("categories") if name not in categories]
        values["categories"] = [*dict.fromkeys((*categories, *added, *_names(form.get("new_categories", ""))))]
    if "tags" in form:
        values["tags"] = [*_names(form["tags"])]
    return values


def typed_text(typed: str | None, before: str, *, is_area: bool = False) -> str:
    """Return the text of a field, None if it is missing; `is_area` for a field of several lines."""
    if typed is None:
        return before
    if not is_area:
        return before if typed == _LINES.sub("", before) else typed
    lines = _LINES.sub("\n", typed)
    if lines == _LINES.sub("\n", before):
        return before
    return lines.replace("\n", "\r\n") if "\r\n" in before else lines


def _list(values: PostValues, name: str) -> list[str]:
    value = values.get(name)
    return [str(each) for each in value] if isinstance(value, list) else []


def _names(text: str) -> list[str]:
    """Return the names in a text that has one on each line."""
    return [*dict.fromkeys(name for line in _LINES.split(text) if (name := line.strip()))]


def shown_time(moment: datetime | None, zone: tzinfo) -> str:
    """Return a time as a field `datetime-local` shows it, in the time zone of the site."""
    return "" if moment is None else moment.astimezone(zone).replace(tzinfo=None).isoformat(timespec="minutes")


def with_picture(text: str, address: str, alt: str, *, is_markdown: bool) -> str:
    """Return the text of a post with a picture as its last block; the rest of it stays as it is."""
    if is_markdown:
        plain = re.sub(r"([\\\[\]])", r"\\\1", " ".join(alt.split()))
        block = f"![{plain}]({address})"
    else:
        block = f'<figure><img src="{escape(address)}" alt="{escape(alt)}"></figure>'
    end = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text or text.endswith(end * 2) else end if text.endswith(end) else end * 2
    return f"{text}{gap}{block}{end}"
