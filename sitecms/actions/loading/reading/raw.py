"""Raw content of page and collection files: identity, locales and versions, with fields that are not cleaned yet."""

from collections.abc import Mapping
from dataclasses import field

from sitecms.content.addresses import NO_ADDRESSES, OwnAddresses
from sitecms.content.change import Times
from sitecms.content.status import Status
from sitecms.documents import Locate, Step
from sitecms.values import dataclass


@dataclass(frozen=True, slots=True)
class RawVersion:
    """Entry in one locale: its fields as written, and those of a draft that replaces some of them (None: no draft).

    The draft has a status and times of its own.
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


@dataclass(frozen=True, slots=True)
class RawPage:
    """A page file. `adopt`: it may replace a page that it was not loaded into before."""

    slug: str
    title: str
    versions: tuple[RawVersion, ...]
    locate: Locate
    adopt: bool = False
    addresses: OwnAddresses = NO_ADDRESSES
    id: int | None = None


@dataclass(frozen=True, slots=True)
class RawItem:
    """One item of a collection file; `id` None: sitecms chooses one. `adopt`: as of a page."""

    id: int | None
    versions: tuple[RawVersion, ...]
    place: tuple[Step, ...]
    adopt: bool = False
    addresses: OwnAddresses = NO_ADDRESSES


@dataclass(frozen=True, slots=True)
class RawItems:
    """A collection file."""

    items: tuple[RawItem, ...]
    locate: Locate
