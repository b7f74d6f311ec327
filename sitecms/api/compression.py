"""Content codings of answers: which one a client takes, and the compressed bytes."""

import gzip
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib.util import find_spec

from werkzeug.datastructures import Accept
from werkzeug.http import parse_accept_header

MIN_BYTES = 1_000
"""Shorter bodies fit into one packet, compressed or not."""
GZIP_LEVEL = 6
BROTLI_QUALITY = 5


def _brotli(body: bytes) -> bytes:
    import brotli

    packed: bytes = brotli.compress(body, quality=BROTLI_QUALITY)
    return packed


def _gzip(body: bytes) -> bytes:
    return gzip.compress(body, GZIP_LEVEL, mtime=0)


CODINGS: Mapping[str, Callable[[bytes], bytes]] = {**({"br": _brotli} if find_spec("brotli") else {}), "gzip": _gzip}
"""The function of each coding, the best one first."""


@lru_cache(256)
def coding_for(accept_encoding: str) -> str:
    """Return the coding for a client that sent this header; "" if it takes none."""
    accepted = parse_accept_header(accept_encoding, Accept)
    return next((coding for coding in CODINGS if accepted[coding] > 0), "")
