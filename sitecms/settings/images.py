"""How pictures are published: the tables [images] and [share_images] of site.toml."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class ImageSettings:
    """Which smaller versions of images are made. `formats` are in order of preference; qualities go from 1 to 100.

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
        """The quality of one of the formats."""
        return self.avif_quality if form == "avif" else self.webp_quality


@dataclass(frozen=True, slots=True)
class ShareImageSettings:
    """Whether pages without an image get a drawn one to be shared with.

    `fonts` are files of the site folder for what the font of the package has no letters for.
    """

    enabled: bool
    fonts: tuple[str, ...]


def image_settings(data: Mapping[str, Any]) -> ImageSettings:
    """The table [images], checked and filled in before."""
    return ImageSettings(**{**data, "widths": tuple(sorted(data["widths"])), "formats": tuple(data["formats"])})


def share_image_settings(data: Mapping[str, Any]) -> ShareImageSettings:
    """The table [share_images], checked and filled in before."""
    return ShareImageSettings(data["enabled"], tuple(data["fonts"]))
