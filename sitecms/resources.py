"""Files that ship with sitecms: default theme, JSON Schemas, starter site, manual, deployment examples; its libraries.

The theme and the schemas lie inside the package in a wheel, and at the top level of a checkout, where people edit
them; the others always lie in the package.
"""

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_INSTALLED = ".dist-info"


def resource_dir(name: str) -> Path:
    """Return the folder `templates`, `content_schema`, `starters`, `manual` or `deploy` of this installation."""
    for folder in (_PACKAGE / "_resources" / name, _PACKAGE / name):
        if folder.is_dir():
            return folder
    return _PACKAGE.parent / name


def library_version(name: str) -> str:
    """Return the version of an installed package. Raises ImportError if it is not installed."""
    known = library_versions().get(_normal(name))
    if known is None:  # imported in an unusual way, such as from an archive
        from importlib.metadata import version

        return version(name)
    return known


@cache
def library_versions() -> Mapping[str, str]:
    """Return the version of each installed package, by the names of the folders that pip writes."""
    found: dict[str, str] = {}
    for folder in reversed(sys.path):
        with suppress(OSError):
            for entry in os.listdir(folder or "."):  # noqa: PTH208
                if entry.endswith(_INSTALLED):
                    package, _, version = entry.removesuffix(_INSTALLED).partition("-")
                    found[_normal(package)] = version
    return found


def _normal(name: str) -> str:
    return name.lower().replace("-", "_").replace(".", "_")
