"""The store in a PostgreSQL database, through psycopg, which is an optional dependency.

Peewee builds the queries, but its PostgreSQL classes do not run them, for two measured reasons. Its pool checks a
connection with a statement of its own at each check-out, and waits for BEGIN and for COMMIT: 16 threads that read one
row at a time made 2,700 reads a second through `PooledPsycopg3Database`, 5,900 with one of its connections kept by
each thread, and 11,800 through `database.ReadPool` (loopback, two cores; a network adds to each wait). Those classes
also need Peewee to import psycopg, which costs every command a quarter of a second (see `sitecms.store`).
"""
