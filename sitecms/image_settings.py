"""How pictures are published: the tables [images] and [share_images] of site.toml."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ImageSettings:
    """Which smaller versions of images are made. `formats` are in order of preference; qualities go from 1 to 100."""

    enabled: bool
    widths: tuple[int, ...]
    formats: tuple[str, ...]
    avif_quality: int
    webp_quality: int

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
