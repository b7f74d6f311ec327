"""The option --no-plugins of the commands that open a site."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from sitecms.cli.main import cli

SITE = 'name = "Tide"\n[plugins]\nenabled = ["broken"]\n'


@pytest.mark.parametrize("command", ["load", "build", "check", "doctor", "status"])
def test_no_plugins_opens_a_site_with_a_broken_plugin(command: str, tmp_path: Path) -> None:
    """A site whose plug-in cannot be imported is opened with --no-plugins, and without it is not."""
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins/broken.py").write_text("raise RuntimeError('rough sea')\n", encoding="utf-8")
    (tmp_path / "site.toml").write_text(SITE, encoding="utf-8")
    (tmp_path / "content").mkdir()
    CliRunner().invoke(cli, ["load", str(tmp_path), "--no-plugins"])
    refused = CliRunner().invoke(cli, [command, str(tmp_path)])
    assert refused.exit_code == 3
    assert "plugins/broken.py:1: cannot be imported: RuntimeError: rough sea" in refused.output
    opened = CliRunner().invoke(cli, [command, str(tmp_path), "--no-plugins"])
    assert "rough sea" not in opened.output
    assert opened.exit_code != 3
