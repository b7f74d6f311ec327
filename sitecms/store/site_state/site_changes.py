"""How often what readers see has changed, which the store counts; and up to where it was built here.

The latter stands in a file of the state folder: each host that builds by itself has its own output folder.
"""

from pathlib import Path

from sitecms.store.database import Session, Transaction

_CHANGED = "site_changes"
_BUILT = "site-built"
_GROW = """
INSERT INTO document (name, value_json) VALUES (?, '1')
ON CONFLICT (name) DO UPDATE SET value_json = CAST(CAST(document.value_json AS BIGINT) + 1 AS TEXT)"""


def note_site_change(transaction: Transaction) -> None:
    """Something that readers see is different now."""
    transaction.sql(_GROW, _CHANGED)


def site_changes(session: Session) -> int:
    """The number of the last change."""
    row = session.sql_row("SELECT value_json FROM document WHERE name = ?", _CHANGED)
    return int(row[0]) if row else 0


def note_site_built(state: Path, number: int) -> None:
    """The site here holds everything up to that change."""
    half = state / f"{_BUILT}.half"
    half.write_text(str(number), "ascii")
    half.replace(state / _BUILT)


def site_built(state: Path) -> int:
    """Up to which change the site here was built by itself; 0 if it never was, or nobody can tell."""
    try:
        return int((state / _BUILT).read_text("ascii"))
    except (OSError, ValueError):
        return 0
