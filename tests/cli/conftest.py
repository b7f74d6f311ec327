"""Fixtures of the commands' tests."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run `sitecms` with these words, in pipes, in a folder below (default: the test's own)."""

    def sitecms(*words: str | Path, folder: Path = tmp_path, **variables: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "sitecms", *map(str, words)]
        environment = {**os.environ, **variables}
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)

    return sitecms


@pytest.fixture
def demo(run: Run, tmp_path: Path) -> Path:
    """A new site as `sitecms init` makes it, neither loaded nor built."""
    assert run("init", "demo").returncode == 0
    return tmp_path / "demo"
