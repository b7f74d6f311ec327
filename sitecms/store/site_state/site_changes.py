"""Number of changes to what readers of the site see, and the number up to which the site is built on this host.

The store counts the changes. A file in the state folder holds the number of the last build: each host that builds has
an output folder of its own.
"""

from pathlib import Path

from sitecms.files import write_atomically
from sitecms.store.database import Session, Transaction

_CHANGES = "site_changes"
_BUILT = "site-built"
_INCREMENT = """
INSERT INTO document (name, value_json) VALUES (?, '1')
ON CONFLICT (name) DO UPDATE SET value_json = CAST(CAST(document.value_json AS BIGINT) + 1 AS TEXT)"""


def count_site_change(transaction: Transaction) -> None:
    """Count a change to what readers see."""
    transaction.sql(_INCREMENT, _CHANGES)


def site_changes(session: Session) -> int:
    """Return the number of the last change."""
    row = session.sql_row("SELECT value_json FROM document WHERE name = ?", _CHANGES)
    return int(row[0]) if row else 0


def save_built_change(state: Path, number: int) -> None:
    """Save that the site in this output folder contains all changes up to that number."""
    write_atomically(state / _BUILT, str(number).encode())


def built_change(state: Path) -> int:
    """Return the number of the last change that the site contains; 0 if it is unknown or was never built here."""
    try:
        return int((state / _BUILT).read_text("ascii"))
    except (OSError, ValueError):
        return 0
