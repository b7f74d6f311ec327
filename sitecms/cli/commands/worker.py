"""`sitecms worker`: background work in this process, until it is told to end."""

import ctypes
import os
import signal
import sys
import threading

import click

from sitecms.cli.logs import configure_logs
from sitecms.cli.server.parent_watch import when_orphaned
from sitecms.cli.site_argument import site_argument
from sitecms.runtime import Runtime, open_runtime
from sitecms.settings.site import SiteSettings
from sitecms.tasks import STOP_SECONDS, Background, run_worker
from sitecms.tasks.queue import check_queue
from sitecms.tasks.store_outage import open_when_usable

_M_MMAP_THRESHOLD = -3
"""Of malloc.h."""
_LARGE_BLOCK_BYTES = 128 * 1024


@click.command(epilog="\b\nExample:\n  sitecms serve demo --no-worker &\n  sitecms worker demo")
@site_argument
@click.option("--no-build", is_flag=True, help="Leave building after each change (on_publish) to others.")
@click.option("--parent", type=int, hidden=True, help="Process id to end with; `sitecms serve` passes its own.")
def worker(settings: SiteSettings, parent: int | None, *, no_build: bool) -> None:
    """Run the background worker alone: it applies writes, publishes what is scheduled, and delivers messages.

    `sitecms serve` starts one beside it; several may run, on as many hosts as share the store. SIGTERM or Ctrl-C ends
    it after the task at hand.
    """
    configure_logs(settings.logs)
    _return_large_blocks()
    check_queue(settings)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: stop.set())
    runtime = _opened(settings, parent, stop)
    if runtime is None:
        return
    if parent is None:
        click.echo(f"sitecms works in the background for {settings.name}.")
    background = Background(settings, runtime.database, runtime.clock, counters=runtime.counters)
    run_worker(background, stop, builds=not no_build)


def _opened(settings: SiteSettings, parent: int | None, stop: threading.Event) -> Runtime | None:
    """Open the site; below `sitecms serve`, wait for a store that cannot be used. None if the command is to end."""

    def open_site() -> Runtime:
        return open_runtime(settings, counting="worker")

    if parent is None:
        return open_site()  # an error is for the person who starts the command
    when_orphaned(parent, lambda: _end(stop))
    return open_when_usable(open_site, stop)


def _return_large_blocks() -> None:
    """Make the GNU C library return large freed blocks to the system at once; other C libraries do so, or cannot.

    Its default keeps them for each thread that fetched a file: the memory of a worker grew by 50 MB in 300 fetches.
    """
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    if set_option is not None:
        set_option(_M_MMAP_THRESHOLD, _LARGE_BLOCK_BYTES)


def _end(stop: threading.Event) -> None:
    """Stop gracefully; by force if that hangs. Nothing is lost: what was not done is found by the next sweep."""
    stop.set()
    threading.Event().wait(STOP_SECONDS + 1)
    sys.stderr.flush()
    os._exit(0)
