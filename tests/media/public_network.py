"""A program for a network of its own (`unshare -rn`): public and private addresses on `lo`, and fetches among them.

Run by test_fetch.py, which knows what it prints. Ports 80 everywhere: public servers redirect, private ones count.
"""

import socket
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, cycle
from threading import Lock, Thread

from sitecms.errors import FetchFailed
from sitecms.media.fetching.fetch import FetchRules, fetch

PUBLIC = ("93.184.216.34", "2606:4700::1111")
PRIVATE = (
    "10.0.0.5", "100.64.0.5", "127.0.0.1", "169.254.169.254", "172.16.0.5", "192.0.2.5", "192.168.0.5", "198.18.0.5",
    "203.0.113.5", "::1", "fd00::5", "fec0::5", "64:ff9b::5db8:d822", "2002:5db8:d822::1", "2001::5", "2001:db8::5",
    "100::5", "3fff::5",
)  # fmt: skip
SEA = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nsea"
_lock = Lock()
reached: list[str] = []


def bracketed(address: str) -> str:
    return f"[{address}]" if ":" in address else address


def listen(address: str) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return socket.create_server((address, 80), family=family, backlog=128)


def serve(address: str, listener: socket.socket) -> None:
    """Answer at one address: `/to/URL` redirects there, all else is the sea; private addresses are noted."""
    while True:
        connection, _ = listener.accept()
        with connection, suppress(OSError):
            if address in PRIVATE:
                with _lock:
                    reached.append(address)
            path = connection.recv(65536).decode("latin-1").split(" ")[1]
            target = path.removeprefix("/to/")
            moved = f"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: {target}\r\n\r\n".encode()
            connection.sendall(SEA if target == path else moved)


def names() -> dict[str, Iterator[list[str]]]:
    """What each name resolves to, time after time."""
    public, private = [PUBLIC[0]], ["10.0.0.5"]
    return {
        "pictures.example": cycle([public]),
        "private.example": cycle([private]),
        "mixed.example": cycle([public + private]),
        "mixed6.example": cycle([[PUBLIC[1], "fd00::5"]]),
        "rebinding.example": chain([public], cycle([private])),
    }


def main() -> None:
    """Everything public is fetched, nothing private is reached, first hop or last."""
    commands = [["link", "set", "lo", "up"]]
    for address in PUBLIC + PRIVATE:
        if address not in ("127.0.0.1", "::1"):  # `nodad`: the address can be listened on at once
            place = [f"{address}/128", "dev", "lo", "nodad"] if ":" in address else [f"{address}/32", "dev", "lo"]
            commands.append(["addr", "add", *place])
    for command in commands:
        subprocess.run(["ip", *command], check=True)
    for address, listener in [(address, listen(address)) for address in PUBLIC + PRIVATE]:
        Thread(target=serve, args=(address, listener), daemon=True).start()
    known = names()

    def resolve(host: str, port: int) -> list[str]:
        return next(known[host]) if host in known else [host]

    rules = FetchRules(resolve=resolve, connect_seconds=20, total_seconds=50)
    goals = [f"http://{bracketed(address)}/" for address in PRIVATE]
    goals += ["http://private.example/", "http://mixed.example/", "http://mixed6.example/"]
    away = f"http://{PUBLIC[0]}/to/"
    urls = [f"http://{bracketed(address)}/" for address in PUBLIC]
    urls += [f"{away}http://pictures.example/", f"http://[{PUBLIC[1]}]/to/{away}http://rebinding.example/"]
    urls += [f"{way}{goal}" for goal in goals for way in ("", away, away + away)]
    urls += ["http://rebinding.example/", f"{away}http://rebinding.example/"]
    fetched = refused = 0
    for url in urls:
        try:
            fetched += fetch(url, rules).data == b"sea"
        except FetchFailed:
            refused += 1
    print(f"fetched {fetched}")  # noqa: T201
    print(f"refused {refused}")  # noqa: T201
    print(f"connections to private addresses {len(reached)}")  # noqa: T201
    for address in PRIVATE:  # the listeners do listen
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        with socket.socket(family) as probe:
            probe.connect((address, 80))
            probe.sendall(b"GET / HTTP/1.1\r\n\r\n")
            assert probe.recv(15) == SEA[:15]


if __name__ == "__main__":
    main()
