"""Report of a load."""

from collections.abc import Mapping

from msgspec import Struct, field

from sitecms.content.kinds import EntryKind
from sitecms.errors import FileError


class FormerVersion(Struct, frozen=True):
    """Copy of an entry from before a file changed it, kept in the trash under the id `trash_id`.

    `is_adopted`: the file was not loaded into this entry before.
    """

    path: str
    kind: EntryKind
    entry_id: int
    trash_id: int
    is_adopted: bool = False


class Conflict(Struct, frozen=True):
    """A field, or a part of a text, that a file changed, and somebody else, too: the file's `value` stands.

    The `former` one is in the history of the entry. Both are shortened.
    """

    path: str
    kind: EntryKind
    entry_id: int
    field: str
    value: str
    former: str
    line: int | None = None

    @property
    def where(self) -> str:
        """The place, as `content/posts/calm.md:3 title`."""
        return f"{self.path}:{self.line} {self.field}" if self.line else f"{self.path} {self.field}"

    @property
    def problem(self) -> str:
        """The event, with both values."""
        both = "was changed in the file, and in the studio or through the API"
        return f"{both}; the file's {self.value!r} stands, the other was {self.former!r}"

    @property
    def remedy(self) -> str:
        """Where the other value is."""
        return f"in the history of the {self.kind} {self.entry_id}"


class PrunedEdit(Struct, frozen=True):
    """An entry that went to the trash with its file though it was edited through the API since that was loaded."""

    path: str
    kind: EntryKind
    entry_id: int


class LostItem(Struct, frozen=True):
    """An item that its file listed before and does not list now."""

    path: str
    id: int
    label: str


class LoadReport(Struct, frozen=True):
    """Report of a load. Paths are relative to the site folder.

    `conflicts` are changes made through the API that files replaced with their own. `replaced` maps files that replaced
    the edit of an entry without a known former text to the former values, by field. `vanished` files
    are gone and their entries stay; `pruned` files are gone and their entries in the trash. `vanished_items` and
    `pruned_items` are the items that a file no longer lists; `pruned_edits` are pruned entries that were edited through
    the API. `former` are replaced versions that were written by other means. `notes` name what a person may not have
    meant: drafts by default, future times, moved addresses, removed markup. `left_out` are files with errors that were
    never loaded, so that their content is not on the site. Nothing of a file with an error is stored.
    """

    seconds: float
    loaded: tuple[str, ...] = ()
    unchanged: int = 0
    replaced: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    vanished: tuple[str, ...] = ()
    pruned: tuple[str, ...] = ()
    errors: tuple[FileError, ...] = ()
    notes: tuple[str, ...] = ()
    former: tuple[FormerVersion, ...] = ()
    vanished_items: tuple[LostItem, ...] = ()
    pruned_items: tuple[LostItem, ...] = ()
    left_out: tuple[str, ...] = ()
    pruned_edits: tuple[PrunedEdit, ...] = ()
    conflicts: tuple[Conflict, ...] = ()

    @property
    def outdated(self) -> frozenset[str]:
        """Files with errors that were loaded before: their entries stay unchanged."""
        return frozenset(error.file for error in self.errors if error.file.startswith("content/")) - {*self.left_out}
