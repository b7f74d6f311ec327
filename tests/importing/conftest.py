"""Programs that the tests of addresses need: nginx, and Pelican in an environment of its own."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.nginx import MISSING, nginx_program

INSTALL_SECONDS = 300


@pytest.fixture
def nginx(lacking: Callable[[str], None]) -> None:
    """Skip the test where nginx is not installed."""
    if nginx_program() is None:
        lacking(MISSING)


@pytest.fixture(scope="session")
def pelican(tmp_path_factory: pytest.TempPathFactory, lacking: Callable[[str], None]) -> Path:
    """Pelican, in an environment of its own: it needs an older Pygments than sitecms does."""
    folder = tmp_path_factory.mktemp("pelican")
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, timeout=INSTALL_SECONDS)
    command = [str(folder / "bin/pip"), "install", "--quiet", "pelican[markdown]~=4.11"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_SECONDS)
    if done.returncode:
        lacking(f"pip cannot install Pelican, perhaps without network: {done.stderr.strip()[-300:]}")
    return folder / "bin/pelican"
