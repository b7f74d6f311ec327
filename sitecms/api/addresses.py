"""Addresses in responses of the API: posts on the site, media on this server."""

import re
from functools import cached_property

from msgspec import Struct

from sitecms.content.entry import Entry
from sitecms.content.media import MEDIA_NAME, MEDIA_PREFIX
from sitecms.settings.site import SiteSettings
from sitecms.site.routes import Routes

# Stored bodies are output of `sanitize`: no `>` and no `"` inside an attribute's value, no bare `<` in text.
_TAG = re.compile(r"<[a-z][^>]*>")
_ADDRESS_ATTRIBUTE = re.compile(r'( (?:data|href|poster|src|srcset)=")([^"]*)')
_MEDIA = re.compile(rf"(?<![^\s,]){MEDIA_NAME.pattern}")


class Addresses(Struct, frozen=True, dict=True):
    """Writer of addresses. `media_base` precedes `/media/...`, as `https://api.tide.example`."""

    settings: SiteSettings
    media_base: str

    @cached_property
    def _routes(self) -> Routes:
        return Routes(self.settings)

    def post(self, post: Entry) -> str:
        """Return the address of the post on the site, or its path if the settings have no `url`; "" if it has none."""
        path = self._routes.find(post)
        return self._routes.absolute(path) if path else ""

    def media(self, address: str) -> str:
        """Return a stored media address as clients reach it; remote addresses stay as they are."""
        return self.media_base + address if address.startswith(MEDIA_PREFIX) else address

    def image(self, address: str) -> str | None:
        """Return the address of an image like `media`, or None without an image (API reference, Read shapes)."""
        return self.media(address) or None

    def body(self, html: str) -> str:
        """Return a stored body with absolute media addresses in its tags; text stays as it is."""
        return _TAG.sub(self._absolute_tag, html) if MEDIA_PREFIX in html else html

    def _absolute_tag(self, tag: re.Match[str]) -> str:
        if MEDIA_PREFIX not in tag[0]:
            return tag[0]
        return _ADDRESS_ATTRIBUTE.sub(self._absolute_value, tag[0])

    def _absolute_value(self, attribute: re.Match[str]) -> str:
        return attribute[1] + _MEDIA.sub(lambda match: self.media_base + match[0], attribute[2])
