"""Export formats of plug-ins beside the built-in ones."""

from pathlib import Path

from click.testing import CliRunner, Result

from sitecms.cli.main import cli
from tests.support.sites import ExampleSite

PLUGIN = """
from sitecms.plugins.hooks import hookimpl
from sitecms.plugins.values import Exporter

def titles(contents, media):
    yield "titles.txt", "\\n".join(sorted(entry.title for entry in contents.entries)).encode()

def finish(folder):
    (folder / "done").touch()

@hookimpl
def exporters(site):
    nothing = lambda _: ()
    return {"titles": Exporter("titles", titles, lambda _: site.url, "media/", nothing, finish=finish)}
"""


def export(example: ExampleSite, text: str, name: str, target: Path) -> Result:
    example.settings_are(plugins={"enabled": ["lists"]})
    example.write("plugins/lists.py", text)
    example.load()
    return CliRunner().invoke(cli, ["export", str(example.folder), str(target), "--to", name])


def test_format_of_a_plugin(example: ExampleSite, tmp_path: Path) -> None:
    """Its files are written as those of a built-in format are."""
    result = export(example, PLUGIN, "titles", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert "Calm" in (tmp_path / "out/titles.txt").read_text(encoding="utf-8").splitlines()
    assert (tmp_path / "out/done").exists()


def test_format_that_fails_leaves_nothing(example: ExampleSite, tmp_path: Path) -> None:
    """The error names the plug-in and its line, and there is no folder."""
    result = export(example, PLUGIN.replace("entry.title", "entry.no_title"), "titles", tmp_path / "out")
    assert result.exit_code == 1
    assert "Error: the plug-in lists failed (exporters titles, plugins/lists.py:6): AttributeError" in result.output
    assert not (tmp_path / "out").exists()


def test_unknown_format_names_the_nearest(example: ExampleSite, tmp_path: Path) -> None:
    """Those of plug-ins among them."""
    result = export(example, PLUGIN, "title", tmp_path / "out")
    assert result.exit_code == 2
    assert 'There is no export format "title": did you mean "titles"?' in result.output
