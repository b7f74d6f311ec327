"""Builds killed at any moment: what is there is whole, and the next build repairs the rest."""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

if TYPE_CHECKING:
    from tests.conftest import SiteWorks

KILLS = 20
PROGRAM = """
import sys
from pathlib import Path
from sitecms.settings import load_settings
from sitecms.site.build import BuildOptions, build_site
from sitecms.store.database import open_database
settings = load_settings(Path(sys.argv[1]))
database = open_database(settings.store_path)
print("ready", flush=True)
jobs = int(sys.stdin.readline())
build_site(database, settings, settings.output_dir, BuildOptions(jobs=jobs))
print("done", flush=True)
"""
NAMED = re.compile(r'(?:href|src)="/((?:assets|media)/[^"]+)"')
POSTS = 30


class Builder:
    """Builds in processes of their own; the next one gets ready while the last one is looked at."""

    def __init__(self, works: "SiteWorks") -> None:
        self._command = [sys.executable, "-c", PROGRAM, str(works.folder)]
        self._next = self._spawn()

    def start(self, jobs: int) -> "subprocess.Popen[str]":
        """A build that begins now."""
        build, self._next = self._next, self._spawn()
        assert build.stdin is not None
        assert build.stdout is not None
        assert build.stdout.readline() == "ready\n"
        build.stdin.write(f"{jobs}\n")
        build.stdin.flush()
        return build

    def close(self) -> None:
        """End the one that waits."""
        self._next.kill()
        self._next.communicate(timeout=30)

    def _spawn(self) -> "subprocess.Popen[str]":
        pipe = subprocess.PIPE
        return subprocess.Popen(self._command, stdin=pipe, stdout=pipe, text=True, start_new_session=True)


def check_servable(files: dict[str, bytes], generations: list[dict[str, bytes]]) -> None:
    """Every file is whole, that of the old site or that of the new, and no page names an asset that is not there.

    Processes of the build may still be writing: what pages of `files` name was there before they were.
    """
    for path, data in files.items():
        if path.endswith((".sitecms-unfinished", ".sitecms-underway.json")):
            continue
        assert data in [generation.get(path) for generation in generations], path
        if path.endswith(".html"):
            assert data.rstrip().endswith(b"</html>"), path
            assert [name for name in NAMED.findall(data.decode()) if name not in files] == [], path
        elif path.endswith(".xml"):
            ElementTree.fromstring(data)


@pytest.fixture
def large_works(tmp_path: Path, make_works: Callable[[Path], "SiteWorks"]) -> "SiteWorks":
    """The small site with more posts and pictures, so that a build takes a while."""
    works = make_works(tmp_path / "tide")
    for number in range(POSTS):
        works.image(f"media/{number}.png", "navy", (number + 1, 3))
        works.post(
            f"wave-{number}",
            f"![A wave](media/{number}.png)",
            published=f"2025-{number % 12 + 1:02}-10T08:00:00Z",
            tags=["moon"],
        )
    return works


def test_a_build_killed_at_any_moment_is_repaired_by_the_next(large_works: "SiteWorks") -> None:
    """Twenty kills, spread over the build, of one process and of several, of a new site and of a changed one."""
    works, chance = large_works, random.Random(1)
    works.load()
    generations: list[dict[str, bytes]] = []
    kept: list[Path] = []
    for number, accent in enumerate(("#112233", "#445566")):  # a new accent renames the stylesheet: every page changes
        works.settings_are(
            build={"page_size": 3}, description="On the sea.", theme={"accent": accent}, name=f"T{number}"
        )
        folder = works.folder.with_name(f"whole-{number}")
        assert works.build(folder).failed == {}
        generations.append(works.tree(folder))
        kept.append(folder)
    builder = Builder(works)
    build = builder.start(1)
    begun = time.perf_counter()
    build.communicate(timeout=30)
    duration = time.perf_counter() - begun
    midway = 0
    for number in range(KILLS):
        jobs, delay = number % 2 + 1, duration * (number + chance.random()) / KILLS
        for _ in range(9):
            shutil.rmtree(works.public, ignore_errors=True)
            if number % 4 < 3:
                shutil.copytree(kept[0], works.public)
            build = builder.start(jobs)
            time.sleep(delay)
            if number % 3:
                os.killpg(build.pid, signal.SIGKILL)
            else:
                build.kill()  # the build alone: its processes find out by themselves
            if "done" not in build.communicate(timeout=30)[0]:
                break
            delay *= 0.8  # it was faster than the one that was measured
        assert build.returncode == -signal.SIGKILL
        midway += (works.public / ".sitecms-underway.json").exists()
        check_servable(works.tree(), generations)
        assert works.build(jobs=jobs).failed == {}
        assert works.tree() == generations[1]
        assert works.build().stale == {}
    assert midway >= KILLS // 4
    builder.close()
    works.database.close()


def test_processes_of_a_killed_build_end_by_themselves(large_works: "SiteWorks") -> None:
    """They hold the lock; the next build gets it soon, though nobody reads what they report."""
    works = large_works
    works.load()
    works.write("templates/post.html", "{% for n in range(60000) %}{{ n * n }}{% endfor %}{{ post.card.title }}</html>")
    builder = Builder(works)
    build = builder.start(2)
    builder.close()
    while not (works.public / ".sitecms-underway.json").exists():
        time.sleep(0.001)
    time.sleep(0.1)
    build.kill()
    build.communicate(timeout=30)
    works.remove("templates/post.html")
    assert works.build().failed == {}
    assert works.tree() == works.clean_tree()
    works.database.close()
