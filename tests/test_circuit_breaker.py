"""A circuit breaker spares callers the wait for a server that failed, and finds out when it is back."""

import os
import threading
import time
from collections.abc import Callable

import pytest

from sitecms.circuit_breaker import CircuitBreaker

PAUSE_SECONDS = 10.0


class Down(Exception):
    """The server failed."""


class Time:
    """A clock that stands still unless somebody sleeps."""

    def __init__(self) -> None:
        self._now = 1000.0

    def monotonic(self) -> float:
        """Return the time."""
        return self._now

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self._now += seconds


class Server:
    """Fails while it is down, after `seconds`."""

    def __init__(self, sleep: Callable[[float], None]) -> None:
        self.is_down = False
        self.seconds = 0.0
        self.callers: list[threading.Thread] = []
        self._sleep = sleep

    @property
    def calls(self) -> int:
        """The number of calls."""
        return len(self.callers)

    def answer(self) -> str:
        """Return an answer."""
        self.callers.append(threading.current_thread())
        if self.is_down:
            self._sleep(self.seconds)
            raise Down("no answer")
        return "answer"


@pytest.fixture
def clock() -> Time:
    """The time that circuits go by."""
    return Time()


@pytest.fixture
def server(clock: Time) -> Server:
    """A server that answers, in the time of the clock."""
    return Server(clock.sleep)


def fails(act: Callable[[], object]) -> bool:
    """Return whether it raises Down."""
    try:
        act()
    except Down:
        return True
    return False


def test_calls_fail_without_the_server_until_the_pause_is_over(server: Server, clock: Time) -> None:
    """Then one caller tries for each pause; its success lets all others through."""
    changes: list[str] = []
    breaker = CircuitBreaker(Down, PAUSE_SECONDS, timer=clock, on_change=changes.append)
    assert breaker.call(server.answer) == "answer"
    server.is_down = True
    assert all(fails(lambda: breaker.call(server.answer)) for _ in range(10))
    assert server.calls == 2
    assert fails(breaker.check)
    clock.sleep(PAUSE_SECONDS)
    assert all(fails(lambda: breaker.call(server.answer)) for _ in range(10))
    assert server.calls == 3
    server.is_down = False
    clock.sleep(PAUSE_SECONDS)
    breaker.check()
    assert breaker.call(server.answer) == "answer"
    assert changes == ["no answer", ""]


def test_other_exceptions_show_that_the_server_answers(server: Server, clock: Time) -> None:
    """They never open the circuit, and close it when a trial raises one."""
    breaker = CircuitBreaker(Down, PAUSE_SECONDS, timer=clock)
    server.is_down = True
    assert fails(lambda: breaker.call(server.answer))
    clock.sleep(PAUSE_SECONDS)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            breaker.call(lambda: 1 / 0)


def test_a_quick_failure_is_harmless_where_only_slow_ones_count(server: Server, clock: Time) -> None:
    """Each caller gets the failure from the server itself."""
    breaker = CircuitBreaker(Down, PAUSE_SECONDS, slow_seconds=0.05, timer=clock)
    server.is_down = True
    assert all(fails(lambda: breaker.call(server.answer)) for _ in range(3))
    assert server.calls == 3
    server.seconds = 0.06
    assert all(fails(lambda: breaker.call(server.answer)) for _ in range(3))
    assert server.calls == 4


def test_a_probe_tries_in_place_of_the_callers() -> None:
    """No caller waits for a slow server; the circuit closes by itself."""
    server = Server(time.sleep)
    breaker = CircuitBreaker(Down, 0.02, probe=server.answer)
    server.is_down, server.seconds = True, 0.05
    assert fails(lambda: breaker.call(server.answer))
    end = time.monotonic() + 60
    while server.calls < 4:
        assert time.monotonic() < end
        assert fails(lambda: breaker.call(server.answer))
        time.sleep(0.005)
    assert threading.main_thread() not in server.callers[1:]
    server.is_down = False
    while fails(breaker.check):
        assert time.monotonic() < end
        time.sleep(0.01)
    assert breaker.call(server.answer) == "answer"


def test_a_late_answer_from_before_the_failure_proves_nothing(server: Server, clock: Time) -> None:
    """The circuit stays open."""
    breaker = CircuitBreaker(Down, PAUSE_SECONDS, timer=clock)

    def overtaken() -> str:
        clock.sleep(1)
        server.is_down = True
        assert fails(lambda: breaker.call(server.answer))
        return "late"

    assert breaker.call(overtaken) == "late"
    assert fails(breaker.check)


def test_a_forked_process_begins_with_a_closed_circuit(server: Server) -> None:
    """Threads of its parent do not run in it."""
    breaker = CircuitBreaker(Down, 60.0)
    server.is_down = True
    assert fails(lambda: breaker.call(server.answer))
    server.is_down = False
    assert fails(lambda: breaker.call(server.answer))
    if (child := os.fork()) == 0:
        os._exit(int(fails(lambda: breaker.call(server.answer))))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
