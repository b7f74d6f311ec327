"""How a site's queue stands, for those who look after it. Whoever asks never waits longer than a second."""

import threading
from collections.abc import Callable
from dataclasses import dataclass

from sitecms.settings.site import SiteSettings
from sitecms.tasks.queue import Queue, QueueKind, file_storage, queue_kind
from sitecms.tasks.server_queue import Unreachable

WAIT_SECONDS = 1.0
NO_ANSWER = "No answer within a second."


@dataclass(frozen=True, slots=True)
class QueueState:
    """`length` counts the hints that wait; None where the queue is out of reach, with the `problem` in words."""

    kind: QueueKind
    length: int | None
    problem: str = ""


class QueueWatch:
    """Looks at one site's queue; `open_queue` is called with the first look, where the queue is on a server."""

    def __init__(self, settings: SiteSettings, open_queue: Callable[[], Queue]) -> None:
        self._settings = settings
        self._open_queue = open_queue
        self._kind = queue_kind(settings)
        self._lock = threading.Lock()
        self._asking: threading.Thread | None = None
        self._answer = QueueState(self._kind, None, NO_ANSWER)

    def look(self) -> QueueState:
        """Now. A queue in a file that was never used is empty, and not made in passing."""
        if self._kind is QueueKind.SQLITE:
            there = self._settings.queue_path.exists()
            return QueueState(self._kind, int(file_storage(self._settings).queue_size()) if there else 0)
        with self._lock:
            if self._asking is None or not self._asking.is_alive():
                self._answer = QueueState(self._kind, None, NO_ANSWER)
                self._asking = threading.Thread(target=self._ask, name="queue-watch", daemon=True)
                self._asking.start()
            self._asking.join(WAIT_SECONDS)  # looking a host up can take longer than any timeout says
            return self._answer

    def _ask(self) -> None:
        try:
            self._answer = QueueState(self._kind, int(self._open_queue().pending_count()))
        except Unreachable as error:
            self._answer = QueueState(self._kind, None, str(error))
