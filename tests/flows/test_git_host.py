"""A small server with the studio, and a host that builds at each push: a bare repository stands for GitHub and others.

The how-tos for Netlify, Cloudflare Pages and GitHub Pages describe it, each in its section "With the studio".
"""

import re
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sitecms.actions.loading import load_site
from sitecms.actions.syncing.git import AuthoredChange, GitSync, Person, Verb, note_change, person_of
from sitecms.actions.syncing.git.load_incoming import load_incoming
from sitecms.actions.syncing.git.state import read_state
from sitecms.actions.syncing.write_back import MOVING, write_back
from sitecms.clock import now
from sitecms.content.kinds import EntryKind
from sitecms.content.user import Role
from sitecms.errors import NotFound
from sitecms.runtime import Runtime, open_runtime
from sitecms.settings.site import SiteSettings, load_settings
from sitecms.store.accounts.users import insert_user
from sitecms.store.database import Database
from sitecms.store.entries.entry_rows import find_named
from sitecms.store.site_state.file_changes import note_file_change
from sitecms.web.service import create_app
from tests.support.commands import CommandServer
from tests.support.git import GIT, WITHOUT_CONFIGURATION, clone, commit_all, git, log, make_remote, make_repository
from tests.support.reading import get_post
from tests.support.waiting import until

pytestmark = [GIT, pytest.mark.sqlite_only]
SECRET = "a secret of the host"
POST = "content/posts/spring-tide.md"
START = datetime(2026, 3, 1, 12, tzinfo=UTC)
TEXT = "---\ntitle: Spring tide\nstatus: published\npublished: 2026-03-01\n---\nThe sea rises.\n"
FILES = {
    ".gitignore": ".sitecms\npublic\n",
    "site.toml": 'name = "Tide"\nowner = "ann"\n[files]\ngit = "push"\n[search]\nenabled = false\n',
    "content/authors.yaml": "- {slug: ann, first_name: Ann, last_name: Ray, email: ann@tide.example}\n",
    POST: TEXT,
}


class Host:
    """The server's site, the repository at the host, and a clone of it on somebody's machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = make_repository(folder / "server", FILES)
        self.remote = make_remote(self.folder)
        self.clone = clone(self.remote, folder / "clone")
        self.runtime: Runtime = open_runtime(self.settings, create=True)
        assert load_site(self.database, self.settings, START).errors == ()

    @property
    def settings(self) -> SiteSettings:
        """The settings of the server's site."""
        return load_settings(self.folder)

    @property
    def database(self) -> Database:
        """The store of the server."""
        return self.runtime.database

    def body(self, slug: str = "spring-tide") -> str | None:
        """Return the text of a post in the store; None if there is none."""
        with self.database.reading() as session, suppress(NotFound):
            return get_post(session, slug).body
        return None

    def write(self, path: str, text: str, at: datetime, person: Person) -> None:
        """Write a file as write-back does after a save in the studio."""
        note_change(self.settings, AuthoredChange(person, Verb.UPDATE, "post", "Spring tide", (path,), at))
        (self.folder / path).write_text(text, "utf-8")

    def push_from_clone(self, message: str) -> None:
        """Commit and push what was changed in the clone."""
        commit_all(self.clone, message)
        git(self.clone, "push", "--quiet")


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    """A server that was loaded once."""
    for name, value in {**WITHOUT_CONFIGURATION, "SITECMS_GIT_HOOK_SECRET": SECRET}.items():
        monkeypatch.setenv(name, value)
    return Host(tmp_path)


def test_an_edit_on_the_server_is_built_by_the_host_and_one_elsewhere_comes_back(
    host: Host, command_server: CommandServer
) -> None:
    """Commit by the author, push, build in a fresh clone; edit there with a comment, push, hook, load."""
    sync = GitSync(host.settings, lambda paths: _load(host, paths))
    host.database.write(insert_user, "ann", Role.WRITER, "ann", "", START)
    person = host.database.read(person_of, "ann")
    host.write(POST, TEXT.replace("rises", "falls"), START, person)
    sync.step(START + timedelta(seconds=30))
    assert log(host.remote)[-1] == "Ann Ray <ann@tide.example> Update “Spring tide”"

    git(host.clone, "pull", "--quiet")
    built = command_server.run("build", host.clone, "--strict", folder=host.clone, variables={})
    assert built.returncode == 0, built.stderr
    assert "The sea falls." in (host.clone / "public/blog/spring-tide/index.html").read_text("utf-8")

    edited = TEXT.replace("status:", "# Checked by the harbour master\nstatus:").replace("rises", "turns")
    (host.clone / POST).write_text(edited, "utf-8")
    host.push_from_clone("Correct the tide")
    client = create_app(host.runtime).test_client()
    assert client.post("/hooks/git", headers={"X-Gitlab-Token": SECRET}).status_code == 202
    sync.step(START + timedelta(seconds=89))
    assert "turns" not in (host.body() or "")
    sync.step(START + timedelta(seconds=90))
    assert "turns" in (host.body() or "")
    assert (host.folder / POST).read_text("utf-8") == edited
    assert git(host.folder, "status", "--porcelain") == ""


def _load(host: Host, paths: Sequence[str]) -> None:
    load_incoming(host.database, host.settings, START, paths)


def test_what_a_push_removes_goes_to_the_trash(host: Host) -> None:
    """Unless other files are missing here too, which somebody may be working on."""
    (host.folder / "content/posts/other.md").write_text(TEXT.replace("Spring", "Neap"), "utf-8")
    load_site(host.database, host.settings, START)
    sync = GitSync(host.settings, lambda paths: _load(host, paths))
    (host.folder / "content/posts/other.md").unlink()
    (host.clone / POST).unlink()
    host.push_from_clone("Remove")
    sync.step(START)
    assert not (host.folder / POST).exists()
    assert host.body() is not None
    (host.folder / "content/posts").mkdir()  # Git has removed the empty folder
    (host.folder / "content/posts/other.md").write_text(TEXT.replace("Spring", "Neap"), "utf-8")
    load_incoming(host.database, host.settings, START, [POST])
    assert host.body() is None
    assert host.body("other") is not None


def test_errors_in_files_that_came_stop_nothing(host: Host) -> None:
    """They are logged; the correction is loaded with the next pull."""
    sync = GitSync(host.settings, lambda paths: _load(host, paths))
    for text, at in (("---\ntitle: [\n---\n", 0), ("---\ntitle: Spring tide\nstatus: published\n---\nAgain.\n", 300)):
        (host.clone / POST).write_text(text, "utf-8")
        host.push_from_clone("Edit")
        sync.step(START + timedelta(seconds=at))
        assert (host.folder / POST).read_text("utf-8") == text
        assert ("Again" in (host.body() or "")) is (at == 300)


def test_nothing_is_written_into_a_folder_that_a_killed_pull_has_half_moved(host: Host) -> None:
    """A file that Git had removed to write it anew is not written from the store; the next step of Git finishes it."""
    (host.clone / POST).write_text(TEXT.replace("rises", "turns"), "utf-8")
    host.push_from_clone("Correct the tide")
    git(host.folder, "fetch", "--quiet")
    head, came = git(host.folder, "rev-parse", "HEAD"), git(host.folder, "rev-parse", "@{upstream}")
    note = host.settings.state_dir / "git/move.json"
    note.parent.mkdir(exist_ok=True)
    note.write_text(f'{{"before": "{head}", "after": "{came}"}}', "utf-8")
    (host.folder / POST).unlink()
    with host.database.writing() as transaction:
        note_file_change(transaction, EntryKind.POST, find_named(transaction, EntryKind.POST, "", "spring-tide") or 0)
    assert write_back(host.database, host.settings, START).stopped == MOVING
    assert not (host.folder / POST).exists()
    GitSync(host.settings, lambda paths: _load(host, paths)).step(START)
    assert read_state(host.settings.state_dir).problem == ""
    assert write_back(host.database, host.settings, START).problems == ()
    assert "turns" in (host.folder / POST).read_text("utf-8")
    assert "turns" in (host.body() or "")


@pytest.mark.parametrize(("by", "name"), [("shop", "shop"), ("", "sitecms"), ("mira", "mira"), ("lost", "lost")])
def test_changes_of_others_have_their_name(host: Host, by: str, name: str) -> None:
    """Tokens, what nobody did, users without an author, and users of an author who is gone."""
    with host.database.writing() as transaction:
        insert_user(transaction, "mira", Role.EDITOR, "", "", START)
        insert_user(transaction, "lost", Role.WRITER, "nobody", "", START)
        assert person_of(transaction, by) == Person(name)


def test_users_with_an_address_of_their_own_have_it_in_commits(host: Host) -> None:
    """In place of the author's, whose name stays."""
    with host.database.writing() as transaction:
        insert_user(transaction, "ann", Role.WRITER, "ann", "", START, "ann@home.example")
        insert_user(transaction, "mira", Role.EDITOR, "", "", START, "mira@tide.example")
        assert person_of(transaction, "ann") == Person("Ann Ray", "ann@home.example")
        assert person_of(transaction, "mira") == Person("mira", "mira@tide.example")


def test_a_worker_commits_pushes_and_loads(host: Host) -> None:
    """The real process, from its start."""
    (host.clone / POST).write_text(TEXT.replace("rises", "turns"), "utf-8")
    host.push_from_clone("Correct the tide")
    host.write("content/posts/neap.md", TEXT.replace("Spring", "Neap"), now() - timedelta(minutes=1), Person("Ann"))
    worker = subprocess.Popen(
        [sys.executable, "-m", "sitecms", "worker", str(host.folder)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    try:
        assert until(lambda: read_state(host.settings.state_dir).pulled_at)
    finally:
        worker.terminate()
        output = worker.communicate(timeout=60)[0].decode()
    assert "turns" in (host.body() or "")
    assert git(host.folder, "status", "--porcelain") == ""
    assert log(host.remote, "%an %s")[1:] == ["Olga Owner Correct the tide", "Ann Update “Spring tide”"]
    assert re.search("git_committed.*git_pulled.*git_loaded.*git_pushed", output, re.DOTALL)


@pytest.mark.parametrize("command", ["status", "doctor", "check"])
def test_commands_report_the_state_of_git(host: Host, command_server: CommandServer, command: str) -> None:
    """A line where it is in order, for `check` none; and a warning where it is not."""

    def run() -> str:
        done = command_server.run(command, host.folder, folder=host.folder, variables={})
        return done.stdout + done.stderr

    line = "pushes main to origin/main; 0 changes to commit, never pushed"
    assert (line in run()) is (command != "check")
    git(host.folder, "checkout", "--quiet", "--detach")
    assert "no branch is checked out (detached HEAD): git switch BRANCH" in run()
    toml = (host.folder / "site.toml").read_text("utf-8").replace('git = "push"', 'git = "off"')
    (host.folder / "site.toml").write_text(toml, "utf-8")
    assert "detached" not in run()


@pytest.mark.parametrize("guide", ["netlify", "cloudflare-pages", "github-pages"])
def test_each_guide_has_the_settings_of_this_server(repo: Path, host: Host, tmp_path: Path, guide: str) -> None:
    """What the section says about site.toml is what the server here has."""
    text = (repo / f"sitecms/manual/content/pages/chapter/{guide}.md").read_text("utf-8")
    section = text.partition("## With the studio")[2]
    assert "/files-studio-and-git/" in section
    block = re.search(r'```toml title="site.toml"\n(.*?)```', section, re.DOTALL)
    assert block is not None
    (tmp_path / "site.toml").write_text(f'name = "Tide"\n{block[1]}', "utf-8")
    assert load_settings(tmp_path).files == load_settings(host.folder).files
