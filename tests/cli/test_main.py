"""The command as a whole: help, version, and what is imported when."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from sitecms import __version__
from sitecms.cli.main import COMMANDS, cli
from tests.cli.conftest import Run


def test_help_lists_every_command_with_its_line() -> None:
    """And the exit codes, and an example."""
    text = CliRunner().invoke(cli, ["--help"]).output
    for name, line in COMMANDS.items():
        assert f"  {name} " in text
        assert line in text
    assert "Example:\n" in text


def test_version() -> None:
    """As the package says."""
    assert CliRunner().invoke(cli, ["--version"]).output == f"sitecms, version {__version__}\n"


def test_an_unknown_command_is_wrong_usage() -> None:
    """Exit code 2."""
    result = CliRunner().invoke(cli, ["paint"])
    assert result.exit_code == 2
    assert "No such command 'paint'" in result.stderr


@pytest.mark.parametrize(
    ("words", "meant"), [(["bild"], "build"), (["prevew", "demo"], "preview"), (["trash", "lst"], "list")]
)
def test_a_misspelt_command_is_answered_with_the_nearest_one(words: list[str], meant: str) -> None:
    """Subcommands too; the exit code stays 2."""
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == 2
    assert f'Did you mean "{meant}"?' in result.stderr


def test_help_imports_little() -> None:
    """So that it is there at once."""
    script = (
        "import sys\nfrom sitecms.cli.main import cli\n"
        "cli(['--help'], standalone_mode=False)\nprint(*sys.modules, sep='\\n', file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    heavy = {"flask", "granian", "huey", "jinja2", "jsonschema_rs", "markdown_it", "peewee", "PIL", "requests", "rich"}
    assert heavy.isdisjoint(result.stderr.split())


@pytest.mark.parametrize("words", ["build --no-load", "reindex", "serve", "status", "token list", "trash list"])
def test_a_site_without_a_store_is_exit_code_3(run: Run, tmp_path: Path, words: str) -> None:
    """Of each command that needs one: the message has the command that makes it, and nothing is made."""
    (tmp_path / "site.toml").write_text('name = "Tide"\n', encoding="utf-8")
    result = run(*words.split())
    assert (result.returncode, result.stdout) == (3, "")
    assert "sitecms load" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["site.toml"]
