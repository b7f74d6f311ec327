"""The state of a site's queue, for reports, health checks and `sitecms doctor`."""

import threading
from collections.abc import Callable, Iterator

from msgspec import Struct

from sitecms.errors import ConfigurationError
from sitecms.findings import Finding, error, ok, warning
from sitecms.settings.site import SiteSettings
from sitecms.tasks.queue import Queue, open_queue
from sitecms.tasks.queue_kind import QueueKind, queue_address, queue_kind
from sitecms.tasks.queue_storage import QueueUnreachable

WAIT_SECONDS = 1.0
NO_ANSWER = "No answer within a second."
QUEUE_REMEDY = "check the server, and url under [queue]; until then writes are applied about a second later"


class QueueState(Struct, frozen=True):
    """Number of hints that wait; None if the queue cannot be reached, with the `problem` in words."""

    kind: QueueKind
    length: int | None
    problem: str = ""


class QueueWatch:
    """Reads the state of one site's queue within a second; `open_queue` is called by the first look."""

    def __init__(self, settings: SiteSettings, open_queue: Callable[[], Queue]) -> None:
        self._settings = settings
        self._open_queue = open_queue
        self._kind = queue_kind(settings)
        self._lock = threading.Lock()
        self._asking: threading.Thread | None = None
        self._answer = QueueState(self._kind, None, NO_ANSWER)

    def look(self) -> QueueState:
        """Return the state now. A queue file that does not exist is empty, and is not created."""
        if self._kind is QueueKind.SQLITE:
            if not self._settings.queue_path.exists():
                return QueueState(self._kind, 0)
            self._ask()
            return self._answer
        with self._lock:
            if self._asking is None or not self._asking.is_alive():
                self._answer = QueueState(self._kind, None, NO_ANSWER)
                self._asking = threading.Thread(target=self._ask, name="queue-watch", daemon=True)
                self._asking.start()
            self._asking.join(WAIT_SECONDS)  # a host name lookup can exceed every timeout
            return self._answer

    def _ask(self) -> None:
        try:
            self._answer = QueueState(self._kind, int(self._open_queue().pending_count()))
        except QueueUnreachable as problem:
            self._answer = QueueState(self._kind, None, str(problem))


def examine_queue(settings: SiteSettings) -> Iterator[Finding]:
    """Check that the queue can be reached; yield nothing for one in a file of this machine."""
    if queue_kind(settings) is QueueKind.SQLITE:
        return
    try:
        queue = open_queue(settings, None, read_only=True)
    except ConfigurationError as problem:
        yield error("queue", str(problem), "install it, or leave url under [queue] empty")
        return
    state = QueueWatch(settings, lambda: queue).look()
    queue.storage.close()
    where = queue_address(settings)
    if state.length is None:
        yield warning("queue", f"{where} cannot be reached: {state.problem}", QUEUE_REMEDY)
    else:
        yield ok("queue", f"{where} can be reached")
