"""Web process: granian's embedded server and the application, with a store connection of its own.

Several web processes listen on one port; the kernel distributes the connections among them. `cli.processes`
starts and replaces them: granian's own supervisor ends all processes when one of them ends twice within 5.5 s.
"""

import asyncio
import os
import resource
import signal
import sys
from typing import Any, NoReturn

import uvloop
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server.embed import Server

from sitecms.actions.garbage_collection import exclude_present_objects
from sitecms.errors import StoreUnusable
from sitecms.runtime import open_runtime
from sitecms.settings.service_url import ServiceUrl
from sitecms.settings.site import SiteSettings
from sitecms.web.server.application import RsgiApplication
from sitecms.web.service import CurrentService, MakeService, service_maker, wait_for_store

BACKLOG = 4096
HEAD_BUFFER_BYTES = 64 * 1024  # a head of up to twice this size is accepted, a larger one refused (431)
HEAD_SECONDS = 30  # to receive a complete head, and for an idle connection
MAX_CONNECTIONS = 8192  # as far as the system lets the process open files
OTHER_FILES = 256  # that a process opens besides its connections
LOG_TO_ROOT: dict[str, Any] = {"formatters": {}, "handlers": {}, "loggers": {}}
"""Makes granian's log lines go to the handler of the root logger."""


def run_web_process(settings: SiteSettings, ip: str, port: int, public_url: str, cache_bytes: int) -> NoReturn:
    """Answer requests until SIGTERM or SIGINT; then finish those that are under way and exit with code 0.

    The interpreter is not torn down at the end: threads of granian may still need it, and the process would abort.
    Raises ConfigurationError if the site cannot be opened; a store that cannot be used is waited for.
    """
    services = open_service(settings, public_url, cache_bytes)
    application = RsgiApplication(services, reads_wait=isinstance(settings.store, ServiceUrl))
    exclude_present_objects()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        is_stopped = runner.run(_serve(application, ip, port))
        application.close()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0 if is_stopped else 1)


def open_service(settings: SiteSettings, public_url: str, cache_bytes: int) -> CurrentService:
    """Open the site and return its API; if the store cannot be used, an API that waits for it.

    Raises ConfigurationError for every other problem of the site.
    """

    def open_site() -> MakeService:
        return service_maker(open_runtime(settings), public_url, cache_bytes=cache_bytes)

    try:
        return CurrentService(settings, open_site())
    except StoreUnusable:
        return wait_for_store(settings, open_site)


async def _serve(application: RsgiApplication, ip: str, port: int) -> bool:
    """Serve until a signal arrives; return False if the server ended by itself."""
    server: Any = Server(
        application,
        address=ip,
        port=port,
        interface=Interfaces.RSGI,
        websockets=False,
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(header_read_timeout=HEAD_SECONDS * 1000, max_buffer_size=HEAD_BUFFER_BYTES),
        backlog=BACKLOG,
        backpressure=_raise_connection_limit(),
        log_level=LogLevels.error,
        log_dictconfig=LOG_TO_ROOT,
    )
    is_stopped = False

    def stop() -> None:
        nonlocal is_stopped
        is_stopped = True
        application.stop()
        server.stop()

    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop)
    await server.serve()
    return is_stopped


def _raise_connection_limit() -> int:
    """Raise the limit of open files as far as connections need it; return the number of connections it allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = MAX_CONNECTIONS + OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < limit:
        soft = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return MAX_CONNECTIONS if soft == resource.RLIM_INFINITY else max(OTHER_FILES, min(MAX_CONNECTIONS, soft // 2))
