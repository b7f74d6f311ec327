"""The service of a site whose store cannot be opened yet, as while its database server starts."""

import os
import threading
from collections.abc import Callable, Iterable
from typing import Any

import structlog
from flask import Flask, Response, request

from sitecms.api import errors, headers
from sitecms.api.responses import uncached_response
from sitecms.api.views import monitoring
from sitecms.api.wsgi import Environ
from sitecms.settings.site import SiteSettings
from sitecms.tasks.queue import open_queue
from sitecms.tasks.queue_watch import QueueWatch
from sitecms.tasks.store_outage import open_when_usable
from sitecms.web.service import Service

_LIVE, _READY = "/health/live", "/health/ready"
_log = structlog.get_logger("sitecms.api")


def wait_for_store(settings: SiteSettings, open_service: Callable[[], Service]) -> Service:
    """Return a service that answers /health/live, and 503 elsewhere, until `open_service` succeeds.

    From then on it is the service that was opened. `open_service` is called by a thread, again and again while it
    raises StoreUnusable; the process ends with exit code 1 where it raises anything else.
    """
    app = _unavailable(settings)
    switch = _Switch(Service(app, lambda _environ: False))
    waiting = Service(Flask("sitecms.waiting", static_folder=None, template_folder=None), switch.may_write)
    waiting.app.wsgi_app = switch  # type: ignore[method-assign]
    threading.Thread(target=_open, args=(open_service, switch), name="open-store", daemon=True).start()
    return waiting


class _Switch:
    """WSGI application that passes requests on to the current service."""

    def __init__(self, service: Service) -> None:
        self.switch_to(service)

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer one request."""
        return self._answer(environ, start_response)

    def may_write(self, environ: Environ) -> bool:
        """Return whether to wait for the body of a request."""
        return self._may_write(environ)

    def switch_to(self, service: Service) -> None:
        """Pass all further requests on to this service."""
        self._answer, self._may_write = service.app.wsgi_app, service.may_write


def _open(open_service: Callable[[], Service], switch: _Switch) -> None:
    try:
        service = open_when_usable(open_service, threading.Event())
    except Exception:  # noqa: BLE001 - the process ends
        _log.exception("site_not_opened")
        os._exit(1)
    if service is not None:
        switch.switch_to(service)


def _unavailable(settings: SiteSettings) -> Flask:
    """Return the app that answers until the store can be opened."""
    app = Flask("sitecms.unavailable", static_folder=None, template_folder=None)
    errors.install(app)
    headers.install(app)
    queue = QueueWatch(settings, lambda: open_queue(settings, None, read_only=True))

    def refuse() -> Response | None:
        return None if request.path in (_LIVE, _READY) else uncached_response(503, {"detail": errors.STORE_UNREADABLE})

    app.before_request(refuse)
    app.add_url_rule(_LIVE, view_func=monitoring.live)
    app.add_url_rule(_READY, "ready", lambda: monitoring.ready(settings, queue))
    return app
