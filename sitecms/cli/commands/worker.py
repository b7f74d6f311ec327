"""`sitecms worker`: background work in this process, until a signal ends it."""

import ctypes
import os
import sys
import threading

import click

from sitecms.actions.garbage_collection import exclude_present_objects
from sitecms.cli.logs import configure_logs
from sitecms.cli.processes import stop_event
from sitecms.cli.settings_watch import SettingsWatch
from sitecms.cli.site_argument import beside_option, site_argument
from sitecms.errors import StoreUnreachable
from sitecms.programs import when_orphaned
from sitecms.runtime import Runtime, open_runtime
from sitecms.settings.site import SiteSettings
from sitecms.store.maintenance.metrics import share_metrics
from sitecms.tasks.background import STOP_SECONDS, Background, run_worker
from sitecms.tasks.store_outage import open_when_usable
from sitecms.temporary_folders import remove_abandoned

_M_MMAP_THRESHOLD = -3
"""Number of an option of `mallopt`, from malloc.h."""
_LARGE_BLOCK_BYTES = 128 * 1024


@click.command(epilog="\b\nExample:\n  sitecms serve demo --no-worker &\n  sitecms worker demo")
@site_argument
@beside_option
@click.option("--no-build", is_flag=True, help="Do not build the site after a change (on_publish).")
@click.option("--parent", type=int, hidden=True, help="End with the process of this id.")
def worker(settings: SiteSettings, parent: int | None, *, no_build: bool) -> None:
    """Run the background worker alone: it applies writes, publishes scheduled entries and delivers webhooks.

    `sitecms serve` starts one worker. Several may run, on all hosts that share the store. SIGTERM or Ctrl-C ends the
    worker after its current task.
    """
    share_metrics(settings.metrics_dir, "worker")
    configure_logs(settings.logs)
    _return_large_blocks()
    remove_abandoned()
    stop = stop_event()
    runtime = _open_site(settings, parent, stop)
    if runtime is None:
        return
    if parent is None:
        SettingsWatch(settings).start()
        click.echo(f"sitecms works in the background for {settings.name}.")
    background = Background(settings, runtime.database, runtime.clock, metrics=runtime.metrics)
    exclude_present_objects()
    run_worker(background, stop, builds=not no_build)


def _open_site(settings: SiteSettings, parent: int | None, stop: threading.Event) -> Runtime | None:
    """Open the site, and wait for a server that cannot be reached; as a child of `sitecms serve`, for any store.

    Returns None if `stop` is set.
    """

    def open_once() -> Runtime:
        return open_runtime(settings)

    if parent is None:
        try:
            return open_once()  # the person who starts the command sees any other error
        except StoreUnreachable:
            return open_when_usable(open_once, stop)
    when_orphaned(parent, lambda: _end(stop))
    return open_when_usable(open_once, stop)


def _return_large_blocks() -> None:
    """Make the GNU C library return large freed blocks to the system at once; other C libraries ignore this.

    By default it keeps such blocks for each thread, so that the memory of a worker grows with its fetches.
    """
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    if set_option is not None:
        set_option(_M_MMAP_THRESHOLD, _LARGE_BLOCK_BYTES)


def _end(stop: threading.Event) -> None:
    """Stop gracefully, then by force. Nothing is lost: the next sweep finds the work that was not done."""
    stop.set()
    threading.Event().wait(STOP_SECONDS + 1)
    sys.stderr.flush()
    os._exit(0)
