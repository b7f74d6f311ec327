"""Raw content of page and collection files: identity, locales and versions, with fields that are not cleaned yet."""

from collections.abc import Mapping

from msgspec import Struct, field

from sitecms.content.addresses import NO_ADDRESSES, OwnAddresses
from sitecms.content.change import Times
from sitecms.content.status import Status
from sitecms.documents import Locate, Step


class VersionFile(Struct, frozen=True):
    """The file that a version is written in, and the lines of its keys."""

    path: str
    locate: Locate


class RawVersion(Struct, frozen=True):
    """Entry in one locale: its fields as written, and those of a draft that replaces some of them (None: no draft).

    The draft has a status and times of its own. `origin` is the file of the version, where each locale has its own.
    """

    locale: str
    status: Status
    fields: Mapping[str, object]
    draft: Mapping[str, object] | None
    times: Times
    place: tuple[Step, ...]
    draft_place: tuple[Step, ...]
    draft_status: Status = Status.DRAFT
    draft_times: Times = field(default_factory=Times)
    origin: VersionFile | None = None


class RawPage(Struct, frozen=True):
    """A page file. `adopt`: it may replace a page that it was not loaded into before.

    `titles` are those of locales with a title of their own.
    """

    slug: str
    title: str
    versions: tuple[RawVersion, ...]
    locate: Locate
    adopt: bool = False
    addresses: OwnAddresses = NO_ADDRESSES
    id: int | None = None
    titles: Mapping[str, str] = field(default_factory=dict)


class RawItem(Struct, frozen=True):
    """One item of a collection file; `id` None: sitecms chooses one. `adopt`: as of a page."""

    id: int | None
    versions: tuple[RawVersion, ...]
    place: tuple[Step, ...]
    adopt: bool = False
    addresses: OwnAddresses = NO_ADDRESSES


class RawItems(Struct, frozen=True):
    """A collection file."""

    items: tuple[RawItem, ...]
    locate: Locate
