"""Places inside a document as text, and suggestions for misspelt names."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import TypeAlias

Step: TypeAlias = "str | int"


def place_of(path: Sequence[Step]) -> str:
    """Return `fields[2].type` for ("fields", 2, "type")."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the known name that was probably meant, or ""."""
    return next(iter(get_close_matches(name, list(known), n=1, cutoff=0.6)), "")


def suggest(name: str, known: Sequence[str]) -> str:
    """Return the remedy for an unknown name: the nearest one, or all there are."""
    meant = nearest(name, known)
    return f'did you mean "{meant}"?' if meant else f"there are: {', '.join(known) or 'none'}"
