"""Builds killed at any moment: the published folder is one whole generation, and the next build goes on from there."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sitecms.site.output.build_record import work_folder
from tests.support.sites import ExampleSite

pytestmark = [pytest.mark.slow, pytest.mark.sqlite_only("is about the published folder: a build only reads the store")]
KILLS = 20
PROGRAM = """
import sys
from pathlib import Path
from sitecms.settings.site import load_settings
from sitecms.site.build import build_site
from sitecms.site.options import BuildOptions
from sitecms.store.opening import open_database
database = open_database(Path(sys.argv[1], ".sitecms", "store.db"))  # the settings are being written just now
print("ready", flush=True)
jobs = int(sys.stdin.readline())
settings = load_settings(Path(sys.argv[1]))
build_site(database, settings, settings.output_dir, BuildOptions(jobs=jobs))
print("done", flush=True)
"""
POSTS = 30


class Builder:
    """Builds in processes of their own; the next one gets ready while the last one is looked at."""

    def __init__(self, example: ExampleSite) -> None:
        self._command = [sys.executable, "-c", PROGRAM, str(example.folder)]
        self._next = self._spawn()

    def start(self, jobs: int) -> subprocess.Popen[str]:
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
        self._next.communicate(timeout=60)

    def _spawn(self) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        return subprocess.Popen(self._command, stdin=pipe, stdout=pipe, text=True, start_new_session=True)


class Reader:
    """Walks the published folder over and over through one opened folder; `errors`: what was no generation."""

    def __init__(self, public: Path, generations: list[dict[str, bytes]]) -> None:
        self.walks = 0
        self.seen: set[int] = set()
        self.errors: list[str] = []
        self._public = public
        self._generations = generations
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def look(self) -> None:
        """Come back once a whole walk began and ended."""
        enough, patience = self.walks + 2, time.monotonic() + 30
        while self.walks < enough and time.monotonic() < patience:
            time.sleep(0.005)

    def close(self) -> None:
        """Come to an end."""
        self._is_over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._is_over.is_set():
            found = walk(self._public)
            self.walks += 1
            if found in self._generations:
                self.seen.add(self._generations.index(found))
            else:
                self.errors.append(described(found, self._generations))
            time.sleep(0.005)


def walk(public: Path) -> dict[str, bytes]:
    """Every file, found and read through one handle of the folder; the manifest's own files by its paths."""
    handle = os.open(public, os.O_RDONLY)
    try:
        found = {}
        for folder, _, names, inner in os.fwalk(dir_fd=handle):
            for name in names:
                file = os.open(name, os.O_RDONLY, dir_fd=inner)
                with os.fdopen(file, "rb") as opened:
                    found[f"{folder}/{name}"[2:]] = opened.read()
        manifest = json.loads(found.pop(".sitecms-manifest.json"))
        assert manifest["outputs"].keys() == found.keys() - {"CNAME"}
        return found
    finally:
        os.close(handle)


def described(found: dict[str, bytes], generations: list[dict[str, bytes]]) -> str:
    """How far it is from each generation."""
    differing = [sum(found.get(path) != data for path, data in each.items()) for each in generations]
    return f"{len(found)} files, of {[len(each) for each in generations]} those differ: {differing}"


@pytest.fixture
def large_works(tmp_path: Path, make_example: Callable[[Path], ExampleSite]) -> ExampleSite:
    """The small site with more posts and pictures, so that a build takes a while."""
    example = make_example(tmp_path / "tide")
    for number in range(POSTS):
        example.image(f"media/{number}.png", "navy", (number + 1, 3))
        example.post(
            f"wave-{number}",
            f"![A wave](media/{number}.png)",
            published=f"2025-{number % 12 + 1:02}-10T08:00:00Z",
            tags=["moon"],
        )
    return example


def be(example: ExampleSite, number: int) -> None:
    """Settings of one of two versions of the site: another accent renames the stylesheet, so every page changes."""
    example.settings_are(
        build={"page_size": 3},
        description="On the sea.",
        theme={"accent": ("#112233", "#445566")[number]},
        name=f"T{number}",
    )


def both(example: ExampleSite) -> list[dict[str, bytes]]:
    """The two versions, each as a build without trouble makes it, with the file that its owner put there."""
    generations = []
    for number in range(2):
        be(example, number)
        folder = example.folder.with_name(f"whole-{number}")
        assert example.build(folder).failed == {}
        generations.append(example.tree(folder) | {"CNAME": b"tide.example"})
    return generations


def timed(builder: Builder) -> float:
    """Seconds that a build takes from its start."""
    begun = time.perf_counter()
    builder.start(1).communicate(timeout=60)
    return time.perf_counter() - begun


def kill(build: subprocess.Popen[str], number: int) -> bool:
    """End it with its processes, or alone, so that they find out by themselves; whether it was still at work."""
    if number % 3:
        os.killpg(build.pid, signal.SIGKILL)
    else:
        build.kill()
    return "done" not in build.communicate(timeout=60)[0]


def test_a_build_killed_at_any_moment_leaves_a_whole_generation(large_works: ExampleSite) -> None:
    """Builds take turns in making two versions; a reader beside them never sees anything but one of the two."""
    example, chance = large_works, random.Random(1)
    example.load()
    generations = both(example)
    be(example, 0)
    example.build()
    (example.public / "CNAME").write_bytes(b"tide.example")
    be(example, 1)
    builder = Builder(example)
    duration = timed(builder)
    reader = Reader(example.public, generations)
    killed = shown = 0
    try:
        for number in range(KILLS):
            be(example, number % 2)
            build = builder.start(number // 2 % 2 + 1)
            time.sleep(duration * chance.random())
            was_at_work = kill(build, number)
            killed += was_at_work
            duration *= 1.05 if was_at_work else 0.8  # the machine may be faster now than when it was measured
            found = walk(example.public)
            assert found in generations
            shown += found == generations[number % 2]
            if number % 5 == 4:
                assert example.build(jobs=number % 2 + 1).failed == {}
                assert walk(example.public) == generations[number % 2]
                assert example.build().stale == {}
                reader.look()
    finally:
        reader.close()
        builder.close()
    assert reader.errors == []
    assert reader.seen == {0, 1}
    assert killed >= KILLS // 2, f"{killed} killed, {shown} shown"
    example.database.close()


def test_a_killed_first_build_leaves_no_folder_or_the_whole_site(large_works: ExampleSite) -> None:
    """Nothing is published before everything is there."""
    example, chance = large_works, random.Random(3)
    example.load()
    whole = both(example)[1]
    del whole["CNAME"]
    builder = Builder(example)
    duration = timed(builder)
    for number in range(6):
        shutil.rmtree(example.public)
        if number % 2:
            shutil.rmtree(work_folder(example.public))
            example.public.mkdir()
        build = builder.start(number % 2 + 1)
        time.sleep(duration * (0.3 + 0.7 * chance.random()))
        kill(build, number)
        if example.public.is_dir():
            assert example.tree() in ({}, whole)
        example.build()
        assert example.tree() == whole
    builder.close()
    example.database.close()


def test_processes_of_a_killed_build_end_by_themselves(large_works: ExampleSite) -> None:
    """They hold the lock; the next build gets it soon, though nobody reads what they report."""
    example = large_works
    example.load()
    example.write(
        "templates/post.html", "{% for n in range(60000) %}{{ n * n }}{% endfor %}{{ post.card.title }}</html>"
    )
    builder = Builder(example)
    build = builder.start(2)
    builder.close()
    while not (work_folder(example.public) / "tree" / "assets").exists():
        time.sleep(0.001)
    time.sleep(0.1)
    build.kill()
    build.communicate(timeout=60)
    example.remove("templates/post.html")
    assert example.build().failed == {}
    assert example.tree() == example.clean_tree()
    example.database.close()
