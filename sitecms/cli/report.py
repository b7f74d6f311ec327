"""The one place where errors become words on stderr and exit codes."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from typing import NoReturn

import click

from sitecms.errors import (
    ConfigurationError,
    Conflict,
    InvalidFiles,
    InvalidInput,
    NotFound,
    SitecmsError,
    StoreMissing,
)


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
def reported(site_folder: Callable[[], Path | None] = lambda: None) -> Iterator[None]:
    """Whatever of sitecms' own errors comes out of the block is said on stderr and ends the process.

    So are refusals of the file system: a folder that may not be written to, a full disk. Any other error is reported as
    damage where the store of the site is damaged, since a damaged value can make any code fail.
    """
    try:
        yield
    except SitecmsError as error:
        fail(error)
    except (click.ClickException, click.exceptions.Exit, click.Abort):
        raise
    except OSError as error:
        if isinstance(error, BrokenPipeError) or not error.strerror:
            raise  # click's own matter: whoever read our output has left
        place = f"{error.filename} cannot be used: " if error.filename else ""
        fail(ConfigurationError(f"{place}{error.strerror.lower()}."))
    except Exception:
        folder = site_folder()
        problem = _damage(folder) if folder is not None else ""
        if not problem:
            raise
        fail(ConfigurationError(f"The store is damaged: {problem}. See all of it: sitecms verify {folder}"))


def _damage(folder: Path) -> str:
    """Return what is wrong with the store of a site; "" if nothing is found."""
    from sitecms.settings.site import load_settings
    from sitecms.store.maintenance.integrity import schema_damage
    from sitecms.store.maintenance.row_digests import damaged_rows
    from sitecms.store.opening import open_database

    try:
        address = load_settings(folder).store
        definitions = schema_damage(address) if isinstance(address, Path) and address.is_file() else ()
        if definitions:
            return definitions[0]
        with open_database(address).reading() as session:
            found = next(damaged_rows(session), None)
    except (InvalidFiles, StoreMissing):
        return ""
    except Exception as error:  # noqa: BLE001 - damage takes any form
        return str(error)
    return f"{found.table} row {found.row} {found.problem}" if found else ""


def fail(error: SitecmsError) -> NoReturn:
    """Say what is wrong and end with the error's exit code."""
    for line in describe(error):
        click.echo(line, err=True)
    sys.exit(exit_code(error))
