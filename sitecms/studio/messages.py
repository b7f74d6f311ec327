"""Messages of the lower layers, which speak English, in the language of a request."""

from sitecms.messages import Text
from sitecms.studio.texts import translation


def message_text(message: str) -> str:
    """Return the translation of a message, and of messages among its values; one without a translation unchanged."""
    if not isinstance(message, Text):
        return translation(message)
    values = {name: message_text(each) if isinstance(each, Text) else each for name, each in message.values.items()}
    return translation(message.template) % values
