"""Where content is kept: the only part of sitecms that knows Peewee and SQL.

Every function takes a `Session` (a read transaction) or a `Transaction` (a write transaction) of `store.database`
and gives or takes values of `sitecms.content`; no row leaves this package.
"""
