"""Remote links: who is asked, how often, and what is made of the answers. The remote is a server on loopback."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from itertools import pairwise
from pathlib import Path

import pytest

from sitecms.media.fetching.fetch import FetchRules
from sitecms.site.check.finding import CheckKind
from sitecms.site.check.remote_links import RemoteRules, ask, remote_problems
from tests.support.web_hosts import Reply, web_host

AT = datetime(2026, 6, 1, 12, tzinfo=UTC)


class Remote:
    """A web server that answers what its paths say: `/200`, `/404`; `/no-head/200` knows GET only; `/slow/200`."""

    def __init__(self) -> None:
        self.address = ""
        self.asked: list[tuple[str, str, float]] = []
        self.agents: set[str] = set()

    def answer(self, request: BaseHTTPRequestHandler) -> Reply:
        """Note a request, and answer it."""
        self.asked.append((request.command, request.path, time.monotonic()))
        self.agents.add(request.headers["User-Agent"])
        if "/slow/" in request.path:
            time.sleep(0.4)
        if "/hop/" in request.path:
            return Reply(status=302, headers={"Location": request.path.replace("/hop/", "/")})
        is_refused = "/no-head/" in request.path and request.command == "HEAD"
        return Reply(status=405 if is_refused else int(request.path.rpartition("/")[2]))

    def url(self, path: str) -> str:
        """Return the whole address of a path."""
        return self.address + path


@pytest.fixture
def remote() -> Iterator[Remote]:
    """One remote site."""
    made = Remote()
    with web_host(made.answer) as made.address:
        yield made


def rules(remote: Remote, total_seconds: float = 20.0, pause: float = 0.0) -> RemoteRules:
    return RemoteRules(
        FetchRules((remote.address.removeprefix("http://"),), total_seconds=2.0), 4, pause, total_seconds
    )


def test_statuses_become_findings(remote: Remote, tmp_path: Path) -> None:
    """What is gone is an error, what cannot be told a warning; what is there, if only by GET or a redirect, is fine."""
    sound = [remote.url("/200"), remote.url("/no-head/200"), remote.url("/hop/200"), remote.url("/200") + "#part"]
    bad = {
        remote.url("/404"): CheckKind.REMOTE_MISSING,
        remote.url("/410"): CheckKind.REMOTE_MISSING,
        remote.url("/403"): CheckKind.REMOTE_FAILED,
        remote.url("/500"): CheckKind.REMOTE_FAILED,
        "http://127.0.0.1:9/": CheckKind.REMOTE_FAILED,
        "http://user@host.example/": CheckKind.REMOTE_FAILED,
    }
    links = {url: ["index.html"] for url in (*sound, *bad)}
    problems, left = remote_problems(links, rules(remote), tmp_path / "links.json", AT)
    assert {url: problem.kind for url, problem in problems.items()} == bad
    assert left == ()
    assert all(agent.startswith("sitecms/") for agent in remote.agents)


def test_private_host_is_not_asked(remote: Remote, tmp_path: Path) -> None:
    """Unless the settings name it."""
    open_rules = RemoteRules(FetchRules(total_seconds=2.0), 4, 0.0, 20.0)
    problems, _left = remote_problems({remote.url("/200"): ["a.html"]}, open_rules, tmp_path / "links.json", AT)
    assert "not a public address" in problems[remote.url("/200")].what
    assert remote.asked == []


def test_statuses_are_remembered_for_a_day(remote: Remote, tmp_path: Path) -> None:
    """Those that say something lasting: a server that is down is asked again."""
    cache = tmp_path / "new" / "links.json"
    urls = [remote.url("/200"), remote.url("/404"), remote.url("/503")]
    first = ask(urls, rules(remote), cache, AT)
    remote.asked.clear()
    assert ask(urls, rules(remote), cache, AT + timedelta(hours=23)) == first
    assert {path for _method, path, _when in remote.asked} == {"/503"}
    remote.asked.clear()
    ask(urls, rules(remote), cache, AT + timedelta(hours=25))
    assert len({path for _method, path, _when in remote.asked}) == 3


@pytest.mark.parametrize("content", [b"", b"[]", b'{"http://a.example/": 3}', b'{"http://a.example/": [200, "x"]}'])
def test_damaged_cache_is_none(remote: Remote, tmp_path: Path, content: bytes) -> None:
    """And is made anew."""
    cache = tmp_path / "links.json"
    cache.write_bytes(content)
    assert ask([remote.url("/200")], rules(remote), cache, AT).statuses[remote.url("/200")] == 200
    assert remote.url("/200").encode() in cache.read_bytes()


def test_one_host_is_asked_slowly(remote: Remote, tmp_path: Path) -> None:
    """One link after the other, with a pause between them."""
    ask([remote.url(f"/{number}/200") for number in range(4)], rules(remote, pause=0.1), tmp_path / "links.json", AT)
    times = [when for _method, _path, when in remote.asked]
    assert all(later - earlier >= 0.09 for earlier, later in pairwise(times))


def test_time_is_bounded(remote: Remote, tmp_path: Path) -> None:
    """What was not asked in time is said; nothing is waited for beyond it but the request under way."""
    started = time.monotonic()
    links = {remote.url(f"/slow/{number}/200"): ["a.html"] for number in range(100)}
    problems, left = remote_problems(links, rules(remote, total_seconds=0.6), tmp_path / "links.json", AT)
    assert time.monotonic() - started < 20  # all would take forty
    assert problems == {}
    assert 50 < len(left) < 100
