"""Several hosts on one store: two that answer, two that work, one with PostgreSQL and Redis, and some are cut off.

The hosts are network namespaces (`tests.support.hosts`), each with a copy of the site folder; they share a folder
of media.
"""

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import psycopg
import pytest
import requests

from sitecms.clock import now
from sitecms.content.token import Scope, new_secret, secret_digest
from sitecms.settings.service_url import ServiceUrl
from sitecms.store.opening import open_database
from sitecms.store.writes.tokens import NO_LIMITS, insert_token
from sitecms.store.writes.webhooks import insert_webhook
from tests.support.durable_postgres import MISSING as POSTGRES_MISSING
from tests.support.durable_postgres import postgres_programs
from tests.support.hosts import MISSING, PORT, Host, Network, can_have_hosts
from tests.support.postgres import PostgresServer
from tests.support.redis_server import MISSING as REDIS_MISSING
from tests.support.redis_server import RedisServer, redis_program
from tests.support.sites import ExampleSite
from tests.support.waiting import PATIENCE_SECONDS

LOST_WITHIN_SECONDS = 15.0  # after which a host that was cut off is given up
READ_LOST_WITHIN_SECONDS = 10.0  # five until the connection is given up, five for another one
BUSY_SECONDS = 20.0  # for all that stands between that and its being seen, on a machine that tests share
PICTURES_PORT = 8088
PICTURE = f"http://127.0.0.1:{PICTURES_PORT}/sea.png"
pytestmark = [pytest.mark.slow, pytest.mark.sqlite_only("the hosts have a database of their own")]
_WAITING = """
SELECT host(client_addr) FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE NOT pg_locks.granted AND relation = %s::regclass"""
_LINES = """
SELECT fields_json::json ->> 'line' FROM version JOIN entry ON entry.kind = version.kind AND entry.id = entry_id
WHERE type = 'log' ORDER BY entry_id"""
_OUT_OF_ORDER = """
SELECT count(*) FROM write AS a JOIN write AS b ON a.entry_key = b.entry_key
WHERE a.sequence < b.sequence AND a.finished_at > b.finished_at"""


class ImageVariants:
    """A remote with one picture, on the loopback of a host; held, it answers once `free` is set."""

    def __init__(self, picture: bytes) -> None:
        self.asked, self.free = threading.Event(), threading.Event()
        pictures = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                pictures.asked.set()
                pictures.free.wait(PATIENCE_SECONDS)
                self.send_response(200)
                self.send_header("Content-Length", str(len(picture)))
                self.end_headers()
                with suppress(OSError):  # whoever asked has given up
                    self.wfile.write(picture)

            def log_message(self, *_arguments: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", PICTURES_PORT), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def close(self) -> None:
        """Answer nobody any more."""
        self.free.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@dataclass
class Hosts:
    """The hosts, what they share, and a look into their store from where it is."""

    data: Host
    webs: tuple[Host, Host]
    workers: tuple[Host, Host]
    shared: Path
    database: str
    secret: str
    look: psycopg.Connection[tuple[Any, ...]]
    accepted: list[str] = field(default_factory=list)

    def run(self, workers: int = 2) -> None:
        """Both web servers and so many workers: start what does not run, end what is too much."""
        for host in self.workers[workers:]:
            host.stop()
        serve = ("--no-worker", "--workers", "1", "--host", "0.0.0.0", "--port", str(PORT))
        begun = [web.later(web.start, "serve", web.folder / "tide", *serve) for web in self.webs]
        begun += [host.later(host.start, "worker", host.folder / "tide") for host in self.workers[:workers]]
        for each in begun:
            each.result()

    def ask(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """What the store holds."""
        return self.look.execute(statement.encode(), values).fetchall()

    def send(self, host: Host, method: str, path: str, body: object = None, **headers: str) -> requests.Response:
        """With the token."""
        return host.send(method, path, body, Authorization=f"Token {self.secret}", **headers)

    def write(self, host: Host, method: str, path: str, body: object, **headers: str) -> str:
        """One that is accepted; its id."""
        answered = self.send(host, method, path, body, **headers)
        assert answered.status_code == 202, (answered.status_code, answered.text, host.said())
        self.accepted.append(answered.headers["Location"].split("/")[3])
        return self.accepted[-1]

    def state(self, write_id: str) -> tuple[str, int, int]:
        """Its status, attempt and end."""
        status, attempt, finished_at = self.ask(
            "SELECT status, attempt, finished_at FROM write WHERE id = %s", write_id
        )[0]
        return status, attempt, finished_at

    def is_applied(self, *write_ids: str) -> bool:
        """Whether all of them are."""
        return all(self.state(write_id)[0] == "applied" for write_id in write_ids)

    @contextmanager
    def gate(self, table: str) -> Iterator[Callable[[Host], bool]]:
        """Whoever would change the table waits in the middle of a transaction; gives what tells whether a host does."""

        def is_caught(host: Host) -> bool:
            return (host.address,) in self.ask(_WAITING, table)

        with self.data.inside(lambda: psycopg.connect(self.database)) as connection:
            connection.execute(f"LOCK TABLE {table} IN SHARE MODE".encode())
            yield is_caught

    def check_writes(self) -> None:
        """All that was accepted so far is applied, each once and in its order, and nothing else is there."""
        kept = self.ask("SELECT id, status FROM write")
        assert sorted(kept) == sorted((write_id, "applied") for write_id in self.accepted)
        told = self.ask("SELECT write_id FROM delivery WHERE write_id IS NOT NULL")
        assert sorted(told) == sorted((write_id,) for write_id in self.accepted)
        assert self.ask(_OUT_OF_ORDER) == [(0,)]
        assert self.ask("SELECT count(*) FROM reservation") == [(0,)]


def wait(happened: Callable[[], bool], seconds: float = PATIENCE_SECONDS) -> float:
    """Until it does; how long that took."""
    begun = time.monotonic()
    while not happened():
        assert time.monotonic() < begun + seconds, f"not within {seconds} s"
        time.sleep(0.02)
    return time.monotonic() - begun


@pytest.fixture(scope="module")
def network(lacking: Callable[[str], None], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Network]:
    """A switch without hosts."""
    for is_there, reason in (
        (can_have_hosts(), MISSING),
        (postgres_programs(), POSTGRES_MISSING),
        (redis_program(), REDIS_MISSING),
    ):
        if not is_there:
            lacking(reason)
    made = Network(tmp_path_factory.mktemp("hosts"))
    yield made
    made.remove()


@pytest.fixture(scope="module")
def hosts(network: Network, make_example: Callable[[Path], ExampleSite], tmp_path_factory: Any) -> Iterator[Hosts]:
    """With the small site loaded; nothing else runs yet."""
    shared = tmp_path_factory.mktemp("shared")
    data = network.add("data")
    postgres = data.inside(PostgresServer, data.address)
    try:
        redis = data.inside(RedisServer, data.folder, address=data.address)
        try:
            yield from _installed(network, data, postgres, redis.url, make_example(shared / "tide"))
        finally:
            network.stop()
            redis.kill()
    finally:
        postgres.close()


def _installed(
    network: Network, data: Host, postgres: PostgresServer, queue: str, example: ExampleSite
) -> Iterator[Hosts]:
    """A copy of the site on each host, and a database with its content, a token, and somebody to tell of all writes."""
    example.database.close()
    shutil.rmtree(example.folder / ".sitecms")
    database, shared = postgres.url("tide"), example.folder.parent
    media = {"allow_hosts": [f"127.0.0.1:{PICTURES_PORT}"]}
    example.settings_are(build={"page_size": 3}, store={"url": database}, queue={"url": queue}, media=media)
    line = [{"slug": "line", "type": "short_text"}]
    example.write("schema/collections/log.yaml", {"key": "log", "label": "line", "fields": line})
    (shared / "media").mkdir()
    machines = [network.add(name) for name in ("web1", "web2", "work1", "work2")]
    for machine in machines:
        shutil.copytree(example.folder, machine.folder / "tide")
        (machine.folder / "tide/.sitecms").mkdir()
        (machine.folder / "tide/.sitecms/media").symlink_to(shared / "media")
    with data.inside(postgres.admin) as connection:
        connection.execute("CREATE DATABASE tide")
    machines[0].run("load", machines[0].folder / "tide")
    secret = data.inside(_admit, database)
    with data.inside(postgres.admin, "tide") as look:
        yield Hosts(data, (machines[0], machines[1]), (machines[2], machines[3]), shared, database, secret, look)


def _admit(address: str) -> str:
    """A token to write with; messages to nobody, of which one is kept for each write."""
    secret, store = new_secret(), open_database(ServiceUrl(address))
    with store.writing() as transaction:
        insert_token(transaction, "newsroom", Scope.WRITE, secret_digest(secret), now(), None, NO_LIMITS)
        insert_webhook(transaction, "http://127.0.0.1:9/", ["*"], "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", {}, now())
    store.close()
    return secret


def test_what_one_host_accepts_all_others_show(hosts: Hosts) -> None:
    """Once a write is applied, the other host shows it with its next answer; earlier ones are never seen again."""
    hosts.run()
    here, there = hosts.webs
    hosts.write(here, "POST", "/v2/posts/", {"title": "Tide", "slug": "table", "status": "published", "summary": "0"})
    wait(lambda: hosts.send(there, "GET", "/v2/posts/table/").status_code == 200)
    seen: list[int] = []
    over = threading.Event()

    def shown() -> int:
        return int(hosts.send(there, "GET", "/v2/posts/table/").json()["data"]["summary"])

    def read_on() -> None:
        while not over.is_set():
            seen.append(shown())

    reading = threading.Thread(target=read_on)
    reading.start()
    try:
        for number in range(1, 11):
            write_id = hosts.write(here, "PATCH", "/v2/posts/table/", {"summary": str(number)})
            wait(lambda write_id=write_id: hosts.is_applied(write_id))  # type: ignore[misc]
            assert shown() == number
    finally:
        over.set()
        reading.join()
    assert seen == sorted(seen)
    hosts.check_writes()


class Keeper:
    """Keeps a log through one host: a line after the other, asking again, under the same key, until it is answered."""

    def __init__(self, hosts: Hosts, host: Host) -> None:
        self._hosts, self._host = hosts, host
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.kept: list[str] = []
        self.refused: set[int] = set()
        self._thread.start()

    def stop(self) -> None:
        """The line at hand is its last."""
        self._over.set()
        self._thread.join(PATIENCE_SECONDS)
        assert not self._thread.is_alive()

    def _run(self) -> None:
        while not self._over.is_set():
            line = f"{self._host.address} {len(self.kept)}"
            body = {"key": "log", "status": "published", "fields": {"line": line}}
            while (status := self._write(body, line)) != 202:
                self.refused.add(status)
                time.sleep(0.2)
            self.kept.append(line)
            time.sleep(0.02)

    def _write(self, body: object, key: str) -> int:
        answered = self._hosts.send(self._host, "POST", "/v2/content/", body, Idempotency_Key=key)
        if answered.status_code == 202:
            self._hosts.accepted.append(answered.headers["Location"].split("/")[3])
        return answered.status_code


def test_a_host_that_accepts_is_cut_off(hosts: Hosts) -> None:
    """In the middle of keeping a write: it says 503 then, others write on soon, and back again it goes on by itself."""
    hosts.run(workers=0)
    lost, other = hosts.webs
    keeper = Keeper(hosts, lost)
    try:
        wait(lambda: len(keeper.kept) >= 5)
        with hosts.gate("write") as is_caught:
            wait(lambda: is_caught(lost))
            kept = len(keeper.kept)
            lost.pull_plug()
        begun = time.monotonic()
        cut = {"title": "Cut", "slug": "cut", "status": "published"}
        writing = other.later(hosts.write, other, "POST", "/v2/posts/", cut)
        paths = [f"/v2/posts/?page_size={number}" for number in range(1, 7)]
        asked = [lost.later(hosts.send, lost, "GET", path) for path in (*paths, "/health/live", "/health/ready")]
        assert [each.result().status_code for each in asked] == [*[503] * len(paths), 200, 503]
        assert time.monotonic() < begun + READ_LOST_WITHIN_SECONDS + BUSY_SECONDS
        writing.result()
        assert time.monotonic() < begun + LOST_WITHIN_SECONDS + BUSY_SECONDS
        wait(lambda: bool(keeper.refused))
        assert len(keeper.kept) == kept
        lost.plug_in()
        hosts.run()
        wait(lambda: hosts.send(other, "GET", "/v2/posts/cut/").status_code == 200)
        wait(lambda: len(keeper.kept) >= kept + 5)
    finally:
        lost.plug_in()
        keeper.stop()
    assert keeper.refused == {503}
    wait(lambda: hosts.is_applied(*hosts.accepted))
    hosts.check_writes()
    assert hosts.ask(_LINES) == [(line,) for line in keeper.kept]


@pytest.fixture
def pictures(hosts: Hosts, repo: Path) -> Iterator[tuple[ImageVariants, ImageVariants]]:
    """On each host that works: held on the first."""
    picture = (hosts.shared / "tide/media/sea.png").read_bytes()
    first, second = (host.inside(ImageVariants, picture) for host in hosts.workers)
    second.free.set()
    yield first, second
    first.close()
    second.close()


def test_a_host_that_works_is_cut_off(hosts: Hosts, pictures: tuple[ImageVariants, ImageVariants]) -> None:
    """In the middle of applying, and of fetching: another takes both over, and what it lost it cannot end any more."""
    hosts.run(workers=1)
    web, (lost, other), (held, _) = hosts.webs[0], hosts.workers, pictures
    first = hosts.write(web, "POST", "/v2/posts/", {"title": "Slack", "slug": "slack", "status": "published"})
    wait(lambda: hosts.is_applied(first))
    fetching = hosts.write(web, "POST", "/v2/posts/", {"title": "Sea", "slug": "sea", "featured_image": PICTURE})
    assert held.asked.wait(PATIENCE_SECONDS)
    with hosts.gate("version") as is_caught:
        applying = hosts.write(web, "PATCH", "/v2/posts/slack/", {"summary": "1"})
        wait(lambda: is_caught(lost))
        lost.turn_off_network()
    begun = time.monotonic()
    starting = other.later(other.start, "worker", other.folder / "tide")
    try:
        later = [hosts.write(web, "PATCH", "/v2/posts/slack/", {"summary": str(number)}) for number in (2, 3)]
        waited = time.monotonic() - begun
        assert waited < LOST_WITHIN_SECONDS + BUSY_SECONDS
        starting.result()
        wait(lambda: hosts.is_applied(fetching, applying, *later))
        taken = time.monotonic() - begun
        assert taken < LOST_WITHIN_SECONDS + 2 * BUSY_SECONDS
        ended = {write_id: hosts.state(write_id) for write_id in hosts.accepted}
        assert [ended[write_id][1] for write_id in (fetching, applying)] == [2, 2]
    finally:
        lost.turn_on_network()
        held.free.set()
    other.stop()  # from here on the worker that was cut off is alone
    hosts.write(web, "PATCH", "/v2/posts/slack/", {"summary": "4"})
    wait(lambda: hosts.is_applied(*hosts.accepted))
    assert lost.is_running
    assert {write_id: hosts.state(write_id) for write_id in ended} == ended
    wait(lambda: hosts.send(web, "GET", "/v2/posts/slack/").json()["data"]["summary"] == "4")
    hosts.check_writes()
