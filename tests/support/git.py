"""Repositories of Git for tests: on this machine alone, with no configuration of the person who runs them."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

GIT = pytest.mark.skipif(shutil.which("git") is None and not os.environ.get("CI"), reason="Git is not installed")
OWNER = "Olga Owner"
WITHOUT_CONFIGURATION = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
_ENVIRONMENT = {
    **WITHOUT_CONFIGURATION,
    "GIT_AUTHOR_NAME": OWNER,
    "GIT_AUTHOR_EMAIL": "olga@tide.example",
    "GIT_COMMITTER_NAME": OWNER,
    "GIT_COMMITTER_EMAIL": "olga@tide.example",
}
SECONDS = 60


def git(folder: Path, *arguments: str, **variables: str) -> str:
    """Run Git as the owner of the folder does, and return its output."""
    command = ["git", "-c", "init.defaultBranch=main", "-c", "gc.auto=0", "-C", str(folder), *arguments]
    environment = {**os.environ, **_ENVIRONMENT, **variables}
    done = subprocess.run(command, check=True, capture_output=True, timeout=SECONDS, env=environment)
    return done.stdout.decode("utf-8", "surrogateescape").rstrip("\n")


def make_repository(folder: Path, files: Mapping[str, str] | None = None) -> Path:
    """Make a work tree with a commit of the files, and return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "--quiet")
    for name, text in (files or {}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    commit_all(folder, "Begin")
    return folder


def make_remote(folder: Path, name: str = "remote.git") -> Path:
    """Make a bare repository beside a work tree, push to it, and return its folder."""
    remote = folder.parent / name
    git(folder.parent, "init", "--quiet", "--bare", str(remote))
    git(folder, "remote", "add", "origin", str(remote))
    git(folder, "push", "--quiet", "--set-upstream", "origin", "main")
    return remote


def clone(remote: Path, folder: Path) -> Path:
    """Clone a repository, and return the folder."""
    git(remote.parent, "clone", "--quiet", str(remote), str(folder))
    return folder


def commit_all(folder: Path, message: str) -> None:
    """Commit all that is in the folder, as its owner."""
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", message)


def log(folder: Path, pattern: str = "%an <%ae> %s") -> list[str]:
    """Return the commits of the current branch, oldest first."""
    return git(folder, "log", "--reverse", f"--format={pattern}").splitlines()


def changed_files(folder: Path, commit: str = "HEAD") -> list[str]:
    """Return the files of a commit."""
    return sorted(filter(None, git(folder, "show", "--format=", "--name-only", "-z", commit).split("\0")))
