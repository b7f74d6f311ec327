"""Loads that are killed, and loads that run at the same time."""

import random
import signal
import subprocess
import sys
import time

import pytest

from sitecms.content.entry import Entry
from tests.actions.conftest import SiteFolder
from tests.support.engines import is_sound
from tests.support.reading import select

_LOAD = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from sitecms.content.entry import Entry
from sitecms.content.entry import Entry
from sitecms.actions.loading.load import load_site
from sitecms.settings.site import load_settings
from sitecms.store.opening import open_database
settings = load_settings(Path(sys.argv[1]))
database = open_database(settings.store, create=True)
print("ready", flush=True)
sys.stdin.readline()
report = load_site(database, settings, datetime(2026, 3, 1, tzinfo=UTC))
print(len(report.loaded), len(report.errors))
"""


def start_load(folder: SiteFolder) -> subprocess.Popen[str]:
    """A process that has opened the store and loads the folder when it reads a line."""
    command = [sys.executable, "-c", _LOAD, str(folder.folder)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    return process


def whole_site(folder: SiteFolder, count: int = 40) -> None:
    folder.image("media/sea.png")
    for number in range(count):
        folder.post(f"post-{number:02}", f"# Head\n\nText {number}. ![](media/sea.png)\n", tags=[f"t{number % 5}"])
    folder.items("team", *(f"Name {number}" for number in range(count)))
    folder.items("pets", *({"fields": {"name": f"P{n}", "owner": {"key": "team", "where": {"name": "Name 3"}}}}
                           for n in range(count)))  # fmt: skip
    folder.guide("start", fields={"headline": "x", "team": [{"key": "team", "where": {"name": "Name 7"}}]})


def contents(folder: SiteFolder) -> tuple[list[Entry], list[tuple[int, object]], int]:
    """Return the content of a site without the times of the load."""
    found = [folder.find(slug) for slug in folder.slugs()]
    return found, [(item.id, item.fields) for item in folder.all_items("pets")], len(folder.page("start"))


@pytest.mark.slow
def test_a_load_killed_at_any_moment_leaves_all_or_nothing_and_the_next_completes(folder: SiteFolder) -> None:
    """`kill -9`: the store is sound, holds the site whole or not at all, and loads as if nothing had happened."""
    whole_site(folder)
    rng = random.Random(7)
    seen = set()
    for _ in range(8):
        process = start_load(folder)
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()
        time.sleep(rng.uniform(0, 0.4))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        seen.add(select(folder.database, "SELECT count(*) FROM entry WHERE kind = 'post'")[0][0])
        assert is_sound(folder.database)
    assert seen <= {0, 40}
    assert folder.load().errors == ()
    assert folder.load().loaded == ()
    assert len(folder.slugs()) == len(folder.all_items("team")) == len(folder.all_items("pets")) == 40


def test_two_loads_at_once_store_everything_once(folder: SiteFolder) -> None:
    """Whichever comes second finds the files loaded; no item is there twice."""
    whole_site(folder)
    processes = [start_load(folder) for _ in range(3)]
    for process in processes:
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()
    for process in processes:
        answer, _ = process.communicate(timeout=60)
        assert process.returncode == 0
        assert answer.split()[1] == "0"
    assert len(folder.slugs()) == len(folder.all_items("team")) == len(folder.all_items("pets")) == 40
    found = contents(folder)
    report = folder.load()
    assert (report.loaded, report.errors) == ((), ())
    assert contents(folder) == found
