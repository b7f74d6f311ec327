"""Links out of the site folder are followed in no part of it, with one line each; links inside it are."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from sitecms.actions.loading import load_site
from sitecms.actions.operations.backup.create import back_up
from sitecms.documents.folders import link_out
from sitecms.errors import InvalidFiles
from sitecms.settings.site import load_settings
from sitecms.site.check.check import CheckOptions, check_site
from tests.support.sites import ExampleSite

SECRET = "a secret of this machine"
AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
PARTS = (
    "assets/pw.css",
    "templates/404.html",
    "templates/assets/own.js",
    "templates/shortcodes/own.html",
    "translations/en.po",
    "static/pw",
    "static/.well-known/pw",
    "content/posts/pw.md",
    "content/pages/_single/pw.md",
    "content/media.yaml",
    "data/pw.yaml",
    "schema/components/pw.yaml",
)


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file outside of the site folder, which is valid wherever it is linked from."""
    path = tmp_path / "secret"
    path.write_text(f"# {SECRET}\n", encoding="utf-8")
    return path


def link(example: ExampleSite, path: str, target: Path | str) -> None:
    (example.folder / path).parent.mkdir(parents=True, exist_ok=True)
    (example.folder / path).symlink_to(target)


@pytest.mark.parametrize("path", PARTS)
def test_a_link_out_of_the_folder_is_not_followed(example: ExampleSite, secret: Path, path: str) -> None:
    """Nothing of it is published, and one line names link and target."""
    example.post("ebb", "{{< own >}}" if "shortcodes" in path else "Out.", published="2026-02-10T08:00:00Z")
    link(example, path, secret)
    problems: list[str] = []
    try:
        report = load_site(example.database, example.settings, example.now)
        problems += map(str, report.errors)
        example.build()
    except InvalidFiles as error:  # without its schema a site is not loaded, and without its data not built
        problems += map(str, error.errors)
    else:
        assert not any(SECRET.encode() in data for data in example.tree().values())
    line = f"{path}: is a link to {secret}, outside of the files of the site, so it is not followed"
    assert {problem for problem in problems if problem.startswith(line)} == {
        f"{line} (put the file itself there, or remove the link)"
    }
    findings = check_site(load_settings(example.folder), AT, CheckOptions()).findings
    assert [finding.file for finding in findings if finding.what in line] == [path]


def test_a_picture_that_is_a_link_out_is_named_where_it_is_used(example: ExampleSite, tmp_path: Path) -> None:
    """It exists, so the text's error says why it is not used."""
    example.image("sea.png")
    (example.folder / "sea.png").rename(tmp_path / "sea.png")
    link(example, "media/out.png", tmp_path / "sea.png")
    example.post("ebb", "![Sea](media/out.png)", published="2026-02-10T08:00:00Z")
    problems = [str(error) for error in load_site(example.database, example.settings, example.now).errors]
    assert any(p.startswith("content/posts/ebb.md") and "media/out.png is a link to" in p for p in problems)
    assert any(p.startswith("media/out.png: is a link to") for p in problems)


@pytest.mark.parametrize("part", ["assets", "static", "content", "schema", "site.toml", "redirects.yaml"])
def test_a_part_of_the_site_that_is_a_link_out_is_an_error(example: ExampleSite, tmp_path: Path, part: str) -> None:
    """The whole folder or file lies elsewhere."""
    inside, outside = example.folder / part, tmp_path / f"other-{part}"
    if inside.exists():
        inside.rename(outside)
    else:
        outside.mkdir()
    inside.symlink_to(outside)
    with pytest.raises(InvalidFiles, match=f"^{part}: is a link to {outside}, outside of the files of the site"):
        load_settings(example.folder)


def test_links_within_the_folder_are_followed(example: ExampleSite) -> None:
    """A file may stand in several places of the site, and a folder of it elsewhere in the folder."""
    example.write("shared/humans.txt", "We.\n")
    link(example, "static/humans.txt", "../shared/humans.txt")
    example.image("assets/sea.png")
    link(example, "media/linked.png", "../assets/sea.png")
    example.post("ebb", "![Sea](media/linked.png)", published="2026-02-10T08:00:00Z")
    (example.folder / "shared/data").mkdir()
    link(example, "data", "shared/data")
    link(example, "data/a.yaml", "../humans.yaml")
    example.write("shared/humans.yaml", {"who": "we"})
    example.make()
    assert example.text("humans.txt") == "We.\n"
    findings = check_site(load_settings(example.folder), AT, CheckOptions()).findings
    assert [finding for finding in findings if "link" in finding.what] == []


def test_hidden_folders_of_the_site_are_no_part_of_it(example: ExampleSite) -> None:
    """The store and Git's settings contain secrets; files of `.well-known` do not."""
    example.make()
    example.write(".git/config", SECRET)
    example.write("static/.well-known/a", "x")
    for name, target in (("db", "../.sitecms/store.db"), ("config", "../.git/config"), ("a", ".well-known/a")):
        link(example, f"static/{name}", target)
    assert [bool(link_out(example.folder, f"static/{name}")) for name in ("db", "config", "a")] == [True, True, False]
    example.build()
    assert {"db", "config"}.isdisjoint(example.tree())
    assert example.text("a") == "x"


def test_a_backup_packs_no_file_of_elsewhere(example: ExampleSite, secret: Path, tmp_path: Path) -> None:
    """The link is named among what a backup cannot hold."""
    example.load()
    link(example, "assets/pw.css", secret)
    report = back_up(example.database, example.settings, tmp_path / "tide.tar", AT)
    assert [line for line in report.unpackable if line.startswith("'assets/pw.css' is a link to")] != []
    assert "site/assets/pw.css" not in report.manifest.files
