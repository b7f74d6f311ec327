"""The supervisor: when it gives up, and how it ends processes."""

import subprocess
import sys
import time

import pytest

from sitecms.cli.processes import MAX_FAILED, MAX_KILLED, WINDOW_SECONDS, Child, RespawnPolicy, end_processes

ENDS_AT_ONCE = (sys.executable, "-c", "raise SystemExit(1)")


def test_policy_allows_more_kills_than_failures() -> None:
    """Processes that fail by themselves are given up sooner than processes that are killed."""
    for exit_code, most in ((1, MAX_FAILED), (-9, MAX_KILLED)):
        policy = RespawnPolicy(lambda: 1000.0)
        assert [policy.allows(exit_code) for _ in range(most)] == [True] * most
        assert not policy.allows(exit_code)


def test_policy_counts_exits_of_the_last_minute_only() -> None:
    """One more failure than allowed must fall into one minute."""
    at = [1000.0]
    policy = RespawnPolicy(lambda: at[0])
    for _ in range(3 * MAX_FAILED):
        at[0] += WINDOW_SECONDS / MAX_FAILED
        assert policy.allows(1)
    at[0] += 1
    assert not policy.allows(1)


def test_child_is_replaced_until_the_policy_forbids_it() -> None:
    """A process that always fails is started one time more than the policy allows failures."""
    child, started = Child("web", ENDS_AT_ONCE, RespawnPolicy()), set()
    deadline = time.monotonic() + 60
    while child.poll():
        assert time.monotonic() < deadline
        if child.process is not None:
            started.add(child.process.pid)
            child.process.wait()
    assert len(started) == MAX_FAILED + 1


@pytest.mark.slow
def test_process_that_ignores_sigterm_is_killed() -> None:
    """Together with the others, some seconds after it was asked to end."""
    ignoring = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(60)"
    process = subprocess.Popen([sys.executable, "-c", ignoring], stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    end_processes([process])
    process.stdout.close()
    assert process.returncode == -9
