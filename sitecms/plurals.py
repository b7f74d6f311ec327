"""Numbers with their nouns, for messages."""


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return `1 page` or `1200 pages`. `plural` is needed where it is not the noun with an s."""
    return f"{count} {noun if count == 1 else plural or f'{noun}s'}"
