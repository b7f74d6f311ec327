"""Digests of values and files. The fingerprint of a page is made of them in `site.plan.plan`."""

from collections.abc import Iterable
from hashlib import blake2b, sha1
from operator import attrgetter

import orjson
from msgspec.structs import asdict

from sitecms.content.post import Post

_POST = attrgetter(*(name for name in Post.__struct_fields__ if name not in ("body", "author", "categories", "tags")))


def digest(data: bytes) -> str:
    """Return a digest of the bytes as 32 hexadecimal digits."""
    return blake2b(data, digest_size=16).hexdigest()


def digest_of_parts(parts: Iterable[bytes]) -> str:
    """Return the digest of bytes that come in parts."""
    found = blake2b(digest_size=16)
    for part in parts:
        found.update(part)
    return found.hexdigest()


def revision_of(entry: object) -> str:
    """Return 16 hex digits that change with what is stored of an entry (`Post`, `Page` or `Item`).

    Engines and store copies agree on it. It is the first part of the entry's ETag (API reference, Writes). For the body
    of a post stands its stored digest, for author and terms their slugs: their other values are not part of the post.
    """
    if isinstance(entry, Post):
        terms = [term.slug for term in entry.categories], [term.slug for term in entry.tags]
        entry = _POST(entry), entry.author.slug, *terms
    return sha1(orjson.dumps(entry, default=asdict), usedforsecurity=False).hexdigest()[:16]


def canonical(value: object) -> bytes:
    """Return the value (plain data and structs) as JSON with sorted keys: equal values give equal bytes."""
    return orjson.dumps(value, default=asdict, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)
