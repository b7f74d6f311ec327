"""What a load did."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sitecms.errors import Fault


@dataclass(frozen=True, slots=True)
class LoadReport:
    """Paths are relative to the site folder.

    `replaced` maps each file that won over an edit made through the API to what it replaced, by field. `vanished`
    files are gone though their entries stay; `pruned` ones took their entries with them. Nothing of a file with a
    fault was stored. `notes` are what a person may not have meant: drafts by default, times to come, moved addresses.
    """

    seconds: float
    loaded: tuple[str, ...] = ()
    unchanged: int = 0
    replaced: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    vanished: tuple[str, ...] = ()
    pruned: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()
    notes: tuple[str, ...] = ()
