"""What surrounds the processes: clock, limits, proxies, the port to listen on."""

import os
import resource
import socket
import time
from collections.abc import Mapping

from sitecms.actions.operations.doctor.finding import Examined, fault, ok, warning

MEASURED_SECONDS = 0.2
TOLERATED_SECONDS = 0.05
FIRST_SOUND_YEAR = 2025
LEAST_OPEN_FILES, FEW_OPEN_FILES = 256, 1024
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


def examine_clock() -> Examined:
    """The wall clock against the one that nobody sets."""
    wall, steady = time.time(), time.monotonic()
    time.sleep(MEASURED_SECONDS)
    apart = (time.time() - wall) - (time.monotonic() - steady)
    return judge_clock(time.gmtime(wall).tm_year, apart)


def judge_clock(year: int, apart_seconds: float) -> Examined:
    """`apart_seconds`: how far wall and steady clock moved apart while they were watched."""
    remedy = "Set the clock by NTP: times decide what is published, and when a token ends."
    if year < FIRST_SOUND_YEAR:
        return fault("clock", f"the clock says {year}", remedy)
    if abs(apart_seconds) > TOLERATED_SECONDS:
        return warning("clock", f"the clock jumped by {apart_seconds:.2f} s while it was watched", remedy)
    return ok("clock", f"steady, {year}")


def examine_open_files() -> Examined:
    """How many files a process may have open."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if limit == resource.RLIM_INFINITY:
        return ok("open files", "no limit")
    what, remedy = f"{limit} at a time", "Raise it: ulimit -n 4096, or LimitNOFILE= in a systemd unit."
    if limit < LEAST_OPEN_FILES:
        return fault("open files", what, remedy)
    return warning("open files", what, remedy) if limit < FEW_OPEN_FILES else ok("open files", what)


def examine_proxies(environment: Mapping[str, str] | None = None) -> Examined:
    """Named, and never shown: a proxy's address may hold a password."""
    variables = os.environ if environment is None else environment
    found = [name for name in (*PROXIES, *map(str.lower, PROXIES)) if variables.get(name)]
    if not found:
        return ok("proxies", "none in the environment")
    what = f"{', '.join(found)} is set and ignored: remote media and webhooks are reached directly"
    return warning("proxies", what, "Let this machine reach them without a proxy.")


def examine_port(host: str, port: int, *, is_ours: bool) -> Examined:
    """Whether `sitecms serve` could listen there."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        if is_ours:
            return ok("port", f"{host} port {port}: {reason}, while a server of this site runs")
        return warning("port", f"{host} port {port}: {reason}", "Choose another: sitecms serve --port")
    return ok("port", f"{host} port {port} is free")
