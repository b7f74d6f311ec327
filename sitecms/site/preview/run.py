"""Assembly of a preview: its threads, detection of changes, and a small web server for one reader on this machine."""

import socket
import threading
from collections.abc import Callable, Collection, Set
from concurrent.futures import Future
from contextlib import ExitStack
from datetime import datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Self

import orjson

from sitecms.documents.folders import NODE_PACKAGES, STATIC_FOLDER, is_temporary
from sitecms.errors import ConfigurationError
from sitecms.resources import resource_dir
from sitecms.settings.site import REDIRECTS_FILE, SETTINGS_FILE, SITE_FOLDERS, SiteSettings
from sitecms.site.before_build import WatchedCommands
from sitecms.site.preview.pages import Found
from sitecms.site.preview.rebuild import PreviewRebuilder, Rebuilt
from sitecms.site.preview.responses import EVENTS, PreviewResponse, PreviewResponses, StatusBoard
from sitecms.site.scratch_site import ScratchSite
from sitecms.store.maintenance.readiness import ChangeWatch
from sitecms.temporary_folders import temporary_folder

POLL_SECONDS = 0.2
STEP_MS = 20
GATHER_MS = 150
_PASSING = (".tmp", ".part", ".crdownload")

OnChange = Callable[[Collection[Path]], None]
ADDRESS = "127.0.0.1"
FIRST_PORT = 4400
PORTS_TRIED = 50
BEAT_SECONDS = 10.0
_REFUSAL = PreviewResponse(HTTPStatus.FORBIDDEN, b"This preview answers to 127.0.0.1 and localhost only.")


class Watcher:
    """Calls `on_change` with changed files (none: the store), from threads of its own, until it is closed.

    With `has_commands` it watches everything in the site folder that a command may read, such as `src`.
    """

    def __init__(self, settings: SiteSettings, on_change: OnChange, *, has_commands: bool = False) -> None:
        self._settings = settings
        self._has_commands = has_commands
        self._on_change = on_change
        self._changes = ChangeWatch(settings.store)
        self._closing = threading.Event()
        self._stale = threading.Event()
        self._folders = self._present()
        self._threads = [
            threading.Thread(target=self._watch_files, name="preview-files", daemon=True),
            threading.Thread(target=self._look, name="preview-look", daemon=True),
        ]

    def start(self) -> None:
        """Start the threads."""
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Stop, and wait for the threads."""
        self._closing.set()
        self._stale.set()
        for thread in self._threads:
            thread.join()
        self._changes.close()

    def _watch_files(self) -> None:
        from watchfiles import watch

        while not self._closing.is_set():
            self._stale.clear()
            folders = self._present()
            if not folders:
                self._closing.wait(POLL_SECONDS)
                continue
            for changes in watch(
                *folders,
                watch_filter=None,
                debounce=GATHER_MS,
                step=STEP_MS,
                stop_event=self._stale,
                rust_timeout=1000,
                raise_interrupt=False,
            ):
                paths = {Path(name) for _kind, name in changes}
                static = self._settings.folder / STATIC_FOLDER
                if content_paths := {path for path in paths if _is_content(path, static)}:
                    self._on_change(content_paths)

    def _look(self) -> None:
        """Poll the files beside the folders, such as the settings; added and removed folders; and the store."""
        before = self._glance()
        while not self._closing.wait(POLL_SECONDS):
            now = self._glance()
            if now[1] != before[1]:
                self._stale.set()
            if now != before:
                files = {self._settings.folder / name for name, _stamp in now[0] ^ before[0]}
                self._on_change(files | (set(now[1]) ^ set(before[1])))
            before = now

    def _glance(self) -> tuple[Set[tuple[str, tuple[int, int] | None]], tuple[Path, ...], tuple[int, int] | None]:
        names = self._beside(Path.is_file) if self._has_commands else []
        files = {(name, self._stamp(name)) for name in (SETTINGS_FILE, REDIRECTS_FILE, *names)}
        return files, self._present(), self._changes.now()

    def _beside(self, is_wanted: Callable[[Path], bool]) -> list[str]:
        """Return the names of files or folders beside `site.toml` that commands may read."""
        folder, output = self._settings.folder, self._settings.output_dir
        left_out = {output, folder / NODE_PACKAGES}
        paths = (path for path in folder.iterdir() if not path.name.startswith(".") and path not in left_out)
        return sorted(path.name for path in paths if is_wanted(path) and not is_temporary(path.name))

    def _stamp(self, name: str) -> tuple[int, int] | None:
        try:
            stat = (self._settings.folder / name).stat()
        except OSError:
            return None
        return stat.st_mtime_ns, stat.st_size

    def _present(self) -> tuple[Path, ...]:
        names = self._beside(Path.is_dir) if self._has_commands else SITE_FOLDERS
        folders = (self._settings.folder / name for name in names)
        return (*(folder for folder in folders if folder.is_dir()), resource_dir("templates"))


def _is_content(path: Path, static: Path) -> bool:
    """Return True for a possible file of the site, hidden ones in `static` only, False for temporary files."""
    if is_temporary(path.name) or path.is_relative_to(static):
        return not is_temporary(path.name)
    return not path.name.startswith((".", "#")) and not path.name.endswith(_PASSING) and not path.name.isdecimal()


class PreviewServer(ThreadingHTTPServer):
    """HTTP server on loopback. Pages that wait for changes hold a thread each, which ends with the process."""

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True

    answers: PreviewResponses
    settings: Callable[[], SiteSettings]

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore readers who closed the connection."""


def listen(port: int | None) -> PreviewServer:
    """Return a server on a port, or on the first free one from FIRST_PORT. Raises ConfigurationError if it is taken."""
    ports = [port] if port is not None else range(FIRST_PORT, FIRST_PORT + PORTS_TRIED)
    for number in ports:
        if number and _answers(number):  # with address reuse a second server could listen beside the first
            continue
        try:
            return PreviewServer((ADDRESS, number), _PreviewHandler)
        except OSError:
            continue
    subject = f"Port {port} is" if port is not None else f"All ports from {FIRST_PORT} on are"
    raise ConfigurationError(f"{subject} in use; name another one with --port.")


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(0.5)
        return probe.connect_ex((ADDRESS, port)) == 0


class _PreviewHandler(BaseHTTPRequestHandler):
    server: PreviewServer
    protocol_version = "HTTP/1.1"
    timeout = 60

    def do_GET(self) -> None:
        if self.server.answers.refuses(self.headers.get("Host", "")):
            self._send(_REFUSAL)
        elif self.path.partition("?")[0] == EVENTS and self.command == "GET":
            self._send_events()
        elif not self.path.startswith("/"):
            self._send(PreviewResponse(HTTPStatus.BAD_REQUEST, b"Expected a path."))
        else:
            self._send(self.server.answers.answer(self.path, self.server.settings()))

    do_HEAD = do_GET  # noqa: N815 - the name it is called by

    def _send(self, answer: PreviewResponse) -> None:
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.content_type)
        self.send_header("Content-Length", str(len(answer.body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)

    def _send_events(self) -> None:
        """Send Server-Sent Events: the state now and after each rebuild, with comments to keep the connection."""
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        board, version = self.server.answers.board, ""
        while not board.is_closed:
            state = board.wait_beyond(version, BEAT_SECONDS)
            text = b": beat\n\n" if state is None else b"data: " + orjson.dumps(state.as_json()) + b"\n\n"
            version = state.version if state else version
            self.wfile.write(text)
            self.wfile.flush()

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the name it has above
        """Log nothing."""


ReportRebuild = Callable[[Rebuilt], None]


class Preview:
    """Context manager that listens, rebuilds after each change, and leaves nothing behind.

    `report` is called after every rebuild, in the building thread. Raises ConfigurationError if the port is taken.
    """

    def __init__(
        self,
        settings: SiteSettings,
        port: int | None,
        clock: Callable[[], datetime],
        report: ReportRebuild,
        commands: WatchedCommands,
    ) -> None:
        self._report = report
        self._server = listen(port)
        number = self._server.server_port
        host = f"http://{ADDRESS}:{number}"
        self._temporary = ExitStack()
        scratch = ScratchSite(settings, self._temporary.enter_context(temporary_folder("preview")))
        self._board = StatusBoard()
        self._rebuilder = PreviewRebuilder(settings, scratch, self._board, host, clock, commands)
        hosts = frozenset(f"{name}:{number}" for name in (ADDRESS, "localhost"))
        rebuilder = self._rebuilder
        self._server.answers = PreviewResponses(
            self._ask, lambda: rebuilder.searchable, self._board, hosts, lambda: rebuilder.rules
        )
        self._server.settings = lambda: self._rebuilder.settings
        self._watcher = Watcher(settings, self._note, has_commands=commands.has_any)
        self._changed: set[Path] = set()
        self._asked: list[_Question] = []
        self._wanted, self._closing = threading.Event(), threading.Event()
        self._lock = threading.Lock()
        self._is_plain = self._is_stale = True
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
        self._temporary.close()

    def _note(self, changed: Collection[Path]) -> None:
        """Record a change; no path stands for the store."""
        with self._lock:
            self._changed.update(changed)
            self._is_plain = self._is_plain and bool(changed)
            self._is_stale = True
            self._wanted.set()

    def _ask(self, name: str) -> Found | None:
        """Return the content of a path, after all changes so far are applied; for any thread."""
        question = _Question(name)
        with self._lock:
            if self._closing.is_set():
                return None
            self._asked.append(question)
            self._wanted.set()
        return question.answer.result()

    def _keep_building(self) -> None:
        """Run rebuilds, then requests, then the remaining pages, in this one thread."""
        is_more = False
        try:
            while not self._closing.is_set():
                if not is_more:
                    self._wanted.wait()
                requests, changed = self._take()
                if changed is not None and not self._closing.is_set():
                    self._report(self._rebuilder.rebuild(changed))
                for question in requests:
                    question.put(self._rebuilder.find)
                is_more = not self._closing.is_set() and self._rebuilder.resume()
        finally:
            for question in self._take()[0]:
                question.answer.set_result(None)
            self._rebuilder.close()

    def _take(self) -> tuple[list["_Question"], tuple[Path, ...] | None]:
        """Return the waiting request, and the changed files: none for the store, None if nothing changed."""
        with self._lock:
            requests, self._asked = self._asked, []
            changed = (tuple(self._changed) if self._is_plain else ()) if self._is_stale else None
            self._changed.clear()
            self._is_plain, self._is_stale = True, False
            self._wanted.clear()
        return requests, changed


class _Question:
    """Request for a path, and its result."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.answer: Future[Found | None] = Future()

    def put(self, find: Callable[[str], Found | None]) -> None:
        """Answer the request; errors go to the requesting thread."""
        try:
            self.answer.set_result(find(self._name))
        except Exception as error:  # noqa: BLE001  # the thread goes on for all others
            self.answer.set_exception(error)


def _serve(server: PreviewServer) -> None:
    server.serve_forever(poll_interval=0.1)
