"""Limits of attempts to sign in: a delay that grows with each attempt that failed, and ends by itself.

Nobody can keep a user from signing in by failing in the user's name. Attempts are counted by name and address together,
and by address alone. A browser in which the user has signed in before is counted for itself, and waits for nobody else.
There is no limit of a name alone, which strangers could use up; a password of twelve characters is not guessed in a few
attempts from many addresses. A code of six digits could be, so codes are counted by user; they can be tried only by
somebody who knows the password (OWASP, Slow Down Online Guessing Attacks with Device Cookies).

An attempt counts before its password is checked, so that many at once are not free; one that succeeds is taken back.
The counts stand in the table of rate limits, which all web processes of a host share. The 64-bit word of a requester is
the time from which the next attempt is allowed, in nanoseconds, with the number of attempts in its last eight bits.
"""

import time
from collections.abc import Callable
from functools import cached_property

from sitecms.settings.site import SiteSettings
from sitecms.values import dataclass
from sitecms.web.rate_limits import RateTable, Requester, subscriber_of

_SECOND_NS = 1_000_000_000
_COUNT_BITS = 0xFF
FORGOTTEN_AFTER_SECONDS = 3600
"""Seconds without attempts, after the delay, until the next attempt counts as the first."""


@dataclass(frozen=True, slots=True)
class Delay:
    """A delay: none for the first attempts, then `first_seconds`, doubled each time up to `longest_seconds`."""

    free: int
    first_seconds: int
    longest_seconds: int

    def seconds_after(self, count: int) -> int:
        """Return the seconds to wait after so many attempts."""
        steps = count - self.free
        return 0 if steps < 0 else min(self.first_seconds << min(steps, 20), self.longest_seconds)


OF_NAME = Delay(5, 10, 900)
"""For one name from one address, or in one known browser; and for the codes of one user."""
OF_ADDRESS = Delay(20, 5, 300)
"""For one address, whichever names: an office has many users."""


class SignInLimits:
    """The limits of one site. `what` is the name of a user, or something else that is attempted."""

    def __init__(self, settings: SiteSettings, monotonic_ns: Callable[[], int] = time.monotonic_ns) -> None:
        self._settings = settings
        self._monotonic_ns = monotonic_ns

    @cached_property
    def _table(self) -> RateTable:
        return RateTable(self._settings.rate_limits_path)

    def wait_seconds(self, what: str, address: str = "", device: str = "") -> int:
        """Count an attempt and return 0, or return how many seconds its sender has to wait, and count nothing.

        With a known `device`, the address does not count.
        """
        now_ns = self._monotonic_ns()
        limited = self._limited(what, address, device)
        wait_ns = max(self._state(requester, delay, now_ns)[0] - now_ns for requester, delay in limited)
        if wait_ns > 0:
            return -(-wait_ns // _SECOND_NS)
        for requester, delay in limited:
            _until_ns, count = self._state(requester, delay, now_ns)
            self._put(requester, now_ns + delay.seconds_after(count + 1) * _SECOND_NS, count + 1)
        return 0

    def succeeded(self, what: str, address: str = "", device: str = "") -> None:
        """Take back the attempt that succeeded, and forget those before it but for other names from the address."""
        now_ns = self._monotonic_ns()
        (own, _delay), *others = self._limited(what, address, device)
        self._put(own, now_ns, 0)
        for requester, delay in others:
            _until_ns, count = self._state(requester, delay, now_ns)
            self._put(requester, now_ns, max(count - 1, 0))

    def _limited(self, what: str, address: str, device: str) -> tuple[tuple[Requester, Delay], ...]:
        subscriber = subscriber_of(address) if address else ""
        own = self._table.requester(f"sign-in {device or subscriber} {what.strip().casefold()}"), OF_NAME
        if device or not subscriber:
            return (own,)
        return own, (self._table.requester(f"sign-in address {subscriber}"), OF_ADDRESS)

    def _state(self, requester: Requester, delay: Delay, now_ns: int) -> tuple[int, int]:
        """Return the time from which an attempt is allowed, and the number of attempts."""
        word = self._table.word(requester)
        until_ns, count = word & ~_COUNT_BITS, word & _COUNT_BITS
        is_from_before_restart = until_ns > now_ns + (delay.longest_seconds + 1) * _SECOND_NS
        if is_from_before_restart or now_ns - until_ns > FORGOTTEN_AFTER_SECONDS * _SECOND_NS:
            return now_ns, 0
        return until_ns, count

    def _put(self, requester: Requester, until_ns: int, count: int) -> None:
        self._table.word(requester)  # finds the slot again, which another requester may have taken
        self._table.put(requester, until_ns & ~_COUNT_BITS | min(count, _COUNT_BITS))
