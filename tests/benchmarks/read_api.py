"""How fast `sitecms serve` answers reads, as ratios to a bare Flask app under the same server.

    python -m tests.benchmarks.synthetic SITE --posts 10000
    python -m tests.benchmarks.read_api SITE
    SITECMS_STORE_URL=postgresql://... python -m tests.benchmarks.synthetic OTHER --posts 10000
    python -m tests.benchmarks.read_api SITE --stores sqlite postgresql://...

Needs `wrk`. Each case is loaded by 16 connections over many different URLs, next to a run of a Flask app with one
route and constant bytes of the same size, so that a ratio holds on a busy machine too. "kept": every URL was answered
before by every process. "made": never, as the server keeps no answers (`--cache-mb 0`). "changing": as "kept", while
another process changes the store 20 times a second. Memory is resident memory, in which pages that processes share
count for each of them.
"""

import argparse
import os
import random
import re
import secrets
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import click
import requests

from sitecms.clock import now
from sitecms.content.token import Scope, new_secret, secret_digest
from sitecms.settings.site import load_settings
from sitecms.store.database import Database
from sitecms.store.opening import open_database
from sitecms.store.writes.tokens import insert_token, revoke_token
from tests.benchmarks.engines import HELP, SQLITE, engine_of, kept_in
from tests.benchmarks.synthetic import COMMONNESS, WORDS
from tests.support.reading import execute, select

CONNECTIONS = 16
CHANGES_PER_SECOND = 20
KEPT_URLS = 300
MADE_URLS = 10_000
WORDS_OF_POST = 500
SEARCHES = ("common word", "search")
MEGABYTE = 1024 * 1024
LUA = """
local paths = {}
for line in io.lines(os.getenv("PATHS")) do paths[#paths + 1] = line end
local place = 0
wrk.headers["Authorization"] = "Token " .. os.getenv("SECRET")
local seed = 0
function setup(thread) thread:set("seed", seed); seed = seed + 1 end
function init(args) place = seed * 4999 end
function request()
  place = place + 1
  return wrk.format("GET", paths[place % #paths + 1])
end
"""


@dataclass(frozen=True, slots=True)
class Load:
    """What wrk saw: answers a second, latencies in milliseconds, answers that were errors."""

    rate: float
    p50: float
    p99: float
    failed: int


def words_of_a_fifth() -> list[str]:
    """The words that a fifth of all posts hold or more, as far as they are expected to."""
    shares = (1 / (rank + 3) / COMMONNESS[-1] for rank in range(len(WORDS)))
    return [word for word, share in zip(WORDS, shares, strict=True) if 1 - (1 - share) ** WORDS_OF_POST >= 0.2]


def paths_of(case: str, posts: int, count: int) -> list[str]:
    """Different URLs of a case, in an order that has nothing to do with the store's."""
    rng = random.Random(case)
    pages = posts // 10
    common = words_of_a_fifth()
    making: dict[str, Callable[[int], str]] = {
        "one post": lambda number: f"/v2/posts/post-{number % posts}/",
        "list of ten": lambda number: f"/v2/posts/?page={number % pages + 1}",
        "list by tag": lambda number: f"/v2/posts/?tag_slug=tag-{number % 100}&limit=10&offset={number // 100 % 200}",
        "page 900": lambda number: f"/v2/posts/?limit=10&offset={8_900 + number % 200}",
        "common word": lambda number: (
            f"/v2/search/?query={common[number % len(common)]}&page={number // len(common) + 1}"
        ),
        "search": lambda _number: (
            f"/v2/search/?query={rng.choices(WORDS, cum_weights=COMMONNESS)[0]}+{rng.choice(WORDS)[:4]}"
        ),
    }
    paths = [making[case](number) for number in range(posts if case == "one post" else 10_000)]
    paths = sorted(set(paths), key=paths.index) if case == "search" else list(dict.fromkeys(paths))
    rng.shuffle(paths)
    return paths[:count]


def load(port: int, paths: list[str], secret: str, seconds: int) -> Load:
    """Let wrk ask for the paths in turn."""
    with tempfile.TemporaryDirectory() as folder:
        listed, script = Path(folder, "paths"), Path(folder, "script.lua")
        listed.write_text("\n".join(paths), encoding="ascii")
        script.write_text(LUA, encoding="ascii")
        command = ["wrk", "-t2", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency", "-s", str(script)]
        said = subprocess.run(
            [*command, f"http://127.0.0.1:{port}/"],
            env={**os.environ, "PATHS": str(listed), "SECRET": secret},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", said)[1])  # type: ignore[index]
    failed = re.search(r"Non-2xx or 3xx responses: (\d+)", said)
    return Load(rate, _milliseconds(said, "50%"), _milliseconds(said, "99%"), int(failed[1]) if failed else 0)


def _milliseconds(said: str, share: str) -> float:
    number, unit = re.search(rf"{share}\s+([\d.]+)(us|ms|s)", said).groups()  # type: ignore[union-attr]
    return float(number) * {"us": 0.001, "ms": 1.0, "s": 1000.0}[unit]


@contextmanager
def served(*command: str, path: str) -> Iterator[tuple[int, "subprocess.Popen[bytes]"]]:
    """A server on a free port, once it answers the path; ended afterwards."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    process = subprocess.Popen([sys.executable, *command, "--port", str(port)], stdout=subprocess.DEVNULL)
    try:
        while True:
            try:
                requests.get(f"http://127.0.0.1:{port}{path}", timeout=1)
                break
            except requests.RequestException:
                time.sleep(0.05)
        yield port, process
    finally:
        process.terminate()
        process.wait(15)


def resident_bytes(pid: int) -> int:
    """The resident memory of a process and all below it."""
    parents = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(entry.parent.name)] = int(entry.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    family, frontier = {pid}, {pid}
    while frontier:
        frontier = {child for child, parent in parents.items() if parent in frontier} - family
        family |= frontier
    pages = (int(Path(f"/proc/{each}/statm").read_text().split()[1]) for each in family)
    return sum(pages) * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def changing(database: Database) -> Iterator[None]:
    """Meanwhile, change the store so many times a second."""
    stop = threading.Event()

    def change() -> None:
        while not stop.wait(1 / CHANGES_PER_SECOND):
            execute(database, "UPDATE author SET bio = ? WHERE slug = 'author-0'", secrets.token_hex(8))

    thread = threading.Thread(target=change)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def serve_bare(port: int) -> None:
    """A Flask app with one route for every path, under granian's WSGI interface with one thread a process."""
    from granian.constants import HTTPModes, Interfaces
    from granian.server import Server

    server: Any = Server(
        "bare",
        port=port,
        interface=Interfaces.WSGI,
        workers=2,
        blocking_threads=1,
        backpressure=1024,
        http=HTTPModes.http1,
    )
    server.serve(target_loader=bare_app, wrap_loader=False)


def bare_app() -> Callable[..., object]:
    """Run by each web process."""
    from flask import Flask, Response

    app = Flask("bare")
    body = b"x" * int(os.environ["BARE_BYTES"])
    app.add_url_rule("/", "bare", lambda: Response(body, content_type="application/json"))
    return app


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Load the read API and print a table.")
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--seconds", type=int, default=4, help="How many seconds each load lasts.")
    parser.add_argument("--warm", type=int, default=10, help="Seconds of searches before those that are measured.")
    parser.add_argument("--cases", default="one post,list of ten,list by tag,page 900,common word,search")
    parser.add_argument("--modes", default="kept,made,changing")
    parser.add_argument("--stores", nargs="+", default=[SQLITE], help=HELP)
    parser.add_argument("--serve-bare", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve_bare:
        serve_bare(arguments.port)
        return
    click.echo(f"{CONNECTIONS} connections, {arguments.seconds} s a load, {os.cpu_count()} processors")
    click.echo(
        "| store | case | answers | requests/s | bare Flask | ratio | p50 ms | p99 ms | memory MB |\n"
        + "|---" * 9
        + "|"
    )
    for store in arguments.stores:
        with kept_in(store):
            measure_store(arguments, engine_of(store))


def measure_store(arguments: argparse.Namespace, engine: str) -> None:
    """Every case with the content where it is now."""
    database = open_database(load_settings(arguments.folder).store)
    name, secret = f"benchmark-{secrets.token_hex(4)}", new_secret()
    database.write(insert_token, name, Scope.READ, secret_digest(secret), now(), None)
    posts = int(select(database, "SELECT count(*) FROM entry WHERE kind = 'post'")[0][0])
    for case in arguments.cases.split(","):
        for mode in arguments.modes.split(","):
            line = measure(arguments.folder, database, secret, case, mode, posts, arguments.seconds, arguments.warm)
            click.echo(f"| {engine}, {posts:,} posts {line}")
    database.write(revoke_token, name, now())


def measure(
    folder: Path, database: Database, secret: str, case: str, mode: str, posts: int, seconds: int, warm: int
) -> str:
    """One line of the table: medians over rounds of one second each, Flask and the server in turn."""
    paths = paths_of(case, posts, KEPT_URLS if mode == "kept" else MADE_URLS)
    options = ["--cache-mb", "0"] if mode == "made" else []
    with served("-m", "sitecms", "serve", str(folder), *options, path="/health/live") as (port, process):
        headers = {"Authorization": f"Token {secret}"}
        size = len(requests.get(f"http://127.0.0.1:{port}{paths[0]}", headers=headers, timeout=9).content)
        os.environ["BARE_BYTES"] = str(size)
        # Warm: every process has answered all paths, or knows the words that many searches name.
        load(port, paths, secret, max(2, warm) if case in SEARCHES else 2)
        with served(__file__, "--serve-bare", path="/") as (bare_port, _process):
            load(bare_port, ["/"], secret, 1)
            with changing(database) if mode == "changing" else nullcontext():
                rounds = [(load(bare_port, ["/"], secret, 1), load(port, paths, secret, 1)) for _ in range(seconds)]
        memory = resident_bytes(process.pid) / MEGABYTE
    ratio = median(found.rate / bare.rate for bare, found in rounds)
    bare = median(bare.rate for bare, _found in rounds)
    rate, p50, p99 = (median(getattr(found, name) for _bare, found in rounds) for name in ("rate", "p50", "p99"))
    failed = sum(found.failed for _bare, found in rounds)
    error = f" ({failed} FAILED)" if failed else ""
    return (
        f"| {case} | {mode}{error} | {rate:,.0f} | {bare:,.0f} | {ratio:.2f} | {p50:.1f} | {p99:.1f} | {memory:.0f} |"
    )


if __name__ == "__main__":
    main()
