"""How much there is of everything, for reports."""

from sitecms.store.database import Session

_COUNTS = (
    ("posts", "SELECT count(*) FROM post WHERE deleted_at IS NULL"),
    ("pages", "SELECT count(*) FROM page WHERE deleted_at IS NULL"),
    ("items", "SELECT count(*) FROM item WHERE deleted_at IS NULL"),
    ("media", "SELECT count(*) FROM media_file"),
    ("tokens", "SELECT count(*) FROM token WHERE revoked_at IS NULL"),
    ("webhooks", "SELECT count(*) FROM webhook"),
    ("open_writes", "SELECT count(*) FROM write WHERE status = 'accepted'"),
    ("waiting_deliveries", "SELECT count(*) FROM delivery WHERE status = 'waiting'"),
)


def count_rows(session: Session) -> dict[str, int]:
    """Posts, pages and items outside the trash; media files; tokens; webhooks; writes and messages still to be done."""
    return {name: int(session.sql(statement)[0][0]) for name, statement in _COUNTS}
