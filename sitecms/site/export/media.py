"""Replacement of media addresses in an export, with a record of the files that are used."""

from collections.abc import Callable, Mapping
from typing import Any

from sitecms.content.media import MEDIA_NAME


class MediaAddresses:
    """Replacement of the addresses of media files; `used` are the names of the files in texts, in order."""

    def __init__(self, names: tuple[str, ...], address: Callable[[str], str]) -> None:
        self._known, self._address = frozenset(names), address
        self.used: dict[str, None] = {}

    def replace(self, text: str) -> str:
        """Return a text with the new addresses."""
        return MEDIA_NAME.sub(lambda match: self._new(match[1]) or match[0], text)

    def replace_all(self, value: Any) -> Any:
        """Return plain data with the new addresses in all texts."""
        if isinstance(value, str):
            return self.replace(value)
        if isinstance(value, Mapping):
            return {name: self.replace_all(each) for name, each in value.items()}
        return [self.replace_all(each) for each in value] if isinstance(value, list | tuple) else value

    def _new(self, name: str) -> str:
        if name not in self._known:
            return ""
        self.used[name] = None
        return self._address(name)
