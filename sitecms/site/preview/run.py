"""The parts of a preview put together, and its threads."""

import threading
from collections.abc import Callable, Collection
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

from sitecms.settings import SiteSettings
from sitecms.site.preview.answers import Answers
from sitecms.site.preview.rebuilding import Rebuilder, Rebuilt
from sitecms.site.preview.server import ADDRESS, PreviewServer, listen
from sitecms.site.preview.state import Board
from sitecms.site.preview.watching import Watcher
from sitecms.site.shadow import Shadow

Told = Callable[[Rebuilt], None]


class Preview:
    """`with` it: listens, builds whenever something changed, and leaves nothing behind.

    `told` hears of every turn, from the thread that builds. Raises ConfigurationError if the port is taken.
    """

    def __init__(self, settings: SiteSettings, port: int | None, clock: Callable[[], datetime], told: Told) -> None:
        self._told = told
        self._server = listen(port)
        number = self._server.server_port
        host = f"http://{ADDRESS}:{number}"
        self._temporary = TemporaryDirectory(prefix="sitecms-preview-", ignore_cleanup_errors=True)
        shadow = Shadow(settings, Path(self._temporary.name))
        self._board = Board()
        self._rebuilder = Rebuilder(settings, shadow, self._board, host, clock)
        hosts = frozenset(f"{name}:{number}" for name in (ADDRESS, "localhost"))
        self._server.answers = Answers(shadow.output, self._board, hosts)
        self._server.settings = lambda: self._rebuilder.settings
        self._watcher = Watcher(settings, self._note)
        self._changed: set[Path] = set()
        self._wanted, self._closing = threading.Event(), threading.Event()
        self._lock = threading.Lock()
        self._is_plain = True
        self.url = f"{host}{settings.base_path}/"
        self._threads = (
            threading.Thread(target=_serve, args=(self._server,), name="preview-server", daemon=True),
            threading.Thread(target=self._keep_building, name="preview-build", daemon=True),
        )

    def __enter__(self) -> Self:
        self._watcher.start()
        self._wanted.set()
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        self._closing.set()
        self._wanted.set()
        self._board.close()
        self._server.shutdown()
        self._watcher.close()
        for thread in self._threads:
            thread.join()
        self._server.server_close()
        self._temporary.cleanup()

    def _note(self, changed: Collection[Path]) -> None:
        """Something changed; no path: the store did."""
        with self._lock:
            self._changed.update(changed)
            self._is_plain = self._is_plain and bool(changed)
            self._wanted.set()

    def _keep_building(self) -> None:
        try:
            while not self._closing.is_set():
                self._wanted.wait()
                with self._lock:
                    changed = tuple(self._changed) if self._is_plain else ()
                    self._changed.clear()
                    self._is_plain = True
                    self._wanted.clear()
                if not self._closing.is_set():
                    self._told(self._rebuilder.turn(changed))
        finally:
            self._rebuilder.close()


def _serve(server: PreviewServer) -> None:
    server.serve_forever(poll_interval=0.1)
