"""Forms as browsers send them: texts as they were typed, and what browsers change of them taken back.

Browsers send the lines of a text with CRLF, and drop line breaks from fields of one line: what nobody touched must come
back as it is stored. A field that is missing from a form is not changed.
"""

import re
from datetime import datetime, tzinfo
from html import escape

from werkzeug.datastructures import MultiDict

from sitecms.errors import InvalidRequest
from sitecms.messages import N_
from sitecms.studio.texts import _

LAST_FIELD = "complete"
INCOMPLETE = N_("The form did not arrive as a whole. Nothing was changed; go back and send it again.")
_LINES = re.compile(r"\r\n|\r|\n")
Form = MultiDict[str, str]


def check_complete(form: Form) -> None:
    """Raise InvalidRequest unless the form arrived up to its last field."""
    if LAST_FIELD not in form:
        raise InvalidRequest(_(INCOMPLETE))


def typed_text(typed: str | None, before: str, *, is_area: bool = False) -> str:
    """Return the text of a field, None if it is missing; `is_area` for a text of several lines.

    A title is one line in a text area, which lets a browser show all of it.
    """
    if typed is None:
        return before
    lines = _LINES.sub("\n", typed)
    if not is_area:
        is_same = lines in (_LINES.sub("", before), _LINES.sub("\n", before))
        return before if is_same else lines.replace("\n", " ")
    if lines == _LINES.sub("\n", before):
        return before
    return lines.replace("\n", "\r\n") if "\r\n" in before else lines


def names_in(text: str) -> list[str]:
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
