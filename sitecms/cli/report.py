"""Translation of errors to messages on stderr and exit codes."""

import shlex
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
    MediaUnusable,
    NotFound,
    SitecmsError,
    StoreMissing,
    StoreMoved,
    StoreNotWritable,
    StoreUnreachable,
)

CHAPTERS: tuple[tuple[type[SitecmsError], str], ...] = ((StoreMoved, "growing"), (MediaUnusable, "growing"))
"""Chapters of the manual about errors that one line does not explain."""
CHAPTERS_OF_FILES = {"site.toml": "settings", "redirects.yaml": "addresses", "schema/": "schema-keys"}
"""Chapters about errors in files, by the beginning of the file's name."""


class ExitCode(IntEnum):
    """Exit codes of all commands."""

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


def chapter_about(error: SitecmsError) -> str:
    """Return the slug of the chapter of the manual that says more about an error; "" if none does."""
    if isinstance(error, InvalidFiles):
        file = error.errors[0].file if error.errors else ""
        return next((chapter for start, chapter in CHAPTERS_OF_FILES.items() if file.startswith(start)), "")
    return next((chapter for kind, chapter in CHAPTERS if isinstance(error, kind)), "")


def exit_code(error: SitecmsError) -> ExitCode:
    """Return the exit code of an error."""
    return next(code for kind, code in _CODES if isinstance(error, kind))


def describe(error: SitecmsError) -> tuple[str, ...]:
    """Return the lines of an error message: one for each problem in files, otherwise the text of the error."""
    if isinstance(error, InvalidFiles):
        return tuple(str(error) for error in error.errors)
    return (f"Error: {error}",)


@contextmanager
def reported(site_folder: Callable[[], Path | None] = lambda: None) -> Iterator[None]:
    """Report errors that leave the block on stderr and end the process with their exit code.

    This holds for errors of sitecms and of the file system, such as a full disk. Any other error is reported as damage
    if the store of the site is damaged, since a damaged value can make any code fail.
    """
    try:
        yield
    except SitecmsError as error:
        fail(error, site_folder())
    except (click.ClickException, click.exceptions.Exit, click.Abort):
        raise
    except OSError as error:
        if isinstance(error, BrokenPipeError) or not error.strerror:
            raise  # the reader of the output has closed the pipe; click handles that
        place = f"{error.filename} cannot be used: " if error.filename else ""
        fail(ConfigurationError(f"{place}{error.strerror.lower()}."))
    except Exception:
        folder = site_folder()
        problem = _damage(folder) if folder is not None else ""
        if not problem:
            raise
        fail(ConfigurationError(f"The store is damaged: {problem}. To see all of it: sitecms verify {folder}"))


def _damage(folder: Path) -> str:
    """Return the first problem of the store of a site; "" if none is found."""
    from sitecms.settings.site import load_settings
    from sitecms.store.maintenance.integrity import schema_damage
    from sitecms.store.maintenance.row_digests import damaged_rows
    from sitecms.store.opening import open_database

    try:
        address = load_settings(folder, with_plugins=False).store
    except SitecmsError:  # no site yet, as while one is imported, or no valid settings: they name no store
        return ""
    try:
        definitions = schema_damage(address) if isinstance(address, Path) and address.is_file() else ()
        if definitions:
            return definitions[0]
        with open_database(address).reading() as session:
            row = next(damaged_rows(session), None)
    except (StoreMissing, StoreMoved, StoreNotWritable, StoreUnreachable):
        return ""
    except Exception as error:  # noqa: BLE001 - damage takes any form
        return str(error)
    return f"{row.table} row {row.row} {row.problem}" if row else ""


def fail(error: SitecmsError, site_folder: Path | None = None) -> NoReturn:
    """Write the error message and the next step to stderr, and end with the exit code."""
    for line in describe(error):
        click.echo(line, err=True)
    if site_folder and isinstance(error, StoreMissing):
        click.echo(f"Make the store: sitecms load {shlex.quote(str(site_folder))}", err=True)
    if chapter := chapter_about(error):
        click.echo(f"More about this: sitecms manual {chapter}", err=True)
    sys.exit(exit_code(error))
