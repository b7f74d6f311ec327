"""The tables of entries and of their versions in queries, and the conditions of versions that somebody sees.

The kind, the version and the status stand in statements as text, not as values: both engines then use the indexes of
a kind. Statements written by hand call the version `shown`.
"""

from typing import Any

from msgspec import Struct
from peewee import SQL, fn

from sitecms.content.kinds import EntryKind
from sitecms.content.query import Visibility
from sitecms.content.status import Status, Version
from sitecms.store.models.entries import EntryRow, VersionRow

JOINED = "version AS shown JOIN entry ON entry.kind = shown.kind AND entry.id = shown.entry_id"
"""FROM of statements written by hand."""

IS_VERSION = (VersionRow.kind == EntryRow.kind) & (VersionRow.entry_id == EntryRow.id)
"""The condition that a version is one of an entry of any kind."""


def sql_text(value: str) -> SQL:
    """Return a constant that stands in a statement as text."""
    return SQL(f"'{value}'")


class EntryTables(Struct, frozen=True):
    """The tables of versions and of entries, for the entries of one kind."""

    kind: EntryKind
    versions: Any = VersionRow
    entries: Any = EntryRow

    def aliased(self) -> "EntryTables":
        """Return the same tables under aliases, for a subquery."""
        return EntryTables(self.kind, VersionRow.alias(), EntryRow.alias())

    def is_of_kind(self, table: Any) -> Any:
        """Return the condition that a row of one of the tables is of the kind."""
        return table.kind == sql_text(self.kind)

    @property
    def joined(self) -> Any:
        """The condition that a version is one of an entry of the kind."""
        entries, versions = self.entries, self.versions
        return self.is_of_kind(versions) & self.is_of_kind(entries) & (entries.id == versions.entry_id)

    @property
    def is_own(self) -> Any:
        """The condition of the versions of entries, those in the trash too, without the working copies of users."""
        return self.is_of_kind(self.versions) & self.versions.saved_by.is_null()

    @property
    def is_live(self) -> Any:
        """The condition of live versions outside the trash, whatever their status."""
        rows = self.versions
        return self.is_of_kind(rows) & (rows.version == sql_text(Version.LIVE)) & rows.deleted_at.is_null()

    @property
    def is_shown(self) -> Any:
        """The condition of the versions that readers see."""
        return self.is_live & (self.versions.status == sql_text(Status.PUBLISHED))

    def visible(self, *, preview: bool) -> Any:
        """Return the condition of visible versions: those that readers see; with `preview` the draft if there is one.

        The table of entries is joined.
        """
        rows, is_present = self.versions, self.entries.deleted_at.is_null()
        if not preview:
            return is_present & self.is_shown
        other = VersionRow.alias()
        newer = other.select(other.id).where(
            EntryTables(self.kind, other).is_own,
            other.entry_id == rows.entry_id,
            other.locale == rows.locale,
            other.version == sql_text(Version.DRAFT),
        )
        return is_present & self.is_own & ((rows.version == sql_text(Version.DRAFT)) | ~fn.EXISTS(newer))

    def in_scope(self, scope: Visibility) -> Any:
        """Return the condition of versions that are visible in the locale of the scope."""
        return self.visible(preview=scope.preview) & (self.versions.locale == scope.locale)

    @property
    def of_kind_by_hand(self) -> str:
        """The condition, written by hand, that a version and its entry are of the kind."""
        return f"shown.kind = '{self.kind}' AND entry.kind = '{self.kind}'"

    def visible_by_hand(self, *, preview: bool) -> str:
        """Return `visible` as it is written by hand, with the kind."""
        present = f"{self.of_kind_by_hand} AND entry.deleted_at IS NULL AND"
        if not preview:
            return f"{present} shown.version = 'live' AND shown.status = 'published' AND shown.deleted_at IS NULL"
        newer = (
            f"SELECT 1 FROM version AS newer WHERE newer.kind = '{self.kind}' AND newer.saved_by IS NULL "
            "AND newer.entry_id = shown.entry_id AND newer.locale = shown.locale AND newer.version = 'draft'"
        )
        return f"{present} shown.saved_by IS NULL AND (shown.version = 'draft' OR NOT EXISTS ({newer}))"


POSTS, PAGES, ITEMS = (EntryTables(kind) for kind in (EntryKind.POST, EntryKind.PAGE, EntryKind.ITEM))
