"""Pictures as files."""

from io import BytesIO
from typing import Any

from PIL import Image


def image_bytes(image: Image.Image, kind: str, **options: Any) -> bytes:
    """Return an image as a file of that kind, with options of Pillow."""
    buffer = BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()
