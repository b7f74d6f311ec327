"""States of pages and items in one locale, and keeping them as revisions before a change."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct, field

from sitecms.content.change import Origin, VersionChange
from sitecms.content.entry import Entry
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.revision import Change, ChangeCause, version_state
from sitecms.content.status import Status, Version
from sitecms.store.database import Transaction
from sitecms.store.entries.revisions import keep_revision

_KEPT = ("status", "fields", "created_at", "updated_at", "published_at", "scheduled_at")
Stored = Mapping[tuple[str, str], Mapping[str, Any]]
"""The columns of versions by locale and version."""


class VersionHistory(Struct, frozen=True):
    """The cause of a change of versions, and of their page or item: its last origin, its slug and title.

    `titles` are those of locales that have their own.
    """

    cause: ChangeCause
    origin: Origin
    name: Mapping[str, str] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    is_renamed: bool = False


def state_of(versions: Iterable[Entry]) -> bytes:
    """Return the state of a page or item in one locale, of its versions there."""
    name: dict[str, str] = {}
    found = {}
    for entry in versions:
        if KINDS[entry.kind].has_slug:
            name = {"slug": entry.slug, "title": entry.title}
        found[entry.version.value] = {key: getattr(entry, key) for key in _KEPT}
    return version_state(name, found)


def keep_versions(
    transaction: Transaction,
    kind: EntryKind,
    entry_id: int,
    before: Stored,
    changes: Sequence[VersionChange],
    replaced: Iterable[str],
    at: datetime,
    history: VersionHistory,
) -> None:
    """Keep the state of each locale in which a change replaces something; `replaced` are as `locale.version.field`."""
    places = {tuple(place.split(".", 2)[:2]) for place in replaced}
    locales = {locale for locale, _version in before}
    for locale in sorted(locales if history.is_renamed else locales & {locale for locale, *_version in places}):
        versions = {version: row for (of, version), row in before.items() if of == locale}
        after = {each.version: each.status for each in changes if each.locale == locale}
        changes_live = (locale, Version.LIVE.value) in places or history.is_renamed
        was_live = versions.get(Version.LIVE.value, {}).get("status") is Status.PUBLISHED
        cause = history.cause
        if changes_live and (was_live or after.get(Version.LIVE) is Status.PUBLISHED):
            kind_of_change = cause.kind_of(Status.PUBLISHED if was_live else None, after.get(Version.LIVE))
        else:
            before_status = versions.get(Version.DRAFT.value, {}).get("status")
            kind_of_change = cause.kind_of(before_status, after.get(Version.DRAFT, Status.DRAFT))
        own = {"title": history.titles[locale]} if history.titles.get(locale) else {}
        state = version_state(
            {**history.name, **own}, {name: {key: row[key] for key in _KEPT} for name, row in versions.items()}
        )
        changed_at = max(row["updated_at"] for row in versions.values())
        keep_revision(
            transaction, kind, entry_id, locale, state, (changed_at, history.origin),
            Change(at, kind_of_change, cause.source, cause.name), was_public=was_live and changes_live,
        )  # fmt: skip


def keep_locale(
    transaction: Transaction,
    kind: EntryKind,
    entry_id: int,
    locale: str,
    stored: Sequence[Entry],
    change: Change,
) -> None:
    """Keep the state of a locale that a scheduled version replaces; `stored` are the versions of the entry before."""
    versions = [entry for entry in stored if entry.locale == locale]
    if versions:
        was_public = any(each.is_live for each in versions)
        first = max(each.updated_at for each in versions), Origin.API
        keep_revision(transaction, kind, entry_id, locale, state_of(versions), first, change, was_public=was_public)
