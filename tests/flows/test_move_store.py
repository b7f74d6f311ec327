"""A store that moves while clients write, or while the move is killed again and again: nothing accepted is lost."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from threading import Event, Thread
from typing import Any

import pytest
from msgspec.structs import replace

from sitecms.content.author import Author
from sitecms.errors import StoreMoved
from sitecms.runtime import Runtime
from sitecms.settings.service_url import ServiceUrl
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Database
from sitecms.store.entries.authors import save_author
from sitecms.store.maintenance.rows import numbers, table_sums
from sitecms.store.maintenance.statistics import count_rows
from sitecms.store.opening import open_database
from sitecms.store.site_state.relocation_state import MoveState, Relocation, find_move, set_move
from tests.support.commands import CommandServer
from tests.support.engines import ENGINES, Stores
from tests.support.postgres import Databases
from tests.support.reading import select
from tests.support.waiting import until

pytestmark = pytest.mark.slow
KILLED = """
import os, signal, sys
from dataclasses import replace
from pathlib import Path
from sitecms.actions.operations.moves import move_store
from sitecms.settings.service_url import ServiceUrl
from sitecms.settings.site import load_settings

settings, ticks = load_settings(Path(sys.argv[1])), 0

def tick(phase, done, total):
    global ticks
    ticks += phase == sys.argv[3]
    if ticks == int(sys.argv[4]):
        os.kill(os.getpid(), signal.SIGKILL)

move_store(settings, ServiceUrl(sys.argv[2]) if "://" in sys.argv[2] else settings.store_path, tick)
"""
MOMENTS = (("Rows", 1), ("Rows", 1), ("Rows", 1), ("Posts", 1), ("Comparing", 1), ("Comparing", 18))
"""Each `Rows` behind the one before: what has arrived is not copied again."""
BEFORE = 20  # writes at least are accepted before the move begins


@pytest.fixture
def there(runtime: Runtime, engine: Stores, databases: Databases) -> Iterator[SiteSettings]:
    """The site, as it is once its store has moved to the other engine."""
    name = databases.take(empty=True) if engine.engine == ENGINES[0] else ""
    yield replace(runtime.settings, store_url=ServiceUrl(databases.server.url(name) if name else ""))
    if name:
        databases.give_back(name)


def word(settings: SiteSettings) -> str:
    """As `--to` and SITECMS_STORE_URL take it."""
    return settings.store_url.reveal() or "sqlite"


def everything(database: Database) -> object:
    with database.reading() as session:
        return table_sums(session), numbers(session)


def is_open(database: Database) -> bool:
    """Whether it can be written to; changes nothing."""
    try:
        with database.writing():
            return True
    except StoreMoved:
        return False


def test_a_move_that_is_killed_goes_on_where_it_stopped(
    runtime: Runtime, make_post: Callable[..., int], there: SiteSettings, command_server: CommandServer
) -> None:
    """At any step: until it is done nobody writes to either; then everything is there, and only there."""
    for number in range(450):
        make_post(f"post-{number}", body=f"<p>{number} sea</p>")
    before = everything(runtime.database)
    for phase, ticks in MOMENTS:
        command = [sys.executable, "-c", KILLED, str(runtime.settings.folder), word(there), phase, str(ticks)]
        killed = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert killed.returncode == -9, (phase, killed.stderr)
        assert not is_open(runtime.database)
        with pytest.raises(StoreMoved, match="is incomplete"):
            open_database(there.store)
    moved = command_server.run("move-store", runtime.settings.folder, "--to", word(there))
    assert moved.returncode == 0, moved.stderr
    assert not is_open(runtime.database)
    database = open_database(there.store)
    assert everything(database) == before
    assert is_open(database)
    _halt_before_the_last_step(database)
    assert command_server.run("move-store", runtime.settings.folder, "--to", word(there)).returncode == 0
    assert is_open(database)
    database.close()


def _halt_before_the_last_step(database: Database) -> None:
    """As if it had been killed after the old store was given up, and before the new one was opened."""
    database.is_moving = True
    with database.writing(counts_as_change=False) as transaction:
        done = find_move(transaction)
        assert done is not None
        set_move(transaction, Relocation(MoveState.ARRIVING, done.place, done.mark))
    database.is_moving = False
    assert not is_open(database)


def test_what_was_accepted_before_the_move_is_applied_after_it(
    runtime: Runtime,
    serve: Callable[..., Any],
    there: SiteSettings,
    monkeypatch: pytest.MonkeyPatch,
    command_server: CommandServer,
) -> None:
    """Clients get 202 or 503, readers go on; the old server says where the store went and will not start again."""
    server = serve()
    stop = Event()
    accepted: list[list[str]] = [[], []]
    refused: list[str] = []

    def write(client: int) -> None:
        number = 0
        while not stop.is_set():
            number += 1
            slug = f"c{client}-{number}"
            post = {"title": "Load", "slug": slug, "status": "published", "body": f"<p>{slug}</p>"}
            status = server.send("POST", "/v2/posts/", post).status_code
            assert status in (202, 503), status
            (accepted[client] if status == 202 else refused).append(slug)

    threads = [Thread(target=write, args=(client,)) for client in range(2)]
    for thread in threads:
        thread.start()
    assert until(lambda: sum(map(len, accepted)) > BEFORE)
    moved = command_server.run("move-store", runtime.settings.folder, "--to", word(there))
    assert moved.returncode == 0, moved.stderr
    assert until(lambda: len(refused) > 5)
    stop.set()
    for thread in threads:
        thread.join()
    assert server.send("GET", "/v2/posts/").status_code == 200
    server.stop()
    again = command_server.run("serve", runtime.settings.folder, "--port", "1")
    assert (again.returncode, "has moved to" in again.stderr) == (3, True), again.stderr
    monkeypatch.setenv("SITECMS_STORE_URL", word(there))
    _check_all_applied(command_server, there, {slug for each in accepted for slug in each})


def _check_all_applied(commands: CommandServer, there: SiteSettings, accepted: set[str]) -> None:
    database = open_database(there.store)
    worker = commands.start("worker", there.folder)

    def is_done() -> bool:
        return database.read(count_rows)["open_writes"] == 0

    try:
        assert until(is_done)
        found = {str(row[0]) for row in select(database, "SELECT slug FROM entry WHERE kind = 'post'")}
        assert len(accepted) > BEFORE
        assert found == accepted
    finally:
        worker.terminate()
        worker.communicate(30)
        database.close()
    assert commands.run("verify", there.folder).returncode == 0


def test_the_command_tells_what_is_left_to_do_and_no_password(
    runtime: Runtime, there: SiteSettings, make_author: Callable[..., str], command_server: CommandServer
) -> None:
    """The line of the settings, which stay as they are; then back again, or called off."""
    make_author("ann-ray")
    folder, before = runtime.settings.folder, (runtime.settings.folder / "site.toml").read_text()
    place = word(there).replace("postgres@", "postgres:s3cret@")
    moved = command_server.run("move-store", folder, "--to", place)
    assert moved.returncode == 0, moved.stderr
    assert "s3cret" not in moved.stdout + moved.stderr
    assert (f'url = "{word(there)}"' if there.store_url else "remove url from [store]") in moved.stdout
    assert (folder / "site.toml").read_text() == before
    listed = command_server.run("status", folder)
    assert (listed.returncode, "has moved to" in listed.stderr, "s3cret" in listed.stderr) == (3, True, False)
    stays = command_server.run("move-store", folder, "--cancel")
    assert (stays.returncode, "can be written to" in stays.stdout) == (0, True), stays.stderr
    runtime.database.write(save_author, Author("bo"))


@pytest.mark.parametrize("words", [(), ("--to", "mysql://x/tide"), ("--to", "sqlite", "--cancel")])
def test_invalid_target_is_wrong_usage(
    site: SiteSettings, words: tuple[str, ...], command_server: CommandServer
) -> None:
    """Said with what would be right."""
    done = command_server.run("move-store", site.folder, *words)
    assert (done.returncode, "--to" in done.stderr) == (2, True)
