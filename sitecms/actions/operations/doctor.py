"""Examination of a machine, and of a site on it, for problems. Changes nothing.

The machine: clock, limits, proxies, port, and versions of Python, SQLite and libraries.
"""

import http.client
import os
import platform
import re
import resource
import socket
import sys
import time
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from pathlib import Path

import orjson

from sitecms.actions.operations.doctor_storage import (
    examine_disk,
    examine_file_system,
    examine_media,
    examine_permissions,
    examine_store,
)
from sitecms.clock import Clock
from sitecms.findings import Finding, error, ok, warning
from sitecms.settings.site import STATE_FOLDER, SiteSettings
from sitecms.store.engines.sqlite.connection import sqlite_version
from sitecms.store.maintenance.counters import living

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


_MARKDOWN_PACKAGES = {"emoji": "emoji", "math": "math_core"}


def examine_extras(settings: SiteSettings) -> Iterator[Finding]:
    """Check optional libraries and files that the settings of the site need."""
    if settings.search.enabled and find_spec("pagefind") is None:
        yield warning("search", "Pagefind is not installed, so the site has no search", "pip install 'pagefind[bin]'")
    else:
        yield ok("search", "Pagefind is installed" if settings.search.enabled else "turned off")
    if "br" in settings.delivery.precompress and find_spec("brotli") is None:
        yield error(
            "brotli", "delivery.precompress names br, and brotli is not installed", "pip install 'sitecms[brotli]'"
        )
    for extension, package in _MARKDOWN_PACKAGES.items():
        if extension in settings.markdown_extensions and find_spec(package) is None:
            problem = f"markdown.{extension} is on, and its package is not installed"
            yield error(extension, problem, f"pip install 'sitecms[{extension}]'")
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


MEASURED_SECONDS = 0.2
TOLERATED_SECONDS = 0.05
EARLIEST_YEAR = 2025
LEAST_OPEN_FILES, FEW_OPEN_FILES = 256, 1024
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
_WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - recognised, not bound


def examine_clock() -> Finding:
    """Compare the wall clock with the monotonic clock."""
    wall, monotonic = time.time(), time.monotonic()
    time.sleep(MEASURED_SECONDS)
    apart = (time.time() - wall) - (time.monotonic() - monotonic)
    return judge_clock(time.gmtime(wall).tm_year, apart)


def judge_clock(year: int, apart_seconds: float) -> Finding:
    """Return the finding for a year, and for the seconds by which the two clocks moved apart in the measured time."""
    remedy = "set the clock by NTP: times decide what is published, and when a token expires"
    if year < EARLIEST_YEAR:
        return error("clock", f"the year is {year} by the clock", remedy)
    if abs(apart_seconds) > TOLERATED_SECONDS:
        return warning("clock", f"the clock jumped by {apart_seconds:.2f} s within {MEASURED_SECONDS} s", remedy)
    return ok("clock", f"steady, {year}")


def examine_open_files() -> Finding:
    """Check how many files a process may have open."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if limit == resource.RLIM_INFINITY:
        return ok("open-files", "no limit")
    what, remedy = f"{limit} at a time", "raise the limit: ulimit -n 4096, or LimitNOFILE= in a systemd unit"
    if limit < LEAST_OPEN_FILES:
        return error("open-files", what, remedy)
    return warning("open-files", what, remedy) if limit < FEW_OPEN_FILES else ok("open-files", what)


def examine_proxies() -> Finding:
    """Report the variables of proxies by name; their values may contain a password."""
    names = [name for name in (*PROXIES, *map(str.lower, PROXIES)) if os.environ.get(name)]
    if not names:
        return ok("proxies", "none in the environment")
    what = f"{', '.join(names)} is set and ignored: remote media and webhooks are reached directly"
    return warning("proxies", what, "let this machine reach them without a proxy")


def examine_port(host: str, port: int, *, is_serving: bool) -> Finding:
    """Check that `sitecms serve` can listen at the port, or that it does: `is_serving` while a server of it runs."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as problem:
        if is_serving and _is_sitecms(host, port):
            return ok("port", f"sitecms listens on {host} port {port}")
        reason = (problem.strerror or str(problem)).lower()
        who = ", by another program" if is_serving else ""
        return warning("port", f"{host} port {port}: {reason}{who}", "choose another port: sitecms serve --port")
    return ok("port", f"{host} port {port} is free")


def _is_sitecms(host: str, port: int) -> bool:
    """Return whether a server of sitecms answers there."""
    connection = http.client.HTTPConnection(_WILDCARDS.get(host, host), port, timeout=2)
    try:
        connection.request("GET", "/health/live")
        return bool(orjson.loads(connection.getresponse().read(1000)) == {"status": "live"})
    except (OSError, http.client.HTTPException, ValueError):
        return False
    finally:
        connection.close()


def examine_machine(host: str, port: int, *, is_serving: bool = False) -> Iterator[Finding]:
    """Examine what concerns every site on this machine. `is_serving`: a server of the site runs."""
    yield from examine_versions()
    yield examine_clock()
    yield examine_open_files()
    yield examine_proxies()
    yield examine_port(host, port, is_serving=is_serving)


def examine_site(
    settings: SiteSettings, host: str, port: int, clock: Clock, can_exchange_in: Callable[[Path], bool]
) -> Iterator[Finding]:
    """Examine the machine and the site on it."""
    yield from examine_machine(host, port, is_serving=bool(living(settings.counters_dir).get("web")))
    yield from examine_extras(settings)
    state = settings.folder / STATE_FOLDER
    yield from examine_permissions(settings.folder, state)
    yield from examine_disk(state if state.is_dir() else settings.folder)
    yield from examine_file_system(state if state.is_dir() else settings.folder, can_exchange_in)
    yield from examine_store(settings, clock())
    yield from examine_media(settings, clock())
