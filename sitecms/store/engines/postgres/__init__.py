"""The store in a PostgreSQL database, reached through psycopg, which is an extra: only `open_database` comes here."""
