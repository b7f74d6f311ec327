"""Which store this is, whatever its address and wherever it is moved: what is shared with others is named by it."""

import secrets

import orjson

from sitecms.store.database import Database, Session, Transaction

_NAME = "store_identity"


def look_identity(database: Database) -> str:
    """ "" where nobody has needed one yet; changes nothing."""
    with database.reading() as session:
        return _find(session)


def store_identity(database: Database) -> str:
    """Given to the store by whoever asks first, and kept."""
    found = look_identity(database)
    if found:
        return found
    with database.writing(counts_as_change=False) as transaction:
        insert = "INSERT INTO document (name, value_json) VALUES (?, ?) ON CONFLICT (name) DO NOTHING"
        transaction.sql(insert, _NAME, orjson.dumps(secrets.token_hex(8)).decode())
        return _find(transaction)


def forget_identity(transaction: Transaction) -> None:
    """For a copy of a store, which is another one."""
    transaction.sql("DELETE FROM document WHERE name = ?", _NAME)


def _find(session: Session) -> str:
    row = session.sql_row("SELECT value_json FROM document WHERE name = ?", _NAME)
    return str(orjson.loads(row[0])) if row else ""
