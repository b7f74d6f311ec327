"""The plug-ins of the chapter *Write a plug-in* do what it says."""

from pathlib import Path

import pytest

from sitecms.actions.loading import load_site
from sitecms.resources import resource_dir
from tests.support.console import blocks, merged_toml
from tests.support.sites import ExampleSite


@pytest.fixture
def written(example: ExampleSite) -> ExampleSite:
    """The example with all files of the chapter that belong to a site."""
    chapter = resource_dir("manual") / "content/pages/chapter/write-a-plug-in.md"
    for block in blocks(chapter.read_text(encoding="utf-8")):
        if block.file == "site.toml":
            before = (example.folder / block.file).read_text(encoding="utf-8")
            example.write(block.file, merged_toml(before, block.text))
        elif block.file.startswith(("plugins/", "templates/", "content/", "schema/")):
            example.write(block.file, block.text)
    return example


def test_plugins_of_the_manual(written: ExampleSite) -> None:
    """A post says how hard it is to read, and shows its chart; the build equals a clean one."""
    written.make()
    page = written.text("blog/boats/index.html")
    assert "This text is easy to read." in written.text("blog/calm/index.html")
    assert "<caption>Boats by day</caption>" in page
    assert f"<td>{'█' * 20} 14</td>" in page
    assert f"<td>{'█' * 8} 6</td>" in page
    assert "★★★★☆" in written.text("boat/nellie/index.html")
    assert written.tree() == written.clean_tree()


def test_mistake_in_a_chart_is_an_error_with_its_line(written: ExampleSite) -> None:
    """The line is that of the bar."""
    written.post("boats", "::: chart Boats\nFriday 6\nSaturday many\n:::")
    report = load_site(written.database, written.settings, written.now)
    problem, remedy = 'has a directive "chart" that has "Saturday many" for a bar', "write a name and a whole number"
    assert [str(error) for error in report.errors] == [f"content/posts/boats.md:7 body: {problem} ({remedy})"]


def test_rating_outside_of_its_range_is_an_error(written: ExampleSite) -> None:
    """The message is that of the plug-in."""
    written.write("content/pages/boat/nellie.yaml", "title: Nellie\nfields: {comfort: 6}\n")
    report = load_site(written.database, written.settings, written.now)
    (error,) = map(str, report.errors)
    assert error.startswith("content/pages/boat/nellie.yaml:2 fields.comfort: Must be a whole number from 1 to 5.")


def test_plugins_are_short() -> None:
    """Each file of the chapter is about twenty lines of code."""
    chapter = Path(resource_dir("manual") / "content/pages/chapter/write-a-plug-in.md").read_text(encoding="utf-8")
    plugins = [block for block in blocks(chapter) if block.file.startswith("plugins/")]
    assert {block.file for block in plugins} >= {"plugins/reading_level.py", "plugins/chart.py", "plugins/rating.py"}
    for block in plugins:
        assert len([line for line in block.text.splitlines() if line.strip()]) <= 24, block.file
