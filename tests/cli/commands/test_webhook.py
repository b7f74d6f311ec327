"""`sitecms webhook`: subscriptions, their messages, sending once more; and a worker that delivers."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from click.testing import Result

from sitecms.actions.writing.entry_events import record_event
from sitecms.clock import now
from sitecms.content.webhooks.event import Event, EventKind
from sitecms.content.webhooks.webhook import sign
from sitecms.runtime import Runtime
from sitecms.store.database import Database
from sitecms.store.writes.webhooks import set_disabled
from tests.support import command_line
from tests.support.commands import CommandServer
from tests.support.waiting import PATIENCE_SECONDS, until
from tests.support.webhooks import Receiver

MakeReceiver = Callable[..., Receiver]


run = partial(command_line.run, "webhook")


def allow(folder: Path, *receivers: Receiver) -> None:
    """Let messages go to these private receivers, and be tried again at once."""
    hosts = [receiver.host for receiver in receivers]
    with (folder / "site.toml").open("a", encoding="utf-8") as file:
        file.write(f"[webhooks]\nallow_hosts = {hosts}\nretry_seconds = [0, 0, 0, 0]\ntimeout_seconds = 1\n")


def happen(store: Database) -> None:
    store.write(record_event, Event(EventKind.POST_PUBLISHED, {"id": "ebb", "_id": 3}), now())


def rows(result: Result) -> list[list[str]]:
    """The cells below the headings."""
    return [re.split(r" {2,}", line) for line in result.stdout.splitlines()[1:]]


@contextmanager
def worker(commands: CommandServer, folder: Path) -> Iterator[None]:
    process = commands.start("worker", folder)
    try:
        yield
    finally:
        process.terminate()
        process.communicate(PATIENCE_SECONDS)
        assert process.returncode == 0


def test_add_prints_the_secret_alone_and_list_does_not(runtime: Runtime) -> None:
    """Made for `$(...)`; shown this once."""
    folder = runtime.settings.folder
    added = run("add", folder, "https://hooks.example/in", "--event", "post.*", "--event", "page.published")
    assert (added.exit_code, added.stderr) == (
        0,
        "Webhook 1 sends post.*, page.published to https://hooks.example/in. Its secret:\n",
    )
    assert re.fullmatch(r"whsec_[A-Za-z0-9+/]{43}=\n", added.stdout)
    listed = run("list", folder)
    ((number, target, events, _created, state),) = rows(listed)
    assert (number, target, events, state) == ("1", "https://hooks.example/in", "post.* page.published", "on")
    assert "whsec" not in listed.stdout
    assert run("remove", folder, 1).exit_code == 0
    assert rows(run("list", folder)) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("add", "https://x.example", "--event", "post"), "There is no event 'post'"),
        (("add", "https://x.example"), "--event"),
        (("add", "ftp://x.example", "--event", "*"), "not an http(s) address"),
        (("add", "https://me:secret@x.example", "--event", "*"), "not an http(s) address"),
        (("add", "https://x.example", "--event", "*", "--header", "Nonsense"), "'Name: value'"),
        (("add", "https://x.example", "--event", "*", "--header", "X: a\r\nY: b"), "'Name: value'"),
        (("add", "https://x.example", "--event", "*", "--header", "Webhook-Id: 1"), "set by sitecms"),
        (("add", "https://x.example", "--event", "*", "--header", "content-length: 1"), "set by sitecms"),
        (("remove", "7"), "no webhook 7"),
        (("enable", "7"), "no webhook 7"),
        (("rotate", "7"), "no webhook 7"),
        (("test", "7"), "no webhook 7"),
        (("deliveries", "7"), "no webhook 7"),
        (("replay", "7"), "no webhook 7"),
        (("replay", "msg_nothing"), "no delivery 'msg_nothing'"),
    ],
)
def test_wrong_usage_is_exit_code_2(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], said: str
) -> None:
    """Said on stderr; nothing is made."""
    monkeypatch.chdir(runtime.settings.folder)
    command, *rest = arguments
    result = run(command, *rest)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert rows(run("list")) == []


def test_test_shows_the_answer(runtime: Runtime, make_receiver: MakeReceiver) -> None:
    """Harmless to a terminal; exit code 1 where it was not taken."""
    folder, receiver = runtime.settings.folder, make_receiver(200, 500)
    allow(folder, receiver)
    secret = run("add", folder, receiver.url, "--event", "*").stdout.strip()
    taken, refused = run("test", folder, 1), run("test", folder, 1)
    assert (taken.exit_code, refused.exit_code) == (0, 1)
    assert re.fullmatch(r"HTTP 200 after \d+ ms. Answer \ufffd 200\n", taken.stdout)
    message = receiver.received[0]
    signed = sign(secret, message.headers["webhook-id"], int(message.headers["webhook-timestamp"]), message.body)
    assert message.headers["webhook-signature"] == signed


def test_a_private_receiver_is_refused(runtime: Runtime, make_receiver: MakeReceiver) -> None:
    """Unless the settings name it."""
    receiver = make_receiver()
    run("add", runtime.settings.folder, receiver.url, "--event", "*")
    result = run("test", runtime.settings.folder, 1)
    assert (result.exit_code, receiver.received) == (1, [])
    assert "not public (allow_hosts in site.toml" in result.stdout


def test_a_worker_delivers_and_the_log_shows_it(
    runtime: Runtime, make_receiver: MakeReceiver, command_server: CommandServer
) -> None:
    """A live receiver is told beside one that is dead; what failed can be sent once more, with the same id."""
    folder, store = runtime.settings.folder, runtime.database
    live, broken = make_receiver(500, 200), make_receiver(500)
    allow(folder, live, broken)
    for receiver in (live, broken):
        run("add", folder, receiver.url, "--event", "post.all")
    happen(store)
    with worker(command_server, folder):
        assert until(lambda: (len(live.received), len(broken.received)) == (2, 5))
        assert until(lambda: "failed" in run("deliveries", folder, 2).stdout)
        ((message, event, status, attempts, _created, _due),) = rows(run("deliveries", folder, 1))
        assert (event, status, attempts) == ("post.published", "delivered", "2")
        log = rows(run("deliveries", folder, 1, "--message", message))
        assert [(row[0], row[2], row[4]) for row in log] == [
            ("1", "500", "Answer \ufffd 500"),
            ("2", "200", "Answer \ufffd 200"),
        ]
        assert rows(run("deliveries", folder, 1, "--status", "failed")) == []
        broken.script = [200]
        assert run("replay", folder, 2).stderr == "The worker will send 1 message again.\n"
        assert run("replay", folder, message).exit_code == 0
        assert until(lambda: (len(live.received), len(broken.received)) == (3, 6))
    for receiver in (live, broken):
        assert len({received.headers["webhook-id"] for received in receiver.received}) == 1


def test_rotate_and_enable(runtime: Runtime, make_receiver: MakeReceiver) -> None:
    """For a while both secrets sign; --keep-hours 0 ends the former at once. One that is off can be turned on."""
    folder, receiver = runtime.settings.folder, make_receiver()
    allow(folder, receiver)
    secrets = [run("add", folder, receiver.url, "--event", "*").stdout.strip()]
    secrets.append(run("rotate", folder, 1).stdout.strip())
    run("test", folder, 1)
    secrets.append(run("rotate", folder, 1, "--keep-hours", 0).stdout.strip())
    run("test", folder, 1)
    for message, keys in zip(receiver.received, ((1, 0), (2,)), strict=True):
        facts = message.headers["webhook-id"], int(message.headers["webhook-timestamp"]), message.body
        assert message.headers["webhook-signature"].split(" ") == [sign(secrets[key], *facts) for key in keys]
    runtime.database.write(set_disabled, 1, now())
    assert "off since" in run("list", folder).stdout
    assert run("enable", folder, 1).exit_code == 0
    assert rows(run("list", folder))[0][-1] == "on"
