"""Re-encoding of images, so that only pixels of a stranger's file are stored.

Runs as a process of its own, `python -m sitecms.media.decoding.normalize`, which `sitecms.media.decoding.sandbox`
starts and limits.
"""

import re
import resource
import sys
import warnings
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sitecms.errors import InvalidMedia
from sitecms.media.decoding.file_types import identify
from sitecms.stripping import without_broken_chunks

if TYPE_CHECKING:
    from PIL import Image

REFUSED = 3  # exit code: the output is the reason
MAX_FRAME_PIXELS = 200_000_000  # of all frames of an animation together
_MAX_PROFILE_BYTES = 1024 * 1024
_FORMATS = {"image/jpeg": "JPEG", "image/png": "PNG", "image/webp": "WEBP", "image/gif": "GIF", "image/avif": "AVIF"}
_KEPT = frozenset({"transparency", "duration", "loop", "background", "disposal", "blend", "default_image"})


def normalize(data: bytes) -> bytes:
    """Return the picture in the same format, upright, with its colour profile and no other metadata.

    EXIF, XMP, comments, thumbnails, further pictures and data behind the image are removed; animations stay animated.
    An SVG is returned unchanged. Raises InvalidMedia for what `decoding.file_types.identify` refuses, and any error of
    an image reader for a broken file.
    """
    identified = identify(data, "remote file")
    if identified.content_type not in _FORMATS:
        return data
    data = without_broken_chunks(data)
    from PIL import GifImagePlugin, Image

    GifImagePlugin.LOADING_STRATEGY = GifImagePlugin.LoadingStrategy.RGB_AFTER_DIFFERENT_PALETTE_ONLY
    kind = _FORMATS[identified.content_type]
    Image.MAX_IMAGE_PIXELS = None  # `identify` has judged the size; Pillow would judge only half of it
    with warnings.catch_warnings(action="ignore"), Image.open(BytesIO(data), formats=[kind]) as image:
        buffer = BytesIO()
        if getattr(image, "is_animated", False) and image.format == kind:
            _save_animation(image, kind, data, buffer)
        else:
            _save_picture(image, kind, data, buffer)
    return buffer.getvalue()


def _save_picture(image: "Image.Image", kind: str, data: bytes, buffer: BytesIO) -> None:
    from PIL import ImageOps

    options = _options(image, kind, data)
    image.load()
    upright = ImageOps.exif_transpose(image)
    upright.info = {key: value for key, value in upright.info.items() if key in _KEPT}
    upright.save(buffer, kind, **options)


def _save_animation(image: "Image.Image", kind: str, data: bytes, buffer: BytesIO) -> None:
    """Encode all frames with their durations. An EXIF orientation is dropped; no known animation has one."""
    frames = getattr(image, "n_frames", 1)
    if image.width * image.height * frames > MAX_FRAME_PIXELS:
        raise InvalidMedia(f"the animation has more than {MAX_FRAME_PIXELS // 1_000_000} megapixels in all its frames")
    options = _options(image, kind, data)
    if kind in ("WEBP", "AVIF"):  # their encoders do not look at the frames for it
        options |= {"duration": _durations(image, frames), "loop": image.info.get("loop", 0)}
    image.info = {key: value for key, value in image.info.items() if key in _KEPT}
    image.save(buffer, kind, save_all=True, **options)


def _durations(image: "Image.Image", frames: int) -> list[int]:
    durations = []
    for number in range(frames):
        image.seek(number)
        image.load()
        durations.append(round(image.info.get("duration", 0)))
    image.seek(0)
    return durations


def _options(image: "Image.Image", kind: str, data: bytes) -> dict[str, Any]:
    """Return encoder options with the least loss: a JPEG's own tables, the WebP's own mode, the colour profile."""
    profile = image.info.get("icc_profile") or b""
    options: dict[str, Any] = {"icc_profile": profile if len(profile) <= _MAX_PROFILE_BYTES else b""}
    if kind == "JPEG":
        from PIL import JpegImagePlugin

        options["qtables"] = getattr(image, "quantization", None)
        options["subsampling"] = JpegImagePlugin.get_sampling(image)
        options["progressive"] = bool(image.info.get("progressive"))
    elif kind == "WEBP":
        first = re.search(rb"VP8[L ]", data)
        options |= {"lossless": bool(first and first[0] == b"VP8L"), "quality": 85, "method": 2}
    elif kind == "AVIF":
        options |= {"quality": 80, "speed": 9, "max_threads": 1}
    return options


def enter_sandbox(memory_bytes: int, cpu_seconds: int, output_bytes: int) -> None:
    """Limit this process before it reads anything."""
    with suppress(OSError):  # where the machine itself is short of memory, this process goes before any other
        Path("/proc/self/oom_score_adj").write_text("1000", "ascii")
    if sys.platform != "darwin":  # where the kernel refuses a limit on addresses
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
    resource.setrlimit(resource.RLIMIT_FSIZE, (output_bytes, output_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main(memory_bytes: int, cpu_seconds: int, output_bytes: int) -> int:
    """Convert standard input to standard output, within limits."""
    enter_sandbox(memory_bytes, cpu_seconds, output_bytes)
    try:
        result, code = normalize(sys.stdin.buffer.read()), 0
    except InvalidMedia as error:
        result, code = str(error).encode(), REFUSED
    sys.stdout.buffer.write(result)
    sys.stdout.buffer.flush()
    return code


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
