"""Report of a load."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sitecms.content.change import EntryKind
from sitecms.errors import FileError


@dataclass(frozen=True, slots=True)
class FormerVersion:
    """Copy of an entry from before a file changed it, kept in the trash under the id `trash_id`.

    `is_adopted`: the file was not loaded into this entry before.
    """

    path: str
    kind: EntryKind
    entry_id: int
    trash_id: int
    is_adopted: bool = False


@dataclass(frozen=True, slots=True)
class PrunedEdit:
    """An entry that went to the trash with its file though it was edited through the API since that was loaded."""

    path: str
    kind: EntryKind
    entry_id: int


@dataclass(frozen=True, slots=True)
class LostItem:
    """An item that its file listed before and does not list now."""

    path: str
    id: int
    label: str


@dataclass(frozen=True, slots=True)
class LoadReport:
    """Paths are relative to the site folder.

    `replaced` maps each file that won over an edit made through the API to what it replaced, by field. `vanished`
    files are gone though their entries stay; `pruned` ones took their entries with them;
    `vanished_items` and `pruned_items` are the items that a file no longer lists; `pruned_edits` are the pruned entries
    that were edited through the API. Nothing of a file with a error was stored. `former` are the versions that files
    replaced, if people wrote them elsewhere. `notes` are what a person may not have meant: drafts by default, times to
    come, moved addresses, markup that was removed. `left_out` are the files with errors that were never loaded: what
    they say is not on the site.
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

    @property
    def outdated(self) -> frozenset[str]:
        """Files with errors that were loaded before: their entries stay unchanged."""
        return frozenset(error.file for error in self.errors if error.file.startswith("content/")) - {*self.left_out}
