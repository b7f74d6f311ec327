"""Ports for servers that tests start."""

import random
import socket

PORTS = range(20_000, 32_000)
"""Below the ports that Linux gives to connections and to servers that ask for any, which come and go all the time."""
_chance = random.SystemRandom()  # Hypothesis seeds the module's own


def free_port() -> int:
    """Return a port of loopback that nobody listens on, and that a server may leave and take again."""
    while True:
        port = _chance.choice(PORTS)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
