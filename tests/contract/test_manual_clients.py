"""The programs in the chapter Client libraries of the manual, run with the published clients against a served site."""

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from sitecms.resources import resource_dir
from tests.support.console import blocks
from tests.support.npm import INSTALL_SECONDS

from .conftest import Service

pytestmark = pytest.mark.slow
SCRIPTS = Path(__file__).parent / "node"
SLUGS = ["test-post", "cold-hops", "pressed-apples", "plain"]
RUN_SECONDS = 120


def program(name: str, service: Service) -> str:
    """Return a program of the chapter, for the address of the served site."""
    chapter = (resource_dir("manual") / "content/pages/chapter/api-clients.md").read_text(encoding="utf-8")
    (text,) = [block.text for block in blocks(chapter) if block.file == name]
    return text.replace("http://127.0.0.1:8000/v2", service.base)


def run(command: Sequence[str], folder: Path, service: Service, **variables: str) -> str:
    """Run a program with the token in its environment; return what it prints."""
    environment = {**os.environ, "TOKEN": service.token, **variables}
    result = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=RUN_SECONDS, check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def install(command: Sequence[str], folder: Path, variables: Mapping[str, str] | None = None) -> None:
    """Run a package manager; the test is skipped where that fails, as without a network."""
    environment = {**os.environ, **(variables or {})}
    try:
        result = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        pytest.skip(f"{' '.join(command)} took longer than {INSTALL_SECONDS} s")
    if result.returncode:
        pytest.skip(
            f"{' '.join(command)} failed, perhaps without network: {(result.stderr or result.stdout).strip()[:300]}"
        )


def test_javascript(npm_install: Callable[[Path], Path], service: Service) -> None:
    """The package `buttercms` of npm."""
    folder = npm_install(SCRIPTS)
    (folder / "client.mjs").write_text(program("client.mjs", service), encoding="utf-8")
    printed = run(["node", "client.mjs"], folder, service)
    assert [word for word in SLUGS if f"'{word}'" in printed] == SLUGS


def test_ruby(tmp_path: Path, service: Service) -> None:
    """The gem `buttercms-ruby`, as it is installed or as RubyGems has it."""
    if shutil.which("ruby") is None:
        pytest.skip("ruby is not installed: the Ruby client cannot be run")
    (tmp_path / "read.rb").write_text(program("read.rb", service), encoding="utf-8")
    variables = {}
    if subprocess.run(["ruby", "-e", "require 'buttercms-ruby'"], capture_output=True, check=False).returncode:
        variables = {"GEM_HOME": str(tmp_path / "gems")}
        install(["gem", "install", "--no-document", "buttercms-ruby"], tmp_path, variables)
    assert run(["ruby", "read.rb"], tmp_path, service, **variables).split() == SLUGS


def test_php(tmp_path: Path, service: Service) -> None:
    """The package `buttercms/buttercms-php` of Packagist."""
    if shutil.which("php") is None:
        pytest.skip("php is not installed: the PHP client cannot be run")
    if shutil.which("composer") is None:
        pytest.skip("composer is not installed: it installs the PHP client")
    (tmp_path / "read.php").write_text(program("read.php", service), encoding="utf-8")
    install(["composer", "--no-interaction", "--quiet", "require", "buttercms/buttercms-php"], tmp_path)
    assert run(["php", "read.php"], tmp_path, service).split() == SLUGS


def test_go(tmp_path: Path, service: Service) -> None:
    """The module `github.com/ButterCMS/buttercms-go`."""
    if shutil.which("go") is None:
        pytest.skip("go is not installed: the Go client cannot be run")
    (tmp_path / "read.go").write_text(program("read.go", service), encoding="utf-8")
    install(["go", "mod", "init", "example.com/read"], tmp_path)
    install(["go", "get", "github.com/ButterCMS/buttercms-go"], tmp_path)
    printed = run(["go", "run", "read.go"], tmp_path, service, API_BASE_URL=service.base.removesuffix("/v2"))
    assert printed.split() == SLUGS


def test_php_without_a_library(tmp_path: Path, service: Service) -> None:
    """All pages of posts, with nothing but PHP itself."""
    if shutil.which("php") is None:
        pytest.skip("php is not installed: the PHP program cannot be run")
    (tmp_path / "plain.php").write_text(program("plain.php", service), encoding="utf-8")
    assert run(["php", "plain.php"], tmp_path, service).split() == SLUGS


def test_go_without_a_library(tmp_path: Path, service: Service) -> None:
    """All pages of posts, with nothing but the standard library of Go."""
    if shutil.which("go") is None:
        pytest.skip("go is not installed: the Go program cannot be run")
    (tmp_path / "plain.go").write_text(program("plain.go", service), encoding="utf-8")
    assert run(["go", "run", "plain.go"], tmp_path, service).split() == SLUGS
