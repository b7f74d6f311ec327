"""Numbers with their nouns, and lists of names, for messages."""

from collections.abc import Sequence


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return `1 page` or `1200 pages`. `plural` is needed where it is not the noun with an s."""
    return f"{count} {noun if count == 1 else plural or f'{noun}s'}"


def listed(names: Sequence[str], most: int) -> str:
    """Return `a, b and 3 more`: at most so many names, and the number of the others."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
