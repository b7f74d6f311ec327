"""The files that ship with sitecms: the default theme, the JSON Schemas, the starter site, what deploying takes.

The theme and the schemas lie inside the package in a wheel, and at the top level of a checkout, where people edit
them; the rest lies in the package always.
"""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def resource_dir(name: str) -> Path:
    """The folder `templates`, `content_schema`, `starter` or `deploy`, wherever this copy of sitecms keeps it."""
    for folder in (_PACKAGE / "_resources" / name, _PACKAGE / name):
        if folder.is_dir():
            return folder
    return _PACKAGE.parent / name
