"""`sitecms serve` of a site without users: on a terminal it prints an address that makes the first one."""

import os
import pty
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import requests

from sitecms.clock import now
from sitecms.content.account_link import LinkKind
from sitecms.runtime import Runtime
from sitecms.store.accounts.links import find_open_links
from sitecms.store.accounts.users import find_users
from tests.support.commands import CommandServer, Output
from tests.support.ports import free_port
from tests.support.waiting import PATIENCE_SECONDS

PASSWORD = "correct horse battery staple"
Start = Callable[[str], tuple[str, Output]]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """What the servers write on stderr."""
    return tmp_path / "log"


@pytest.fixture
def start(runtime: Runtime, command_server: CommandServer, log: Path) -> Iterator[Start]:
    """Serve the site on a terminal, with what is added to its settings; return its address, and the terminal."""
    folder, started, terminals = runtime.settings.folder, [], []

    def serve(added_settings: str) -> tuple[str, Output]:
        with (folder / "site.toml").open("a", encoding="utf-8") as file:
            file.write(added_settings)
        port, (ours, theirs) = free_port(), pty.openpty()
        terminals.append(ours)
        words = ("serve", folder, "--port", str(port), "--workers", "1", "--no-worker")
        with os.fdopen(theirs, "w") as terminal, log.open("a") as errors:
            started.append(command_server.start(*words, stdout=terminal, stderr=errors))
        return f"http://127.0.0.1:{port}", Output(ours)

    yield serve
    for process in started:
        process.terminate()
        process.wait(PATIENCE_SECONDS)
    for handle in terminals:
        os.close(handle)


def studio_line(terminal: Output) -> str:
    """Return the line about the studio, which is the third."""
    return [terminal.readline().strip() for _ in range(3)][-1]


def open_links(runtime: Runtime) -> int:
    """Return the number of links that would make the first user."""
    return len(runtime.database.read(find_open_links, LinkKind.FIRST, now()))


def test_terminal_shows_an_address_that_makes_the_first_user(runtime: Runtime, start: Start, log: Path) -> None:
    """It signs the user in, an admin; it stands in no log; the next start shows none."""
    url, terminal = start("\n[logs]\naccess = true\n")
    assert studio_line(terminal) == f"The studio, to write in a browser: {url}/studio/"
    said, _colon, address = terminal.readline().strip().partition(": ")
    assert said == "It has no users yet. Make the first one, an admin, within an hour"
    form_address, _question, code = address.partition("?code=")
    assert form_address == f"{url}/studio/first/"
    assert "of the first one" in requests.get(address, timeout=PATIENCE_SECONDS).text
    form = {"code": code, "name": "mira", "password": PASSWORD, "repeated": PASSWORD}
    here = {"Sec-Fetch-Site": "same-origin"}
    entered = requests.post(form_address, form, headers=here, timeout=PATIENCE_SECONDS, allow_redirects=False)
    assert (entered.status_code, entered.headers["Location"]) == (303, "/studio/signed-in/")
    assert requests.get(address, timeout=PATIENCE_SECONDS).status_code == 410
    assert [(each.name, each.role.value) for each in runtime.database.read(find_users)] == [("mira", "admin")]
    lines = log.read_text(encoding="utf-8")
    assert lines.count("/studio/first/") >= 3
    assert code not in lines
    url, terminal = start("")
    assert studio_line(terminal) == f"The studio, to write in a browser: {url}/studio/"
    assert open_links(runtime) == 0


def test_address_is_the_public_one_behind_a_proxy(runtime: Runtime, start: Start) -> None:
    """As that of an invitation, since the browser is on another machine."""
    _url, terminal = start('\n[serve]\nurl = "https://api.tide.example"\n')
    studio_line(terminal)
    assert "within an hour: https://api.tide.example/studio/first/?code=" in terminal.readline()
    assert open_links(runtime) == 1


def test_where_output_is_kept_as_a_log_the_command_is_named(runtime: Runtime, start: Start) -> None:
    """On a terminal whose lines programs read. Without a terminal, `test_serve` reads the same line."""
    _url, terminal = start('\n[logs]\nformat = "json"\n')
    assert "(add its first user: sitecms user add" in studio_line(terminal)
    assert open_links(runtime) == 0
