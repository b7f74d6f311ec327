"""Importers of plug-ins beside the built-in ones."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sitecms.cli.main import cli

PLUGIN = """
from sitecms.importing.records import BodyFormat, EntryRecord, Kind
from sitecms.plugins.hooks import hookimpl
from sitecms.plugins.values import Importer

def is_diary(source):
    return any(file.name.endswith(".diary") for file in source.files)

class DiaryReader:
    def read(self, source, options):
        for file in source.files:
            title, _, text = file.text().partition("|")
            yield EntryRecord(f"diary:{file.name}", Kind.POST, title, body=text, format=BodyFormat.MARKDOWN)

    def finish(self, entry, lookup):
        return entry

@hookimpl
def importers():
    return {"diary": Importer("a diary", DiaryReader, is_diary)}
"""


def run(folder: Path, text: str, *options: str) -> Result:
    """Import a folder with one diary, and a Markdown file that is no entry of it."""
    site = folder / "site"
    (site / "plugins").mkdir(parents=True)
    (site / "site.toml").write_text('name = "Tide"\n[plugins]\nenabled = ["diary"]\n', encoding="utf-8")
    (site / "plugins/diary.py").write_text(text, encoding="utf-8")
    (folder / "old").mkdir()
    (folder / "old/monday.diary").write_text("Monday|Low *water*.", encoding="utf-8")
    return CliRunner().invoke(cli, ["import", str(site), str(folder / "old"), *options])


@pytest.mark.parametrize("options", [(), ("--from", "diary")])
def test_importer_of_a_plugin(tmp_path: Path, options: tuple[str, ...]) -> None:
    """It is asked before the built-in ones whether a source is its, and may be named."""
    result = run(tmp_path, PLUGIN, *options)
    assert result.exit_code == 0, result.output
    assert "Low *water*." in (tmp_path / "site/content/posts/monday.md").read_text(encoding="utf-8")


def test_importer_that_fails(tmp_path: Path) -> None:
    """The error names the plug-in and its line."""
    result = run(tmp_path, PLUGIN.replace("file.text()", "file.no_text()"))
    assert result.exit_code == 1
    assert "Error: the plug-in diary failed (importers diary, plugins/diary.py:12): AttributeError" in result.output


def test_detection_that_fails(tmp_path: Path) -> None:
    """So does one in what recognises a source."""
    result = run(tmp_path, PLUGIN.replace("file.name.endswith", "file.title.endswith"))
    assert "Error: the plug-in diary failed (importers diary, plugins/diary.py:7): AttributeError" in result.output


def test_unknown_kind_names_the_nearest(tmp_path: Path) -> None:
    """Those of plug-ins among them."""
    result = run(tmp_path, PLUGIN, "--from", "dairy")
    assert result.exit_code == 2
    assert 'There is no kind of source "dairy": did you mean "diary"?' in result.output
