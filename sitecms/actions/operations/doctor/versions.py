"""Versions of what sitecms stands on, and what a site wants that is not installed."""

import platform
import re
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec

from sitecms.actions.operations.doctor.finding import Examined, fault, ok, warning
from sitecms.settings.site import SiteSettings
from sitecms.store.engines.sqlite.connection import sqlite_version

OLDEST_PYTHON = (3, 11)
SOUND_SQLITE = (3, 51, 3)
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)(?:\[[^]]*\])?>=([0-9.]+)$")


def examine_versions() -> Iterator[Examined]:
    """Python, SQLite, and every library against what sitecms asks for."""
    yield examine_python(sys.version_info[:2])
    yield examine_sqlite(sqlite_version())
    old = [text for line in requires("sitecms") or () if (text := _too_old(line))]
    if old:
        yield fault("libraries", "; ".join(old), "Install sitecms anew, which brings what it needs.")
    else:
        yield ok("libraries", "as new as sitecms needs them")


def examine_python(found: tuple[int, ...]) -> Examined:
    """The interpreter."""
    if found < OLDEST_PYTHON:
        return fault(
            "python", f"{platform.python_version()} is older than 3.11", "Run sitecms with Python 3.11 or newer."
        )
    return ok("python", platform.python_version())


def examine_sqlite(found: str) -> Examined:
    """The engine that the store is kept with, which is not the one that came with Python."""
    if numbers(found) < SOUND_SQLITE:
        return fault(
            "sqlite",
            f"{found} has the WAL fault that can damage a store (up to 3.51.2)",
            "Install a newer cysqlite, which carries its own SQLite: pip install --upgrade cysqlite",
        )
    return ok("sqlite", found)


def examine_extras(settings: SiteSettings) -> Iterator[Examined]:
    """What is optional, and wanted by this site's settings."""
    if settings.search.enabled and find_spec("pagefind") is None:
        yield warning("search", "Pagefind is not installed, so the site has no search", "pip install 'sitecms[search]'")
    else:
        yield ok("search", "Pagefind is installed" if settings.search.enabled else "turned off")
    if "br" in settings.delivery.precompress and find_spec("brotli") is None:
        yield fault("brotli", "delivery.precompress names br, which cannot be made", "pip install 'sitecms[brotli]'")
    lacking = [kind for kind in settings.images.formats if settings.images.enabled and not _can_write(kind)]
    if lacking:
        remedy = f"Install Pillow with support for it, or leave it out of formats under [images]: {', '.join(lacking)}"
        yield fault("images", f"Pillow cannot write {', '.join(lacking)}", remedy)
    else:
        yield ok("images", f"Pillow writes {', '.join(settings.images.formats)}")
    fonts = [str(font) for font in settings.share_images.fonts if not (settings.folder / font).is_file()]
    if fonts:
        yield fault("fonts", f"missing: {', '.join(fonts)}", "Put them there, or correct fonts under [share_images].")


def numbers(text: str) -> tuple[int, ...]:
    """The leading numbers of a version."""
    return tuple(int(part) for part in re.findall(r"\d+", text.partition("+")[0])[:3])


def _too_old(requirement: str) -> str:
    """What is wrong, or ""; a requirement of an extra is nobody's fault."""
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
