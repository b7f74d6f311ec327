"""`sitecms serve`: the content API and the studio by granian, and a background worker beside them."""

import http.client
import os
import shlex
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

import click

from sitecms.cli.logs import configure_logs
from sitecms.cli.processes import Child, RespawnPolicy, Supervisor
from sitecms.cli.report import ExitCode
from sitecms.cli.settings_watch import SettingsWatch
from sitecms.cli.site_argument import beside_option, shown_path, site_argument
from sitecms.content.account_link import LinkKind, link_path
from sitecms.errors import ConfigurationError, StoreNotWritable, StoreUnreachable, StoreUnusable
from sitecms.findings import Severity
from sitecms.optional_packages import Extra
from sitecms.programs import when_orphaned
from sitecms.runtime import Runtime, open_runtime
from sitecms.settings.extras import check_extra
from sitecms.settings.site import SiteSettings
from sitecms.store.accounts.users import has_users
from sitecms.store.maintenance.metrics import count_processes, remove_ended, share_metrics
from sitecms.temporary_folders import remove_abandoned

MAX_DEFAULT_WORKERS = 8
MEGABYTE = 1024 * 1024
POLL_SECONDS = 0.05
STORE_POLL_SECONDS = 1.0
PORT_SECONDS = 10.0  # processes of a server that was killed end within one
WORKER_DELAY_SECONDS = 1.0
WAITING = "sitecms waits for it. Until then, requests are answered with 503, and /health/live with 200."
_WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - recognised, not bound by default


@click.command(
    epilog="\b\nExample:\n  sitecms load demo\n  sitecms serve demo --port 8080\n"
    '  curl -H "Authorization: Token $(sitecms token create demo --scope read --name me)" '
    "http://127.0.0.1:8080/v2/posts/"
)
@site_argument
@beside_option
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True, help="Port to listen on.")
@click.option("--workers", type=click.IntRange(1, 256), help="Web processes; default: one for each processor, up to 8.")
@click.option(
    "--cache-mb",
    type=click.IntRange(0, 4096),
    default=24,
    show_default=True,
    help="Megabytes of responses that each web process caches; 0: none.",
)
@click.option("--no-worker", is_flag=True, help="Without the background worker; run `sitecms worker` elsewhere.")
@click.option("--parent", type=int, hidden=True, help="Serve in this process alone; end with the process of this id.")
def serve(
    settings: SiteSettings,
    host: str,
    port: int,
    workers: int | None,
    cache_mb: int,
    parent: int | None,
    *,
    no_worker: bool,
) -> None:
    """Serve the content API at /v2 and the studio at /studio/, and run the background worker.

    Media get this server's own address; behind a proxy, set the public one as `url` under [serve] in site.toml.
    While the studio has no users, a start on a terminal prints an address that makes the first one: an admin, once, for
    an hour, in place of the address of the start before.
    A changed site.toml holds from the next request on. One with errors is reported, and the former settings hold. Only
    a new start takes other options, and another store or queue, other logs, plug-ins and `before` under [build].
    SIGTERM or Ctrl-C ends everything within ten seconds. A web process that ends is replaced; if none can be kept
    running, the command ends with exit code 1. While the store is unavailable, also at the start, requests are
    answered with 503 and /health/live with 200; nothing has to be restarted when it is back.
    """
    configure_logs(settings.logs)
    if parent is not None:
        _serve_alone(settings, host, port, cache_mb, parent)
    remove_abandoned()
    remove_ended(settings.metrics_dir)
    check_extra(settings, Extra.REDIS)
    welcome = ""
    try:
        welcome = _welcome(settings, _url(host, port))
    except StoreUnreachable as error:
        click.echo(f"{error}\n{WAITING}", err=True)
    ip = _free_address(settings, host, port)
    options = ("--host", host, "--port", str(port), "--cache-mb", str(cache_mb))
    policy = RespawnPolicy()
    web = _command("serve", settings, *options)
    children = [Child("web", web, policy) for _ in range(workers or min(os.cpu_count() or 1, MAX_DEFAULT_WORKERS))]
    if not no_worker:
        children.append(Child("worker", _command("worker", settings), delay_seconds=WORKER_DELAY_SECONDS))
    _report_unwritable(settings)
    SettingsWatch(settings, has_children=True).start()
    _when_answering(ip, port, lambda: click.echo(welcome or _late_welcome(settings, _url(host, port))))
    if not Supervisor(children).run():
        sys.exit(ExitCode.FAILED)


def _serve_alone(settings: SiteSettings, host: str, port: int, cache_mb: int, parent_pid: int) -> NoReturn:
    """Run one of the web processes."""
    share_metrics(settings.metrics_dir, "web")  # before the next import
    from sitecms.web.server.web_process import run_web_process

    when_orphaned(parent_pid, lambda: os._exit(0))
    run_web_process(settings, _address_of(host, port), port, _url(host, port), cache_mb * MEGABYTE)


def _command(name: str, settings: SiteSettings, *options: str) -> list[str]:
    """Return the command line of a process that ends with this one."""
    parent = ("--beside", "--parent", str(os.getpid()))
    command = [sys.executable, "-m", "sitecms", name, str(settings.folder), *parent, *options]
    return [*command, "--no-plugins"] if settings.plugins.are_left_out else command


def _report_unwritable(settings: SiteSettings) -> None:
    """Print what `sitecms doctor` says of a site that cannot be written, which is served all the same."""
    from sitecms.actions.operations.doctor import examine_disk, examine_permissions  # the parent process stays small

    state = settings.state_dir
    place = state if state.is_dir() else settings.folder
    for finding in (*examine_permissions(settings.folder, state), *examine_disk(place)):
        if finding.severity is Severity.ERROR:
            click.echo(str(finding), err=True)


def _welcome(settings: SiteSettings, url: str) -> str:
    """Return what to print once the server answers. Raises StoreUnusable."""
    runtime = open_runtime(settings)
    is_first = settings.studio.enabled and not runtime.database.read(has_users)
    link = _first_link(runtime, url) if is_first else ""
    runtime.database.close()
    lines = [f"sitecms serves {settings.name} at {url}/", f"The API and how to try it: {url}/docs"]
    if settings.studio.enabled:
        site = shlex.quote(str(shown_path(settings.folder)))
        first = f" (add its first user: sitecms user add {site} NAME --role admin)"
        lines.append(f"The studio, to write in a browser: {url}/studio/" + (first if is_first and not link else ""))
    if link:
        lines.append(f"It has no users yet. Make the first one, an admin, within an hour: {link}")
    return "\n".join(lines)


def _first_link(runtime: Runtime, url: str) -> str:
    """Make the address that makes the first user; "" where what is printed may be kept as a log, or nothing written."""
    settings = runtime.settings
    if not sys.stdout.isatty() or settings.logs.format == "json":
        return ""
    from sitecms.actions.accounts.links import make_first_link  # the parent process stays small

    try:
        secret = make_first_link(runtime.database, runtime.clock())
    except StoreNotWritable:
        return ""
    return (settings.serve_url or url) + link_path(LinkKind.FIRST, secret) if secret else ""


def _late_welcome(settings: SiteSettings, url: str) -> str:
    """Return the same once the store can be used."""
    while True:
        with suppress(StoreUnusable):
            return _welcome(settings, url)
        time.sleep(STORE_POLL_SECONDS)


def _url(host: str, port: int) -> str:
    """Return the address to use and to show; this machine's for a wildcard."""
    host = _WILDCARDS.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _address_of(host: str, port: int, *, is_tried: bool = False) -> str:
    """Return the IP address of the host. Raises ConfigurationError if there is none.

    `is_tried`: raises it also if nothing can listen there. Web processes share a port, and would share it with another
    program too; so the supervisor first binds it alone.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        if is_tried:
            with socket.socket(family, kind, protocol) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(address)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ConfigurationError(
            f"Cannot listen on {host} port {port}: {reason}. Choose another with --host and --port."
        ) from error
    return str(address[0])


def _free_address(settings: SiteSettings, host: str, port: int) -> str:
    """Return the IP address of the host, on which the port is free. Raises ConfigurationError.

    Where web processes of the site run, they may be those of a server that was killed: their end is waited for.
    """
    deadline = time.monotonic() + PORT_SECONDS if count_processes(settings.metrics_dir).get("web") else None
    is_first = True
    while True:
        try:
            return _address_of(host, port, is_tried=True)
        except ConfigurationError:
            if deadline is None or time.monotonic() > deadline:
                raise
        if is_first:
            click.echo(f"Port {port} is in use; waiting for a server of this site to end.", err=True)
            is_first = False
        time.sleep(POLL_SECONDS)


def _when_answering(ip: str, port: int, act: Callable[[], object]) -> None:
    """Call `act` in a thread once the server answers requests."""

    def is_answering() -> bool:
        connection = http.client.HTTPConnection(_WILDCARDS.get(ip, ip), port, timeout=1)
        try:
            connection.request("GET", "/health/live")
            return connection.getresponse().status == http.HTTPStatus.OK
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def wait() -> None:
        while not is_answering():
            time.sleep(POLL_SECONDS)
        act()

    threading.Thread(target=wait, name="readiness", daemon=True).start()
