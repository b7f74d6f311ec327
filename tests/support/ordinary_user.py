"""Tests of what cannot be read or written, which also hold where an administrator runs them."""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

NOBODY = 65534
_VERSION_3 = 0x20080522
_DAC_OVERRIDE = 1
_PR_CAPBSET_DROP = 24


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Data(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


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


@contextmanager
def permissions_that_count() -> Iterator[None]:
    """Let this thread, and those it starts, write only where permissions allow it, an administrator's too (Linux)."""
    if os.geteuid() != 0:
        yield
        return
    library = ctypes.CDLL(None, use_errno=True)
    header, data = _Header(_VERSION_3, 0), (_Data * 2)()
    assert library.capget(ctypes.byref(header), data) == 0
    before = data[0].effective
    data[0].effective = before & ~(1 << _DAC_OVERRIDE)
    assert library.capset(ctypes.byref(header), data) == 0
    try:
        yield
    finally:
        data[0].effective = before
        assert library.capset(ctypes.byref(header), data) == 0


def let_permissions_count() -> None:
    """Do so for good in a process that is about to start a program (`preexec_fn`)."""
    if os.geteuid() == 0:
        ctypes.CDLL(None).prctl(_PR_CAPBSET_DROP, _DAC_OVERRIDE, 0, 0, 0)
