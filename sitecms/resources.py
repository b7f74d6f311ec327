"""Files that ship with sitecms: default theme, JSON Schemas, starter site, manual, deployment examples.

The theme and the schemas lie inside the package in a wheel, and at the top level of a checkout, where people edit
them; the others always lie in the package.
"""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def resource_dir(name: str) -> Path:
    """Return the folder `templates`, `content_schema`, `starter`, `manual` or `deploy` of this installation."""
    for folder in (_PACKAGE / "_resources" / name, _PACKAGE / name):
        if folder.is_dir():
            return folder
    return _PACKAGE.parent / name
