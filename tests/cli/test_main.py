"""The command as a whole: help, version, and what is imported when."""

import subprocess
import sys

import pytest
from click.testing import CliRunner

from sitecms import __version__
from sitecms.cli.main import COMMANDS, cli


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
