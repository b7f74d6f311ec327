"""HEIC pictures, as phones take them: converted to JPEG, which every browser shows.

The package that reads them (the extra `heic`) is not required: it brings 26 MB of codecs under licences of their own.
Runs in the process that `sitecms.media.decoding.sandbox` limits.
"""

from io import BytesIO
from pathlib import PurePath

from sitecms.errors import InvalidMedia
from sitecms.media.decoding.file_types import BROKEN, MAX_PIXELS, TOO_LARGE, is_heic
from sitecms.optional_packages import Extra, is_installed, missing_package

QUALITY = 90
_UNNAMED = "picture"
_MAX_PROFILE_BYTES = 1024 * 1024
_REMEDY = "or save the picture as JPEG, PNG, WebP or AVIF"


def as_jpeg(data: bytes, name: str) -> tuple[bytes, str]:
    """Return a HEIC picture upright as JPEG, or as PNG if parts of it are transparent, and its name with that ending.

    Nothing is kept beside its pixels and its colour profile: neither the place nor anything else that the phone wrote.
    Other files are returned as they are. Raises InvalidMedia.
    """
    if not is_heic(data):
        return data, name
    if not is_installed(Extra.HEIC):
        raise InvalidMedia(f"{missing_package(Extra.HEIC, 'A HEIC picture')}; {_REMEDY}")
    import pillow_heif

    pillow_heif.options.DECODE_THREADS = 1
    try:
        heic = pillow_heif.open_heif(BytesIO(data))
        width, height = heic.size
        if width * height > MAX_PIXELS:
            raise InvalidMedia(TOO_LARGE)
        image = heic.to_pillow()  # turned and mirrored as the file says
    except BROKEN as error:
        raise InvalidMedia(f"the HEIC picture is broken ({error})") from error
    kind, ending = ("PNG", ".png") if image.has_transparency_data else ("JPEG", ".jpg")
    profile = image.info.get("icc_profile") or b""
    image.info = {}
    buffer = BytesIO()
    image.convert("RGBA" if kind == "PNG" else "RGB").save(
        buffer, kind, quality=QUALITY, icc_profile=profile if len(profile) <= _MAX_PROFILE_BYTES else None
    )
    return buffer.getvalue(), f"{PurePath(name).stem or _UNNAMED}{ending}"
