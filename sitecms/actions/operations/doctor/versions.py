"""Examination of versions: Python, SQLite, libraries, and optional libraries that a site needs."""

import platform
import re
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec

from sitecms.findings import Finding, error, ok, warning
from sitecms.settings.site import SiteSettings
from sitecms.store.engines.sqlite.connection import sqlite_version

OLDEST_PYTHON = (3, 11)
FIXED_SQLITE = (3, 51, 3)
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)(?:\[[^]]*\])?>=([0-9.]+)$")


def examine_versions() -> Iterator[Finding]:
    """Compare Python, SQLite and every library with what sitecms requires."""
    yield examine_python(sys.version_info[:2])
    yield examine_sqlite(sqlite_version())
    old = [text for line in requires("sitecms") or () if (text := _too_old(line))]
    if old:
        yield error("libraries", "; ".join(old), "install sitecms again, with its requirements")
    else:
        yield ok("libraries", "as new as sitecms requires")


def examine_python(found: tuple[int, ...]) -> Finding:
    """Check the version of the interpreter."""
    if found < OLDEST_PYTHON:
        return error(
            "python", f"{platform.python_version()} is older than 3.11", "run sitecms with Python 3.11 or newer"
        )
    return ok("python", platform.python_version())


def examine_sqlite(found: str) -> Finding:
    """Check the version of the SQLite that cysqlite includes, which is not that of Python."""
    if numbers(found) < FIXED_SQLITE:
        return error(
            "sqlite",
            f"{found} has the WAL bug that can damage a store (up to 3.51.2)",
            "install a newer cysqlite, which includes SQLite: pip install --upgrade cysqlite",
        )
    return ok("sqlite", found)


def examine_extras(settings: SiteSettings) -> Iterator[Finding]:
    """Check optional libraries and files that the settings of the site need."""
    if settings.search.enabled and find_spec("pagefind") is None:
        yield warning("search", "Pagefind is not installed, so the site has no search", "pip install 'sitecms[search]'")
    else:
        yield ok("search", "Pagefind is installed" if settings.search.enabled else "turned off")
    if "br" in settings.delivery.precompress and find_spec("brotli") is None:
        yield error(
            "brotli", "delivery.precompress names br, and brotli is not installed", "pip install 'sitecms[brotli]'"
        )
    missing = [kind for kind in settings.images.formats if settings.images.enabled and not _can_write(kind)]
    if missing:
        remedy = f"install Pillow with support for it, or remove it from formats under [images]: {', '.join(missing)}"
        yield error("images", f"Pillow cannot write {', '.join(missing)}", remedy)
    else:
        yield ok("images", f"Pillow writes {', '.join(settings.images.formats)}")
    fonts = [str(font) for font in settings.share_images.fonts if not (settings.folder / font).is_file()]
    if fonts:
        yield error("fonts", f"missing: {', '.join(fonts)}", "add the files, or correct fonts under [share_images]")


def numbers(text: str) -> tuple[int, ...]:
    """Return the leading numbers of a version."""
    return tuple(int(part) for part in re.findall(r"\d+", text.partition("+")[0])[:3])


def _too_old(requirement: str) -> str:
    """Return the problem with a requirement, or ""; requirements of extras are skipped."""
    found = _REQUIREMENT.match(requirement)
    if found is None:
        return ""
    name, oldest = found.groups()
    try:
        installed = version(name)
    except PackageNotFoundError:
        return f"{name} is not installed"
    return f"{name} {installed} is older than {oldest}" if numbers(installed) < numbers(oldest) else ""


def _can_write(kind: str) -> bool:
    from PIL import features

    return bool(features.check(kind))
