"""One thing that is not as it should be."""

from dataclasses import dataclass, replace
from enum import StrEnum

RESTORE = "restore a backup (sitecms restore)"
"""What to do about what cannot be made anew."""


class FindingKind(StrEnum):
    """What is wrong, in a word that programs may hold on to."""

    STORE_DAMAGED = "store-damaged"
    ROW_DAMAGED = "row-damaged"
    KEY_DANGLING = "key-dangling"
    JSON_BROKEN = "json-broken"
    SEARCH_DAMAGED = "search-damaged"
    SEARCH_MISSING = "search-missing"
    SEARCH_EXTRA = "search-extra"
    SEARCH_STALE = "search-stale"
    COLUMN_STALE = "column-stale"
    REFERENCE_DANGLING = "reference-dangling"
    MEDIA_MISSING = "media-missing"
    MEDIA_UNKNOWN = "media-unknown"
    MEDIA_EXTRA = "media-extra"
    MEDIA_DAMAGED = "media-damaged"
    MEDIA_SIZE = "media-size"
    TEMPORARY_LEFT = "temporary-left"
    CLAIM_ABANDONED = "claim-abandoned"
    WRITE_IMPOSSIBLE = "write-impossible"
    RESERVATION_LEFT = "reservation-left"
    DELIVERY_IMPOSSIBLE = "delivery-impossible"
    OUTPUT_MISSING = "output-missing"
    OUTPUT_CHANGED = "output-changed"
    OUTPUT_UNKNOWN = "output-unknown"


@dataclass(frozen=True, slots=True)
class Finding:
    """`where` names the thing, `what` says what is wrong with it, `remedy` what to do about it.

    `is_mendable`: whether `--repair` can make it right; `is_mended`: whether it just did.
    """

    kind: FindingKind
    where: str
    what: str
    remedy: str = ""
    is_mendable: bool = False
    is_mended: bool = False

    def mended(self) -> "Finding":
        """The same, made right."""
        return replace(self, is_mended=True)

    def __str__(self) -> str:
        if self.is_mended:
            return f"{self.kind}: {self.where}: {self.what} (mended)"
        remedy = "--repair mends it" if self.is_mendable else self.remedy
        return f"{self.kind}: {self.where}: {self.what}" + (f" ({remedy})" if remedy else "")
