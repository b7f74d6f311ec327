"""How long `sitecms build` takes beside Hugo, as whole processes, in paired runs.

    python -m tests.benchmarks.build_site SCRATCH --posts 1000 10000 --runs 5

Hugo is the program in the package of that name; the command that pip installs starts it by way of Python.

The posts have what those of real sites have (`blog_texts`), and both sites make the same outputs: pages, lists, one
feed, sitemap, pictures. Two rows of a first build make more than Hugo: with a share image for each post without a
picture; and with the theme that sitecms ships, which has feeds of all archives as well. No site has a search index.

Each row has the median of the runs, that of Hugo in the same rounds, the median of the ratios run by run, the most that
this may be where there is a limit, and the medians of the seconds of processor time, which say more on a machine that
is not alone. Memory is the peak of all processes together (proportional set size), taken in a run of its own.

Former outputs are moved away and deleted at the end, since ext4 takes up to twice as long to make files for some
minutes after many were deleted: five runs with 10,000 posts need about 12 GB in SCRATCH.
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import distribution
from pathlib import Path
from statistics import median
from tempfile import mkdtemp
from typing import NamedTuple

from tests.benchmarks.blog_sites import BlogPost, Outputs, posts, write_hugo, write_post, write_sitecms

SAMPLE_SECONDS = 0.05
FIRST_BUILD = "from files, nothing kept"
LIMITS = {
    (FIRST_BUILD, 1_000): 2.6,
    (FIRST_BUILD, 10_000): 1.8,
    ("all pages from the store", 10_000): 1.2,
    ("one edited post", 10_000): 0.2,
    ("unchanged", 10_000): 0.06,
}
"""The most that a build may take of Hugo's time, by row and number of posts."""


@dataclass(frozen=True, slots=True)
class Case:
    """One row: what is made ready before each run (not measured), and the command that is measured."""

    name: str
    ready: Callable[[], object]
    command: Sequence[str]


def tell(text: str) -> None:
    """A line of the table, at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


class Run(NamedTuple):
    """What a process took: seconds, and those of processors."""

    seconds: float
    cpu_seconds: float


def run(command: Sequence[str]) -> Run:
    """Carry it out."""
    started, before = time.perf_counter(), _cpu_seconds()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return Run(time.perf_counter() - started, _cpu_seconds() - before)


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def as_installed(scratch: Path) -> None:
    """Have Python keep compiled modules, as those of an installed package are, and compile them once."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ.setdefault("PYTHONPYCACHEPREFIX", str(scratch.resolve() / "bytecode"))
    folder = scratch / "first"
    shutil.rmtree(folder, ignore_errors=True)
    write_sitecms(folder, 1, Outputs.SAME)
    run([sys.executable, "-m", "sitecms", "build", str(folder)])


def peak_memory(command: Sequence[str]) -> int:
    """Most bytes that the process and all below it hold together at one time."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        peak = max(peak, held_by_all(process.pid))
        time.sleep(SAMPLE_SECONDS)
    return peak


def held_by_all(pid: int) -> int:
    """Bytes that the process and all below it hold together: their proportional set size."""
    return sum(map(_held, _tree(pid)))


def _tree(pid: int) -> list[int]:
    try:
        found = [(task / "children").read_text() for task in Path(f"/proc/{pid}/task").iterdir()]
    except OSError:
        return []
    below = [int(child) for text in found for child in text.split()]
    return [pid, *(each for child in below for each in _tree(child))]


def _held(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)


class Bench:
    """The two sites of one size, and what is measured with them."""

    def __init__(self, scratch: Path, count: int, hugo: Path) -> None:
        self.folder = scratch / f"sitecms-{count}"
        self.hugo_folder = scratch / f"hugo-{count}"
        self.more = {
            outputs: scratch / f"sitecms-{count}-{outputs.name.lower()}"
            for outputs in (Outputs.SHARE_IMAGES, Outputs.DEFAULT_THEME)
        }
        for folder in (self.folder, self.hugo_folder, *self.more.values()):
            shutil.rmtree(folder, ignore_errors=True)
        write_sitecms(self.folder, count, Outputs.SAME)
        for outputs, folder in self.more.items():
            write_sitecms(folder, count, outputs)
        write_hugo(self.hugo_folder, count)
        self.trash = scratch / "trash"
        self.trash.mkdir(exist_ok=True)
        self.count = count
        self.sitecms = [sys.executable, "-m", "sitecms"]
        self.build = [*self.sitecms, "build", str(self.folder)]
        self.hugo = [str(hugo), "--quiet", "--source", str(self.hugo_folder)]
        self._edits = 0

    def cases(self) -> list[Case]:
        """The rows of the table."""
        stored = [*self.build, "--no-load"]
        return [
            Case(FIRST_BUILD, partial(self.unload, self.folder), self.build),
            *(
                Case(
                    f"from files, {outputs.value}", partial(self.unload, folder), [*self.sitecms, "build", str(folder)]
                )
                for outputs, folder in self.more.items()
            ),
            Case("all pages from the store", partial(self.clear, self.folder), stored),
            Case("unchanged", lambda: run(self.build), self.build),
            Case("unchanged, files not looked at", lambda: run(self.build), stored),
            Case("one edited post", self.edit, self.build),
            Case("one edited file, load alone", self.edit, [*self.sitecms, "load", str(self.folder)]),
        ]

    def unload(self, folder: Path) -> None:
        """Take away the store and the output."""
        self._move_away(folder / ".sitecms")
        self.clear(folder)

    def clear(self, folder: Path) -> None:
        """Take away the output."""
        for output in (folder / "public", folder / ".public.sitecms"):
            self._move_away(output)

    def _move_away(self, folder: Path) -> None:
        if folder.exists():
            folder.rename(Path(mkdtemp(dir=self.trash)) / folder.name)

    def edit(self) -> None:
        """Another sentence at the end of a post in the middle; what was edited before is built."""
        run(self.build)
        self._edits += 1
        post = next(post for post in posts(self.count) if post.number == self.count // 2)
        fields = {name: getattr(post, name) for name in BlogPost.__slots__}
        write_post(self.folder, BlogPost(**{**fields, "body": f"{post.body}\n\nEdit {self._edits}."}))

    def measure(self, runs: int) -> None:
        """Tell the rows, each with the peak of memory."""
        for case in self.cases():
            pairs = []
            for _run in range(runs):
                case.ready()
                self._move_away(self.hugo_folder / "public")
                pairs.append((run(case.command), run(self.hugo)))
            case.ready()
            held = peak_memory(case.command)
            ours, theirs = (Run(*map(median, zip(*side, strict=True))) for side in zip(*pairs, strict=True))
            ratio = median(mine.seconds / other.seconds for mine, other in pairs)
            limit = LIMITS.get((case.name, self.count), "")
            tell(
                f"{self.count:>7} {case.name:<34} {ours.seconds:7.2f} s {theirs.seconds:7.2f} s {ratio:6.2f} "
                f"{limit:>5} {ours.cpu_seconds:6.2f} s {theirs.cpu_seconds:6.2f} s {held >> 20:5} MB"
            )
        self._move_away(self.hugo_folder / "public")
        tell(f"{self.count:>7} {'Hugo, peak of memory':<73} {peak_memory(self.hugo) >> 20:14} MB")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Measure sitecms build beside Hugo.")
    parser.add_argument("scratch", type=Path)
    parser.add_argument("--hugo", type=Path, default=distribution("hugo").locate_file("hugo/binaries/hugo"))
    parser.add_argument("--posts", type=int, nargs="*", default=[1_000, 10_000])
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    as_installed(arguments.scratch)
    tell(
        f"{'posts':>7} {'':<34} {'sitecms':>9} {'Hugo':>9} {'ratio':>6} {'limit':>5} "
        f"{'its CPU':>8} {'Hugo':>8} {'memory':>8}"
    )
    for count in arguments.posts:
        Bench(arguments.scratch, count, arguments.hugo).measure(arguments.runs)
    shutil.rmtree(arguments.scratch / "trash", ignore_errors=True)


if __name__ == "__main__":
    main()
