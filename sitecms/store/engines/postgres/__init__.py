"""The store in a PostgreSQL database, through psycopg and its pool, which are an optional dependency.

Peewee builds the queries; its PostgreSQL classes do not run them, since their pool waits for a statement of its own at
each check-out.
"""
