"""Values that Hugo's `cascade` hands down from a configuration or a list to the documents below it."""

from collections.abc import Mapping
from fnmatch import fnmatch
from typing import Any

from sitecms.importing.readers.markdown.document import as_text, listed, lowered

_TARGETS = ("_target", "target")


def cascaded_values(cascade: Any, path: str, code: str) -> dict[str, Any]:
    """Return the values of a `cascade`, one table or a list of them, for the document at a path in a language."""
    kind = "section" if path.endswith("/_index") else "page"
    values: dict[str, Any] = {}
    for table in listed(cascade):
        if isinstance(table, Mapping) and _is_for(table, path.lower(), code, kind):
            values |= {name: value for name, value in lowered(table).items() if name not in _TARGETS}
    return values


def _is_for(table: Mapping[str, Any], path: str, code: str, kind: str) -> bool:
    """Return whether the target of a table, by path, language and kind, names the document."""
    target = next((value for name, value in lowered(table).items() if name in _TARGETS), None)
    held = {name: as_text(value).lower() for name, value in lowered(target).items()}
    wanted = {"path": path, "lang": code, "kind": kind}
    return all(fnmatch(own, held[name].replace("**", "*")) for name, own in wanted.items() if held.get(name))
