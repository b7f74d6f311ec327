"""A backup made while clients write: what was acknowledged before it began is in it, and it is whole."""

import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from PIL import Image

from sitecms.runtime import Runtime, open_runtime
from sitecms.settings.site import load_settings
from sitecms.store.maintenance.statistics import count_rows
from tests.support.commands import CommandServer
from tests.support.pictures import image_bytes
from tests.support.postgres import Databases
from tests.support.waiting import until

CLIENTS = 4
BEFORE = 40  # writes at least are accepted before the backup begins
pytestmark = pytest.mark.slow


class Writer:
    """One client that creates posts and notes each that was accepted, and when."""

    def __init__(self, server: Any, name: str, stop: Event) -> None:
        self.accepted: list[tuple[float, str]] = []
        self._server, self._name, self._stop = server, name, stop

    def run(self) -> None:
        """Until told to stop."""
        number = 0
        while not self._stop.is_set():
            number += 1
            slug = f"{self._name}-{number}"
            post = {"title": "Load", "slug": slug, "status": "published", "body": f"<p>{slug}</p>", "tags": ["sea"]}
            answered = self._server.send("POST", "/v2/posts/", post)
            assert answered.status_code == 202, answered.text
            self.accepted.append((time.monotonic(), slug))


def add_pictures(folder: Path) -> int:
    """Some stored media files, which a page of files shows."""
    media = folder / "media"
    media.mkdir()
    shown = []
    for number in range(12):
        (media / f"p{number}.png").write_bytes(image_bytes(Image.frombytes("RGB", (40, 40), os.urandom(4800)), "PNG"))
        shown.append(f"![x](media/p{number}.png)")
    page = folder / "content" / "pages" / "_single"
    page.mkdir(parents=True)
    (page / "about.md").write_text("---\ntitle: About\nstatus: published\n---\n" + "\n\n".join(shown) + "\n")
    return len(shown)


def test_every_write_acknowledged_before_the_backup_is_in_it(
    runtime: Runtime,
    serve: Callable[..., Any],
    tmp_path: Path,
    databases: Databases,
    command_server: CommandServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Applied in the backup, or applied by a worker of the restored site, whatever keeps its store; media whole."""
    folder = runtime.settings.folder
    count = add_pictures(folder)
    server = serve()
    assert command_server.run("load", folder).returncode == 0
    server.add_workers(1)
    stop = Event()
    clients = [Writer(server, name, stop) for name in ("ann", "bo", "cy", "di")[:CLIENTS]]
    threads = [Thread(target=client.run) for client in clients]
    for thread in threads:
        thread.start()
    assert until(lambda: sum(len(client.accepted) for client in clients) > BEFORE)
    begun = time.monotonic()
    backup = command_server.run("backup", folder, tmp_path / "kept.tar.gz")
    ended = time.monotonic()
    beside = command_server.run("verify", folder)
    stop.set()
    for thread in threads:
        thread.join()
    assert backup.returncode == 0, backup.stderr
    assert beside.returncode == 0, beside.stdout  # what goes on is not taken for an error
    before = {slug for client in clients for at, slug in client.accepted if at < begun}
    assert len(before) > BEFORE
    assert any(at > ended for client in clients for at, _slug in client.accepted)
    server.stop()
    name = databases.take(empty=True)
    for place in ("sqlite", databases.server.url(name)):
        monkeypatch.setenv("SITECMS_STORE_URL", place)
        check_restored(command_server, tmp_path / "kept.tar.gz", tmp_path / place[:6], before, count)
    databases.give_back(name)


def check_restored(commands: CommandServer, kept: Path, folder: Path, before: set[str], media: int) -> None:
    """Whole, in order, and without anything lost."""
    restored = commands.run("restore", kept, folder)
    assert restored.returncode == 0, restored.stderr
    verified = commands.run("verify", folder)
    assert (verified.returncode, verified.stderr) == (0, ""), verified.stdout
    check_media(folder, media)
    check_posts(commands, folder, before)


def check_media(folder: Path, count: int) -> None:
    """Every stored file is there, and is what its name says."""
    files = [path for path in (folder / ".sitecms" / "media").iterdir() if path.is_file()]
    assert len(files) == count
    for path in files:
        assert hashlib.sha256(path.read_bytes()).hexdigest().startswith(path.stem)


def check_posts(commands: CommandServer, folder: Path, before: set[str]) -> None:
    """With a worker of its own, the restored site has every post."""
    again = open_runtime(load_settings(folder))
    worker = commands.start("worker", folder)
    try:

        def is_done() -> bool:
            return again.database.read(count_rows)["open_writes"] == 0

        assert until(is_done)
        with again.database.reading() as session:
            found = {
                str(row[0]) for row in session.sql("SELECT slug FROM entry WHERE kind = 'post' AND deleted_at IS NULL")
            }
            bad = session.sql("SELECT id, errors_json FROM write WHERE status NOT IN ('accepted', 'applied')")
        assert bad == []
        assert before <= found
    finally:
        worker.terminate()
        worker.communicate(30)
        again.database.close()
    assert commands.run("verify", folder).returncode == 0
