"""Build hook of the package: scripts of the studio and fonts of the theme, made while the package is built.

hatchling runs it before wheels, source archives and editable installs. The scripts are made by `studio/bundle`. The
fonts are two weights of Source Serif from PyPI's `font-source-serif-pro`, cut to the letters of European languages in
Latin script, and STIX Two Math from `ziamath`, cut to the signs of usual formulas. Git ignores them; wheel and source
archive carry them. `python sitecms/build_hook.py` makes them again; without them pages are set in fonts of the reader's
device.
"""

import shutil
import sys
from collections.abc import Collection
from hashlib import sha256
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parents[1]
FONTS = ROOT / "templates" / "themes" / "default" / "assets" / "fonts"
MATH_FONT = FONTS.parents[1] / "formulas" / "fonts" / "math.woff2"
LICENSE = FONTS.parents[1] / "FONT-LICENSE"
WEIGHTS = {"text.woff2": "SourceSerifPro-Regular.ttf", "strong.woff2": "SourceSerifPro-Semibold.ttf"}
CHARACTERS = (
    *range(0x20, 0x7F), *range(0xA0, 0x180), 0x192, *range(0x218, 0x21C), 0x1E9E, *range(0x2010, 0x2016),
    *range(0x2018, 0x201F), *range(0x2020, 0x2023), 0x2026, 0x2030, 0x2032, 0x2033, 0x2039, 0x203A, 0x2044, 0x20AC,
    0x2116, 0x2122, *range(0x2190, 0x2194), 0x2212, 0x2248, 0x2260, 0x2264, 0x2265,
)  # fmt: skip
MATH_CHARACTERS = (
    *range(0x20, 0x7F), 0xAC, 0xB0, 0xB1, 0xB7, 0xD7, 0xF7, *range(0x300, 0x316), 0x338, *range(0x391, 0x3D7), 0x2016,
    0x2026, *range(0x2032, 0x2038), 0x203E, 0x2044, 0x2061, 0x2062, *range(0x20D0, 0x20E0), 0x2102, 0x210D, 0x210E,
    0x210F, 0x2111, 0x2113, 0x2115, 0x2118, 0x2119, 0x211A, 0x211C, 0x211D, 0x2124, 0x2135, *range(0x2190, 0x219A),
    0x21A6, *range(0x21D0, 0x21D6), *range(0x2200, 0x2300), *range(0x2308, 0x230C), *range(0x239B, 0x23B7),
    *range(0x23DC, 0x23E2), 0x27E8, 0x27E9, *range(0x27F5, 0x27FB), *range(0x2A00, 0x2A07), 0x2A7D, 0x2A7E,
    *range(0x1D434, 0x1D468), *range(0x1D538, 0x1D56C), *range(0x1D6FC, 0x1D71C),
)  # fmt: skip
FEATURES = ("kern", "liga", "ccmp", "locl", "lnum", "tnum")
MATH_FEATURES = ("ssty",)
COPYRIGHT_NAMES = (0, 13, 14)
"""Names of the font that stay: copyright and license. "Source" is reserved for the unchanged font."""


class PackageHook(BuildHookInterface):  # type: ignore[type-arg]
    """Hook of hatchling that makes scripts and fonts if they are missing or out of date."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make both. Raises the errors of the studio's hook."""
        bundle = _module(ROOT / "sitecms" / "studio" / "bundle" / "build_hook.py")
        bundle.StudioBundleHook.initialize(self, version, build_data)
        if not are_current():
            try:
                make_fonts()
            except ImportError as error:  # as without build isolation
                self.app.display_warning(f"The theme has no web fonts, and uses those of the reader's device: {error}")


def get_build_hook() -> type[PackageHook]:
    """Return the hook that hatchling runs."""
    return PackageHook


def are_current() -> bool:
    """Return True if the fonts were made by this version of the hook."""
    marker = FONTS / ".made"
    files = (*(FONTS / name for name in WEIGHTS), MATH_FONT, LICENSE)
    return all(file.is_file() for file in files) and marker.is_file() and marker.read_text() == _digest()


def make_fonts() -> None:
    """Write the fonts and their licenses."""
    import font_source_serif_pro  # type: ignore[import-untyped]

    source = Path(font_source_serif_pro.__file__).parent / "files"
    math = find_spec("ziamath")
    if math is None or math.origin is None:
        raise ImportError("ziamath is not installed")
    for folder in (FONTS, MATH_FONT.parent):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    for name, file in WEIGHTS.items():
        _cut(source / file, FONTS / name, CHARACTERS, FEATURES)
    names = _cut(
        Path(math.origin).parent / "fonts" / "STIXTwoMath-Regular.ttf", MATH_FONT, MATH_CHARACTERS, MATH_FEATURES
    )
    math_license = "\n".join(("", MATH_FONT.name, *names, ""))
    LICENSE.write_text((source / "LICENSE.txt").read_text("utf-8") + math_license, "utf-8")
    (FONTS / ".made").write_text(_digest())


def _cut(source: Path, target: Path, characters: Collection[int], features: Collection[str]) -> list[str]:
    """Write a font with these characters only, and return its copyright and license as it states them."""
    from fontTools.subset import Options, Subsetter, load_font, save_font  # type: ignore[import-untyped]

    options = Options(
        flavor="woff2",
        layout_features=list(features),
        hinting=False,
        name_IDs=list(COPYRIGHT_NAMES),
        notdef_outline=True,
    )
    font = load_font(str(source), options)
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=characters)
    subsetter.subset(font)
    save_font(font, str(target), options)
    return [str(font["name"].getDebugName(number)) for number in COPYRIGHT_NAMES]


def _digest() -> str:
    return sha256(Path(__file__).read_bytes()).hexdigest()


def _module(path: Path) -> Any:
    spec = spec_from_file_location(f"sitecms_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be loaded.")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    make_fonts()
    made = (*sorted(FONTS.glob("*.woff2")), MATH_FONT)
    sys.stdout.writelines(f"{path.name}: {path.stat().st_size:,} bytes\n" for path in made)
