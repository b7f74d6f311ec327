"""When the server gives up on its web processes."""

from sitecms.cli.server.respawn_policy import MAX_FAILED, MAX_KILLED, WINDOW_SECONDS, Deaths

LONG_AGO = 0.0


def test_failures_are_told_from_kills() -> None:
    """Processes that fail by themselves use the server's patience up sooner than those that are killed."""
    for exit_code, most in ((1, MAX_FAILED), (-9, MAX_KILLED)):
        codes = {0: exit_code}
        deaths = Deaths(codes.get, lambda: 1000.0)
        assert [deaths.get(0) for _ in range(most)] == [LONG_AGO] * most
        assert deaths.get(0) == 1000.0


def test_patience_comes_back() -> None:
    """Only deaths of the last minute count, those of all processes together."""
    at = [1000.0]
    codes = {0: 1, 1: None}
    deaths = Deaths(codes.get, lambda: at[0])
    for index in range(3 * MAX_FAILED):
        at[0] += WINDOW_SECONDS / MAX_FAILED
        deaths.clear()
        deaths[index % 2] = at[0]
        assert deaths.get(index % 2) == LONG_AGO
    at[0] += 1
    assert deaths.get(0) == at[0]
