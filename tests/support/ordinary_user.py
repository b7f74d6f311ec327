"""Tests of what cannot be read, which also hold where an administrator runs them."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

NOBODY = 65534


@contextmanager
def ordinary_user() -> Iterator[None]:
    """Give up the rights of the administrator, who may read everything."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(before)
