"""A new theme in a site, to begin with."""

from pathlib import Path

from sitecms.errors import Conflict
from sitecms.settings.theme_folder import ASSETS, MANIFEST, THEMES_FOLDER, ThemeFolder
from sitecms.site.theme.theme import STYLE

_MANIFEST = """\
name = "{name}"
version = "0.1.0"
description = ""
extends = "{extends}"

# What sites have that do not set it in site.toml:
# [defaults]
# accent = "#0b5d6b"
# home = "cards"

# Options of this theme. A site sets them below [theme.options]; templates read site.theme.options.columns.
# [options.columns]
# type = "integer"
# description = "Columns of the home page."
# default = 3
# minimum = 1
# maximum = 4
"""
_STYLE = """\
/* These rules follow those of the theme "{extends}", so they win; style = "replace" in theme.toml leaves those out. */

:root {{
  --measure: 40rem;
}}
"""


def make_theme(site_folder: Path, name: str, extends: ThemeFolder) -> tuple[Path, ...]:
    """Make a theme in the folder `themes` of a site, and return its files. Raises Conflict if it exists."""
    folder = site_folder / THEMES_FOLDER / name
    if folder.exists():
        raise Conflict("name", f"{THEMES_FOLDER}/{name} exists already.")
    texts = {MANIFEST: _MANIFEST, f"{ASSETS}/{STYLE}": _STYLE}
    for path, text in texts.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text.format(name=name, extends=extends.name), encoding="utf-8")
    return tuple(folder / path for path in texts)
