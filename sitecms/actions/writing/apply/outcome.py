"""Results of applying a write to an entry."""

from dataclasses import dataclass

from sitecms.content.change import WriteWarnings
from sitecms.content.status import Status


@dataclass(frozen=True, slots=True)
class Outcome:
    """(entry id, locale, status) of each version that a write saved, and the warnings about removed markup."""

    saved: tuple[tuple[int, str, Status], ...]
    warnings: WriteWarnings
