"""Whether the server that keeps a store keeps what it says it keeps."""

from sitecms.store.database import Session
from sitecms.store.sql import Sql

_CARELESS = Sql(
    sqlite="SELECT 1 WHERE 1 = 0",  # our own connections say what is kept
    postgres="SELECT name || ' = ' || setting FROM pg_settings "
    "WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off' ORDER BY name",
)


def careless_settings(session: Session) -> tuple[str, ...]:
    """Those by which a power cut may undo or damage what was answered for."""
    return tuple(str(row[0]) for row in session.sql(_CARELESS))
