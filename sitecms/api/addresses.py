"""Addresses as the API answers them: posts on the site, media on this server."""

import re
from dataclasses import dataclass

from sitecms.content.media import MEDIA_NAME, MEDIA_PREFIX
from sitecms.content.permalink import entry_path, url_path
from sitecms.content.post import Post
from sitecms.settings.site import SiteSettings

# Stored bodies are `sanitize`'s output: no `>` and no `"` inside an attribute's value, no bare `<` in text.
_TAG = re.compile(r"<[a-z][^>]*>")
_ADDRESS_ATTRIBUTE = re.compile(r'( (?:href|poster|src|srcset)=")([^"]*)')
_MEDIA = re.compile(rf"(?<![^\s,]){MEDIA_NAME.pattern}")


@dataclass(frozen=True, slots=True)
class Addresses:
    """`media_base` is what stands before `/media/...`, as `https://api.tide.example`."""

    settings: SiteSettings
    media_base: str

    def post(self, post: Post) -> str:
        """Where the post stands on the site; a path alone if the site's settings name no `url`."""
        settings = self.settings
        path = entry_path(settings.permalinks.post, post.locale, settings.default_locale, slug=post.slug)
        return settings.url + url_path(path)

    def media(self, address: str) -> str:
        """A stored media address as clients reach it; remote ones stay as they are."""
        return self.media_base + address if address.startswith(MEDIA_PREFIX) else address

    def image(self, address: str) -> str | None:
        """Like `media`; None where there is no image (decisions, Read shapes)."""
        return self.media(address) or None

    def body(self, html: str) -> str:
        """A stored body with its links to media made absolute; text that merely looks like one stays."""
        return _TAG.sub(self._absolute_tag, html) if MEDIA_PREFIX in html else html

    def _absolute_tag(self, tag: re.Match[str]) -> str:
        if MEDIA_PREFIX not in tag[0]:
            return tag[0]
        return _ADDRESS_ATTRIBUTE.sub(self._absolute_value, tag[0])

    def _absolute_value(self, attribute: re.Match[str]) -> str:
        return attribute[1] + _MEDIA.sub(lambda found: self.media_base + found[0], attribute[2])
