"""How often what readers see has changed, and up to which of these changes the site was built by itself."""

from sitecms.store.database import Session, Transaction

_CHANGED = "site_changes"
_BUILT = "site_built"
_GROW = """
INSERT INTO document (name, value_json) VALUES (?, '1')
ON CONFLICT (name) DO UPDATE SET value_json = CAST(value_json AS INTEGER) + 1"""
_SET = "INSERT OR REPLACE INTO document (name, value_json) VALUES (?, ?)"


def note_site_change(transaction: Transaction) -> None:
    """Something that readers see is different now."""
    transaction.sql(_GROW, _CHANGED)


def unbuilt_changes(session: Session) -> int | None:
    """The number of the last change, None if the site was built since."""
    changed = _number(session, _CHANGED)
    return changed if changed > _number(session, _BUILT) else None


def note_site_built(transaction: Transaction, number: int) -> None:
    """The site holds everything up to that change."""
    transaction.sql(_SET, _BUILT, str(number))


def _number(session: Session, name: str) -> int:
    row = session.sql_row("SELECT value_json FROM document WHERE name = ?", name)
    return int(row[0]) if row else 0
