"""A web process: granian's RSGI worker, with our gateway in the place of its event loop for apps.

granian calls its scheduler's `_schedule_fn` for each request, on the one thread that runs Python, before any event loop
is involved; that is where the gateway stands (`web.server.gateway`). These names are granian's own affair, so
pyproject.toml keeps to the versions that are known to have them.
"""

import asyncio
import logging
import os
import sys
from typing import Any

from granian import _granian, _signals
from granian.server.common import WORKERS_METHODS
from granian.server.mp import WorkerProcess

from sitecms.web.server.gateway import Gateway
from sitecms.web.service import Service

_engine: Any = _granian
_handle_signals: Any = _signals.set_loop_signals


def run_web_process(*arguments: Any) -> None:
    """What granian runs in a new process; the arguments are those that it gives to workers of its own.

    A process that has answered all it was asked ends at once: granian's threads may still want Python, and while an
    interpreter is taken apart that aborts the process now and then.
    """
    wrap: Any = WorkerProcess.wrap_target
    wrap(_serve)(*arguments)
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _serve(
    worker_id: int,
    service: Service,
    listener: tuple[Any, Any],
    messages: Any,
    loop: asyncio.AbstractEventLoop,
    runtime_mode: Any,
    *rest: Any,
) -> None:
    """`rest`: runtime threads, its blocking threads, Python threads, their idle seconds, backpressure, kind of tasks,
    HTTP mode, settings of HTTP/1 and HTTP/2, websockets, static paths, access log, TLS, scope, metrics."""
    *of_threads, _tasks, http_mode, http1, http2, websockets, static_paths, _access_log, tls, _scope, metrics = rest
    gateway = Gateway(service.app.wsgi_app, service.may_write, loop)
    scheduler = _engine.CallbackScheduler(loop, None, None, None, None)
    scheduler._schedule_fn = gateway.take
    protocol = http_mode, http1, http2, websockets, static_paths
    worker = _engine.RSGIWorker(worker_id, listener, messages, *of_threads, *protocol, *tls, metrics)
    ended = asyncio.Event()
    signals = _handle_signals(loop)
    signals.add_cb(lambda: loop.call_soon_threadsafe(ended.set))
    start = getattr(worker, WORKERS_METHODS[runtime_mode][(listener[0] or listener[1]).is_uds()])
    start(scheduler, loop, signals)
    loop.run_until_complete(ended.wait())
    gateway.end()
