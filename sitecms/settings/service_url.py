"""Addresses of servers that a site may use. They may hold a password, which nothing shows."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit, urlunsplit


@dataclass(frozen=True, slots=True, repr=False)
class ServiceUrl:
    """An address as it was set, "" for none. As text it is scheme, host and path alone; `reveal` is for connecting."""

    _text: str = ""

    @property
    def scheme(self) -> str:
        """In lower case; "" where there is no address."""
        return self._text.partition(":")[0].lower() if ":" in self._text else ""

    def reveal(self) -> str:
        """All of it, the password too: for a client library, never for a message."""
        return self._text

    def is_sound(self) -> bool:
        """Whether it names a host, and a port that can be one if any."""
        try:
            parts = urlsplit(self._text)
            return bool(parts.hostname) and (parts.port is None or parts.port > 0)
        except ValueError:
            return False

    def without_password(self) -> str:
        """All that a setting of it says, but for passwords: the user's name, and options."""
        parts = urlsplit(self._text)
        user, at, place = parts.netloc.rpartition("@")
        options = "&".join(each for each in parts.query.split("&") if "password" not in each.lower())
        return urlunsplit((parts.scheme, f"{user.partition(':')[0]}{at}{place}", parts.path, options, ""))

    def __bool__(self) -> bool:
        return bool(self._text)

    def __str__(self) -> str:
        if not self._text or not self.is_sound():
            return f"{self.scheme}://..." if self.scheme else ""
        parts = urlsplit(self._text)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    def __repr__(self) -> str:
        return f"ServiceUrl({str(self)!r})"


def variable_of(part: str) -> str:
    """The environment variable that says it, too."""
    return f"SITECMS_{part.upper()}_URL"


def is_from_environment(part: str) -> bool:
    """Whether that variable is set, which then counts."""
    return bool(os.environ.get(variable_of(part)))


def service_url(data: Mapping[str, Any], part: str) -> ServiceUrl:
    """`url` of that part of site.toml, unless the environment says it."""
    return ServiceUrl(os.environ.get(variable_of(part)) or data[part]["url"])
