"""`sitecms serve`: the API by granian's web server, and a background worker beside it."""

import http.client
import multiprocessing
import os
import resource
import signal
import socket
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sitecms.cli.logs import configure_logs, granian_logs
from sitecms.cli.report import ExitCode
from sitecms.cli.server.parent_watch import when_orphaned
from sitecms.cli.server.respawn_policy import Deaths
from sitecms.cli.server.worker_process import Companion
from sitecms.cli.site_argument import site_argument
from sitecms.errors import ConfigurationError
from sitecms.runtime import open_runtime
from sitecms.settings.operations import LogSettings
from sitecms.settings.site import SiteSettings, load_settings
from sitecms.tasks.queue import check_queue

if TYPE_CHECKING:
    from granian.server.common import AbstractServer

    from sitecms.web.service import Service

MAX_DEFAULT_WORKERS = 8
MAX_CONNECTIONS = 8192  # of one process, as far as the system lets it open files
FILES_BESIDE = 256  # what a process opens beside its connections
BACKLOG = 4096
HEAD_BUFFER_BYTES = 64 * 1024  # heads beyond this, up to twice as much, are refused (431); so are more than 100 headers
HEAD_SECONDS = 30  # for a head to come in whole, and for an idle connection
DEFAULT_LOGS = LogSettings()
KILL_SECONDS = 3
END_SECONDS = 8
POLL_SECONDS = 0.05
MEGABYTE = 1024 * 1024
_WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - recognised, not bound by default


@click.command(
    epilog="\b\nExample:\n  sitecms load demo\n  sitecms serve demo --port 8080\n"
    '  curl -H "Authorization: Token $(sitecms token create demo --scope read --name me)" '
    "http://127.0.0.1:8080/v2/posts/"
)
@site_argument
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True, help="Port to listen on.")
@click.option("--workers", type=click.IntRange(1, 256), help="Web processes; default: one for each processor, up to 8.")
@click.option(
    "--cache-mb",
    type=click.IntRange(0, 4096),
    default=24,
    show_default=True,
    help="Megabytes of answers that each web process keeps in memory; 0: none.",
)
@click.option("--no-worker", is_flag=True, help="Without the background worker; run `sitecms worker` elsewhere.")
def serve(settings: SiteSettings, host: str, port: int, workers: int | None, cache_mb: int, *, no_worker: bool) -> None:
    """Answer the content API at /v2, and run the background worker beside it.

    Media are answered with this server's own address; behind a proxy, name the public one as `url` under [serve] in
    site.toml. SIGTERM or Ctrl-C ends everything within ten seconds. A web process that dies is replaced; where none can
    be kept running, the command ends with exit code 1. While the store is away, requests are answered with 503, and
    /health/live with 200; nothing has to be started again when it is back.
    """
    configure_logs(settings.logs)
    check_queue(settings)
    open_runtime(settings).database.close()
    ip = _free_address(host, port)
    server = make_server(ip, port, workers or _processors(), settings.logs)
    companion = None if no_worker else Companion(settings.folder)
    server.on_startup(lambda: _begin(server, companion))
    _when_answering(ip, port, lambda: click.echo(_welcome(settings.name, _url(host, port))))
    try:
        loader = partial(load_service, settings.folder, _url(host, port), cache_mb * MEGABYTE, os.getpid())
        run(server, loader)
    finally:
        if companion:
            companion.stop()


def _welcome(name: str, url: str) -> str:
    return f"sitecms serves {name} at {url}/\nThe API and how to try it: {url}/docs"


def load_service(folder: Path, public_url: str, cache_bytes: int, parent_pid: int) -> "Service":
    """Run by each web process: the API, in a process that ends with its parent."""
    from sitecms.web.server.app_loader import build_service

    configure_logs(load_settings(folder).logs)
    when_orphaned(parent_pid, lambda: os._exit(0))
    return build_service(folder, public_url, cache_bytes)


def _begin(server: "AbstractServer[Any]", companion: Companion | None) -> None:
    """Run when granian has set its own signal handlers up: ours take their place, and the worker starts."""

    def end(_number: int, _frame: object) -> None:
        if companion:
            companion.ask_to_stop()
        threading.Thread(target=_insist, args=(server,), daemon=True).start()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    if companion:
        companion.start()


def _insist(server: "AbstractServer[Any]") -> None:
    """Tell granian to end until it does: it can miss a signal while it replaces a process that failed.

    After 8 s this process ends in any case, and those below it notice that they are orphans.
    """
    deadline = time.monotonic() + END_SECONDS
    while time.monotonic() < deadline:
        server.interrupt_signal = True
        server.main_loop_interrupt.set()
        time.sleep(POLL_SECONDS)
    os._exit(ExitCode.FAILED)


def make_server(ip: str, port: int, workers: int, logs: LogSettings = DEFAULT_LOGS) -> "AbstractServer[Any]":
    """granian as we use it. Processes are spawned, not forked: none inherits threads, locks or open stores."""
    from granian.constants import HTTPModes, Interfaces, Loops
    from granian.http import HTTP1Settings
    from granian.log import LogLevels
    from granian.server import Server

    multiprocessing.set_start_method("spawn", force=True)
    server: AbstractServer[Any] = Server(
        "sitecms",
        address=ip,
        port=port,
        interface=Interfaces.RSGI,
        loop=Loops.asyncio,
        websockets=False,
        workers=workers,
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(header_read_timeout=HEAD_SECONDS * 1000, max_buffer_size=HEAD_BUFFER_BYTES),
        backlog=BACKLOG,
        backpressure=_connections(),
        respawn_failed_workers=True,
        workers_kill_timeout=KILL_SECONDS,
        log_level=LogLevels.warning,
        log_dictconfig=dict(granian_logs(logs)),
    )
    server.respawned_wrks = Deaths(lambda index: server.wrks[index].inner.exitcode)
    return server


def run(server: "AbstractServer[Any]", load: Callable[[], Any]) -> None:
    """Serve what `load` gives in each web process, until a signal ends it."""
    from sitecms.web.server.web_process import run_web_process

    server.serve(spawn_target=run_web_process, target_loader=load, wrap_loader=False)


def _processors() -> int:
    return min(os.cpu_count() or 1, MAX_DEFAULT_WORKERS)


def _connections() -> int:
    """How many a web process may hold; the limit of open files, which they inherit, is raised for it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_CONNECTIONS + FILES_BESIDE
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return MAX_CONNECTIONS if soft == resource.RLIM_INFINITY else max(FILES_BESIDE, min(MAX_CONNECTIONS, soft // 2))


def _url(host: str, port: int) -> str:
    """The address to use and to show; a wildcard is reached as this machine."""
    host = _WILDCARDS.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _free_address(host: str, port: int) -> str:
    """The host as an IP address. Raises ConfigurationError if nothing can listen there.

    granian's processes share a port, and would share it with a stranger's too; so it is tried alone first.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ConfigurationError(
            f"Cannot listen on {host} port {port}: {reason}. Choose another with --host and --port."
        ) from error
    return str(address[0])


def _when_answering(ip: str, port: int, act: Callable[[], object]) -> None:
    """Call `act` once the server answers requests, from a thread of its own."""

    def ask() -> bool:
        connection = http.client.HTTPConnection(_WILDCARDS.get(ip, ip), port, timeout=1)
        try:
            connection.request("GET", "/health/live")
            return connection.getresponse().status == http.HTTPStatus.OK
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def wait() -> None:
        while not ask():
            time.sleep(POLL_SECONDS)
        act()

    threading.Thread(target=wait, name="readiness", daemon=True).start()
