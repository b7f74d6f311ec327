"""Build hook of the package: scripts of the studio and fonts of the theme, made while the package is built.

hatchling runs it before wheels, source archives and editable installs. The scripts are made by `studio/bundle`. The
fonts are two weights of Source Serif from PyPI's `font-source-serif-pro`, cut to the letters of European languages in
Latin script, which git ignores and wheel and source archive carry. `python sitecms/build_hook.py` makes them again;
without them pages are set in fonts of the reader's device.
"""

import shutil
import sys
from hashlib import sha256
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parents[1]
FONTS = ROOT / "templates" / "themes" / "default" / "assets" / "fonts"
LICENSE = FONTS.parents[1] / "FONT-LICENSE"
WEIGHTS = {"text.woff2": "SourceSerifPro-Regular.ttf", "strong.woff2": "SourceSerifPro-Semibold.ttf"}
CHARACTERS = (
    *range(0x20, 0x7F), *range(0xA0, 0x180), 0x192, *range(0x218, 0x21C), 0x1E9E, *range(0x2010, 0x2016),
    *range(0x2018, 0x201F), *range(0x2020, 0x2023), 0x2026, 0x2030, 0x2032, 0x2033, 0x2039, 0x203A, 0x2044, 0x20AC,
    0x2116, 0x2122, *range(0x2190, 0x2194), 0x2212, 0x2248, 0x2260, 0x2264, 0x2265,
)  # fmt: skip
FEATURES = ("kern", "liga", "ccmp", "locl", "lnum", "tnum")
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
    files = (*(FONTS / name for name in WEIGHTS), LICENSE)
    return all(file.is_file() for file in files) and marker.is_file() and marker.read_text() == _digest()


def make_fonts() -> None:
    """Write the fonts and their license."""
    import font_source_serif_pro  # type: ignore[import-untyped]
    from fontTools.subset import Options, Subsetter, load_font, save_font  # type: ignore[import-untyped]

    source = Path(font_source_serif_pro.__file__).parent / "files"
    shutil.rmtree(FONTS, ignore_errors=True)
    FONTS.mkdir(parents=True, exist_ok=True)
    for name, file in WEIGHTS.items():
        options = Options(
            flavor="woff2",
            layout_features=list(FEATURES),
            hinting=False,
            name_IDs=list(COPYRIGHT_NAMES),
            notdef_outline=True,
        )
        font = load_font(str(source / file), options)
        subsetter = Subsetter(options)
        subsetter.populate(unicodes=CHARACTERS)
        subsetter.subset(font)
        save_font(font, str(FONTS / name), options)
    LICENSE.write_bytes((source / "LICENSE.txt").read_bytes())
    (FONTS / ".made").write_text(_digest())


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
    sys.stdout.writelines(f"{path.name}: {path.stat().st_size:,} bytes\n" for path in sorted(FONTS.iterdir()))
