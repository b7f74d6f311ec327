"""Settings of images: the tables [images] and [share_images] of site.toml."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class ImageSettings:
    """Settings of derived image sizes. `formats` are in order of preference; qualities go from 1 to 100.

    An image larger than `original_max_pixels` on its longer side, or than `original_max_mb`, is not published itself.
    """

    enabled: bool
    widths: tuple[int, ...]
    formats: tuple[str, ...]
    avif_quality: int
    webp_quality: int
    original_max_pixels: int = 2560
    original_max_mb: float = 2

    def publishes_original(self, width: int, height: int, size_bytes: int) -> bool:
        """Return whether an image of this size is published itself."""
        return max(width, height) <= self.original_max_pixels and size_bytes <= self.original_max_mb * _MEGABYTE

    def quality(self, form: str) -> int:
        """Return the quality of one of the formats."""
        return self.avif_quality if form == "avif" else self.webp_quality


@dataclass(frozen=True, slots=True)
class ShareImageSettings:
    """Settings of share images, which are drawn for pages without an image.

    `fonts` are files of the site folder for letters that the font of the package lacks.
    """

    enabled: bool
    fonts: tuple[str, ...]


def image_settings(data: Mapping[str, Any]) -> ImageSettings:
    """Return the settings of the checked table [images], defaults filled in."""
    return ImageSettings(**{**data, "widths": tuple(sorted(data["widths"])), "formats": tuple(data["formats"])})


def share_image_settings(data: Mapping[str, Any]) -> ShareImageSettings:
    """Return the settings of the checked table [share_images], defaults filled in."""
    return ShareImageSettings(data["enabled"], tuple(data["fonts"]))
