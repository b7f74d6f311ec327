"""How a store on a server is just now."""

import peewee

from sitecms.errors import StoreUnusable
from sitecms.settings.service_url import ServiceUrl
from sitecms.store.engines.postgres.connection import PROBING, Link, server_of
from sitecms.store.engines.postgres.tables import store_version
from sitecms.store.site_state.relocation_state import ASK_IN_THE_WAY, what_is_in_the_way


def look(url: ServiceUrl) -> tuple[str, int, str]:
    """The engine with its version as far as it can be told, the version of the tables, and what is wrong or ""."""
    engine = "PostgreSQL"
    try:
        link = Link(url, PROBING)
    except StoreUnusable:
        return engine, 0, "The store's server cannot be reached."
    try:
        engine = server_of(link)
        version = store_version(link)
        if not version:
            return engine, 0, "The store is missing."
        in_the_way = link.statement(ASK_IN_THE_WAY).fetchone()
    except (StoreUnusable, peewee.DatabaseError):
        return engine, 0, "The store's server cannot be reached." if link.is_lost else "The store cannot be read."
    finally:
        link.close()
    return engine, version, what_is_in_the_way(in_the_way)
