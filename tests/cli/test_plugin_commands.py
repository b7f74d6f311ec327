"""Commands of plug-ins."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from sitecms.cli.main import cli

COMMAND = """
import click
from sitecms.plugins.hooks import hookimpl

@hookimpl
def commands(site):
    return {"greet": click.Command("greet", callback=lambda: click.echo(f"NAME greets {site.name}"))}
"""


def write_site(folder: Path, *enabled: str) -> Path:
    (folder / "plugins").mkdir(exist_ok=True)
    for name in enabled:
        (folder / f"plugins/{name}.py").write_text(COMMAND.replace("NAME", name), encoding="utf-8")
    names = ", ".join(f'"{name}"' for name in enabled)
    (folder / "site.toml").write_text(f'name = "Tide"\n[plugins]\nenabled = [{names}]\n', encoding="utf-8")
    return folder


def test_command_of_two_plugins_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command runs in the folder of its site; one that two plug-ins have names both, and neither runs."""
    monkeypatch.chdir(write_site(tmp_path, "ann"))
    assert CliRunner().invoke(cli, ["greet"]).output == "ann greets Tide\n"
    write_site(tmp_path, "ann", "bea")
    refused = CliRunner().invoke(cli, ["greet"])
    assert refused.exit_code == 2
    assert "The plug-ins ann and bea both have the command greet; enable one of them." in refused.output
    assert "greets" not in refused.output


@pytest.mark.parametrize("value", ["lambda: None", "'no_such_module:greet'"])
def test_command_that_is_none_names_its_plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """It is an error of the plug-in, and the help has the other commands of sitecms."""
    site = write_site(tmp_path, "ann")
    odd = f"from sitecms.plugins.hooks import hookimpl\n@hookimpl\ndef commands():\n    return {{'greet': {value}}}\n"
    (site / "plugins/ann.py").write_text(odd, encoding="utf-8")
    monkeypatch.chdir(site)
    refused = CliRunner().invoke(cli, ["greet"])
    assert refused.exit_code == 2
    assert "the plug-in ann failed (command greet, plugins/ann.py)" in refused.output
    assert CliRunner().invoke(cli, ["--help"]).exit_code == 0
