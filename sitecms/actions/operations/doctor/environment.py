"""Examination of the clock, limits, proxies, and the port to listen on."""

import http.client
import os
import resource
import socket
import time
from collections.abc import Mapping

import orjson

from sitecms.findings import Finding, error, ok, warning

MEASURED_SECONDS = 0.2
TOLERATED_SECONDS = 0.05
EARLIEST_YEAR = 2025
LEAST_OPEN_FILES, FEW_OPEN_FILES = 256, 1024
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
_WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - recognised, not bound


def examine_clock() -> Finding:
    """Compare the wall clock with the monotonic clock."""
    wall, monotonic = time.time(), time.monotonic()
    time.sleep(MEASURED_SECONDS)
    apart = (time.time() - wall) - (time.monotonic() - monotonic)
    return judge_clock(time.gmtime(wall).tm_year, apart)


def judge_clock(year: int, apart_seconds: float) -> Finding:
    """Return the finding for a year, and for the seconds by which the two clocks moved apart in the measured time."""
    remedy = "set the clock by NTP: times decide what is published, and when a token expires"
    if year < EARLIEST_YEAR:
        return error("clock", f"the year is {year} by the clock", remedy)
    if abs(apart_seconds) > TOLERATED_SECONDS:
        return warning("clock", f"the clock jumped by {apart_seconds:.2f} s within {MEASURED_SECONDS} s", remedy)
    return ok("clock", f"steady, {year}")


def examine_open_files() -> Finding:
    """Check how many files a process may have open."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if limit == resource.RLIM_INFINITY:
        return ok("open-files", "no limit")
    what, remedy = f"{limit} at a time", "raise the limit: ulimit -n 4096, or LimitNOFILE= in a systemd unit"
    if limit < LEAST_OPEN_FILES:
        return error("open-files", what, remedy)
    return warning("open-files", what, remedy) if limit < FEW_OPEN_FILES else ok("open-files", what)


def examine_proxies(environment: Mapping[str, str] | None = None) -> Finding:
    """Name the variables of proxies without their values, which may contain a password."""
    variables = os.environ if environment is None else environment
    names = [name for name in (*PROXIES, *map(str.lower, PROXIES)) if variables.get(name)]
    if not names:
        return ok("proxies", "none in the environment")
    what = f"{', '.join(names)} is set and ignored: remote media and webhooks are reached directly"
    return warning("proxies", what, "let this machine reach them without a proxy")


def examine_port(host: str, port: int, *, is_serving: bool) -> Finding:
    """Check that `sitecms serve` can listen at the port, or that it does: `is_serving` while a server of it runs."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as problem:
        if is_serving and _is_sitecms(host, port):
            return ok("port", f"sitecms listens on {host} port {port}")
        reason = (problem.strerror or str(problem)).lower()
        who = ", by another program" if is_serving else ""
        return warning("port", f"{host} port {port}: {reason}{who}", "choose another port: sitecms serve --port")
    return ok("port", f"{host} port {port} is free")


def _is_sitecms(host: str, port: int) -> bool:
    """Return whether a server of sitecms answers there."""
    connection = http.client.HTTPConnection(_WILDCARDS.get(host, host), port, timeout=2)
    try:
        connection.request("GET", "/health/live")
        return bool(orjson.loads(connection.getresponse().read(1000)) == {"status": "live"})
    except (OSError, http.client.HTTPException, ValueError):
        return False
    finally:
        connection.close()
