"""Messages for people, in English. Those with values keep these and their template, so that the studio translates them.

API, commands and logs take a message as the text that it is.
"""

from collections.abc import Mapping
from typing import Any


def N_(message: str, /) -> str:  # noqa: N802 - the name that extractors of texts look for
    """Mark a constant as a message; who shows it to people translates it."""
    return message


class Text(str):
    """An English text made from a template with named values, `Text("Use at most %(num)s characters.", num=5)`.

    A value that is a text itself is translated, too; others are shown as they are. A per cent sign is written twice.
    """

    template: str
    values: Mapping[str, object]

    def __new__(cls, template: str, /, **values: object) -> "Text":
        """Make the text."""
        text = super().__new__(cls, template % values)
        text.template, text.values = template, values
        return text

    def __reduce__(self) -> tuple[Any, ...]:
        """Let the text cross to another process."""
        return _restored, (self.template, dict(self.values))


def _restored(template: str, values: Mapping[str, object]) -> Text:
    return Text(template, **values)


def text_of(error: Exception) -> str:
    """Return the message of an error as it was given: `str` makes a plain text of it."""
    return error.args[0] if error.args and isinstance(error.args[0], str) else str(error)


def stored_form(message: str) -> object:
    """Return a message as plain data, from which `read_message` makes it again."""
    if not isinstance(message, Text):
        return message
    return {"text": message.template, "values": {name: _stored_value(value) for name, value in message.values.items()}}


def _stored_value(value: object) -> object:
    return stored_form(value) if isinstance(value, str) else value


def read_message(stored: Any) -> str:
    """Return a message from its stored form."""
    if not isinstance(stored, dict):
        return str(stored)
    return Text(stored["text"], **{name: _value_of(value) for name, value in stored["values"].items()})


def _value_of(stored: Any) -> object:
    return read_message(stored) if isinstance(stored, dict) else stored
