"""Smaller versions of images in lighter formats, and the colour shown until one is loaded.

An image that is too large to be published also gets a JPEG or PNG file that every program can read. All functions are
pure and give equal bytes for equal input: encoders run in one thread and get no metadata.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from sitecms.content.media import MediaFile
from sitecms.errors import InvalidMedia
from sitecms.media.decoding.cut_off import CUT_OFF, padded
from sitecms.media.decoding.file_types import BROKEN, OPENED, identify
from sitecms.settings.media import ImageSettings

if TYPE_CHECKING:
    from PIL import Image

DERIVED_TYPES = frozenset({"image/jpeg", "image/png", "image/webp", "image/avif", "image/gif"})
STAND_IN_TYPES = {"jpg": "image/jpeg", "png": "image/png"}
"""Formats of what takes the place of an image that is not published itself: JPEG, or PNG if it is transparent."""
LEAST_BYTES = 2048  # a smaller file has nothing to gain
_NEARLY_WHOLE = 0.9  # a width above this share of the image's own is left to the image's own
_PLAIN_MODES = frozenset({"1", "L", "LA", "P", "PA", "RGB", "RGBA", "CMYK", "YCbCr"})
_LOSSLESS = frozenset({"PNG", "GIF"})
_AVIF_SPEED = 9  # lower speeds save few bytes
_WEBP_METHOD = 2  # higher methods save few bytes
_JPEG_QUALITY = 85
_THUMBNAIL_QUALITY = 75
_LIGHT = 0.2  # bytes for each pixel, up to which an image serves old browsers as its own largest version


class Variant(Struct, frozen=True):
    """Version of an image; `form` is `avif` or `webp`, or one of STAND_IN_TYPES."""

    form: str
    width: int
    height: int
    data: bytes


class Derived(Struct, frozen=True):
    """Versions of an image. `color` is its average, `#rrggbb`; "" if it is partly transparent.

    `problem`: what is wrong with an image of which only a part could be decoded.
    """

    color: str = ""
    variants: tuple[Variant, ...] = ()
    problem: str = ""


def derive(data: bytes, settings: ImageSettings, *, with_stand_in: bool = False) -> Derived:
    """Return the versions that save bytes; none of an animation, which stays as it is.

    With `with_stand_in`, one version in the largest width replaces the image, if it has fewer bytes. A version has
    fewer bytes than the image, and a format in total fewer than the next one in `settings.formats`. The first format
    has all widths; the others are for old browsers, and have about half of them. Of a broken image the versions show
    as much as can be decoded. Raises InvalidMedia if that is nothing, for a too large image, and for a file that is no
    image.
    """
    identify(data, "image")
    whole = padded(data)
    try:
        derived = _derived(whole, settings, with_stand_in=with_stand_in)
    except BROKEN as error:
        with _decoding_parts():
            derived = replace(_derived(whole, settings, with_stand_in=with_stand_in), problem=str(error))
    return replace(derived, problem=CUT_OFF) if whole is not data else derived


@contextmanager
def _decoding_parts() -> Iterator[None]:
    """Let Pillow decode as much as there is of a picture until the block ends. Raises InvalidMedia if it is nothing."""
    from PIL import ImageFile

    ImageFile.LOAD_TRUNCATED_IMAGES = True
    try:
        yield
    except BROKEN as error:
        raise InvalidMedia(f"the image is broken ({error})") from error
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = False


def needs_thumbnail(media: MediaFile, width: int) -> bool:
    """Return whether a file is a picture so large that a version of this width saves something."""
    return media.content_type in DERIVED_TYPES and media.size_bytes >= LEAST_BYTES and (media.width or 0) > width


def make_thumbnail(data: bytes, width: int) -> bytes:
    """Return a small WebP picture of an image, of an animation the first frame. Raises InvalidMedia as `derive`.

    It is never wider than the image. Modes of science and print are converted as far as they can be.
    """
    identify(data, "image")
    from PIL import Image

    try:
        with warnings.catch_warnings(action="ignore"), Image.open(BytesIO(data), formats=OPENED) as image:
            picture = _upright(image, width) or image.convert("RGB")
            thumbnail = picture if picture.width <= width else _resized(picture, width)
            return _encoded(thumbnail, "webp", _options("webp", _THUMBNAIL_QUALITY, is_lossless=False))
    except BROKEN as error:
        raise InvalidMedia(f"the image is broken ({error})") from error


def _derived(data: bytes, settings: ImageSettings, *, with_stand_in: bool) -> Derived:
    from PIL import Image

    with warnings.catch_warnings(action="ignore"), Image.open(BytesIO(data), formats=OPENED) as image:
        if getattr(image, "is_animated", False) and image.format != "MPO":
            return Derived()
        return _versions(image, len(data), settings, with_stand_in=with_stand_in)


def _versions(image: "Image.Image", size_bytes: int, settings: ImageSettings, *, with_stand_in: bool) -> Derived:
    is_lossless = image.format in _LOSSLESS
    picture = _upright(image, settings.widths[-1])
    if picture is None:
        return Derived()
    sizes = tuple(_sized(picture, settings.widths))
    serves_old = not is_lossless and picture.width <= settings.widths[-1] and size_bytes <= _LIGHT * _area(picture)
    few = _few(sizes, with_largest=not serves_old) if len(settings.formats) > 1 else sizes

    def encoded(form: str, sized: "Image.Image") -> Variant:
        data = _encoded(sized, form, _options(form, settings.quality(form), is_lossless))
        return Variant(form, sized.width, sized.height, data)

    variants = {form: [encoded(form, sized) for sized in few] for form in settings.formats}
    forms = _smaller_formats(variants, size_bytes)
    if forms:
        by_width = {each.width: each for each in variants[forms[0]]}
        variants[forms[0]] = [by_width.get(sized.width) or encoded(forms[0], sized) for sized in sizes]
    files = [each for form in forms for each in variants[form] if len(each.data) < size_bytes]
    if with_stand_in:
        largest = picture if picture.width <= settings.widths[-1] else _resized(picture, settings.widths[-1])
        stand_in = _stand_in(largest, is_lossless=is_lossless)
        files += [stand_in] if len(stand_in.data) < size_bytes else []
    return Derived(_color(picture), tuple(files))


def _stand_in(picture: "Image.Image", *, is_lossless: bool) -> Variant:
    """Return the picture as JPEG, or as PNG if it is transparent."""
    buffer = BytesIO()
    plain = picture.copy()
    plain.info = {}
    if picture.mode == "RGBA":
        plain.save(buffer, "PNG", optimize=True)
        return Variant("png", picture.width, picture.height, buffer.getvalue())
    subsampling = "4:4:4" if is_lossless else "4:2:0"
    plain.save(buffer, "JPEG", quality=_JPEG_QUALITY, subsampling=subsampling, progressive=True, optimize=True)
    return Variant("jpg", picture.width, picture.height, buffer.getvalue())


def _upright(image: "Image.Image", largest: int) -> "Image.Image | None":
    """Return the pixels as displayed, in sRGB, as RGB or RGBA; None for modes of science and print.

    Of a JPEG much larger than the largest version a smaller size is decoded, with its proportions within one pixel.
    """
    from PIL import ImageOps

    if image.mode not in _PLAIN_MODES:
        return None
    image.draft(image.mode, (largest, largest))
    has_alpha = image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info
    image.load()
    turned = _in_srgb(ImageOps.exif_transpose(image))
    if not has_alpha:
        return turned.convert("RGB")
    turned = turned.convert("RGBA")
    lowest, _ = turned.getchannel("A").getextrema()
    return turned.convert("RGB") if lowest == 255 else turned


def _in_srgb(image: "Image.Image") -> "Image.Image":
    """Convert colours to sRGB and drop the profile; a broken profile leaves the numbers unchanged."""
    profile = image.info.get("icc_profile")
    if not profile or image.mode not in ("RGB", "RGBA", "CMYK"):
        return image
    from PIL import ImageCms

    try:
        source = ImageCms.getOpenProfile(BytesIO(profile))
        target = "RGBA" if image.mode == "RGBA" else "RGB"
        changed = ImageCms.profileToProfile(image, source, ImageCms.createProfile("sRGB"), outputMode=target)
    except (ImageCms.PyCMSError, OSError, ValueError):
        return image
    return changed or image


def _sized(picture: "Image.Image", widths: tuple[int, ...]) -> "Iterator[Image.Image]":
    """Yield the picture in each width that it has, and last in its own if that is not too large.

    The small ones are made from larger ones that are at least twice as wide.
    """
    sizes = [width for width in widths if width <= picture.width * _NEARLY_WHOLE]
    if picture.width <= widths[-1]:
        sizes.append(picture.width)
    elif widths[-1] not in sizes:
        sizes.append(widths[-1])
    sources = {picture.width: picture}
    for width in sorted(sizes, reverse=True):
        large = min(source for source in sources if source == width or source >= 2 * width or source == picture.width)
        sources[width] = sources[large] if large == width else _resized(sources[large], width)
    yield from (sources[width] for width in sizes)


def _few(sizes: "tuple[Image.Image, ...]", *, with_largest: bool) -> "tuple[Image.Image, ...]":
    """Return every second size from the smallest, and the largest if the image itself does not serve as that."""
    few = (*sizes[:-1:2], *(sizes[-1:] if with_largest else ()))
    return few or sizes


def _area(picture: "Image.Image") -> int:
    return picture.width * picture.height


def _resized(picture: "Image.Image", width: int) -> "Image.Image":
    from PIL import Image

    height = max(1, round(picture.height * width / picture.width))
    return picture.resize((width, height), Image.Resampling.LANCZOS, reducing_gap=3.0)


def _options(form: str, quality: int, is_lossless: bool) -> dict[str, Any]:
    """Return encoder options; drawings and text keep full colour resolution where the format allows it."""
    if form == "avif":
        subsampling = "4:4:4" if is_lossless else "4:2:0"
        return {"quality": quality, "speed": _AVIF_SPEED, "max_threads": 1, "subsampling": subsampling}
    return {"quality": quality, "method": _WEBP_METHOD}


def _encoded(picture: "Image.Image", form: str, options: dict[str, Any]) -> bytes:
    plain = picture.copy()
    plain.info = {}
    buffer = BytesIO()
    plain.save(buffer, form.upper(), **options)
    return buffer.getvalue()


def _smaller_formats(variants: dict[str, list[Variant]], size_bytes: int) -> list[str]:
    """Return the formats to keep. A browser takes the first one it knows, so none may be larger than a later one.

    If a version has no fewer bytes than the image, the browser gets the image, whose size counts instead.
    """
    forms: list[str] = []
    least = size_bytes * len(next(iter(variants.values()), []))
    for form in reversed(variants):
        total = sum(min(len(each.data), size_bytes) for each in variants[form])
        if total < least:
            forms.insert(0, form)
            least = total
    return forms


def _color(picture: "Image.Image") -> str:
    """Return the average colour; "" for transparent pictures, behind which a colour would stay visible."""
    from PIL import Image

    if picture.mode == "RGBA":
        return ""
    red, green, blue = picture.resize((1, 1), Image.Resampling.BOX).tobytes()
    return f"#{red:02x}{green:02x}{blue:02x}"
