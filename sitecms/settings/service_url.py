"""Addresses of servers that a site uses. They may contain a password, which is never shown."""

import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlunsplit

from msgspec import Struct

from sitecms.web_address import split_address


class ServiceUrl(Struct, frozen=True):
    """The address of a server, "" for none. Its text is scheme, host and path alone; `reveal` is for connecting."""

    _text: str = ""

    @property
    def scheme(self) -> str:
        """The scheme in lower case; "" where there is no address."""
        return self._text.partition(":")[0].lower() if ":" in self._text else ""

    def reveal(self) -> str:
        """Return the whole address with its password: for a client library, never for a message."""
        return self._text

    def is_valid(self) -> bool:
        """Return whether the address names a host, and a valid port if any."""
        try:
            parts = split_address(self._text)
            return bool(parts.hostname) and (parts.port is None or parts.port > 0)
        except ValueError:
            return False

    def without_password(self) -> str:
        """Return the address without passwords, but with the user's name and options."""
        parts = split_address(self._text)
        user, at, place = parts.netloc.rpartition("@")
        options = "&".join(each for each in parts.query.split("&") if "password" not in each.lower())
        return urlunsplit((parts.scheme, f"{user.partition(':')[0]}{at}{place}", parts.path, options, ""))

    def __bool__(self) -> bool:
        """Return whether there is an address."""
        return bool(self._text)

    def __str__(self) -> str:
        """Return scheme, host and path."""
        if not self._text or not self.is_valid():
            return f"{self.scheme}://..." if self.scheme else ""
        parts = split_address(self._text)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    def __repr__(self) -> str:
        """Return the text as an expression."""
        return f"ServiceUrl({str(self)!r})"


def variable_of(part: str) -> str:
    """Return the environment variable that overrides `url` of a part of site.toml."""
    return f"SITECMS_{part.upper()}_URL"


def is_from_environment(part: str) -> bool:
    """Return whether that variable is set."""
    return bool(os.environ.get(variable_of(part)))


def service_url(data: Mapping[str, Any], part: str) -> ServiceUrl:
    """Return `url` of a part of site.toml, or the environment's."""
    return ServiceUrl(os.environ.get(variable_of(part)) or data[part]["url"])
