"""Names that nobody answers for cost a bounded number of threads."""

import threading
import time
from collections.abc import Iterator
from threading import Event

import pytest

from sitecms.guarded_http.addresses import AddressGate
from sitecms.guarded_http.errors import ExchangeFailed
from sitecms.guarded_http.name_lookup import MAX_UNDER_WAY, Lookups


class Sleeper:
    """A resolver that sleeps until it is woken; counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0
        self.wake = Event()

    def __call__(self, *_asked: object) -> list[str]:
        self.asked += 1
        self.wake.wait(30)
        return ["93.184.216.34"]


@pytest.fixture
def sleeper() -> Iterator[Sleeper]:
    """Asleep until the test is over."""
    made = Sleeper()
    yield made
    made.wake.set()


def threads() -> int:
    return sum(thread.name == "resolver" for thread in threading.enumerate())


def test_hanging_host_occupies_one_thread(sleeper: Sleeper) -> None:
    """Fifty fetches of one host whose name server sleeps share one look-up, each ending in its own time."""
    before, gate = threads(), AddressGate(resolve=sleeper)
    for _ in range(50):
        begun = time.monotonic()
        with pytest.raises(ExchangeFailed) as failed:
            gate.addresses("sleepy.example", 80, 0.01)
        assert "took more than" in failed.value.reason
        assert time.monotonic() - begun < 10
    assert (sleeper.asked, threads() - before) == (1, 1)
    sleeper.wake.set()
    assert [str(address) for address in gate.addresses("sleepy.example", 80, 5)] == ["93.184.216.34"]


def test_number_of_hanging_lookups_is_bounded(sleeper: Sleeper) -> None:
    """Beyond the cap a name fails at once, without a thread; when the sleepers end, names are looked up again."""
    before, lookups = threads(), Lookups()
    reasons = []
    for number in range(3 * MAX_UNDER_WAY):
        with pytest.raises(ExchangeFailed) as failed:
            lookups.find(sleeper, f"{number}.example", 80, 0.001)
        reasons.append(failed.value.reason)
    assert len(lookups) == MAX_UNDER_WAY
    assert threads() - before <= MAX_UNDER_WAY
    assert all("are being looked up" in reason for reason in reasons[MAX_UNDER_WAY:])
    sleeper.wake.set()
    end = time.monotonic() + 60
    while len(lookups) and time.monotonic() < end:
        time.sleep(0.01)
    assert lookups.find(lambda *_: ["1.1.1.1"], "x.example", 80, 5) == ("1.1.1.1",)
    assert len(lookups) == 0


def test_concurrent_lookups_of_one_host_share_the_answer(sleeper: Sleeper) -> None:
    """Two that ask for a host at once get what one look-up finds; who asks later asks anew."""
    lookups, answers = Lookups(), []
    asking = [
        threading.Thread(target=lambda: answers.append(lookups.find(sleeper, "x.example", 80, 20))) for _ in range(2)
    ]
    for thread in asking:
        thread.start()
    time.sleep(0.5)  # until both have asked
    sleeper.wake.set()
    for thread in asking:
        thread.join(60)
    assert answers == [("93.184.216.34",)] * 2
    assert sleeper.asked == 1
    lookups.find(sleeper, "x.example", 80, 20)
    assert sleeper.asked == 2
