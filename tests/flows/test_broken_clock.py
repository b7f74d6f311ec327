"""A clock that jumps under a running site, by days and both ways: writes are applied, once and soon; reads go on."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from sitecms.settings.site import SiteSettings
from tests.flows.conftest import Server
from tests.support.commands import CommandServer
from tests.support.waiting import until
from tests.support.webhooks import Receiver

pytestmark = [pytest.mark.slow, pytest.mark.sqlite_only("is about the clock of this machine, whatever keeps the store")]
LIBRARIES = tuple(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
MISSING = "libfaketime is not installed (Debian: libfaketime)"
SLEEP = "import select, time\ntime.sleep = lambda seconds: select.select([], [], [], seconds) and None\n"
"""libfaketime 0.9.10 takes the call that Python sleeps by for one with a false time."""
DAY = 86_400


@dataclass(frozen=True)
class Watch:
    """What processes take for the time, by a file that they look into."""

    file: Path

    def jump(self, days: float) -> None:
        """So far from the true time, from now on."""
        aside = self.file.with_suffix(".new")
        aside.write_text(f"{days * DAY:+.0f}\n", encoding="ascii")
        aside.replace(self.file)

    def variables(self) -> dict[str, str]:
        """What a process gets that is to look at it; that by which it waits is left alone, as a system leaves it."""
        python = self.file.with_name("python")
        python.mkdir(exist_ok=True)
        (python / "sitecustomize.py").write_text(SLEEP, encoding="utf-8")
        path = os.pathsep.join(filter(None, (str(python), os.environ.get("PYTHONPATH"))))
        look = {
            "FAKETIME_TIMESTAMP_FILE": str(self.file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }
        return {"PYTHONPATH": path, "LD_PRELOAD": str(LIBRARIES[0]), **look}


@pytest.fixture
def watch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lacking: Callable[[str], None]) -> Watch:
    """A clock for processes started from now on."""
    if not LIBRARIES:
        lacking(MISSING)
    made = Watch(tmp_path / "clock")
    made.jump(0)
    for name, value in made.variables().items():
        monkeypatch.setenv(name, value)
    return made


@pytest.fixture
def command_server(watch: Watch) -> Iterator[CommandServer]:
    """A process that looks at the clock, as the commands do that it forks."""
    with closing(CommandServer()) as server:
        yield server


def write(server: Server, slug: str) -> str:
    """Send a post; where it is told what became of it."""
    answer = server.send("POST", "/v2/posts/", {"title": slug, "slug": slug, "status": "published"})
    assert answer.status_code == 202, answer.text
    return answer.headers["Location"]


def is_applied(server: Server, location: str) -> bool:
    """Whether the write is."""
    return bool(server.send("GET", location).json()["status"] == "applied")


def test_writes_are_applied_whatever_the_clock_says(
    watch: Watch,
    serve: Callable[..., Server],
    make_receiver: Callable[..., Receiver],
    site: SiteSettings,
) -> None:
    """Forwards and backwards by days; each within seconds, and told of to a receiver."""
    receiver = make_receiver()
    with (site.folder / "site.toml").open("a", encoding="utf-8") as file:
        file.write('[webhooks]\nallow_hosts = ["127.0.0.1"]\n')
    command = [sys.executable, "-m", "sitecms", "webhook", "add", str(site.folder), receiver.url, "--event", "post.*"]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    server = serve("--workers", "1")
    sent = []
    for number, days in enumerate((0, 3, -3, 400, -0.01)):
        watch.jump(days)
        sent.append(f"tide-{number}")
        location = write(server, sent[-1])
        assert until(partial(is_applied, server, location), 60)
        for slug in sent:
            assert server.send("GET", f"/v2/posts/{slug}/").json()["data"]["slug"] == slug
    assert until(lambda: {str(message.json["data"]["id"]) for message in receiver.received} == set(sent), 60)


def test_write_accepted_with_a_future_clock_is_applied(watch: Watch, serve: Callable[..., Server]) -> None:
    """A clock is put right by days: writes that waited for a worker wait no longer than others, in their order."""
    server = serve("--workers", "1", "--no-worker")
    watch.jump(3)
    first = write(server, "tide")
    last = server.send("PATCH", "/v2/posts/tide/", {"title": "Ebb tide"}).headers["Location"]
    watch.jump(0)
    server.add_workers(1)
    assert until(lambda: is_applied(server, first) and is_applied(server, last), 60)
    assert server.send("GET", "/v2/posts/tide/").json()["data"]["title"] == "Ebb tide"
