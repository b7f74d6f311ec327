"""Fixtures of the commands' tests."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.commands import CommandServer
from tests.support.sites import share_templates

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path, command_server: CommandServer) -> Run:
    """Run `sitecms` with these words, without a terminal, in a folder below (default: the test's own)."""

    def sitecms(*words: str | Path, folder: Path = tmp_path, **variables: str) -> "subprocess.CompletedProcess[str]":
        return command_server.run(*words, folder=folder, variables=variables)

    return sitecms


@pytest.fixture
def demo(run: Run, tmp_path: Path) -> Path:
    """A new site as `sitecms init` makes it, neither loaded nor built."""
    assert run("init", "demo").returncode == 0
    share_templates(tmp_path / "demo")
    return tmp_path / "demo"
