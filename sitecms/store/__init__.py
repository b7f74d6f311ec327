"""Storage of all content: the only package that imports Peewee and the drivers of databases.

Functions take a `Session` (read transaction) or a `Transaction` (write transaction) of `store.database`, and take and
return values of `sitecms.content`; no database row leaves this package. Two engines can keep a store:
`store.engines.sqlite` and `store.engines.postgres`. `store.sql` declares statements that differ between them.
"""

import sys

_DRIVERS = ("psycopg", "psycopg2", "psycopg2cffi", "pymysql", "MySQLdb")


def _import_peewee() -> None:
    """Import Peewee without the drivers that it would import wherever they are installed.

    psycopg alone raises the CPU time of a load that finds nothing to do from 0.46 to 0.72 s, and that of such a build
    from 0.53 to 0.79 s. `store.engines.postgres` imports psycopg itself.
    """
    hidden = [name for name in _DRIVERS if name not in sys.modules]
    for name in hidden:
        sys.modules[name] = None  # type: ignore[assignment]  # imports of it fail
    try:
        import peewee  # noqa: F401
    finally:
        for name in hidden:
            del sys.modules[name]


_import_peewee()
