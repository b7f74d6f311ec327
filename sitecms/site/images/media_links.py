"""Media files that the built site has no copies of: its pages link to where they are served from, or to stand-ins."""

import re
from collections.abc import Callable, Mapping

from sitecms.content.media import MEDIA_NAME, MEDIA_PREFIX
from sitecms.media.images.derive_cache import DerivedFile
from sitecms.settings.media import InBuild
from sitecms.settings.site import SiteSettings


def linked_at(settings: SiteSettings) -> str:
    """The address before `/media/<name>` that pages link to; "" where media files are part of the site."""
    return settings.media.public_url if settings.media.in_build is InBuild.LINK else ""


def make_linker(settings: SiteSettings, stand_ins: Mapping[str, DerivedFile] | None = None) -> Callable[[bytes], bytes]:
    """What replaces the site's own addresses of media files in a finished page; smaller versions of them stay.

    A media file that is not published itself becomes its stand-in, by the name of the media file. Names are digests, so
    nothing else looks like one; it may stand in HTML, in a feed or in structured data.
    """
    base, names = linked_at(settings), {name: file.name for name, file in (stand_ins or {}).items()}
    if not base and not names:
        return bytes
    own = rf"(?<![\w./:%-]){re.escape(settings.base_path)}"
    prefix = f"{re.escape(settings.url)}|{own}" if settings.url else own
    address = re.compile(rf"({prefix}){MEDIA_NAME.pattern}(?![\w.-])".encode())

    def linked(found: re.Match[bytes]) -> bytes:
        name = found[2].decode()
        if name in names:
            return found[1] + f"{MEDIA_PREFIX}{names[name]}".encode()
        return f"{base}{MEDIA_PREFIX}{name}".encode() if base else found[0]

    return lambda page: address.sub(linked, page) if b"/media/" in page else page
