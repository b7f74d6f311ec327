"""The command `sitecms import`: report, exit codes, options."""

from functools import partial
from pathlib import Path

import orjson

from sitecms.documents import read_yaml
from tests.importing.wxr import export, item
from tests.support import command_line

_run = partial(command_line.run, "import")


def test_a_report_for_programs(tmp_path: Path) -> None:
    """`--format json` prints what `--report` writes; nothing is written to the site in a dry run."""
    (tmp_path / "e.xml").write_text(export(item(1)))
    site, report = tmp_path / "site", tmp_path / "report.json"
    found = _run(site, tmp_path / "e.xml", "--dry-run", "--format", "json", "--report", report)
    assert found.exit_code == 0, found.output
    assert orjson.loads(found.output) == orjson.loads(report.read_bytes())
    assert orjson.loads(found.output)["counts"]["posts"] == {"read": 1, "written": 1}
    assert not site.exists()


def test_a_report_for_people(tmp_path: Path) -> None:
    """Counts, then what needs a person, then the next step."""
    (tmp_path / "e.xml").write_text(export(item(1), item(2, status="private")))
    found = _run(tmp_path / "site", tmp_path / "e.xml", "--media", "link")
    assert "posts: 2 read, 2 written" in found.output
    assert "made a draft: private, 1x" in found.output
    assert f"sitecms check {tmp_path / 'site'}" in found.output


def test_media_that_cannot_be_had_end_with_1(tmp_path: Path) -> None:
    """The site is written nevertheless. A host on loopback is refused, so no request is made."""
    body = '<img src="http://127.0.0.1:9/wp-content/uploads/a.png">'
    (tmp_path / "e.xml").write_text(export(item(1, content=body)).replace("https://old.example", "http://127.0.0.1:9"))
    found = _run(tmp_path / "site", tmp_path / "e.xml")
    assert found.exit_code == 1
    assert (tmp_path / "site/content/posts/post-1.md").is_file()


def test_authors_are_mapped(tmp_path: Path) -> None:
    """An author of the source gets the slug that the owner chose."""
    (tmp_path / "e.xml").write_text(export(item(1)))
    (tmp_path / "authors.yaml").write_text("ann: a-ray\n")
    _run(tmp_path / "site", tmp_path / "e.xml", "--authors", tmp_path / "authors.yaml")
    authors = read_yaml(tmp_path / "site/content/authors.yaml")
    assert isinstance(authors, list)
    assert authors[0]["slug"] == "a-ray"


def test_shortcodes_of_plugins_are_kept(tmp_path: Path) -> None:
    """A tag that a plug-in of the site renders stays a shortcode; others become comments."""
    site = tmp_path / "site"
    (site / "plugins").mkdir(parents=True)
    (site / "site.toml").write_text('name = "Tide"\n[plugins]\nenabled = ["sea"]\n')
    text = "from sitecms.plugins.hooks import hookimpl\n@hookimpl\ndef shortcodes():\n    return {'buoy': str}\n"
    (site / "plugins/sea.py").write_text(text)
    (tmp_path / "old/content/posts").mkdir(parents=True)
    old = '---\ntitle: Calm\ndate: 2026-03-01\n---\nAt {{< buoy name="Bell" >}} and {{< gull name="Jo" >}}.\n'
    (tmp_path / "old/content/posts/calm.md").write_text(old)
    (tmp_path / "old/hugo.toml").write_text('baseURL = "https://old.example/"\n')
    _run(site, tmp_path / "old", "--from", "hugo")
    body = next((site / "content/posts").glob("*calm.md")).read_text()
    assert '{{< buoy name="Bell" >}}' in body
    assert '{{< gull name="Jo" >}}' not in body.partition("<!--")[0]


def test_a_source_without_a_reader_ends_with_2(tmp_path: Path) -> None:
    """One line says what can be imported."""
    (tmp_path / "x.bin").write_bytes(b"\0\1")
    found = _run(tmp_path / "site", tmp_path / "x.bin")
    assert found.exit_code == 2
    assert len(found.output.splitlines()) == 1
