"""Compressed copies: reproducible, correct and never larger."""

import gzip
import time

import brotli
import pytest

from sitecms.site.render.added_files import compressed, is_compressible

TEXT = b"<p>The sea, the sea.</p>\n" * 40


def test_a_copy_decompresses_to_the_same_bytes() -> None:
    """This holds for both encodings."""
    assert gzip.decompress(compressed(TEXT, "gz") or b"") == TEXT
    assert brotli.decompress(compressed(TEXT, "br") or b"") == TEXT


def test_a_copy_has_no_time_stamp() -> None:
    """Equal bytes make an equal copy a second later."""
    first = compressed(TEXT, "gz")
    time.sleep(1.1)
    assert compressed(TEXT, "gz") == first
    assert (first or b"")[4:8] == b"\0\0\0\0"


@pytest.mark.parametrize("encoding", ["gz", "br"])
def test_a_copy_that_is_not_smaller_is_left_out(encoding: str) -> None:
    """A few letters have no copy."""
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
def test_only_text_is_compressed(path: str, is_text: bool) -> None:
    """The extension of the path decides."""
    assert is_compressible(path) is is_text
