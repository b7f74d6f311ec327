"""Sentences about names that are not known."""

from collections.abc import Sequence

from sitecms.documents import nearest


def suggest(name: str, known: Sequence[str]) -> str:
    """Return the remedy for an unknown name: the nearest one, or all there are."""
    meant = nearest(name, known)
    return f'did you mean "{meant}"?' if meant else f"there are: {', '.join(known) or 'none'}"


def unknown_field(slug: str, known: Sequence[str]) -> str:
    """Return the sentence about a field that does not exist."""
    meant = nearest(slug, known)
    hint = f' Did you mean "{meant}"?' if meant else ""
    return f'There is no field "{slug[:100]}".{hint} Fields: {", ".join(known)}.'
