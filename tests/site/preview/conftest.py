"""A previewed site: a real `sitecms preview`, in a process of its own."""

import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.support.commands import CommandServer
from tests.support.sites import share_templates
from tests.support.waiting import PATIENCE_SECONDS

SETTINGS = 'name = "Tide"\nurl = "https://tide.example"\ndescription = "On the sea"\nowner = "ann-ray"\n'


def front(title: str, **facts: str) -> str:
    lines = "\n".join(f"{key}: {value}" for key, value in facts.items())
    return f"---\ntitle: {title}\nsummary: On it.\n{lines}\n---\n"


PUBLISHED = {"status": "published", "published": "2026-03-01T08:00:00Z"}


class Previewed:
    """A running preview of a folder."""

    def __init__(self, commands: CommandServer, folder: Path, *options: str) -> None:
        self.folder = folder
        with (folder.parent / f"{folder.name}.log").open("a", encoding="utf-8") as log:
            variables = {"TMPDIR": str(_temporary(folder))}
            self.process = commands.start("preview", folder, *options, variables=variables, stderr=log)
        line = self.process.stdout.readline()
        assert line.startswith("sitecms previews "), (folder.parent / f"{folder.name}.log").read_text()
        self.url = line.split()[-1].rstrip("/")

    def get(self, path: str, **headers: str) -> requests.Response:
        return requests.get(self.url + path, headers=headers, timeout=PATIENCE_SECONDS, allow_redirects=False)

    def state(self) -> Any:
        host = "/".join(self.url.split("/")[:3])
        return requests.get(f"{host}/.preview/state.json", timeout=PATIENCE_SECONDS).json()

    def after(self, version: str) -> Any:
        """The state of the first build after that version."""
        end = time.monotonic() + PATIENCE_SECONDS
        while (state := self.state())["version"] == version:
            assert time.monotonic() < end, "nothing was built"
            time.sleep(0.02)
        return state

    def changed(self, change: Callable[[], object]) -> Any:
        """The state after a change."""
        version = self.state()["version"]
        change()
        return self.after(version)

    def shows(self, path: str, text: str) -> bool:
        """Whether the page holds the text, now or soon."""
        end = time.monotonic() + PATIENCE_SECONDS
        while text not in self.get(path).text:
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True

    def stop(self, number: int = signal.SIGINT) -> int:
        self.process.send_signal(number)
        self.process.communicate(PATIENCE_SECONDS)
        return self.process.wait(PATIENCE_SECONDS)


def _temporary(folder: Path) -> Path:
    made = folder.parent / "temporary"
    made.mkdir(exist_ok=True)
    return made


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A small site folder with a published post, a draft and a scheduled one."""
    return make_site(tmp_path / "tide")


def make_site(folder: Path) -> Path:
    files = {
        "site.toml": SETTINGS,
        "content/authors.yaml": "- {slug: ann-ray, first_name: Ann}\n",
        "content/posts/fog.md": front("Fog", **PUBLISHED) + "White.\n",
        "content/posts/storm.md": front("Storm", status="draft") + "Grey.\n",
        "content/posts/spring.md": front("Spring", scheduled="2099-03-01T08:00:00Z") + "Green.\n",
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    share_templates(folder)
    return folder


@pytest.fixture
def preview(site: Path, command_server: CommandServer) -> Iterator[Callable[..., Previewed]]:
    """Start a preview of the site, with these options."""
    started: list[Previewed] = []

    def start(*options: str) -> Previewed:
        started.append(Previewed(command_server, site, *options))
        return started[-1]

    yield start
    for each in started:
        if each.process.poll() is None:
            each.stop()


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory, command_server: CommandServer) -> Iterator[Previewed]:
    """One preview that tests only look at."""
    started = Previewed(command_server, make_site(tmp_path_factory.mktemp("preview") / "tide"))
    yield started
    started.stop()
