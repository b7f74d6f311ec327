"""How fast `sitecms serve` accepts writes and applies them, and what the disk's own sync costs meanwhile.

    python -m tests.benchmarks.write_api
    python -m tests.benchmarks.write_api --seconds 20 --cases posts --stores sqlite postgresql://...

Makes a site in a temporary folder, loads it, and serves it as a user does. 16 clients in a few processes write over
connections that stay open, each as fast as it is answered: new posts, updates of them, new items. "last" is how long
after the last answer the last write was applied. "slowest" is the share that the slowest client had of the mean.
"""

import argparse
import http.client
import json
import multiprocessing
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import click

from sitecms.settings.site import load_settings
from sitecms.store.database import Database
from sitecms.store.opening import open_database
from tests.benchmarks.engines import HELP, SQLITE, engine_of, fresh_database, kept_in
from tests.benchmarks.read_api import resident_bytes
from tests.benchmarks.synthetic import COMMONNESS, WORDS
from tests.support.reading import select

CLIENTS = 16
BODY_CHARACTERS = 3000
KNOWN_POSTS = 20  # of each client, for updates
SYNCS = 300
PATIENCE_SECONDS = 600.0
MEGABYTE = 1024 * 1024
CASES = ("posts", "updates", "items")
SITE = 'name = "Tide"\nowner = "ann-ray"\n[limits]\ncollection_items = 10000000\n'
TEAM = "key: team\nfields:\n  - {slug: name, type: short_text, searchable: true}\n  - {slug: bio, type: wysiwyg}\n"
HEADINGS = (
    "store", "case", "accepted/s", "p50 ms", "p99 ms", "last s", "applied/s", "slowest", "not 202", "locked",
    "memory MB", "sync ms", "sync p99",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Told:
    """What one client saw: the seconds that each accepted write took, and other answers by status."""

    seconds: list[float]
    others: dict[str, int]


class Client:
    """One connection that stays open, and the writes of one case over it."""

    def __init__(self, port: int, secret: str, number: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
        self._headers = {"Authorization": f"Token {secret}", "Content-Type": "application/json"}
        self._name = f"c{number}"
        self._rng = random.Random(number)
        words = self._rng.choices(WORDS, cum_weights=COMMONNESS, k=BODY_CHARACTERS)
        self._text = "<p>" + " ".join(words)[:BODY_CHARACTERS] + "</p>"

    def write_for(self, case: str, seconds: float) -> Told:
        """Write as fast as it is answered."""
        took: list[float] = []
        others: Counter[str] = Counter()
        end, number = time.monotonic() + seconds, 0
        while time.monotonic() < end:
            begun, number = time.monotonic(), number + 1
            status = self._send(*self._made(case, number))
            if status == "202":
                took.append(time.monotonic() - begun)
            else:
                others[status] += 1
        return Told(took, dict(others))

    def make_known(self) -> None:
        """The posts that updates are of."""
        for number in range(KNOWN_POSTS):
            assert self._send("POST", "/v2/posts/", {"title": "Ebb", "slug": f"{self._name}-known-{number}"}) == "202"

    def _made(self, case: str, number: int) -> tuple[str, str, dict[str, object]]:
        tag = f"tag {self._rng.randrange(50)}"
        if case == "posts":
            post = {"title": f"{self._name} {number}", "status": "published", "tags": [tag], "body": self._text}
            return "POST", "/v2/posts/", {**post, "slug": f"{self._name}-{number}"}
        if case == "updates":
            slug = f"{self._name}-known-{self._rng.randrange(KNOWN_POSTS)}"
            return "PATCH", f"/v2/posts/{slug}/", {"summary": f"{number}", "tags": [tag], "body": self._text}
        fields = {"name": f"{self._name} {number}", "bio": self._text}
        return "POST", "/v2/content/", {"key": "team", "status": "published", "fields": fields}

    def _send(self, method: str, path: str, body: dict[str, object]) -> str:
        try:
            self._connection.request(method, path, json.dumps(body).encode(), self._headers)
            answer = self._connection.getresponse()
            text = answer.read()
        except OSError as error:
            self._connection.close()
            return type(error).__name__
        return "locked" if b"locked" in text else str(answer.status)


def write_with(port: int, secret: str, numbers: list[int], case: str, seconds: float) -> list[Told]:
    """Run by each process: several clients in threads."""
    clients = [Client(port, secret, number) for number in numbers]
    with ThreadPoolExecutor(len(clients)) as pool:
        if not seconds:
            list(pool.map(Client.make_known, clients))
            return []
        return list(pool.map(lambda client: client.write_for(case, seconds), clients))


@contextmanager
def served(folder: Path, log: Path) -> Iterator[tuple[int, int]]:
    """The port and the process id of `sitecms serve`; ended afterwards."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [sys.executable, "-m", "sitecms", "serve", str(folder), "--port", str(port)]
    with log.open("wb") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors)
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield port, process.pid
        finally:
            process.terminate()
            process.wait(60)


def make_site(folder: Path) -> str:
    """A site with an author and a collection, loaded; the secret of a write token for it."""
    files = {"site.toml": SITE, "schema/collections/team.yaml": TEAM, "content/authors.yaml": "- {slug: ann-ray}\n"}
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")

    def run(*words: str) -> str:
        command = [sys.executable, "-m", "sitecms", *words]
        return subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()

    run("load", str(folder))
    return run("token", "create", str(folder), "--scope", "write", "--name", "newsroom")


def sync_seconds(folder: Path) -> list[float]:
    """How long the disk takes to keep 4 KB more, so many times, in order of length."""
    path, took = folder / "sync", []
    handle = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    sync = getattr(os, "fdatasync", os.fsync)
    try:
        for _ in range(SYNCS):
            begun = time.monotonic()
            os.write(handle, b"x" * 4096)
            sync(handle)
            took.append(time.monotonic() - begun)
    finally:
        os.close(handle)
        path.unlink()
    return sorted(took)


def open_writes(database: Database) -> int:
    """How many writes are accepted and not applied yet."""
    return int(select(database, "SELECT count(*) FROM write WHERE status = 'accepted'")[0][0])


def drain(database: Database) -> float:
    """Wait until every write is applied; how long that took."""
    begun = time.monotonic()
    while open_writes(database):
        if time.monotonic() - begun > PATIENCE_SECONDS:
            raise SystemExit("writes are left that nobody applies")
        time.sleep(0.01)
    return time.monotonic() - begun


def measure(folder: Path, secret: str, case: str, seconds: float) -> str:
    """One line of the table."""
    log = folder.parent / "serve.log"
    database = open_database(load_settings(folder).store)
    syncs = sync_seconds(folder)
    shares = [list(range(CLIENTS))[part :: min(os.cpu_count() or 1, 4)] for part in range(min(os.cpu_count() or 1, 4))]
    with served(folder, log) as (port, pid), multiprocessing.get_context("spawn").Pool(len(shares)) as pool:
        if case == "updates":
            pool.starmap(write_with, [(port, secret, share, case, 0.0) for share in shares])
            drain(database)
        parts = pool.starmap(write_with, [(port, secret, share, case, seconds) for share in shares])
        told = [each for part in parts for each in part]
        behind = drain(database)
        memory = resident_bytes(pid) / MEGABYTE
    database.close()
    took = sorted(second for each in told for second in each.seconds)
    counts = [len(each.seconds) for each in told]
    others = sum(sum(each.others.values()) for each in told)
    locked = sum(each.others.get("locked", 0) for each in told) + log.read_bytes().count(b"database is locked")
    milliseconds = (1000 * value for value in (syncs[len(syncs) // 2], syncs[-len(syncs) // 100]))
    values = (
        case, f"{len(took) / seconds:,.0f}", f"{1000 * took[len(took) // 2]:.1f}",
        f"{1000 * took[int(len(took) * 0.99)]:.1f}", f"{behind:.1f}", f"{len(took) / (seconds + behind):,.0f}",
        f"{min(counts) / statistics.mean(counts):.2f}", f"{others}", f"{locked}", f"{memory:.0f}",
        *(f"{value:.2f}" for value in milliseconds),
    )  # fmt: skip
    return f"| {' | '.join(values)} |"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Load the write API and print a table.")
    parser.add_argument("--seconds", type=float, default=10, help="How long each case writes.")
    parser.add_argument("--cases", default=",".join(CASES), help="Of posts, updates, items.")
    parser.add_argument("--stores", nargs="+", default=[SQLITE], help=f"{HELP} A new database is made on the server.")
    parser.add_argument("--folder", type=Path, help="Where the site is made; default: a temporary folder.")
    arguments = parser.parse_args()
    click.echo(f"{CLIENTS} clients, bodies of {BODY_CHARACTERS} characters, {os.cpu_count()} processors")
    click.echo(f"| {' | '.join(HEADINGS)} |\n{'|---' * len(HEADINGS)}|")
    for store, case in product(arguments.stores, arguments.cases.split(",")):
        with (
            tempfile.TemporaryDirectory(dir=arguments.folder) as folder,
            fresh_database(store) as fresh,
            kept_in(fresh),
        ):
            site = Path(folder, "site")
            secret = make_site(site)
            click.echo(f"| {engine_of(store)} {measure(site, secret, case, arguments.seconds)}")


if __name__ == "__main__":
    main()
