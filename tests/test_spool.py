"""Temporary files of values."""

from collections.abc import Iterator
from time import sleep

from sitecms.fork_pool import run_in_order
from sitecms.spool import Bounds, SharedSpool, Spool, packed


def test_compressed_and_plain_values_stand_side_by_side() -> None:
    """Each value is read back as it was, however it was packed; only the compressed ones are smaller."""
    value = {"text": "ebb and flow " * 200, "number": 7}
    with Spool[object]() as spool:
        for is_compressed in (False, True, False):
            spool.append_packed(packed(value, is_compressed=is_compressed))
        spool.append(None)
        assert list(spool) == [value, value, value, None]
    assert len(packed(value)) < 200 < len(packed(value, is_compressed=False))


def test_values_of_several_processes_are_read_in_the_order_of_their_places() -> None:
    """Processes write to one file, far ahead of the reader; places are small, and values stay out of pipes."""

    def write(batch: range) -> list[Bounds]:
        texts = (str(number) * 100_000 for number in batch)
        return [spool.write([packed(text, is_compressed=False) for text in texts])]

    with SharedSpool[str]() as spool:
        results = run_in_order(2, 8, 2, write)
        for bounds in results:
            spool.append(bounds)
        assert [spool[number][0] for number in range(len(spool))] == list("01234567")
        spool.append(spool.write([packed("mine")]))
        assert spool[8] == "mine"


class _Slow(list[bytes]):
    """Values of which the second is there after the other process has had time to write."""

    def __iter__(self) -> Iterator[bytes]:
        yield self[0]
        sleep(0.3)
        yield from self[1:]


def test_processes_that_write_at_once_wait_for_each_other() -> None:
    """The second process writes behind the values of the first, even if it begins while the first still writes."""
    texts = [["first" * 10_000, "more"], ["second" * 10_000, "more"]]

    def write(batch: range) -> list[Bounds]:
        values = [packed(text) for number in batch for text in texts[number]]
        return [spool.write(_Slow(values))]

    with SharedSpool[str]() as spool:
        for bounds in run_in_order(2, 2, 1, write):
            spool.append(bounds)
        assert [spool[number] for number in range(len(spool))] == [*texts[0], *texts[1]]
