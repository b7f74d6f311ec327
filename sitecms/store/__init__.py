"""Where content is kept: the only part of sitecms that knows Peewee and SQL.

Every function takes a `Session` (a read transaction) or a `Transaction` (a write transaction) of `store.database`
and gives or takes values of `sitecms.content`; no row leaves this package. Two engines can keep a store:
`store.engines.sqlite` and `store.engines.postgres` have what each does in its own way, and `store.sql` says how the
others word what differs.
"""

from sitecms.store.engines.peewee_import import import_peewee

import_peewee()
