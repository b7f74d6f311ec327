"""The one place where errors become words on stderr and exit codes."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import NoReturn

import click

from sitecms.errors import ConfigurationError, Conflict, InvalidFiles, InvalidInput, NotFound, SitecmsError


class ExitCode(IntEnum):
    """What every command ends with (design, Habits)."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    CONFIGURATION = 3


_CODES: tuple[tuple[type[SitecmsError], ExitCode], ...] = (
    (ConfigurationError, ExitCode.CONFIGURATION),
    (InvalidInput, ExitCode.USAGE),
    (NotFound, ExitCode.USAGE),
    (Conflict, ExitCode.USAGE),
    (SitecmsError, ExitCode.FAILED),
)


def exit_code(error: SitecmsError) -> ExitCode:
    """The exit code that stands for this error."""
    return next(code for kind, code in _CODES if isinstance(error, kind))


def describe(error: SitecmsError) -> tuple[str, ...]:
    """What is said about it: one line for each fault in files, else the error's own text."""
    if isinstance(error, InvalidFiles):
        return tuple(str(fault) for fault in error.faults)
    return (f"Error: {error}",)


@contextmanager
def reported() -> Iterator[None]:
    """Whatever of sitecms' own errors comes out of the block is said on stderr and ends the process.

    So are refusals of the file system: a folder that may not be written to, a full disk.
    """
    try:
        yield
    except SitecmsError as error:
        fail(error)
    except OSError as error:
        if isinstance(error, BrokenPipeError) or not error.strerror:
            raise  # click's own matter: whoever read our output has left
        place = f"{error.filename} cannot be used: " if error.filename else ""
        fail(ConfigurationError(f"{place}{error.strerror.lower()}."))


def fail(error: SitecmsError) -> NoReturn:
    """Say what is wrong and end with the error's exit code."""
    for line in describe(error):
        click.echo(line, err=True)
    sys.exit(exit_code(error))
