"""Raw content of files with entries: identity, locales and versions, with fields that are not cleaned yet."""

from collections.abc import Mapping

from msgspec import Struct, field

from sitecms.content.addresses import NO_ADDRESSES, OwnAddresses
from sitecms.content.change import EntryChange, Times
from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status
from sitecms.documents import Locate, Step


class VersionFile(Struct, frozen=True):
    """The file that a version is written in, and the lines of its keys."""

    path: str
    locate: Locate


class RawVersion(Struct, frozen=True):
    """Entry in one locale: its fields as written, and those of a draft that replaces some of them (None: no draft).

    The draft has a status and times of its own. `origin` is the file of the version, where each locale has its own.
    Status and times are those at the moment of the load.
    """

    locale: str
    status: Status
    fields: Mapping[str, object]
    draft: Mapping[str, object] | None
    times: Times
    place: tuple[Step, ...]
    draft_place: tuple[Step, ...] = ()
    draft_status: Status = Status.DRAFT
    draft_times: Times = field(default_factory=Times)
    origin: VersionFile | None = None


class RawEntry(Struct, frozen=True):
    """An entry of a file; `id` None: sitecms chooses one. `adopt`: it may replace one of another writer.

    `group` is its page type or collection, "" for Single Pages and posts. `slug` is "" for an entry of a list, whose
    `place` is its number. `titles` are those of locales with a title of their own. `post` has the other values of a
    post, its fields as they are written.
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
    post: EntryChange | None = None
