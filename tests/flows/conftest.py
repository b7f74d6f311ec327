"""A real `sitecms serve` of a small site, and what sends writes to it."""

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import requests

from sitecms.clock import now
from sitecms.content.token import Scope
from sitecms.runtime import Runtime
from sitecms.store.writes.webhooks import insert_webhook
from tests.support.commands import CommandServer, Running
from tests.support.ports import free_port
from tests.support.waiting import PATIENCE_SECONDS
from tests.support.webhooks import Receiver

WEBHOOK_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


class Server:
    """A running `sitecms serve`, its processes, and a write token for it."""

    def __init__(self, commands: CommandServer, folder: Path, secret: str, *options: str) -> None:
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.secret = secret
        self._commands = commands
        self._words: tuple[str | Path, ...] = ("serve", folder, "--port", str(port), *options)
        self.log = (folder.parent / "serve.log").open("ab")
        self._folder = folder
        self.workers: list[Running] = []
        self.process = self._start()
        assert self.process.stdout.readline().startswith("sitecms serves")

    def _start(self) -> Running:
        return self._commands.start(*self._words, stderr=self.log)

    def add_workers(self, count: int) -> None:
        """Further workers beside the server's own."""
        for _ in range(count):
            self.workers.append(self._commands.start("worker", self._folder, stdout=self.log, stderr=self.log))

    def revive(self) -> None:
        """What a process manager does: start again what has ended."""
        ended = [worker for worker in self.workers if worker.poll() is not None]
        self.workers = [worker for worker in self.workers if worker not in ended]
        self.add_workers(len(ended))
        if self.process.poll() is not None:
            self.process.communicate(PATIENCE_SECONDS)
            self.process = self._start()

    def send(self, method: str, path: str, body: object = None, **headers: str) -> requests.Response:
        """One request on a connection of its own."""
        named = {"Authorization": f"Token {self.secret}"}
        named |= {key.replace("_", "-"): text for key, text in headers.items()}
        return requests.request(method, self.url + path, json=body, headers=named, timeout=PATIENCE_SECONDS)

    def children(self) -> dict[int, str]:
        """The web processes and the worker: id to command line."""
        found: dict[int, str] = {}
        for entry in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):  # it ended meanwhile
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                if parent == self.process.pid and "resource_tracker" not in command:
                    found[int(entry.name)] = command
        return found

    def stop(self) -> None:
        """Asked first, killed if that does not help."""
        for worker in self.workers:
            worker.kill()
            worker.wait(PATIENCE_SECONDS)
        self.process.terminate()
        try:
            self.process.communicate(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate(PATIENCE_SECONDS)
        self.log.close()


@pytest.fixture
def serve(
    runtime: Runtime,
    make_author: Callable[..., str],
    make_token: Callable[..., str],
    team_schema: Any,
    command_server: CommandServer,
) -> Iterator[Callable[..., Server]]:
    """Start servers of the site, which has an author and the collection `team`."""
    make_author("ann-ray", first_name="Ann")
    secret = make_token("newsroom", Scope.WRITE)
    started: list[Server] = []

    def start(*options: str) -> Server:
        started.append(Server(command_server, runtime.settings.folder, secret, *options))
        return started[-1]

    yield start
    for server in started:
        if server.process.poll() is None:
            server.stop()


@pytest.fixture(scope="session")
def storm_seconds() -> float:
    """How long the crash storm lasts; SITECMS_STORM_SECONDS=300 makes it longer by hand."""
    return float(os.environ.get("SITECMS_STORM_SECONDS", "20"))


@pytest.fixture
def forgetful_receiver(runtime: Runtime, make_receiver: Callable[..., Receiver]) -> Receiver:
    """Subscribe a receiver of all events that fails now and then."""
    made = make_receiver(*[500 if number % 40 == 7 else 200 for number in range(400)], 200)
    with (runtime.settings.folder / "site.toml").open("a", encoding="utf-8") as file:
        file.write(f'[webhooks]\nallow_hosts = ["{made.host}"]\nretry_seconds = [1, 1, 1, 1, 1]\n')
    runtime.database.write(insert_webhook, made.url, ["*"], WEBHOOK_SECRET, {}, now())
    return made
