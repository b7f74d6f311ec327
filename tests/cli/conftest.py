"""Fixtures of the commands' tests."""

import shutil
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


@pytest.fixture(scope="session")
def new_site(tmp_path_factory: pytest.TempPathFactory, command_server: CommandServer) -> Path:
    """A site as `sitecms init` makes it, for tests to copy."""
    folder = tmp_path_factory.mktemp("new")
    assert command_server.run("init", "demo", folder=folder, variables={}).returncode == 0
    return folder / "demo"


@pytest.fixture
def demo(new_site: Path, tmp_path: Path) -> Path:
    """A new site, neither loaded nor built."""
    copy = shutil.copytree(new_site, tmp_path / "demo")
    share_templates(copy)
    return copy
