"""The guide's way from one server to three machines, each a folder of its own here: what they share is real."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import requests

from tests.support.ports import free_port
from tests.support.postgres import Databases
from tests.support.redis_server import RedisServer
from tests.support.sites import ExampleSite

pytestmark = [pytest.mark.slow, pytest.mark.sqlite_only("begins with a file and ends with a database")]
SECONDS = 60.0


def sitecms(*words: str | Path, **variables: str) -> str:
    """Run a command to its end; what it prints."""
    command = [sys.executable, "-m", "sitecms", *map(str, words)]
    result = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, timeout=90)
    assert result.returncode == 0, (words, result.stdout, result.stderr)
    return result.stdout


@contextmanager
def running(log: Path, *words: str | Path, **variables: str) -> Iterator[None]:
    """A command that goes on, and has said that it does."""
    command = [sys.executable, "-m", "sitecms", *map(str, words)]
    with log.open("ab") as errors:
        process = subprocess.Popen(
            command, env={**os.environ, **variables}, stdout=subprocess.PIPE, stderr=errors, text=True
        )
    try:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("sitecms"), log.read_text("utf-8")
        yield
    finally:
        process.terminate()
        process.communicate(timeout=SECONDS)


def tree(folder: Path) -> dict[str, bytes]:
    """Every published file, by its path."""
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if not name.startswith(".sitecms")}


def test_a_site_outgrows_its_machine(
    make_example: Callable[[Path], ExampleSite],
    databases: Databases,
    redis_server: RedisServer,
    bucket: str,
    tmp_path: Path,
) -> None:
    """Packed, restored into a database and a bucket, it is the same site; three machines then work on it as one."""
    example = make_example(tmp_path / "web1/tide")
    example.database.close()
    web1, log = example.folder, tmp_path / "log"
    sitecms("load", web1)
    sitecms("build", web1)
    before = tree(example.public)
    secret = sitecms("token", "create", web1, "--scope", "write", "--name", "newsroom").strip()
    sitecms("backup", web1, tmp_path / "tide-move.tar.gz")
    shutil.rmtree(web1 / ".sitecms")
    name = databases.take(empty=True)
    shared = {
        "SITECMS_STORE_URL": databases.server.url(name),
        "SITECMS_QUEUE_URL": redis_server.url,
        "SITECMS_MEDIA_URL": bucket,
    }
    sitecms("restore", tmp_path / "tide-move.tar.gz", tmp_path / "moved", **shared)
    shutil.rmtree(tmp_path / "moved")
    for machine in ("web2", "data"):
        shutil.copytree(web1, tmp_path / machine / "tide", ignore=shutil.ignore_patterns("public", ".public.sitecms"))
    sitecms("verify", web1, **shared)
    sitecms("build", web1, "--no-load", "--output", tmp_path / "www", **shared)
    assert tree(tmp_path / "www") == before

    ports, named = [free_port(), free_port()], {"Authorization": f"Token {secret}"}
    with ExitStack() as machines:
        machines.enter_context(running(log, "worker", tmp_path / "data/tide", **shared))
        for machine, port in zip(("web1", "web2"), ports, strict=True):
            serve = ("serve", tmp_path / machine / "tide", "--no-worker", "--workers", "1", "--port", str(port))
            machines.enter_context(running(log, *serve, **shared))
        here, there = (f"http://127.0.0.1:{port}/v2/posts/" for port in ports)
        body = {"title": "Slack water", "slug": "slack", "status": "published"}
        assert requests.post(here, json=body, headers=named, timeout=SECONDS).status_code == 202
        end = time.monotonic() + SECONDS
        while requests.get(f"{there}slack/", headers=named, timeout=SECONDS).status_code != 200:
            assert time.monotonic() < end, log.read_text("utf-8")
            time.sleep(0.05)
        picture = requests.get(f"{there}flow/", headers=named, timeout=SECONDS).json()["data"]["featured_image"]
        assert requests.get(picture, timeout=SECONDS).content == (web1 / "media/sea.png").read_bytes()
    sitecms("build", web1, "--no-load", "--output", tmp_path / "www", **shared)
    assert "Slack water" in (tmp_path / "www/blog/slack/index.html").read_text("utf-8")

    sitecms("backup", tmp_path / "data/tide", tmp_path / "tide-night.tar.gz", **shared)
    alone = {"SITECMS_STORE_URL": "sqlite"}
    for words in (("restore", tmp_path / "tide-night.tar.gz", tmp_path / "drill"), ("verify", tmp_path / "drill")):
        sitecms(*words, **alone)
    sitecms("build", tmp_path / "drill", **alone)
    assert tree(tmp_path / "drill/public") == tree(tmp_path / "www")
    databases.give_back(name)
