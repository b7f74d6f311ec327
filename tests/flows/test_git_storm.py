"""A storm: people write here and elsewhere while the process that commits, pulls and pushes is killed at any moment."""

import random
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sitecms.actions.syncing.git import AuthoredChange, Person, Verb, note_change
from sitecms.actions.syncing.git.changes import waiting_changes
from sitecms.actions.syncing.git.incoming import find_move
from sitecms.actions.syncing.git.state import read_state
from sitecms.settings.site import load_settings
from tests.support.git import GIT, WITHOUT_CONFIGURATION, clone, commit_all, git, make_remote, make_repository

pytestmark = [GIT, pytest.mark.slow]
START = datetime(2026, 3, 1, 12, tzinfo=UTC)
ROUNDS = 25
LONGEST_SECONDS = 1.5
"""By then a process has started and done most of its work; the moment of a kill is drawn from it."""
FILES = {
    ".gitignore": ".sitecms\npublic\nloaded.txt\n",
    "site.toml": 'name = "Tide"\n[files]\ngit = "push"\n',
    "content/posts/far.md": "far\n",
    **{f"content/posts/{name}.md": f"{name}\n" for name in ("ann", "bo")},
    "content/large.txt": "",
}
STEP = """
import sys
from datetime import datetime
from pathlib import Path
from sitecms.actions.syncing.git import GitSync
from sitecms.settings.site import load_settings
folder = Path(sys.argv[1])
def load(paths):
    with (folder / "loaded.txt").open("a") as file:
        file.writelines(f"{path}\\n" for path in paths)
GitSync(load_settings(folder), load, network_seconds=30).step(datetime.fromisoformat(sys.argv[2]))
"""


def step(folder: Path, at: datetime, kill_after: float | None) -> None:
    """Run one step in a process of its own, which may be killed."""
    with subprocess.Popen([sys.executable, "-c", STEP, str(folder), at.isoformat()]) as process:
        try:
            process.wait(120 if kill_after is None else kill_after)
        except subprocess.TimeoutExpired:
            assert kill_after is not None, "a step takes far too long"
            process.send_signal(signal.SIGKILL)
    assert kill_after is not None or process.returncode == 0


@pytest.mark.parametrize("seed", range(2))
def test_nothing_is_lost_and_each_change_is_committed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """At rest, folder, branch and remote say the same, and what the owner has not committed is as it was."""
    for name, value in WITHOUT_CONFIGURATION.items():
        monkeypatch.setenv(name, value)
    chance = random.Random(seed)
    folder = make_repository(tmp_path / "server", FILES)
    elsewhere = clone(make_remote(folder), tmp_path / "elsewhere")
    settings = load_settings(folder)
    (folder / "site.toml").write_text((folder / "site.toml").read_text("utf-8") + "# not committed\n", "utf-8")
    (folder / "notes.txt").write_text("not committed\n", "utf-8")
    at, written = START, dict[str, list[str]]()
    for number in range(ROUNDS):
        at += timedelta(minutes=5)
        name = chance.choice(("ann", "bo"))
        path = f"content/posts/{name}.md"
        note_change(settings, AuthoredChange(Person(name), Verb.UPDATE, "post", f"{name} {number}", (path,), at))
        with (folder / path).open("a", encoding="utf-8") as file:
            file.write(f"{name} {number}\n")
        written.setdefault(name, []).append(f"{name} {number}")
        if chance.random() < 0.5:
            _edit(elsewhere, number)
            written.setdefault("far", []).append(f"far {number}")
        step(folder, at + timedelta(minutes=1), chance.uniform(0.05, LONGEST_SECONDS))
    for _ in range(3):  # the first step may meet a Git of the last kill, which ends by itself
        at += timedelta(minutes=10)
        step(folder, at, None)
    assert read_state(settings.state_dir).problem == ""
    assert waiting_changes(settings) == ()
    assert find_move(settings.state_dir) is None
    git(elsewhere, "pull", "--quiet")
    assert git(elsewhere, "rev-parse", "HEAD") == git(folder, "rev-parse", "HEAD")
    assert git(folder, "status", "--porcelain") == " M site.toml\n?? notes.txt"
    assert (folder / "site.toml").read_text("utf-8").endswith("# not committed\n")
    for name, lines in written.items():
        text = git(elsewhere, "show", f"HEAD:content/posts/{name}.md")
        assert text.splitlines() == [name, *lines]
        changes = git(elsewhere, "log", "--reverse", "--format=", "--patch", "--", f"content/posts/{name}.md")
        assert [line[1:] for line in changes.splitlines() if line.startswith(f"+{name} ")] == lines
        assert not [line for line in changes.splitlines() if line.startswith(f"-{name}")]
        authors = {*git(elsewhere, "log", "--format=%an", "--", f"content/posts/{name}.md").splitlines()}
        assert authors == {"Olga Owner", name} - ({"far"})
    if "far" in written:
        assert "content/posts/far.md" in (folder / "loaded.txt").read_text("utf-8").splitlines()
    git(folder, "fsck", "--strict")
    assert not list((folder / ".git").rglob("*.lock"))


def _edit(elsewhere: Path, number: int) -> None:
    """Push an edit from elsewhere, with a file that takes Git its time to write."""
    git(elsewhere, "pull", "--quiet", "--rebase")
    with (elsewhere / "content/posts/far.md").open("a", encoding="utf-8") as file:
        file.write(f"far {number}\n")
    (elsewhere / "content/large.txt").write_text(f"{number}\n" * 1_000_000, "utf-8")
    commit_all(elsewhere, f"Far {number}")
    git(elsewhere, "push", "--quiet")
