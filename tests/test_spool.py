"""Temporary files of values."""

from sitecms.spool import Spool, packed


def test_compressed_and_plain_values_stand_side_by_side() -> None:
    """Each value is read back as it was, however it was packed; only the compressed ones are smaller."""
    value = {"text": "ebb and flow " * 200, "number": 7}
    with Spool[object]() as spool:
        for is_compressed in (False, True, False):
            spool.append_packed(packed(value, is_compressed=is_compressed))
        spool.append(None)
        assert list(spool) == [value, value, value, None]
    assert len(packed(value)) < 200 < len(packed(value, is_compressed=False))
