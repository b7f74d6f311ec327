"""Optional packages: whether they are installed, and the command that installs them where sitecms is installed."""

import re
import sys
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path

PAGEFIND = ("pagefind_bin_extended", "pagefind_bin")
"""Modules with the program of Pagefind, the better one first. sitecms requires the other where it has a wheel."""
NO_PAGEFIND = "Pagefind, which makes the index of the search, has no program for this machine"
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+(?:\[[^]]*\])?)[^;]*;\s*extra\s*==\s*[\"']([^\"']+)[\"']")
_PIPX, _UV_TOOL = "pipx_metadata.json", "uv-receipt.toml"
"""Files that pipx and `uv tool` leave in an environment that they made."""


class Extra(StrEnum):
    """The extras of the package: `pip install 'sitecms[math]'` installs sitecms with one of them."""

    BROTLI = "brotli"
    EMOJI = "emoji"
    HEIC = "heic"
    MATH = "math"
    POSTGRES = "postgres"
    REDIS = "redis"
    S3 = "s3"


_MODULES = {
    Extra.BROTLI: ("brotli",),
    Extra.EMOJI: ("emoji",),
    Extra.HEIC: ("pillow_heif",),
    Extra.MATH: ("math_core",),
    Extra.POSTGRES: ("psycopg",),
    Extra.REDIS: ("redis",),
    Extra.S3: ("boto3",),
}


def has_pagefind() -> bool:
    """Return whether there is a program of Pagefind for this machine."""
    return any(find_spec(module) for module in PAGEFIND)


def is_installed(extra: Extra) -> bool:
    """Return whether one of the modules of an extra can be imported."""
    return any(find_spec(module) for module in _MODULES[extra])


def packages_of(extra: Extra) -> tuple[str, ...]:
    """Return the names of the packages of an extra, as `redis`; that of the extra if they are not known."""
    from importlib.metadata import PackageNotFoundError, requires  # only messages need it

    try:
        lines = requires("sitecms") or ()
    except PackageNotFoundError:
        lines = ()
    found = (match for line in lines if (match := _REQUIREMENT.match(line)))
    return tuple(match[1] for match in found if match[2] == extra) or (f"sitecms[{extra}]",)


def install_command(extra: Extra) -> str:
    """Return the command that adds the packages of an extra to this installation, whichever program made it.

    It names the packages themselves, so it works whether sitecms came from a registry, a wheel or a checkout.
    """
    import shlex
    import shutil

    prefix, packages = Path(sys.prefix), shlex.join(packages_of(extra))
    if (prefix / _PIPX).is_file():
        return f"pipx inject sitecms {packages}"
    if (prefix / _UV_TOOL).is_file() or find_spec("pip") is None:
        return f"uv pip install --python {shlex.quote(sys.executable)} {packages}"
    pip = shutil.which("pip")
    if pip and Path(pip).parent == Path(sys.executable).parent:
        return f"pip install {packages}"
    return f"{shlex.quote(sys.executable)} -m pip install {packages}"


def missing_package(extra: Extra, what: str) -> str:
    """Return the message that something needs the packages of an extra, which are not installed."""
    packages = " and ".join(name.partition("[")[0] for name in packages_of(extra))
    verb = "is" if " and " not in packages else "are"
    return f"{what} needs {packages}, which {verb} not installed: {install_command(extra)}"
