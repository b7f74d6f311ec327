"""Entries that a load changed: the source of its events, and the reason to build the site again."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sitecms.content.change import EntryKind
from sitecms.content.item import Item
from sitecms.content.page import Page
from sitecms.content.status import Status, Version

Pair = tuple[str, int]
WHOLE = ""
"""Stands for all versions of an entry: its slug or title changed, or it is back from the trash."""


@dataclass(slots=True)
class ChangedEntries:
    """Entries by kind and id, collected while files are stored.

    `saved` contains the versions that changed, such as `en.live`; a post has only one, WHOLE. `live_before` contains
    the former live versions of pages and items by locale; it is filled if there are webhooks (`keeps_live`).
    `is_shown`: readers may see a change without an event, of authors, terms, the content schema or the order of items.
    """

    keeps_live: bool = False
    saved: dict[Pair, set[str]] = field(default_factory=dict)
    deleted: dict[Pair, None] = field(default_factory=dict)
    live_before: dict[Pair, dict[str, Page | Item]] = field(default_factory=dict)
    is_shown: bool = False

    def save(self, pair: Pair, replaced: Mapping[str, str]) -> None:
        """Note an entry that was saved, and what was replaced of it, by `locale.version.field`."""
        if replaced:
            self.saved.setdefault(pair, set()).update(map(_version_of, replaced))

    def delete(self, pair: Pair) -> None:
        """Note an entry that went to the trash."""
        self.deleted[pair] = None

    def remember(self, kind: EntryKind, versions: Iterable[Page | Item]) -> None:
        """Keep the live versions of pages or items that are about to be saved."""
        for each in versions:
            if each.version is Version.LIVE and each.status is Status.PUBLISHED:
                self.live_before.setdefault((kind.value, each.id), {}).setdefault(each.locale, each)

    def add(self, other: "ChangedEntries") -> None:
        """Take over what a later part of the same load changed."""
        for pair, places in other.saved.items():
            self.saved.setdefault(pair, set()).update(places)
        self.deleted |= other.deleted
        self.live_before = {**other.live_before, **self.live_before}
        self.is_shown |= other.is_shown

    def __bool__(self) -> bool:
        return bool(self.saved or self.deleted or self.is_shown)


def _version_of(place: str) -> str:
    """Return the version that `locale.version.field` or `locale.version` names, WHOLE for anything else."""
    parts = place.split(".")
    return ".".join(parts[:2]) if len(parts) > 1 else WHOLE
