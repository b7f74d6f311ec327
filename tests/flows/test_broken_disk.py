"""A disk that is full or fails under a running site: no write is told to be kept and lost; reads go on; all heals."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path

import pytest
import requests
from PIL import Image

from sitecms.actions.accounts.signing_in import sign_in
from sitecms.actions.accounts.users import add_user
from sitecms.clock import now
from sitecms.content.user import Role
from sitecms.settings.site import SiteSettings, load_settings
from sitecms.store.opening import open_database
from sitecms.studio.access import LOCAL_COOKIE
from tests.flows.conftest import Server
from tests.support.sites import SITE_TOML
from tests.support.waiting import PATIENCE_SECONDS, until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.sqlite_only("is about the disk of the store, which a server has for itself"),
]
DISK = "160m"
FULL = "The store cannot be written: no space left on device."
SHORT, LONG = "x" * 2_000, "x" * 200_000
CALLS = "pwrite64,fdatasync,fsync"


@pytest.fixture
def site(tmp_path: Path, lacking: Callable[[str], None]) -> Iterator[SiteSettings]:
    """A site on a small disk of its own, in memory."""
    folder = tmp_path / "site"
    folder.mkdir()
    mounted = shutil.which("mount") and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK},mode=755", "none", str(folder)], capture_output=True
    )
    if not mounted or mounted.returncode != 0:
        lacking("only the superuser can give the test a disk of its own")
    (folder / "site.toml").write_text(SITE_TOML, encoding="utf-8")
    yield load_settings(folder)
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


class Newsroom:
    """Writes posts, and remembers what was said of each."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.accepted: dict[str, str] = {}
        self.refused: dict[str, int] = {}

    def write(self, slug: str, text: str) -> None:
        """Send one post."""
        body = {"title": slug, "slug": slug, "status": "published", "body": text}
        try:
            answer = self._server.send("POST", "/v2/posts/", body)
        except requests.RequestException:
            self.refused[slug] = 0
            return
        if answer.status_code == 202:
            self.accepted[slug] = answer.headers["Location"]
        else:
            assert answer.headers["Content-Type"] == "application/json"
            assert 500 <= answer.status_code < 600, answer.text
            self.refused[slug] = answer.status_code

    def write_many(self, name: str, count: int, text: str = SHORT) -> None:
        """Send that many, four at a time."""
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda number: self.write(f"{name}-{number}", text), range(count)))

    def is_all_applied(self) -> bool:
        """Whether each that was accepted is there; one that failed fails the test."""
        for slug, location in self.accepted.items():
            told = self._server.send("GET", location).json()
            assert told["status"] in ("accepted", "applied"), (slug, told)
            if told["status"] != "applied":
                return False
        return True

    def listed(self) -> set[str]:
        """The slugs of all posts there are."""
        found: set[str] = set()
        page: int | None = 1
        while page:
            answer = self._server.send("GET", f"/v2/posts/?page={page}&page_size=100&exclude_body=true").json()
            found |= {post["slug"] for post in answer["data"]}
            page = answer["meta"]["next_page"]
        return found


def assert_nothing_is_lost(newsroom: Newsroom) -> None:
    """What was accepted is applied, all of it; what was refused is not there."""
    assert until(newsroom.is_all_applied)
    listed = newsroom.listed()
    assert newsroom.accepted.keys() <= listed
    assert not listed & newsroom.refused.keys()


def test_a_full_disk_loses_nothing(serve: Callable[..., Server], site: SiteSettings) -> None:
    """Filled to the last byte while writes come in, and given room again twice; the server is never restarted."""
    server = serve("--workers", "2")
    newsroom = Newsroom(server)
    newsroom.write_many("before", 8)
    assert until(newsroom.is_all_applied)
    for turn in range(2):
        with ThreadPoolExecutor(1) as pool:
            flood = pool.submit(newsroom.write_many, f"flood-{turn}", 20, LONG)
            time.sleep(0.2)
            fill(site.folder / "filler")
            flood.result(120)
        refused = len(newsroom.refused)
        for attempt in range(10):  # the files of the store may have space to use again
            newsroom.write_many(f"full-{turn}-{attempt}", 30, LONG)
            if len(newsroom.refused) - refused > 5:
                break
        assert set(newsroom.refused.values()) == {503}
        assert_full_disk_is_reported(server, site)
        assert len(newsroom.refused) - refused > 5
        for slug in ("before-0", "before-7"):
            answer = server.send("GET", f"/v2/posts/{slug}/")
            assert (answer.status_code, answer.json()["data"]["slug"]) == (200, slug)
        time.sleep(0 if turn else 6)  # a write is tried once a second, and given up after the fifth time
        (site.folder / "filler").unlink()
        assert_nothing_is_lost(newsroom)
        assert until(lambda: server.send("GET", "/health/ready").status_code == 200)
        newsroom.write_many(f"after-{turn}", 8)
        assert all(f"after-{turn}-{number}" in newsroom.accepted for number in range(8))
        assert_nothing_is_lost(newsroom)


def test_an_upload_on_a_full_disk_leaves_nothing_half_done(serve: Callable[..., Server], site: SiteSettings) -> None:
    """The answers say why; no file, row or picture is there afterwards; once there is room, the same is taken."""
    server = serve("--workers", "1")
    window = signed_in_window(server, site)
    image = BytesIO()
    Image.new("RGB", (640, 480), "navy").save(image, "PNG")
    picture = image.getvalue()
    before = stored_files(site)
    fill(site.folder / "filler")
    refused = upload(window, server, picture)
    assert (refused.status_code, "The disk of the server is full." in refused.text) == (507, True)
    by_script = upload(window, server, picture, Accept="application/json")
    assert by_script.status_code == 507
    body = {"title": "With a picture", "slug": "pictured", "featured_image": "https://pictures.example/x.png"}
    for answer in [server.send("POST", "/v2/posts/", body) for _ in range(20)]:
        assert answer.status_code in (400, 503), answer.text  # no such host, if the network can be asked
    for _ in range(200):  # until no file of the store has space to use again
        answer = server.send("POST", "/v2/posts/", {"title": "Long", "body": LONG})
        if answer.status_code == 503:
            break
    assert (answer.status_code, answer.json().keys(), "Retry-After" in answer.headers) == (503, {"detail"}, True)
    assert "0 files" in window.get(f"{server.url}/studio/media/?text=ebb.png", timeout=PATIENCE_SECONDS).text
    (site.folder / "filler").unlink()
    assert stored_files(site) == before
    assert until(lambda: server.send("GET", "/health/ready").status_code == 200)
    taken = upload(window, server, picture)
    assert (taken.status_code, "Uploaded." in taken.text) == (200, True)
    assert "ebb.png" in window.get(f"{server.url}/studio/media/?text=ebb.png", timeout=PATIENCE_SECONDS).text
    assert len(stored_files(site)) == len(before) + 1


class Window(requests.Session):
    """A browser in which an editor is signed in."""

    form_token = ""


def signed_in_window(server: Server, site: SiteSettings) -> Window:
    """Sign an editor in."""
    database = open_database(site.store)
    add_user(database, None, "mira", Role.EDITOR, "", "correct horse battery staple", "Tide", now())
    secret = sign_in(database, "mira", "correct horse battery staple", now(), "", "").secret
    database.close()
    window = Window()
    window.cookies.set(LOCAL_COOKIE, secret)
    window.headers["Sec-Fetch-Site"] = "same-origin"
    page = window.get(f"{server.url}/studio/media/", timeout=PATIENCE_SECONDS).text
    window.form_token = re.findall(r'name="form_token" value="([0-9a-f]+)"', page)[0]
    return window


def upload(window: Window, server: Server, picture: bytes, **headers: str) -> requests.Response:
    """Send a picture to the library."""
    data, files = {"form_token": window.form_token}, {"upload": ("ebb.png", picture, "image/png")}
    address = f"{server.url}/studio/media/"
    return window.post(address, data=data, files=files, headers=headers, timeout=PATIENCE_SECONDS)


def stored_files(site: SiteSettings) -> set[str]:
    """The files of the library, temporary ones included."""
    return {path.name for path in site.media_dir.rglob("*") if path.is_file()}


def assert_full_disk_is_reported(server: Server, site: SiteSettings) -> None:
    """Whether writes, the health check and commands say it, each in one line."""
    fill(site.folder / "filler-2")
    ready = server.send("GET", "/health/ready")
    assert (ready.status_code, ready.json()["reasons"]) == (503, [FULL])
    for options in (["verify"], ["verify", "--repair"], ["backup", "{}/site.tar.gz"]):
        command = [sys.executable, "-m", "sitecms", options[0], str(site.folder)]
        command += [option.format(site.folder) for option in options[1:]]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr.count("\n")) == (3, 1), done.stderr
        assert "no space left on device" in done.stderr
    (site.folder / "filler-2").unlink()


def fill(path: Path) -> None:
    """Write zeros until nothing fits any more, not even what others let go of meanwhile."""
    with path.open("wb", buffering=0) as file:
        for size in (1024 * 1024, 4096, 4096, 4096):
            with suppress(OSError):
                while True:
                    file.write(bytes(size))
            time.sleep(0.05)


@contextmanager
def failing(pids: list[int], calls: str, lacking: Callable[[str], None]) -> Iterator[None]:
    """Each of these system calls of the processes fails with EIO."""
    strace = shutil.which("strace")
    if strace is None:
        lacking("strace is not installed")
        return
    attached = [word for pid in pids for word in ("-p", str(pid))]
    command = [strace, "-f", "-qq", "-o", os.devnull, "-e", f"trace={calls}", "-e", f"inject={calls}:error=EIO"]
    process = subprocess.Popen([*command, *attached], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 60
        while not all(is_traced(pid) for pid in pids):
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.01)
        yield
    finally:
        process.send_signal(signal.SIGINT)  # lets go of the processes
        process.wait(60)


def is_traced(pid: int) -> bool:
    """Whether every thread of the process is."""
    texts = [(task / "status").read_text("ascii") for task in Path(f"/proc/{pid}/task").iterdir()]
    return all("TracerPid:\t0\n" not in text for text in texts)


@pytest.mark.parametrize(("who", "calls"), [("web", CALLS), ("worker", CALLS), ("worker", "fdatasync,fsync")])
def test_a_failing_disk_loses_nothing(
    serve: Callable[..., Server], lacking: Callable[[str], None], who: str, calls: str
) -> None:
    """Whether the process that accepts or the one that applies cannot write, or not make sure that it is written."""
    server = serve("--workers", "1")
    newsroom = Newsroom(server)
    newsroom.write_many("before", 4)
    assert until(newsroom.is_all_applied)
    struck = [pid for pid, command in server.children().items() if (" worker " in command) == (who == "worker")]
    assert len(struck) == 1
    with failing(struck, calls, lacking):
        newsroom.write_many("during", 12)
        assert list(newsroom.refused.values()) == ([503] * 12 if who == "web" else [])
        for slug in ("before-0", "before-3"):
            assert server.send("GET", f"/v2/posts/{slug}/").status_code == 200
        if who == "worker":
            time.sleep(7)  # a write is tried once a second, and given up after the fifth time
    newsroom.write_many("after", 4)
    assert all(f"after-{number}" in newsroom.accepted for number in range(4))
    assert_nothing_is_lost(newsroom)
    assert struck[0] in server.children()
