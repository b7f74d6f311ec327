"""Raw content of files with entries: identity, locales and versions, with fields that are not cleaned yet."""

from collections.abc import Mapping

from msgspec import Struct, field

from sitecms.content.addresses import NO_ADDRESSES, OwnAddresses
from sitecms.content.change import EntryChange, VersionChange
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.documents import Locate, Step


class VersionFile(Struct, frozen=True):
    """The file that a version is written in, and the lines of its keys."""

    path: str
    locate: Locate


class RawVersion(Struct, frozen=True):
    """Entry in one locale as its file says it, with fields that are not clean, and the draft over it (None: no draft).

    The draft has those fields alone that differ. `origin` is the file of the version, where each locale has its own.
    Status and times are those at the moment of the load.
    """

    change: VersionChange
    place: tuple[Step, ...]
    draft: VersionChange | None = None
    draft_place: tuple[Step, ...] = ()
    origin: VersionFile | None = None


class RawEntry(Struct, frozen=True):
    """An entry of a file; `id` None: sitecms chooses one. `adopt`: it may replace one of another writer.

    `group` is its page type or collection, "" for Single Pages and posts. `slug` is "" for an entry of a list, whose
    `place` is its number. `titles` are those of locales with a title of their own. `translation_of` is the slug of the
    entry that an entry in one locale is a variant of.
    """

    kind: EntryKind
    group: str
    versions: tuple[RawVersion, ...]
    slug: str = ""
    title: str = ""
    id: int | None = None
    adopt: bool = False
    addresses: OwnAddresses = NO_ADDRESSES
    titles: Mapping[str, str] = field(default_factory=dict)
    place: tuple[Step, ...] = ()
    translation_of: str = ""

    def change(self, entry_id: int, versions: tuple[VersionChange, ...] | None = None) -> EntryChange:
        """Return the change that stores the entry under an id; `versions` are its clean ones, if it has fields."""
        if versions is None:
            versions = tuple(version.change for version in self.versions)
        title = self.title if KINDS[self.kind].has_slug else None
        return EntryChange(
            self.kind, entry_id, self.group, versions, self.slug, title, self.titles, self.addresses,
            self.translation_of,
        )  # fmt: skip
