"""Remote media from slow hosts hold up the writes that name them, and nothing else."""

import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress

import pytest

from sitecms.actions.writing.apply.fetching import import_remote
from sitecms.content.media import MediaFile
from sitecms.content.token import Scope
from sitecms.content.writes import Write, WriteStatus
from sitecms.media.fetching.fetch import Budget, FetchRules
from sitecms.media.library import open_library
from sitecms.runtime import Runtime
from sitecms.settings.site import load_settings
from sitecms.store.writes.writes import get_write
from sitecms.tasks.background import Background, run_worker
from sitecms.web.service import create_app
from tests.support.reading import get_post
from tests.support.waiting import until

ADDRESSES = ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4"]
PATIENCE_SECONDS = 300.0
PLAIN_SECONDS = 30.0  # 0.1 s on an idle machine; before fetches had threads of their own it was a minute and more
FILE = b"%PDF-1.4\n" + b"x" * 200  # kept as it is, without a process that decodes it
pytestmark = [
    pytest.mark.allow_hosts([*ADDRESSES, "::1", "localhost"]),
    pytest.mark.skipif(sys.platform != "linux", reason="needs all of 127.0.0.0/8 on loopback (Linux)"),
]


class Host:
    """A host whose pictures arrive byte by byte until `release` is set, and then at once."""

    def __init__(self, address: str) -> None:
        self.release = threading.Event()
        self.asked: list[str] = []
        self.most_at_once = self.most_at_once_later = 0
        """Greatest numbers of requests at once: of all, and of those after the last 429."""
        self.busy_answers = 0
        """Number of requests that are answered by 429, one second to wait."""
        self.body = FILE
        self._at_once = self._at_once_later = 0
        self._later_at = float("inf")
        self._lock = threading.Lock()
        self._listener = socket.create_server((address, 0))
        self.url = f"http://{address}:{self._listener.getsockname()[1]}"
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def images(self, count: int, name: str = "a") -> str:
        """HTML that shows so many pictures of this host."""
        return "".join(f'<img src="{self.url}/{name}{number}.png">' for number in range(count))

    def close(self) -> None:
        """Answer everything, and end."""
        self.release.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(10)
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self._threads.append(threading.Thread(target=self._answer, args=(connection,)))
                self._threads[-1].start()

    def _answer(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            head = connection.recv(65536).decode("latin-1")
            if head.startswith("HEAD"):  # from the request that is accepted
                connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                return
            with self._lock:
                self.asked.append(head.split(" ")[1])
                self._at_once += 1
                self.most_at_once = max(self.most_at_once, self._at_once)
                is_busy, self.busy_answers = self.busy_answers > 0, max(0, self.busy_answers - 1)
                is_later = time.monotonic() > self._later_at
                self._at_once_later += is_later
                self.most_at_once_later = max(self.most_at_once_later, self._at_once_later)
            rest = b"HTTP/1.1 429 Later\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n"
            try:
                if not is_busy:
                    rest = self.body
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(rest))
                    while rest and not self.release.wait(0.1):
                        connection.sendall(rest[:1])
                        rest = rest[1:]
            finally:
                with self._lock:  # before the client has the end, and asks for something else
                    self._at_once -= 1
                    self._at_once_later -= is_later
                    if is_busy and not self.busy_answers:
                        self._later_at = time.monotonic() + 0.5  # requests from before the answer have arrived by then
            connection.sendall(rest)


@pytest.fixture
def hosts() -> Iterator[list[Host]]:
    """Four slow hosts."""
    made = [Host(address) for address in ADDRESSES]
    yield made
    for host in made:
        host.close()


class Site:
    """One site with its settings: accepts writes, and looks what became of them."""

    def __init__(self, runtime: Runtime, secret: str) -> None:
        self.runtime = runtime
        self.work = self._background()
        self._client = create_app(runtime, hint=self.work.hint).test_client()
        self._headers = {"Authorization": f"Token {secret}"}

    def _background(self) -> Background:
        settings, clock = self.runtime.settings, self.runtime.clock
        library, rules = open_library(settings), FetchRules(settings.media.allow_hosts, total_seconds=300)

        def fetch(url: str, budget: Budget) -> MediaFile:
            return import_remote(url, library, rules, clock(), budget)

        return Background(settings, self.runtime.database, clock, fetch)

    def write(self, method: str, path: str, body: Mapping[str, object]) -> str:
        """The id of the accepted write."""
        answered = self._client.open(path, method=method, json=dict(body), headers=self._headers)
        assert answered.status_code == 202, answered.text
        return str(answered.headers["Location"].split("/")[3])

    def post(self, title: str, body: str = "") -> str:
        """The id of a write of a new post, with the pictures in its body taken over."""
        sent = {"title": title, "status": "published", "body": body, "upload_images_to_media_library": True}
        return self.write("POST", "/v2/posts/", sent)

    def look(self, write_id: str) -> Write:
        """The write as it is now."""
        return self.runtime.database.read(get_write, write_id)

    def end(self, *write_ids: str) -> set[WriteStatus]:
        """Wait until all have ended; how they did."""
        end = time.monotonic() + PATIENCE_SECONDS
        while WriteStatus.ACCEPTED in (found := {self.look(each).status for each in write_ids}):
            assert time.monotonic() < end, [self.look(each) for each in write_ids]
            time.sleep(0.01)
        return found

    def summary(self, slug: str) -> str:
        """The summary of a post."""
        return self.runtime.database.read(get_post, slug).summary

    @contextmanager
    def working(self) -> Iterator[None]:
        """Within it a worker runs, in a thread."""
        work = self._background()
        stop = threading.Event()
        worker = threading.Thread(target=run_worker, args=(work, stop))
        worker.start()
        try:
            yield
        finally:
            stop.set()
            worker.join(PATIENCE_SECONDS)
            work.close()
            assert not worker.is_alive()


@pytest.fixture
def open_site(
    runtime: Runtime, hosts: list[Host], make_author: Callable[..., str], make_token: Callable[..., str]
) -> Iterator[Callable[..., Site]]:
    """Open the site, with limits under [media]; it may fetch from the hosts, for as long as a busy machine takes."""
    make_author()
    made: list[Site] = []

    def make(**limits: int) -> Site:
        lines = [f"{name} = {value}" for name, value in limits.items()]
        names = ", ".join(f'"{host.url.removeprefix("http://")}"' for host in hosts)
        with (runtime.settings.folder / "site.toml").open("a", encoding="utf-8") as file:
            file.write("\n".join(["", "[media]", f"allow_hosts = [{names}]", *lines, ""]))
        settings = load_settings(runtime.settings.folder)
        opened = Runtime(settings, runtime.database, runtime.clock, runtime.locales)
        made.append(Site(opened, make_token("w", Scope.WRITE)))
        return made[-1]

    yield make
    for site in made:
        site.work.close()


@pytest.mark.usefixtures("every_queue")
def test_a_plain_write_passes_writes_that_fetch(open_site: Callable[..., Site], hosts: list[Host]) -> None:
    """Eight posts with slow pictures wait, and plain posts are applied meanwhile; all are applied in the end."""
    site = open_site()
    with site.working():
        slow = [site.post(f"Slow {number}", hosts[number % 4].images(5, f"{number}-")) for number in range(8)]
        assert until(lambda: sum(len(host.asked) for host in hosts) >= 8, PATIENCE_SECONDS)
        for number in range(3):
            begun = time.monotonic()
            assert site.end(site.post(f"Plain {number}")) == {WriteStatus.APPLIED}
            assert time.monotonic() - begun < PLAIN_SECONDS
        assert {site.look(each).status for each in slow} == {WriteStatus.ACCEPTED}
        for host in hosts:
            host.release.set()
        assert site.end(*slow) == {WriteStatus.APPLIED}
    assert {site.look(each).attempt for each in slow} == {1}
    assert [host.most_at_once for host in hosts] == [2, 2, 2, 2]
    assert [len(host.asked) for host in hosts] == [10, 10, 10, 10]


def test_a_slow_host_leaves_threads_to_other_hosts(open_site: Callable[..., Site], hosts: list[Host]) -> None:
    """However much is asked of one host, pictures of another one arrive meanwhile."""
    site = open_site()
    hosts[1].release.set()
    with site.working():
        slow = [site.post(f"Slow {number}", hosts[0].images(20, f"{number}-")) for number in range(10)]
        assert until(lambda: len(hosts[0].asked) == 2, PATIENCE_SECONDS)
        assert site.end(site.post("Quick", hosts[1].images(10))) == {WriteStatus.APPLIED}
        assert {site.look(each).status for each in slow} == {WriteStatus.ACCEPTED}
    assert hosts[0].most_at_once == 2


def test_jobs_at_one_host_take_turns(open_site: Callable[..., Site], hosts: list[Host]) -> None:
    """A post with one picture does not wait for all hundred of another post at the same host."""
    site = open_site()
    with site.working():
        large = site.post("Large", hosts[0].images(100))
        assert until(lambda: len(hosts[0].asked) == 2, PATIENCE_SECONDS)
        small = site.post("Small", hosts[0].images(1, "small"))
        # a worker looks for work ten times a second
        assert until(lambda: site.look(small).attempt == 1, PATIENCE_SECONDS)
        hosts[0].release.set()
        assert site.end(large, small) == {WriteStatus.APPLIED}
    assert hosts[0].asked.index("/small0.png") < 50


def test_writes_to_one_entry_keep_their_order(open_site: Callable[..., Site], hosts: list[Host]) -> None:
    """A later plain write waits for the one that fetches, and the last summary wins; another entry does not wait."""
    site = open_site()
    with site.working():
        assert site.end(site.post("Ebb")) == {WriteStatus.APPLIED}
        update = {"body": hosts[0].images(1), "upload_images_to_media_library": True, "summary": "first"}
        first = site.write("PATCH", "/v2/posts/ebb/", update)
        assert until(lambda: len(hosts[0].asked) == 1, PATIENCE_SECONDS)
        later = [site.write("PATCH", "/v2/posts/ebb/", {"summary": f"later {number}"}) for number in range(3)]
        assert site.end(site.post("Flow")) == {WriteStatus.APPLIED}
        assert {site.look(each).status for each in (first, *later)} == {WriteStatus.ACCEPTED}
        assert site.summary("ebb") == ""
        hosts[0].release.set()
        assert site.end(first, *later) == {WriteStatus.APPLIED}
        assert site.summary("ebb") == "later 2"


def test_a_busy_host_gets_one_request_at_a_time(open_site: Callable[..., Site], hosts: list[Host]) -> None:
    """After a 429 nothing is asked for the time that the host names, then one picture after the other: all arrive."""
    site, host = open_site(), hosts[0]
    host.busy_answers = 2
    host.release.set()
    with site.working():
        writes = [site.post(f"Post {number}", host.images(2, f"{number}-")) for number in range(6)]
        assert site.end(*writes) == {WriteStatus.APPLIED}
    assert host.most_at_once_later == 1
    assert {site.look(each).attempt for each in writes} == {1}


def test_a_write_over_its_time_is_rejected(open_site: Callable[..., Site], hosts: list[Host]) -> None:
    """The message names the limit and an address; the slug is free again, and nothing is tried twice."""
    site = open_site(fetch_seconds=1)
    with site.working():
        write_id = site.post("Ebb", hosts[0].images(5))
        assert site.end(write_id) == {WriteStatus.REJECTED}
        rejected = site.look(write_id)
        (text,) = rejected.errors["body"]
        assert text.startswith("The remote files of this write took longer than 1 s together. http://127.0.0.1:")
        assert rejected.attempt == 1
        assert site.end(site.post("Ebb")) == {WriteStatus.APPLIED}


def test_a_write_over_its_bytes_is_rejected(open_site: Callable[..., Site], hosts: list[Host]) -> None:
    """Two files of 0.7 MB are more than the 1 MB that is allowed."""
    site = open_site(fetch_mb=1)
    hosts[0].body = b"%PDF-1.4\n" + b"x" * 700_000
    hosts[0].release.set()
    with site.working():
        write_id = site.post("Ebb", hosts[0].images(3))
        assert site.end(write_id) == {WriteStatus.REJECTED}
    (text,) = site.look(write_id).errors["body"]
    assert text.startswith("The remote files of this write hold more than 1 MB together. http://127.0.0.1:")


def test_a_worker_that_ends_hands_back_what_it_fetches(open_site: Callable[..., Site], hosts: list[Host]) -> None:
    """The attempt does not count, and the next worker applies it."""
    site = open_site()
    with site.working():
        write_id = site.post("Ebb", hosts[0].images(3))
        assert until(lambda: len(hosts[0].asked) == 2, PATIENCE_SECONDS)
    waiting = site.look(write_id)
    assert (waiting.status, waiting.attempt) == (WriteStatus.ACCEPTED, 0)
    hosts[0].release.set()
    with site.working():
        assert site.end(write_id) == {WriteStatus.APPLIED}


@pytest.mark.slow
@pytest.mark.usefixtures("every_queue")
def test_a_worker_killed_while_it_fetches_loses_nothing(open_site: Callable[..., Site], hosts: list[Host]) -> None:
    """Killed with -9 in the middle of forty fetches: the next worker applies each write once."""
    site = open_site()
    command = [sys.executable, "-m", "sitecms", "worker", str(site.runtime.settings.folder)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        slow = [site.post(f"Slow {number}", hosts[number % 4].images(5, f"{number}-")) for number in range(8)]
        slow += [site.write("PATCH", "/v2/posts/slow-0/", {"summary": "later"})]
        assert until(lambda: sum(len(host.asked) for host in hosts) >= 8, PATIENCE_SECONDS)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE_SECONDS)
    assert {site.look(each).status for each in slow} == {WriteStatus.ACCEPTED}
    for host in hosts:
        host.release.set()
    with site.working():
        assert site.end(*slow) == {WriteStatus.APPLIED}
    attempts = [site.look(each).attempt for each in slow]
    assert set(attempts) == {1, 2}
    assert attempts.count(2) >= 4
    assert site.summary("slow-0") == "later"
