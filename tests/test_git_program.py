"""Git as sitecms runs it: nothing that a repository names is run, no prompt, no password in an error."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sitecms.errors import GitFailed
from sitecms.git_program import Git, git_in, readable
from tests.support.git import GIT, commit_all, git, make_repository
from tests.support.waiting import until

pytestmark = GIT
COMMIT = """
import sys
from pathlib import Path
from sitecms.git_program import Git
Git(Path(sys.argv[1])).run("commit", "--all", "--edit", "--message", "x", environment={"GIT_EDITOR": sys.argv[2]})
"""
"""A commit for which Git waits, with its lock, until an editor ends."""


def test_hooks_filters_and_merge_drivers_do_not_run(tmp_path: Path) -> None:
    """Each would leave a file behind; a file that a filter is declared for is committed as it is."""
    folder = make_repository(tmp_path / "site", {".gitattributes": "*.md filter=evil merge=evil\n"})
    trap, program = tmp_path / "trap", tmp_path / "program.sh"
    program.write_text(f'#!/bin/sh\ntouch "{trap}"\ncat\n', "utf-8")
    program.chmod(0o700)
    for name in ("post-index-change", "reference-transaction", "post-checkout", "pre-push"):
        (folder / ".git" / "hooks" / name).symlink_to(program)
    for key in ("filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "merge.evil.driver"):
        subprocess.run(["git", "-C", str(folder), "config", key, str(program)], check=True)
    subprocess.run(["git", "-C", str(folder), "config", "filter.evil.required", "true"], check=True)
    (folder / "post.md").write_text("Text.\n", "utf-8")
    git = git_in(folder)
    git.run("update-index", "--add", "post.md")
    assert git.text("show", ":post.md") == "Text."
    git.run("update-ref", "refs/heads/other", "HEAD")
    git.run("checkout-index", "--force", "post.md")
    assert not trap.exists()


def test_a_command_that_hangs_is_ended(tmp_path: Path) -> None:
    """The text says which; a lock that Git held is removed."""
    folder = make_repository(tmp_path / "site")
    git(folder, "config", "remote.slow.url", str(tmp_path))
    git(folder, "config", "remote.slow.uploadpack", "sleep 600;")
    with pytest.raises(GitFailed, match=r"^git fetch did not end within 0 s$") as failure:
        Git(folder).run("fetch", "slow", seconds=0.2)
    assert failure.value.exit_code is None


def test_a_remote_that_runs_a_program_is_refused(tmp_path: Path) -> None:
    """The transport `ext` would run any command."""
    folder = make_repository(tmp_path / "site")
    trap = tmp_path / "trap"
    with pytest.raises(GitFailed, match="transport 'ext' not allowed"):
        Git(folder).run("fetch", f"ext::touch {trap}")
    assert not trap.exists()


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("fatal: unable to access 'https://ann:h/u@s:h@tide.example/x.git/': no\n", "https://***@tide.example/x.git/"),
        (
            "remote: \x1b[31mSlow\nTo x\n ! [rejected] main -> main (fetch first)\n",
            "[rejected] main -> main (fetch first)",
        ),
        ("warning: a\nerror: cannot lock\nhint: b\n", "cannot lock"),
        ("\x1b]0;title\x07Nothing known\nsecond", "]0;title Nothing known"),
    ],
)
def test_an_error_is_one_line_without_passwords(output: str, reason: str) -> None:
    """Of all that Git writes, the line with the reason is kept."""
    assert reason in readable(output)
    assert "h/u@s:h" not in readable(output)
    assert readable(output).isprintable()


def test_variables_of_another_repository_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where sitecms is called by a hook of Git."""
    folder = make_repository(tmp_path / "site", {"a.md": "A\n"})
    commit_all(folder, "More")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "nowhere"))
    assert Git(folder).text("ls-files") == "a.md"


def test_a_command_of_this_machine_ends_by_itself_where_sitecms_is_killed(tmp_path: Path) -> None:
    """It goes on for the moment that it needs, so that no lock is left."""
    folder = make_repository(tmp_path / "site", {"a.md": "A\n"})
    (folder / "a.md").write_text("B\n", "utf-8")
    for key in ("user.name", "user.email"):
        git(folder, "config", key, "ann@tide.example")
    begun, end = tmp_path / "begun", tmp_path / "end"
    editor = f"touch '{begun}'; while [ ! -e '{end}' ]; do sleep 0.05; done; true"
    with subprocess.Popen([sys.executable, "-c", COMMIT, str(folder), editor]) as process:
        assert until(begun.exists)
        assert (folder / ".git" / "index.lock").exists()
        process.kill()
    end.touch()
    assert until(lambda: not (folder / ".git" / "index.lock").exists())
    assert git(folder, "show", "HEAD:a.md") == "B"


def test_a_lock_of_a_moment_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As of an editor that asks Git for the state of files; one that stays is an error that names it."""
    folder = make_repository(tmp_path / "site", {"a.md": "A\n"})
    lock = folder / ".git/index.lock"
    lock.touch()
    with pytest.raises(GitFailed, match=r"index\.lock': File exists"):
        Git(folder).run("update-index", "--force-remove", "a.md")
    program = tmp_path / "bin/git"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{shutil.which('git')} \"$@\"\ncode=$?\nrm '{lock}'\nexit $code\n", "utf-8")
    program.chmod(0o700)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    Git(folder).run("update-index", "--force-remove", "a.md")
