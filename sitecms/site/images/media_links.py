"""Links to media files that the built site has no copies of: to a media server, or to smaller stand-ins."""

import re
from collections.abc import Callable, Mapping

from sitecms.content.media import MEDIA_NAME, MEDIA_PREFIX
from sitecms.media.images.derive_cache import DerivedFile
from sitecms.settings.media import InBuild
from sitecms.settings.site import SiteSettings


def linked_at(settings: SiteSettings) -> str:
    """Return the address before `/media/<name>` in links; "" if media files are part of the site."""
    return settings.media.public_url if settings.media.in_build is InBuild.LINK else ""


def make_linker(settings: SiteSettings, stand_ins: Mapping[str, DerivedFile] | None = None) -> Callable[[bytes], bytes]:
    """Return the function that replaces addresses of media files in a rendered page, but not those of variants.

    An address of a media file that is not published itself becomes that of its stand-in. Names of media files are
    digests, so they can be replaced anywhere: in HTML, in feeds and in structured data.
    """
    base, names = linked_at(settings), {name: file.name for name, file in (stand_ins or {}).items()}
    if not base and not names:
        return bytes
    base_pattern = rf"(?<![\w./:%-]){re.escape(settings.base_path)}"
    prefix = f"{re.escape(settings.url)}|{base_pattern}" if settings.url else base_pattern
    address = re.compile(rf"({prefix}){MEDIA_NAME.pattern}(?![\w.-])".encode())

    def linked(match: re.Match[bytes]) -> bytes:
        name = match[2].decode()
        if name in names:
            return match[1] + f"{MEDIA_PREFIX}{names[name]}".encode()
        return f"{base}{MEDIA_PREFIX}{name}".encode() if base else match[0]

    return lambda page: address.sub(linked, page) if b"/media/" in page else page
