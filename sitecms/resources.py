"""The files that ship with sitecms: the default theme and the JSON Schemas.

In a wheel they lie inside the package; in a checkout at the top level, where people edit them.
"""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def resource_dir(name: str) -> Path:
    """The folder `templates` or `content_schema`, wherever this copy of sitecms keeps it."""
    packaged = _PACKAGE / "_resources" / name
    return packaged if packaged.is_dir() else _PACKAGE.parent / name
