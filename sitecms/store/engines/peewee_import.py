"""Peewee without the drivers of other databases, which it would import wherever they are installed.

That takes a tenth of a second of every command; what speaks to PostgreSQL (`store.engines.postgres`) imports its
driver itself.
"""

import sys

_DRIVERS = ("psycopg", "psycopg2", "psycopg2cffi", "pymysql", "MySQLdb")


def import_peewee() -> None:
    """Import it now, before anything else does."""
    hidden = [name for name in _DRIVERS if name not in sys.modules]
    for name in hidden:
        sys.modules[name] = None  # type: ignore[assignment]  # imports of it fail
    try:
        import peewee  # noqa: F401
    finally:
        for name in hidden:
            del sys.modules[name]
