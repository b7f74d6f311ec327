"""Kinds of findings of an integrity check."""

from enum import StrEnum

from sitecms.findings import Finding, Severity

RESTORE = "restore a backup (sitecms restore)"
REPAIR = "repair it: sitecms verify --repair"


class VerifyKind(StrEnum):
    """Kinds of findings. The words are stable: programs rely on them."""

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


def damage(kind: VerifyKind, where: str, what: str, remedy: str) -> Finding:
    """Return a finding about something that a person has to correct."""
    return Finding(Severity.ERROR, kind, what, remedy, where)


def repairable(kind: VerifyKind, where: str, what: str) -> Finding:
    """Return a finding about something that `sitecms verify --repair` corrects."""
    return Finding(Severity.ERROR, kind, what, REPAIR, where, is_repairable=True)
