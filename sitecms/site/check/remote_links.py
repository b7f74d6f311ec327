"""Links to other sites: requested with pauses, a few hosts at a time, and remembered for a day."""

import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson
from msgspec import Struct, field

from sitecms.clock import format_timestamp, parse_timestamp
from sitecms.errors import FetchFailed, FetchRefused
from sitecms.files import make_private_folder, write_atomically
from sitecms.guarded_http.addresses import is_fetchable
from sitecms.media.fetching.fetch import FetchRules, status_of
from sitecms.site.check.finding import CheckKind
from sitecms.site.check.links import LinkProblem
from sitecms.web_address import split_address

CACHE_NAME = "links.json"
KEPT = timedelta(days=1)
_GONE = frozenset({404, 410})
_PASSING = frozenset({408, 425, 429})
_PROTECTED = frozenset({401, 403, 405, 407, 451, 999})
_REFUSED, _FAILED = -1, -2


class RemoteRules(Struct, frozen=True):
    """Limits of requests: number at once, and total time; unrequested links are reported as such."""

    fetch: FetchRules = field(default_factory=lambda: FetchRules(total_seconds=10.0))
    at_once: int = 8
    host_pause_seconds: float = 1.0
    total_seconds: float = 120.0


class RemoteResults(Struct, frozen=True):
    """Status of each address (negative: no response), and addresses that were not requested in time."""

    statuses: Mapping[str, int]
    left: tuple[str, ...]


def remote_problems(
    links: Mapping[str, list[str]], rules: RemoteRules, cache: Path, at: datetime
) -> tuple[dict[str, LinkProblem], tuple[str, ...]]:
    """Return problems of the links (written address to pages), and those that were not requested."""
    urls = {written: _plain(written) for written in links}
    askable = {url for url in urls.values() if is_fetchable(url)}
    statuses = ask(askable, rules, cache, at)
    problems = {}
    for written, url in urls.items():
        problem = _problem(written, statuses.statuses.get(url, 0) if url in askable else _REFUSED)
        if problem is not None:
            problem.pages.extend(links[written])
            problems[written] = problem
    return problems, tuple(sorted(written for written, url in urls.items() if url in statuses.left))


def ask(urls: Iterable[str], rules: RemoteRules, cache: Path, at: datetime) -> RemoteResults:
    """Return the status of each address, requested now or within the last day."""
    cached = _read(cache, at)
    pending = set(urls)
    by_host: dict[str, list[str]] = {}
    for url in sorted(pending - cached.keys()):
        by_host.setdefault(split_address(url).netloc.lower(), []).append(url)
    results: dict[str, int] = {}
    if by_host:
        end = time.monotonic() + rules.total_seconds
        groups = sorted(by_host.values(), key=len, reverse=True)
        with ThreadPoolExecutor(min(rules.at_once, len(groups)), "links") as pool:
            for answers in pool.map(lambda group: dict(_ask_host(group, rules, end)), groups):
                results.update(answers)
        stamp = format_timestamp(at)
        lasting = {url: (status, stamp) for url, status in results.items() if _is_lasting(status)}
        _write(cache, {**cached, **lasting})
    statuses = {url: status for url, (status, _asked_at) in cached.items()} | results
    return RemoteResults(statuses, tuple(sorted(pending - statuses.keys())))


def _ask_host(urls: Iterable[str], rules: RemoteRules, end: float) -> Iterator[tuple[str, int]]:
    """Request one address after the other, with pauses, until the time is over."""
    for number, url in enumerate(urls):
        if number:
            time.sleep(max(0.0, min(rules.host_pause_seconds, end - time.monotonic())))
        if time.monotonic() >= end:
            return
        yield url, _status(url, rules.fetch)


def _status(url: str, rules: FetchRules) -> int:
    """Send HEAD, and GET if that fails: many servers answer HEAD incorrectly."""
    status = _FAILED
    for method in ("HEAD", "GET"):
        try:
            status = status_of(method, url, rules)
        except FetchRefused:
            return _REFUSED
        except FetchFailed:
            status = _FAILED
        if 0 < status < 400:
            return status
    return status


def _problem(written: str, status: int) -> LinkProblem | None:
    if 0 <= status < 400:
        return None
    if status in _GONE:
        return LinkProblem(
            CheckKind.REMOTE_MISSING, f"{written} is gone: the remote answers {status}", "correct the link"
        )
    if status == _REFUSED:
        what = f"{written} is not a public address"
        return LinkProblem(CheckKind.REMOTE_FAILED, what, "where it is meant so, name the host in [media] allow_hosts")
    if status == _FAILED:
        return LinkProblem(CheckKind.REMOTE_FAILED, f"{written} cannot be reached", "look whether it is there still")
    if status in _PROTECTED:
        return LinkProblem(
            CheckKind.REMOTE_FAILED, f"{written} returns the status {status}", "it may still open in a browser"
        )
    return LinkProblem(CheckKind.REMOTE_FAILED, f"{written} returns the status {status}", "try again later")


def _plain(written: str) -> str:
    """Return the address to request: whole, without fragment."""
    whole = f"https:{written}" if written.startswith("//") else written
    return whole.partition("#")[0]


def _is_lasting(status: int) -> bool:
    return 0 < status < 500 and status not in _PASSING


def _read(cache: Path, at: datetime) -> dict[str, tuple[int, str]]:
    """Return the results of the last day; none if the file cannot be read."""
    try:
        data = orjson.loads(cache.read_bytes())
        results = {str(url): (int(status), str(asked_at)) for url, (status, asked_at) in data.items()}
        return {
            url: result
            for url, result in results.items()
            if timedelta(0) <= at - parse_timestamp(result[1], UTC) < KEPT
        }
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _write(cache: Path, results: Mapping[str, tuple[int, str]]) -> None:
    """Write the results atomically; the state folder may be new."""
    make_private_folder(cache.parent)
    write_atomically(cache, orjson.dumps(dict(sorted(results.items())), option=orjson.OPT_INDENT_2))
