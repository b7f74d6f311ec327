"""Lists of collections as requests write them: `team,authors[_id=123],menu[label=Home]` (decisions, Parameters)."""

import re
from typing import NamedTuple, TypeAlias

from sitecms.errors import InvalidRequest

MAX_KEYS = 100
_FILTERED = re.compile(r"([^\[\]]+)\[([^=\[\]]*)=(.*)\]", re.DOTALL)
_PARTS = re.compile(r"(?:[^,\[\]]|\[[^\]]*(?:\]|$)|\])+")


class Bracket(NamedTuple):
    """What stands in brackets behind a key."""

    name: str
    text: str


AskedKeys: TypeAlias = dict[str, tuple[Bracket, ...]]
"""Collections in the order asked; entries that fit any of the brackets, without any: all of them."""


def read_keys(text: str) -> AskedKeys:
    """The collections that the text names; one named twice is meant once, with all that either asks for.

    What is no well-formed bracket stays part of the key, and will not be found. Raises InvalidRequest beyond 100 keys.
    """
    found: dict[str, list[Bracket]] = {}
    whole: set[str] = set()
    parts = [part.strip() for part in _PARTS.findall(text)]
    if len(parts) > MAX_KEYS:
        raise InvalidRequest(f"There can be at most {MAX_KEYS} keys.")
    for part in filter(None, parts):
        filtered = _FILTERED.fullmatch(part)
        key = filtered[1].strip() if filtered else part
        brackets = found.setdefault(key, [])
        if filtered:
            brackets.append(Bracket(filtered[2].strip(), filtered[3]))
        else:
            whole.add(key)
    return {key: () if key in whole else tuple(brackets) for key, brackets in found.items()}
