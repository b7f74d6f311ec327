"""The files of a site folder that make the site: those that sitecms reads, and no others."""

import os
from collections.abc import Iterator
from pathlib import Path

from sitecms.settings import SETTINGS_FILE

SITE_FOLDERS = ("assets", "content", "media", "schema", "templates", "translations")


def site_files(folder: Path, without: Path) -> Iterator[str]:
    """Their paths below the folder, in order; `without` (the built site) and hidden files are left out."""
    yield SETTINGS_FILE
    for name in SITE_FOLDERS:
        for root, folders, files in os.walk(folder / name):
            here = Path(root)
            folders[:] = sorted(each for each in folders if not each.startswith(".") and here / each != without)
            for each in sorted(files):
                if not each.startswith(".") and (here / each).is_file():
                    yield (here / each).relative_to(folder).as_posix()
