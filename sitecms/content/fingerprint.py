"""Digests of values and files. The fingerprint of a page is made of them in `site.plan.plan`."""

from collections.abc import Iterable
from hashlib import blake2b, sha1

import orjson
from msgspec.structs import asdict


def digest(data: bytes) -> str:
    """Return a digest of the bytes as 32 hexadecimal digits."""
    return blake2b(data, digest_size=16).hexdigest()


def digest_of_parts(parts: Iterable[bytes]) -> str:
    """Return the digest of bytes that come in parts."""
    found = blake2b(digest_size=16)
    for part in parts:
        found.update(part)
    return found.hexdigest()


def revision_of(value: object) -> str:
    """Return 16 hex digits that change with what is stored: an author, a term, the values of an entry.

    Engines and store copies agree on it.
    """
    return sha1(orjson.dumps(value, default=asdict), usedforsecurity=False).hexdigest()[:16]


def canonical(value: object) -> bytes:
    """Return the value (plain data and structs) as JSON with sorted keys: equal values give equal bytes."""
    return orjson.dumps(value, default=asdict, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)
