"""Lists of collections as requests write them: `team,authors[_id=123],menu[label=Home]` (API reference, Parameters)."""

import re
from typing import NamedTuple, TypeAlias

from sitecms.errors import InvalidRequest

MAX_KEYS = 100
_FILTERED = re.compile(r"([^\[\]]+)\[([^=\[\]]*)=(.*)\]", re.DOTALL)
_PARTS = re.compile(r"(?:[^,\[\]]|\[[^\]]*(?:\]|$)|\])+")


class Bracket(NamedTuple):
    """A condition in brackets after a key: the name and the text of a filter."""

    name: str
    text: str


AskedKeys: TypeAlias = dict[str, tuple[Bracket, ...]]
"""The requested collections in order, each with its conditions, of which one must hold; () means all entries."""


def read_keys(text: str) -> AskedKeys:
    """Return the collections that the text names; the conditions of a collection that is named twice are joined.

    Malformed brackets stay part of the key, which is then not found. Raises InvalidRequest beyond 100 keys.
    """
    brackets_by_key: dict[str, list[Bracket]] = {}
    unfiltered: set[str] = set()
    parts = [part.strip() for part in _PARTS.findall(text)]
    if len(parts) > MAX_KEYS:
        raise InvalidRequest(f"There can be at most {MAX_KEYS} keys.")
    for part in filter(None, parts):
        filtered = _FILTERED.fullmatch(part)
        key = filtered[1].strip() if filtered else part
        brackets = brackets_by_key.setdefault(key, [])
        if filtered:
            brackets.append(Bracket(filtered[2].strip(), filtered[3]))
        else:
            unfiltered.add(key)
    return {key: () if key in unfiltered else tuple(brackets) for key, brackets in brackets_by_key.items()}
