"""Deliver what is due, each receiver in threads of its own, so that one that does not answer delays no other."""

import threading
import time
from collections import Counter

import structlog

from sitecms.actions.events.deliver_webhook import Sender, deliver_next
from sitecms.clock import Clock
from sitecms.store.database import Database
from sitecms.store.writes.deliveries import are_put_off, claiming_owners, due_webhooks, pull_forward, release_deliveries
from sitecms.store.writes.owners import Membership, Owners

THREADS_PER_RECEIVER = 2
CLOCK_SECONDS = 10.0  # between looks for what a wrong clock has put off
_log = structlog.get_logger("sitecms.webhooks")


class Deliverer:
    """The threads of one worker; several workers may deliver for one store. A thread ends when nothing is due."""

    def __init__(self, database: Database, sender: Sender, clock: Clock, owners: Owners) -> None:
        self._database = database
        self._owners = owners
        self._membership = Membership(owners)
        self._sender = sender
        self._clock = clock
        self._lock = threading.Lock()
        self._at_work: Counter[int] = Counter()
        self._threads: set[threading.Thread] = set()
        self._stopping = threading.Event()
        self._next_look = 0.0

    def dispatch(self) -> None:
        """Start threads for receivers that messages are due for, and return at once."""
        self._release_dead()
        self._mind_the_clock()
        with self._database.reading() as session:
            due = due_webhooks(session, self._clock())
        for webhook_id, waiting in due:
            self._staff(webhook_id, min(waiting, THREADS_PER_RECEIVER))

    def ask_to_stop(self) -> None:
        """Begin nothing more, without waiting for what is under way."""
        self._stopping.set()

    def stop(self, timeout_seconds: float) -> None:
        """Begin nothing more, and give what is under way so long; what is cut off is sent anew by others."""
        self._stopping.set()
        deadline = time.monotonic() + timeout_seconds
        with self._lock:
            threads = tuple(self._threads)
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        self._membership.leave()

    def _release_dead(self) -> None:
        """What workers held that are no more is due now."""
        with self._database.reading() as session:
            dead = [owner for owner in claiming_owners(session) if not self._owners.is_alive(owner)]
        if dead:
            with self._database.writing(counts_as_change=False) as transaction:
                for owner in dead:
                    release_deliveries(transaction, owner, self._clock())

    def _mind_the_clock(self) -> None:
        """What was put off by a clock that ran ahead, and was put back since, is not left to wait for that time."""
        if time.monotonic() < self._next_look:
            return
        self._next_look = time.monotonic() + CLOCK_SECONDS
        at, waits = self._clock(), self._sender.retry_seconds
        with self._database.reading() as session:
            put_off = are_put_off(session, at, waits)
        if put_off:
            with self._database.writing(counts_as_change=False) as transaction:
                pull_forward(transaction, at, waits)

    def _staff(self, webhook_id: int, wanted: int) -> None:
        with self._lock:
            for _ in range(wanted - self._at_work[webhook_id]):
                name = f"webhook-{webhook_id}"
                thread = threading.Thread(target=self._deliver, args=(webhook_id,), name=name, daemon=True)
                self._at_work[webhook_id] += 1
                self._threads.add(thread)
                thread.start()

    def _deliver(self, webhook_id: int) -> None:
        try:
            going_on = True
            while going_on and not self._stopping.is_set():
                owner = self._membership.name()
                going_on = deliver_next(self._database, webhook_id, self._sender, self._clock, owner)
        except Exception:  # noqa: BLE001 - the message is due anew after its lease, whatever it was
            _log.exception("delivery_failed", webhook=webhook_id)
        finally:
            self._database.close()
            with self._lock:
                self._at_work[webhook_id] -= 1
                self._threads.discard(threading.current_thread())
