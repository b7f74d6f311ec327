"""Media files that the built site has no copies of: its pages link to where they are served from."""

import re
from collections.abc import Callable

from sitecms.content.media import MEDIA_NAME
from sitecms.media_settings import InBuild
from sitecms.settings import SiteSettings


def linked_at(settings: SiteSettings) -> str:
    """The address before `/media/<name>` that pages link to; "" where media files are part of the site."""
    return settings.media.public_url if settings.media.in_build is InBuild.LINK else ""


def make_linker(settings: SiteSettings) -> Callable[[bytes], bytes]:
    """What replaces the site's own addresses of media files in a finished page; smaller versions of them stay.

    Names are digests, so nothing else looks like one; it may stand in HTML, in a feed or in structured data.
    """
    base = linked_at(settings)
    if not base:
        return bytes
    own = rf"(?<![\w./:%-]){re.escape(settings.base_path)}"
    prefix = f"(?:{re.escape(settings.url)}|{own})" if settings.url else own
    address = re.compile(rf"{prefix}({MEDIA_NAME.pattern.replace('(', '(?:')})(?![\w.-])".encode())
    replacement = base.encode()
    return lambda page: address.sub(lambda found: replacement + found[1], page) if b"/media/" in page else page
