"""Several hosts on this machine: network namespaces on a switch, where tests can cut one off. Linux, as root.

The switch and its cables are in namespaces too, so that nothing of them is seen outside, and names cannot clash.
"""

import ctypes
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import ParamSpec, TypeVar

import requests

from tests.support.waiting import PATIENCE_SECONDS

P = ParamSpec("P")
T = TypeVar("T")
PORT = 8000
THREADS = 8
MISSING = "Several hosts are network namespaces, which only root on Linux can make, by ip (Debian: iproute2)"
_CABLE = "eth0"
_CLONE_NEWNET = 0x40000000
_NAMESPACES = Path("/run/netns")
_FOLDERS = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin"))


def can_have_hosts() -> bool:
    """Whether there can be namespaces here: root in a container may be not allowed to."""
    if sys.platform != "linux" or os.geteuid() != 0 or shutil.which("ip", path=_FOLDERS) is None:
        return False
    name = f"tide-{os.getpid()}-probe"
    try:
        _ip("netns", "add", name)
    except subprocess.CalledProcessError:
        return False
    _ip("netns", "delete", name)
    return True


def _ip(*words: str) -> None:
    environment = {**os.environ, "PATH": _FOLDERS}
    subprocess.run(["ip", *words], check=True, capture_output=True, env=environment, timeout=PATIENCE_SECONDS)


def _enter(namespace: str) -> None:
    """This thread, and whatever process it starts, is on that host from now on."""
    libc = ctypes.CDLL(None, use_errno=True)
    with (_NAMESPACES / namespace).open("rb") as file:
        if libc.setns(file.fileno(), _CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), f"cannot enter the network namespace {namespace}")


class Network:
    """A switch, and the hosts that hang on it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._prefix = f"tide-{os.getpid()}"
        self.switch = f"{self._prefix}-switch"
        self._hosts: list[Host] = []
        _ip("netns", "add", self.switch)
        _ip("-n", self.switch, "link", "add", "bridge", "type", "bridge")
        _ip("-n", self.switch, "link", "set", "bridge", "up")

    def add(self, name: str) -> "Host":
        """One more host."""
        number = len(self._hosts) + 1
        made = Host(self.switch, f"{self._prefix}-{name}", f"10.77.0.{number}", self._folder / name)
        self._hosts.append(made)
        return made

    def stop(self) -> None:
        """End what was started on all hosts."""
        for ending in [host.later(host.stop) for host in self._hosts]:
            ending.result()

    def remove(self) -> None:
        """All of it, with what runs there."""
        with ExitStack() as removing:  # the others go, whatever becomes of one
            removing.callback(_ip, "netns", "delete", self.switch)
            for host in self._hosts:
                removing.callback(host.remove)


class Host:
    """One with an address of its own, a loopback of its own, and a folder."""

    def __init__(self, switch: str, name: str, address: str, folder: Path) -> None:
        self.address, self.folder = address, folder
        self._switch, self._name, self._port = switch, name, f"to-{address.rpartition('.')[2]}"
        folder.mkdir()
        self.log = folder / "log"
        self._running: list[subprocess.Popen[str]] = []
        _ip("netns", "add", name)
        self._threads = ThreadPoolExecutor(THREADS, name, initializer=_enter, initargs=(name,))
        _ip("link", "add", _CABLE, "netns", name, "type", "veth", "peer", "name", self._port, "netns", switch)
        _ip("-n", switch, "link", "set", self._port, "master", "bridge", "up")
        _ip("-n", name, "address", "add", f"{address}/24", "dev", _CABLE)
        for device in ("lo", _CABLE):
            _ip("-n", name, "link", "set", device, "up")

    def later(self, act: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> "Future[T]":
        """What that gives when it is called on this host."""
        return self._threads.submit(act, *arguments, **named)

    def inside(self, act: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """What that gives when it is called on this host; waits for it, but for who is there already."""
        if threading.current_thread().name.startswith(f"{self._name}_"):
            return act(*arguments, **named)
        return self._threads.submit(act, *arguments, **named).result()

    def pull_plug(self) -> None:
        """At the switch: what the host sends gets lost, and nothing comes."""
        _ip("-n", self._switch, "link", "set", self._port, "down")

    def plug_in(self) -> None:
        """At the switch again."""
        _ip("-n", self._switch, "link", "set", self._port, "up")

    def turn_off_network(self) -> None:
        """On the host: it knows that it has none."""
        _ip("-n", self._name, "link", "set", _CABLE, "down")

    def turn_on_network(self) -> None:
        """On the host again."""
        _ip("-n", self._name, "link", "set", _CABLE, "up")

    def run(self, *words: str | Path) -> str:
        """A sitecms command to its end; what it prints."""
        return self.inside(_run, *map(str, words))

    def start(self, *words: str | Path) -> None:
        """A sitecms command that goes on, and has said that it does; nothing, if it runs."""
        if not self.is_running:
            process = self.inside(self._start, *map(str, words))
            self._running.append(process)
            assert process.stdout is not None
            assert process.stdout.readline().startswith("sitecms"), self.said()

    def _start(self, *words: str) -> "subprocess.Popen[str]":
        command = [sys.executable, "-m", "sitecms", *words]
        with self.log.open("ab") as log:
            return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)

    @property
    def is_running(self) -> bool:
        """Whether what was started runs on."""
        return any(process.poll() is None for process in self._running)

    def said(self) -> str:
        """All that its commands logged."""
        return self.log.read_text("utf-8", "replace") if self.log.exists() else ""

    def stop(self) -> None:
        """End what was started: asked first, killed if that does not help."""
        for process in self._running:
            process.terminate()
            try:
                process.communicate(timeout=PATIENCE_SECONDS / 2)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
        self._running.clear()

    def send(self, method: str, path: str, body: object = None, **headers: str) -> requests.Response:
        """One request to the web server of this host, from this host."""
        named = {key.replace("_", "-"): text for key, text in headers.items()}
        url = f"http://127.0.0.1:{PORT}{path}"
        return self.inside(requests.request, method, url, json=body, headers=named, timeout=PATIENCE_SECONDS)

    def remove(self) -> None:
        """With what runs there."""
        self.stop()
        self._threads.shutdown()
        with suppress(subprocess.CalledProcessError):
            _ip("netns", "delete", self._name)


def _run(*words: str) -> str:
    command = [sys.executable, "-m", "sitecms", *words]
    result = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    assert result.returncode == 0, (words, result.stdout, result.stderr)
    return result.stdout
