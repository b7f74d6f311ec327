"""Compressed copies: the same bytes on any day, read back by anybody, and never larger."""

import gzip
import time

import brotli
import pytest

from sitecms.site.render.precompress import compressed, is_compressible

TEXT = b"<p>The sea, the sea.</p>\n" * 40


def test_a_copy_holds_the_same_bytes() -> None:
    """In both encodings."""
    assert gzip.decompress(compressed(TEXT, "gz") or b"") == TEXT
    assert brotli.decompress(compressed(TEXT, "br") or b"") == TEXT


def test_a_copy_does_not_tell_when_it_was_made() -> None:
    """Equal bytes make an equal copy a second later."""
    first = compressed(TEXT, "gz")
    time.sleep(1.1)
    assert compressed(TEXT, "gz") == first
    assert (first or b"")[4:8] == b"\0\0\0\0"


@pytest.mark.parametrize("encoding", ["gz", "br"])
def test_what_would_grow_stays_as_it_is(encoding: str) -> None:
    """A few letters are not worth a copy."""
    assert compressed(b"ab", encoding) is None


@pytest.mark.parametrize(
    ("path", "is_text"),
    [
        ("blog/index.html", True),
        ("rss.xml", True),
        ("assets/style.1.css", True),
        ("media/a.svg", True),
        ("media/a.jpg", False),
        ("assets/f.woff2", False),
        ("pagefind/wasm.en.pagefind", False),
        ("_headers", False),
    ],
)
def test_text_alone_is_compressed(path: str, is_text: bool) -> None:
    """By its name."""
    assert is_compressible(path) is is_text
