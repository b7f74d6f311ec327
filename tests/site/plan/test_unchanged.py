"""An unchanged site is not planned again; every change of an input is detected."""

import os
import shutil
import subprocess
import sys

import pytest

from sitecms.actions.loading import load_site
from sitecms.site.build import build_site
from sitecms.site.options import BuildOptions
from sitecms.site.plan.unchanged import inputs_digest
from tests.support.sites import ExampleSite

_DIGEST = """
import sys
from pathlib import Path
from sitecms.settings.site import load_settings
from sitecms.site.plan.unchanged import inputs_digest
from sitecms.store.opening import open_database
settings = load_settings(Path(sys.argv[1]))
with open_database(settings.store).reading() as session:
    print(inputs_digest(session, settings, settings.output_dir))
"""


@pytest.fixture
def built(example: ExampleSite) -> ExampleSite:
    """A site that was built without notes, so that the next build can skip the plan."""
    example.settings_are(build={"page_size": 3}, description="On the sea.", search={"enabled": False}, locales=["en"])
    shutil.rmtree(example.folder / "content/posts/es")
    load_site(example.database, example.settings, example.now, prune=True)
    example.build()
    example.build()
    return example


def is_planned(example: ExampleSite) -> bool:
    """Return whether a build makes a plan."""
    report = example.build()
    return "plan" in report.seconds_by_phase


def test_an_unchanged_site_is_not_planned(built: ExampleSite) -> None:
    """The report has the counts of a build with a plan."""
    report = built.build()
    assert "plan" not in report.seconds_by_phase
    assert (report.written, report.current, report.stale) == (0, len(built.tree()), {})


@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_an_unchanged_site_is_not_planned_by_another_process(built: ExampleSite, seed: str) -> None:
    """Hashes of texts, and so the order of sets, are others in each process."""
    here = built.database.read(inputs_digest, built.settings, built.settings.output_dir)
    command = [sys.executable, "-c", _DIGEST, str(built.folder)]
    there = subprocess.run(
        command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
    )
    assert there.stdout.strip() == here


def test_notes_are_repeated_without_a_plan(built: ExampleSite) -> None:
    """A note on the settings says the same in every build."""
    built.settings_are(search={"enabled": False}, locales=["en"], build={"home": "nowhere"})
    first = built.build()
    assert "nowhere" in first.notes[0]
    again = built.build()
    assert ("plan" in again.seconds_by_phase, again.notes) == (False, first.notes)


def test_a_changed_template_with_its_old_time_and_size_is_detected(built: ExampleSite) -> None:
    """A copy that keeps times has these."""
    built.write("templates/404.html", "one")
    assert is_planned(built)
    assert not is_planned(built)
    path = built.folder / "templates/404.html"
    before = path.stat()
    path.write_text("two", encoding="utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert is_planned(built)
    assert built.text("404.html") == "two"


def test_changes_of_content_settings_assets_and_outputs_are_detected(built: ExampleSite) -> None:
    """Each change makes one plan."""
    built.post("calm", "Calmer.", published="2026-02-01T08:00:00Z")
    load_site(built.database, built.settings, built.now)
    assert is_planned(built)
    assert not is_planned(built)
    built.write("assets/extra.css", "p{}")
    assert is_planned(built)
    built.settings_are(description="Off the sea.", search={"enabled": False}, locales=["en"])
    assert is_planned(built)
    assert not is_planned(built)
    (built.public / "rss.xml").write_text("edited", encoding="utf-8")
    assert is_planned(built)
    (built.public / "rss.xml").unlink()
    assert is_planned(built)
    assert built.tree() == built.clean_tree()


def test_another_output_folder_is_built_in_full(built: ExampleSite) -> None:
    """The memory of a build is that of its output folder."""
    report = build_site(built.database, built.settings, built.folder / "elsewhere", BuildOptions())
    assert report.written == report.files > 0


def test_a_failed_page_is_tried_again(built: ExampleSite) -> None:
    """A build with failed pages is not remembered."""
    built.write("templates/404.html", "{{ nothing }}")
    assert built.build().failed
    assert built.build().failed


def test_packages_of_commands_are_no_input(built: ExampleSite) -> None:
    """There are thousands of files in node_modules, of which a site reads none."""
    built.write("node_modules/esbuild/index.js", "1")
    assert not is_planned(built)
    built.write("src/site.css", "b{}")
    assert is_planned(built)
