"""A server that is killed right after it said "Saved" has lost nothing: drafts, kept text, histories."""

import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from shutil import copytree, ignore_patterns
from urllib.parse import urlencode

import orjson
import pytest

from sitecms.actions.accounts.signing_in import sign_in
from sitecms.actions.accounts.users import add_user
from sitecms.clock import now
from sitecms.content.kinds import EntryKind
from sitecms.content.user import Role
from sitecms.runtime import open_runtime
from sitecms.settings.site import SiteSettings, load_settings
from sitecms.store.entries.entry_state import versions_of
from sitecms.studio.access import form_token_of
from tests.support.commands import CommandServer
from tests.support.ports import free_port

PASSWORD = "correct horse battery staple"
FORM_SESSION = "session-0001"


@contextmanager
def killed_server(folder: Path) -> Iterator[str]:
    """Serve a site, and kill the server with all its processes at the end; gives its address."""
    port = free_port()
    command = [sys.executable, "-m", "sitecms", "serve", str(folder), "--port", str(port), "--workers", "1"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
    )
    assert process.stdout is not None
    assert "serves" in process.stdout.readline()
    yield f"http://127.0.0.1:{port}"
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def send(url: str, secret: str, path: str, **fields: str) -> tuple[str, str]:
    """Send a form; return the address that the answer leads to, and its text."""
    data = urlencode({"form_token": form_token_of(secret), "complete": "1", **fields}).encode()
    headers = {"Cookie": f"sitecms-local={secret}", "Sec-Fetch-Site": "same-origin"}
    with urllib.request.urlopen(urllib.request.Request(url + path, data, headers), timeout=30) as answer:
        return answer.url, answer.read().decode()


@pytest.fixture
def site(repo: Path, tmp_path: Path, command_server: CommandServer) -> SiteSettings:
    """The sample site with the user mira."""
    folder = tmp_path / "site"
    copytree(repo / "sample_site", folder, ignore=ignore_patterns(".sitecms", "public"))
    assert partial(command_server.run, folder=folder, variables={})("load").returncode == 0
    settings = load_settings(folder)
    runtime = open_runtime(settings)
    add_user(runtime.database, None, "mira", Role.ADMIN, "", PASSWORD, settings.name, now())
    runtime.database.close()
    return settings


@pytest.mark.slow
def test_server_killed_after_saved_loses_nothing(site: SiteSettings) -> None:
    """Power is not cut here: that commits are durable is a test of the store."""
    runtime = open_runtime(site)
    secret = sign_in(runtime.database, "mira", PASSWORD, now(), "127.0.0.1", "test").secret
    with runtime.database.reading() as session:
        post_id = session.sql("SELECT min(entry_id) FROM version WHERE kind = 'post' AND status = 'published'")[0][0]
    runtime.database.close()
    for round_number in range(3):
        with killed_server(site.folder) as url:
            title = f"Round {round_number}"
            address, page = send(url, secret, "/studio/posts/new/", title=title, body="text", do="save")
            assert "said=created" in address, page
            kept = orjson.dumps([["title", f"Unsaved {round_number}"]]).decode()
            send(
                url,
                secret,
                "/studio/unsaved/",
                address="/studio/posts/new/",
                form_session=FORM_SESSION,
                do="keep",
                fields=kept,
            )
            revision = _revision(url, secret, post_id)
            path = f"/studio/posts/{post_id}/"
            address, page = send(url, secret, path, title=title, revision=revision, do="save")
            assert "said=draft-saved" in address, page
        runtime = open_runtime(site)
        with runtime.database.reading() as session:
            assert session.sql("SELECT count(*) FROM version WHERE title = ?", title) == [(1,)]
            copy = versions_of(session, EntryKind.POST, post_id)[0]
            ((unsaved,),) = session.sql("SELECT fields_json FROM unsaved_form")
            versions = session.sql("SELECT count(*) FROM revision WHERE kind = 'post' AND entry_id = ?", post_id)
        runtime.database.close()
        assert (copy.title, f"Unsaved {round_number}" in unsaved) == (title, True)
        assert versions == [(round_number + 1,)]


def _revision(url: str, secret: str, post_id: int) -> str:
    headers = {"Cookie": f"sitecms-local={secret}"}
    request = urllib.request.Request(f"{url}/studio/posts/{post_id}/", headers=headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        page = answer.read().decode()
    return str(page.partition('name="revision" value="')[2].partition('"')[0])
