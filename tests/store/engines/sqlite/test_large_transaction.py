"""Costs of a transaction that changes many rows, such as a load."""

from hashlib import blake2b
from pathlib import Path

import pytest

from sitecms.store.opening import open_database

PAGE_BYTES = 4096
IO = Path("/proc/self/io")


def bytes_read() -> int:
    """Return the bytes that this process has read from files."""
    return int(IO.read_text().split()[1])


@pytest.mark.skipif(not IO.exists(), reason="the kernel does not count what a process reads")
def test_a_load_of_a_thousand_posts_reads_each_page_once(tmp_path: Path) -> None:
    """Pages that do not fit in memory are written early; when one of them changes again, SQLite reads all of them."""
    database = open_database(tmp_path / ".sitecms" / "store.db", create=True)
    before = bytes_read()
    with database.writing() as transaction:
        for number in range(3_000):
            name = blake2b(b"%d" % number, digest_size=8).hexdigest()  # in no order, so that each page gets some
            transaction.sql("INSERT INTO document VALUES (?, ?)", name, "x" * PAGE_BYTES)
        pages = int(transaction.sql("PRAGMA page_count")[0][0])
    read = bytes_read() - before
    database.close()
    assert pages * PAGE_BYTES > 12_000_000
    assert read < pages * PAGE_BYTES * 1.5  # once, to bring them from the log into the file
