"""Packages of npm that tests install for a run, in exactly the versions that a package.json names."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

INSTALL_SECONDS = 300
OLDEST_NODE = 18


@pytest.fixture(scope="session")
def npm_install(tmp_path_factory: pytest.TempPathFactory, lacking: Callable[[str], None]) -> Callable[[Path], Path]:
    """Copy a folder of scripts and install its packages: exactly the versions of package.json."""

    def install(scripts: Path) -> Path:
        folder = tmp_path_factory.mktemp("npm") / scripts.name
        shutil.copytree(scripts, folder)
        if shutil.which("node") is None or shutil.which("npm") is None:
            lacking("node and npm are not installed: packages of npm cannot be run")
        version = subprocess.run(["node", "--version"], capture_output=True, text=True, timeout=60).stdout.strip()
        if int(version.removeprefix("v").partition(".")[0] or 0) < OLDEST_NODE:
            lacking(f"node is {version}: packages of npm need {OLDEST_NODE} or newer")
        if problem := _npm_problem(folder):
            lacking(f"npm cannot install its packages, perhaps without network: {problem}")
        return folder

    return install


def _npm_problem(folder: Path) -> str:
    """Install what the folder's package.json names; the reason why that failed, or nothing."""
    command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock", "--prefer-offline"]
    command += ["--fetch-retries=1", "--fetch-retry-mintimeout=1000"]
    try:
        result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=INSTALL_SECONDS)
    except subprocess.TimeoutExpired:
        return f"it took longer than {INSTALL_SECONDS} s"
    errors = [line for line in result.stderr.splitlines() if line.startswith("npm error")]
    return " ".join(errors)[:400] or "npm gives no reason" if result.returncode else ""
