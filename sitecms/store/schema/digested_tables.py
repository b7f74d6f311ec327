"""Tables whose rows have a digest, with which `sitecms verify` compares each row (`store.maintenance.row_digests`)."""

from collections.abc import Mapping

KEYS: Mapping[str, tuple[str, ...]] = {
    "document": ("name",),
    "author": ("id",),
    "term": ("id",),
    "post": ("id",),
    "post_term": ("post_id", "term_id"),
    "page": ("id",),
    "page_version": ("id",),
    "former_name": ("kind", "place", "slug"),
    "item": ("id",),
    "item_version": ("id",),
    "media_file": ("name",),
    "media_source": ("url_digest", "name"),
    "loaded_file": ("path",),
    "token": ("id",),
    "write": ("sequence",),
    "reservation": ("kind", "name"),
    "webhook": ("id",),
    "delivery": ("rowid",),
    "delivery_attempt": ("delivery_id", "attempt"),
}
"""The key columns of each table, as in `store.schema.columns`."""
SEPARATOR = "\x1f"
"""Separates the values of a key of several columns; none of them contains it."""
