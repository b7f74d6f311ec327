"""Storage of all content: the only package that imports Peewee and the drivers of databases.

Functions take a `Session` (read transaction) or a `Transaction` (write transaction) of `store.database`, and take and
return values of `sitecms.content`; no database row leaves this package. Two engines can keep a store:
`store.engines.sqlite` and `store.engines.postgres`. `store.sql` declares statements that differ between them.
"""
