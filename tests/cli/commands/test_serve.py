"""`sitecms serve` as a process: its responses, its end, and that no process outlives it."""

import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import requests

from sitecms.cli.commands.status import FORMER_SETTINGS
from sitecms.clock import now
from sitecms.content.status import Status
from sitecms.media.library import open_library
from sitecms.runtime import Runtime
from sitecms.settings.current import AT_START_COPY, USED_COPY
from tests.support.commands import CommandServer
from tests.support.ports import free_port
from tests.support.waiting import PATIENCE_SECONDS, until

Make = Callable[..., int]
READY = {"status": "ready", "worker": "alive", "queue": "reachable"}
STOP_SECONDS = 30.0
PROCESSES = Path("/proc")
needs_processes = pytest.mark.skipif(not PROCESSES.is_dir(), reason="needs /proc to look at processes (Linux)")


class Served:
    """A running `sitecms serve` on a free port of its own."""

    def __init__(self, commands: CommandServer, folder: Path, *options: str) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = commands.start("serve", folder, "--port", str(self.port), *options)

    def first_line(self) -> str:
        """Return the next line of its output; the first comes when it answers."""
        return self.process.stdout.readline()

    def family(self) -> set[int]:
        """Return the ids of its descendants."""
        return set(descendants(self.process.pid))

    def answers(self) -> bool:
        """Return whether it answers now."""
        try:
            return self.get("/health/live").status_code == 200
        except requests.RequestException:
            return False

    def get(self, path: str, secret: str = "") -> requests.Response:
        """Send a GET request, with a token if one is given."""
        headers = {"Authorization": f"Token {secret}"} if secret else {}
        return requests.get(self.url + path, headers=headers, timeout=PATIENCE_SECONDS, allow_redirects=False)


def parents() -> dict[int, tuple[int, str]]:
    """Return the parent id and command line of every process but zombies, by process id."""
    found: dict[int, tuple[int, str]] = {}
    for entry in PROCESSES.glob("[0-9]*"):
        with suppress(OSError):  # it ended meanwhile
            state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            if state != "Z":
                found[int(entry.name)] = int(parent), command
    return found


def descendants(pid: int) -> dict[int, str]:
    """Return the command lines of the descendants of a process, by process id."""
    table = parents()
    found: dict[int, str] = {}
    frontier = {pid}
    while frontier:
        below = {child: command for child, (parent, command) in table.items() if parent in frontier}
        frontier = below.keys() - found.keys()
        found |= below
    return found


def worker_of(pid: int) -> set[int]:
    """Return the ids of the background workers among the descendants of a process."""
    return {child for child, command in descendants(pid).items() if " worker " in command}


def kill_web_processes(served: Served) -> set[int]:
    """Kill them with -9 and return their ids."""
    found = {child for child, command in descendants(served.process.pid).items() if " serve " in command}
    assert found
    for pid in found:
        os.kill(pid, signal.SIGKILL)
    return found


@pytest.fixture
def serve(runtime: Runtime, command_server: CommandServer) -> Iterator[Callable[..., Served]]:
    """Start servers of the site; one that still runs at the end is killed with its descendants."""
    started: list[Served] = []

    def start(*options: str) -> Served:
        started.append(Served(command_server, runtime.settings.folder, *options))
        return started[-1]

    yield start
    for served in started:
        if served.process.poll() is None:
            served.process.kill()
        served.process.communicate(timeout=PATIENCE_SECONDS)


def test_serve_answers_once_it_prints_its_address(
    serve: Callable[..., Served], runtime: Runtime, make_post: Make, make_token: Callable[..., str]
) -> None:
    """Posts, media with this server's address, health, redirects, HEAD, conditional requests."""
    image = open_library(runtime.settings).add(b"%PDF-1.4\n", "a.pdf", now()).url
    make_post("slack-water", title="Slack water", featured_image=image, body=f'<p><a href="{image}">x</a></p>')
    secret = make_token()
    served = serve("--workers", "1")
    assert served.first_line() == f"sitecms serves Tide at {served.url}/\n"
    assert served.first_line() == f"The API and how to try it: {served.url}/docs\n"
    studio = served.first_line()
    assert studio.startswith(
        f"The studio, to write in a browser: {served.url}/studio/ (add its first user: sitecms user"
    )
    assert served.get("/").headers["Location"] == "/docs"
    listed = served.get("/v2/posts/", secret)
    assert listed.status_code == 200
    assert listed.json()["meta"] == {"count": 1, "next_page": None, "previous_page": None}
    post = listed.json()["data"][0]
    assert (post["title"], post["url"]) == ("Slack water", "https://tide.example/blog/slack-water/")
    assert post["featured_image"] == served.url + image
    assert post["body"] == f'<p><a href="{served.url}{image}">x</a></p>'
    assert requests.get(post["featured_image"], timeout=60).content == b"%PDF-1.4\n"
    single = served.get("/v2/posts/slack-water/", secret)
    assert single.json()["data"] == post
    assert served.get("/v2/posts/").json() == {"detail": "Authentication credentials were not provided."}
    assert served.get("/v2/posts?page=2", secret).headers["Location"] == "/v2/posts/?page=2"
    assert until(lambda: READY.items() <= served.get("/health/ready").json().items())
    head = requests.head(f"{served.url}/v2/posts/?auth_token={secret}", timeout=60)
    assert (head.status_code, head.headers["Content-Length"]) == (200, str(len(listed.content)))
    for kept in ({}, {"If-None-Match": str(single.headers["ETag"])}):
        again = requests.get(
            f"{served.url}/v2/posts/slack-water/", headers={"Authorization": f"Token {secret}", **kept}, timeout=60
        )
        assert again.status_code == (304 if kept else 200)


@pytest.mark.slow
@needs_processes
def test_slow_downloads_delay_no_other_request(serve: Callable[..., Served], runtime: Runtime) -> None:
    """Eight clients request a large file, in full or in part, and read nothing; the only process answers others.

    With `--no-worker` it is the only one, as another program runs the worker.
    """
    content = b"%PDF-1.4\n" + bytes(12_000_000)
    address = open_library(runtime.settings).add(content, "a.pdf", now()).url
    served = serve("--workers", "1", "--no-worker")
    served.first_line()
    assert not worker_of(served.process.pid)
    with ExitStack() as open_sockets:
        for number in range(8):
            part = "Range: bytes=0-\r\n" if number % 2 else ""
            slow = open_sockets.enter_context(socket.create_connection(("127.0.0.1", served.port)))
            slow.sendall(f"GET {address} HTTP/1.1\r\nHost: x\r\n{part}\r\n".encode())
            assert slow.recv(12).startswith(b"HTTP/1.1 20")
        assert served.get("/health/live").status_code == 200
    whole = requests.get(served.url + address, timeout=PATIENCE_SECONDS)
    assert (whole.content == content, whole.headers["Content-Type"]) == (True, "application/pdf")


@needs_processes
@pytest.mark.parametrize(
    ("ending", "workers"), [(signal.SIGTERM, "1"), pytest.param(signal.SIGINT, "2", marks=pytest.mark.slow)]
)
def test_signal_ends_all_processes(serve: Callable[..., Served], ending: signal.Signals, workers: str) -> None:
    """With exit code 0, no process left, and no traceback."""
    served = serve("--workers", workers)
    served.first_line()
    family = served.family()
    assert len(worker_of(served.process.pid)) == 1
    served.process.send_signal(ending)
    out, errors = served.process.communicate(timeout=STOP_SECONDS)
    assert (served.process.returncode, out.count("\n")) == (0, 2)
    assert out.startswith(f"The API and how to try it: {served.url}/docs\nThe studio, ")
    assert "Traceback" not in errors
    assert until(lambda: not family & parents().keys())


@pytest.mark.slow
@needs_processes
def test_killed_server_leaves_no_process_behind(serve: Callable[..., Served]) -> None:
    """Web process and worker end when their parent has ended."""
    served = serve("--workers", "1")
    served.first_line()
    family = served.family()
    assert len(family) >= 2
    served.process.kill()
    served.process.wait(PATIENCE_SECONDS)
    assert until(lambda: not family & parents().keys(), STOP_SECONDS)


@needs_processes
def test_server_starts_at_once_after_it_was_killed(
    serve: Callable[..., Served], command_server: CommandServer, runtime: Runtime, tmp_path: Path
) -> None:
    """It waits for the web processes of the killed one, which still use the port; they are frozen until it does."""
    killed = serve("--workers", "1", "--no-worker")
    killed.first_line()
    (web,) = killed.family()
    os.kill(web, signal.SIGSTOP)
    killed.process.kill()
    killed.process.wait(PATIENCE_SECONDS)
    said = tmp_path / "errors.txt"
    with said.open("w", encoding="utf-8") as errors:
        command = ("serve", runtime.settings.folder, "--port", str(killed.port), "--workers", "1", "--no-worker")
        revived = command_server.start(*command, stderr=errors)
    try:
        line = f"Port {killed.port} is in use; waiting for a server of this site to end.\n"
        assert until(lambda: said.read_text(encoding="utf-8") == line)
        os.kill(web, signal.SIGCONT)
        assert revived.stdout.readline() == f"sitecms serves Tide at {killed.url}/\n"
        assert web not in parents()
        assert killed.answers()
    finally:
        with suppress(ProcessLookupError):
            os.kill(web, signal.SIGKILL)
        revived.terminate()
        revived.communicate(timeout=PATIENCE_SECONDS)


@pytest.mark.slow
@needs_processes
def test_worker_that_ends_is_replaced(
    serve: Callable[..., Served], make_post: Make, make_token: Callable[..., str]
) -> None:
    """The new one does the work that is due."""
    served = serve("--workers", "1")
    served.first_line()
    (first,) = worker_of(served.process.pid)
    os.kill(first, signal.SIGKILL)
    assert until(lambda: bool(worker_of(served.process.pid) - {first}))
    make_post("soon", status=Status.SCHEDULED, scheduled_at=now() - timedelta(seconds=1))
    secret = make_token()
    assert until(lambda: served.get("/v2/posts/soon/", secret).status_code == 200)


@pytest.mark.slow
@needs_processes
def test_web_processes_that_are_killed_repeatedly_are_replaced(serve: Callable[..., Served]) -> None:
    """Killed three times as soon as they answer; each time the server answers again soon."""
    served = serve("--workers", "1", "--no-worker")
    served.first_line()
    for _ in range(3):
        killed = kill_web_processes(served)
        assert until(lambda killed=killed: not killed & parents().keys())  # type: ignore[misc]
        assert until(served.answers)
    assert served.process.poll() is None


@pytest.mark.slow
@needs_processes
def test_site_that_cannot_be_opened_ends_the_server(serve: Callable[..., Served], runtime: Runtime) -> None:
    """The command tries a few times, then logs the reason and ends with exit code 1."""
    served = serve("--workers", "1", "--no-worker")
    served.first_line()
    (runtime.settings.folder / "site.toml").write_text("name = ", encoding="utf-8")
    for copy in (AT_START_COPY, USED_COPY):  # with which a process begins while site.toml has errors
        (runtime.settings.folder / copy).unlink()
    kill_web_processes(served)
    _, errors = served.process.communicate(timeout=3 * PATIENCE_SECONDS)
    assert served.process.returncode == 1
    assert "is not valid TOML" in errors
    assert "crash_loop" in errors


def test_port_in_use_is_exit_code_3(runtime: Runtime, command_server: CommandServer) -> None:
    """Even if the other program allows sharing it, as the web processes do among each other."""
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        folder = runtime.settings.folder
        result = command_server.run("serve", "--port", str(port), folder=folder, variables={})
    assert (result.returncode, result.stdout) == (3, "")
    assert result.stderr == (
        f"Error: Cannot listen on 127.0.0.1 port {port}: address already in use. "
        "Choose another with --host and --port.\n"
    )


def test_changed_settings_hold_in_all_processes_at_once(
    serve: Callable[..., Served], runtime: Runtime, make_token: Callable[..., str], run: Callable[..., Any]
) -> None:
    """For the next request, whichever process answers it. Errors change nothing, and `sitecms status` says so."""
    served, secret, path = serve("--workers", "2"), make_token(), runtime.settings.folder / "site.toml"
    served.first_line()
    text = path.read_text("utf-8")

    def statuses(locale: str) -> set[int]:
        return {served.get(f"/v2/posts/?locale={locale}", secret).status_code for _ in range(8)}

    assert statuses("es") == {200}
    german = text.replace('"en", "es"', '"en", "de"')
    path.write_text(german, encoding="utf-8")
    assert (statuses("es"), statuses("de")) == ({400}, {200})
    path.write_text(f"nam = 7\n{text}", encoding="utf-8")
    assert (statuses("es"), statuses("de")) == ({400}, {200})
    shown = run("status", runtime.settings.folder)
    assert shown.returncode == 3
    error = 'site.toml:1 nam: is not a known key (did you mean "name"?)'
    assert shown.stderr.splitlines()[:2] == [FORMER_SETTINGS, error]
    path.write_text(german.replace("[search]", '[logs]\nlevel = "error"\n[search]'), encoding="utf-8")
    assert until(lambda: "other values than the running processes: [logs]" in run("status", path.parent).stdout)


@needs_processes
def test_processes_that_are_killed_come_back_with_the_settings_of_the_others(
    serve: Callable[..., Served], runtime: Runtime, make_token: Callable[..., str]
) -> None:
    """Also while site.toml has errors."""
    served, secret, path = serve("--workers", "2"), make_token(), runtime.settings.folder / "site.toml"
    served.first_line()
    text = path.read_text("utf-8")
    path.write_text(text.replace('"en", "es"', '"en", "de"'), encoding="utf-8")
    copy = path.parent / USED_COPY
    assert until(lambda: '"de"' in copy.read_text("utf-8"))
    path.write_text(f"nam = 7\n{text}", encoding="utf-8")
    kill_web_processes(served)
    assert until(served.answers)
    assert {served.get("/v2/posts/?locale=de", secret).status_code for _ in range(8)} == {200}
