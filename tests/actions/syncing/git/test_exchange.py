"""The exchange with a remote: what came is in the folder and loaded, what was committed is there, nothing is forced."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from subprocess import CalledProcessError

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from sitecms.actions.syncing.git import GitSync, note_change
from sitecms.actions.syncing.git.incoming import Move, find_move, move_folder
from sitecms.actions.syncing.git.state import ask_for_pull, examine_git, read_state
from sitecms.actions.syncing.git.work_tree import open_work_tree
from sitecms.files import write_atomically
from sitecms.findings import Severity
from sitecms.settings.site import SiteSettings, load_settings
from tests.actions.syncing.git.conftest import BO, FILES, after, make_site, update
from tests.support.git import GIT, changed_files, clone, commit_all, git, log, make_remote

pytestmark = GIT
POST, OTHER = "content/posts/tide.md", "content/posts/other.md"
TEAM = "content/collections/team.yaml"
ARTICLE = "---\ntitle: {}\nsummary: {}\nupdated: {}\n---\n{}\n\n{}\n"
FIRST = ("Tide", "Old", "2026-01-01T08:00:00Z", "One.", "Two.")


class Server:
    """A site on a small server, the remote that it pushes to, and the clone of somebody else."""

    def __init__(self, folder: Path) -> None:
        self.site: SiteSettings = make_site(folder / "server", "push")
        self.folder = self.site.folder
        self.remote = make_remote(self.folder)
        self.clone = clone(self.remote, folder / "clone")
        self.loaded: list[list[str]] = []
        self.sync = GitSync(self.site, self._load, network_seconds=20)

    def _load(self, paths: Sequence[str]) -> None:
        self.loaded.append(sorted(paths))

    def write(self, name: str, text: str, at: float = 0) -> None:
        """Write a file as the studio does."""
        note_change(self.site, update(name, at=at))
        (self.folder / name).write_text(text, "utf-8")

    def edit_elsewhere(self, name: str, text: str) -> None:
        """Write a file in the clone, and push it."""
        path = self.clone / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        commit_all(self.clone, f"Edit {name}")
        git(self.clone, "pull", "--quiet", "--rebase")
        git(self.clone, "push", "--quiet")

    @property
    def problem(self) -> str:
        """The problem that the worker noted."""
        return read_state(self.site.state_dir).problem

    def text(self, name: str) -> str:
        """Return a file of the folder."""
        return (self.folder / name).read_text("utf-8")


@pytest.fixture
def server(tmp_path: Path) -> Server:
    """A server that has exchanged commits once, at the start."""
    made = Server(tmp_path)
    made.sync.step(after(0))
    assert made.problem == ""
    return made


def test_commits_are_pushed_and_what_came_is_loaded(server: Server) -> None:
    """Own commits are put on top of what came; the folder, the remote and a clone are the same then."""
    server.edit_elsewhere(OTHER, "Other.\n")
    server.write(POST, "Of Ann.\n", at=100)
    server.sync.step(after(130))
    assert log(server.remote, "%an %s") == ["Olga Owner Begin", f"Olga Owner Edit {OTHER}", "Ann Ray Update “tide”"]
    assert log(server.folder) == log(server.remote)
    assert server.loaded == [[OTHER]]
    assert (server.text(POST), server.text(OTHER)) == ("Of Ann.\n", "Other.\n")
    assert git(server.folder, "status", "--porcelain") == ""
    git(server.clone, "pull", "--quiet")
    assert (server.clone / POST).read_text("utf-8") == "Of Ann.\n"


def test_own_commits_keep_author_time_and_message(server: Server) -> None:
    """Also several, of which one takes another back, and one changes what came changed as well."""
    for number, text in enumerate(["One.\n", FILES[POST], "Two.\n"]):
        server.write(POST, text, at=100 * number)
        server.sync._commit(after(100 * number + 30))
    server.write(OTHER, "Same.\n", at=300)
    server.sync._commit(after(330))
    before = log(server.folder, "%an %ae %aI %s")
    server.edit_elsewhere(OTHER, "Same.\n")
    server.sync.step(after(400))
    assert server.problem == ""
    assert log(server.folder, "%s") == ["Begin", f"Edit {OTHER}", *["Update “tide”"] * 3]
    assert [line for line in log(server.folder, "%an %ae %aI %s") if "Olga" not in line] == [
        line for line in before if "Olga" not in line and "other" not in line
    ]
    assert [git(server.folder, "show", f"HEAD~{back}:{POST}") for back in (2, 1, 0)] == [
        "One.", FILES[POST].strip(), "Two.",
    ]  # fmt: skip
    assert log(server.remote) == log(server.folder)


def test_it_pulls_each_five_minutes_or_when_asked_and_at_most_each_minute(server: Server) -> None:
    """Nothing is asked of the remote in between."""
    server.edit_elsewhere(OTHER, "1\n")
    server.sync.step(after(299))
    assert not (server.folder / OTHER).exists()
    server.sync.step(after(300))
    assert server.text(OTHER) == "1\n"
    server.edit_elsewhere(OTHER, "2\n")
    ask_for_pull(server.site.state_dir)
    server.sync.step(after(330))
    assert server.text(OTHER) == "1\n"
    server.sync.step(after(360))
    assert server.text(OTHER) == "2\n"
    server.edit_elsewhere(OTHER, "3\n")
    server.sync.step(after(500))
    assert server.text(OTHER) == "2\n"


def test_uncommitted_work_of_the_owner_stays(server: Server) -> None:
    """What is staged stays staged, what is changed stays changed, in files that did not come; in others, it waits."""
    folder = server.folder
    (folder / "notes.txt").write_text("Staged.\n", "utf-8")
    git(folder, "add", "notes.txt")
    (folder / "notes.txt").write_text("Changed.\n", "utf-8")
    (folder / "site.toml").write_text(server.text("site.toml") + "# changed\n", "utf-8")
    status = git(folder, "status", "--porcelain")
    server.edit_elsewhere(OTHER, "Other.\n")
    server.sync.step(after(300))
    assert (server.text(OTHER), git(folder, "status", "--porcelain")) == ("Other.\n", status)
    server.edit_elsewhere("site.toml", "name = 'Sea'\n")
    server.edit_elsewhere(POST, "Came.\n")
    server.sync.step(after(600))
    assert server.problem == "site.toml came from the remote, and is changed in the folder: commit it"
    assert server.text("site.toml").endswith("# changed\n")
    assert server.text(POST) == FILES[POST]
    assert git(folder, "status", "--porcelain") == status
    git(folder, "restore", "site.toml")
    server.sync.step(after(660))
    assert (server.problem, server.text(POST)) == ("", "Came.\n")


@pytest.mark.parametrize("name", ["new.md", "x.secret"])
def test_a_file_that_git_does_not_know_is_not_overwritten(server: Server, name: str) -> None:
    """Also one that .gitignore names; one with the same bytes is no obstacle."""
    path = server.folder / "content" / name
    path.write_text("Of the owner.\n", "utf-8")
    (server.clone / ".gitignore").write_text(".sitecms\n", "utf-8")
    server.edit_elsewhere(f"content/{name}", "Came.\n")
    server.sync.step(after(300))
    assert server.problem == f"content/{name} came from the remote, and is changed in the folder: commit it"
    assert path.read_text("utf-8") == "Of the owner.\n"
    path.write_text("Came.\n", "utf-8")
    server.sync.step(after(360))
    assert server.problem == ""
    assert git(server.folder, "status", "--porcelain") == ""


def test_a_conflict_changes_nothing_and_is_tried_again(server: Server) -> None:
    """The line names the file; when the owner has merged by hand, it goes on."""
    server.edit_elsewhere(POST, "Theirs.\n")
    server.write(POST, "Ours.\n", at=200)
    server.sync.step(after(300))
    head = git(server.folder, "rev-parse", "HEAD")
    assert server.problem == f"{POST} changed both here and at the remote, in the same place"
    assert (server.text(POST), git(server.folder, "status", "--porcelain")) == ("Ours.\n", "")
    server.sync.step(after(330))
    server.sync.step(after(360))
    assert git(server.folder, "rev-parse", "HEAD") == head
    assert log(server.remote)[-1].endswith(f"Edit {POST}")
    git(server.folder, "pull", "--quiet", "--no-rebase", "--strategy-option", "ours", "--no-edit")
    server.sync.step(after(420))
    assert server.problem == ""
    assert git(server.remote, "show", f"HEAD:{POST}") == "Ours."


def test_what_somebody_merged_by_hand_is_loaded(server: Server) -> None:
    """As the manual says it; not while the merge is open, and once: own commits and pulls are in the store already."""
    text = "---\ntitle: {}\n---\nText.\n"
    server.edit_elsewhere(POST, text.format("Theirs"))
    server.write(POST, text.format("Ours"), at=200)
    server.sync.step(after(300))
    assert server.problem == f"{POST} changed both here and at the remote, in the same place (title)"
    with pytest.raises(CalledProcessError):
        git(server.folder, "pull", "--quiet", "--no-rebase")
    server.sync.step(after(360))
    assert server.problem == "a merge has begun and not ended: finish or abort it"
    assert server.loaded == []
    (server.folder / POST).write_text(text.format("Both"), "utf-8")
    git(server.folder, "add", POST)
    git(server.folder, "commit", "--quiet", "--no-edit")
    server.sync.step(after(420))
    assert server.loaded == [[POST]]
    assert server.problem == ""
    server.write(POST, text.format("Later"), at=430)
    server.sync.step(after(500))
    server.sync.step(after(520))
    assert server.loaded == [[POST]]


def test_a_commit_of_somebody_is_loaded_after_a_restart(server: Server) -> None:
    """Also where Git has dropped the commit before it."""
    (server.folder / OTHER).write_text("Mine.\n", "utf-8")
    commit_all(server.folder, "Add")
    again = GitSync(server.site, server._load, network_seconds=20)
    again.step(after(301))
    assert server.loaded == [[OTHER]]
    git(server.folder, "commit", "--quiet", "--amend", "--message", "Other words")
    git(server.folder, "reflog", "expire", "--expire=now", "--all")
    for name in git(server.folder, "for-each-ref", "--format=%(refname)").splitlines():
        if name != "refs/heads/main":
            git(server.folder, "update-ref", "-d", name)
    git(server.folder, "gc", "--quiet", "--prune=now")
    again.step(after(312))
    assert server.loaded[1:] == [[]]


def test_changes_of_different_places_of_a_file_are_merged(server: Server) -> None:
    """As Git merges lines; renamed files are followed."""
    lines = "".join(f"{number}\n" for number in range(20))
    server.edit_elsewhere(OTHER, lines)
    server.sync.step(after(300))
    git(server.clone, "mv", OTHER, "content/posts/renamed.md")
    server.edit_elsewhere("content/posts/renamed.md", lines.replace("\n2\n", "\ntwo\n"))
    server.write(OTHER, lines.replace("\n17\n", "\nseventeen\n"), at=400)
    server.sync.step(after(600))
    assert server.problem == ""
    assert server.text("content/posts/renamed.md") == lines.replace("\n2\n", "\ntwo\n").replace(
        "\n17\n", "\nseventeen\n"
    )
    assert server.loaded[-1] == [OTHER, "content/posts/renamed.md"]


def test_a_refused_push_is_tried_again(server: Server) -> None:
    """As of a protected branch: the commit stays, nothing is forced, and it is logged once."""
    hook = server.remote / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho Protected >&2\nexit 1\n", "utf-8")
    hook.chmod(0o700)
    server.write(POST, "Ours.\n", at=100)
    server.sync.step(after(130))
    assert (
        server.problem
        == "[remote rejected] " + git(server.folder, "rev-parse", "HEAD") + " -> main (pre-receive hook declined)"
    )
    assert log(server.folder)[-1].endswith("Update “tide”")
    hook.unlink()
    server.sync.step(after(189))
    assert len(log(server.remote)) == 1
    server.sync.step(after(190))
    assert log(server.remote) == log(server.folder)
    assert server.problem == ""


@pytest.mark.parametrize("problem", ["gone", "missing", "hangs", "many", "detached", "password"])
def test_a_remote_that_cannot_be_used_is_one_line(server: Server, tmp_path: Path, problem: str) -> None:
    """Commits go on meanwhile, and it is tried again after a minute."""
    folder = server.folder
    expected = {
        "gone": "does not appear to be a git repository",
        "missing": "the repository has no remote: git remote add origin ADDRESS",
        "hangs": "git fetch did not end within 1 s",
        "many": "the branch main has no remote: git push --set-upstream REMOTE main",
        "detached": "no branch is checked out (detached HEAD): git switch BRANCH",
        "password": "127.0.0.1:1/x.git",
    }
    undo: list[tuple[str, ...]] = [("remote", "set-url", "origin", str(server.remote))]
    match problem:
        case "gone":
            git(folder, "remote", "set-url", "origin", str(tmp_path / "nowhere"))
        case "missing":
            git(folder, "remote", "remove", "origin")
            undo = [("remote", "add", "origin", str(server.remote))]
        case "hangs":
            git(folder, "config", "remote.origin.uploadpack", "sleep 600;")
            server.sync = GitSync(server.site, lambda _paths: None, network_seconds=1)
            undo = [("config", "--unset", "remote.origin.uploadpack")]
        case "many":
            git(folder, "branch", "--unset-upstream")
            git(folder, "remote", "add", "backup", str(tmp_path / "nowhere"))
            undo = [("remote", "remove", "backup")]
        case "detached":
            git(folder, "checkout", "--quiet", "--detach")
            undo = [("switch", "--quiet", "main")]
        case "password":
            git(folder, "remote", "set-url", "origin", "http://ann:hunter2@127.0.0.1:1/x.git")
    server.sync.step(after(300))
    assert expected[problem] in server.problem
    assert "hunter2" not in (server.site.state_dir / "git/state.json").read_text("utf-8")
    server.write(POST, "Ours.\n", at=330)
    server.sync.step(after(360))
    assert len(log(folder)) == (1 if problem == "detached" else 2)
    for command in undo:
        git(folder, *command)
    server.sync = GitSync(server.site, lambda _paths: None, network_seconds=20)
    server.sync.step(after(420))
    assert server.problem == ""
    assert log(server.remote) == log(folder)
    assert len(log(folder)) == 2


def test_a_history_that_was_rewritten_is_not_pushed_again(server: Server) -> None:
    """A commit that somebody removed at the remote stays removed there."""
    server.edit_elsewhere("password.txt", "hunter2\n")
    server.sync.step(after(300))
    git(server.clone, "reset", "--quiet", "--hard", "HEAD~1")
    git(server.clone, "push", "--quiet", "--force")
    server.sync.step(after(600))
    assert "origin/main was rewritten, and no longer has the commit" in server.problem
    assert len(log(server.remote)) == 1


@pytest.mark.parametrize("name", [".sitecms/git/changes/1.json", ".SiteCMS/store.db"])
def test_a_push_cannot_reach_the_state_of_the_server(server: Server, name: str) -> None:
    """A change that is planted there could make the server publish its store."""
    (server.clone / ".gitignore").unlink()
    server.edit_elsewhere(name, "{}")
    server.sync.step(after(300))
    assert "a commit that came has .sitecms, the state of a server" in server.problem
    assert not (server.folder / name).exists()
    assert (server.folder / ".gitignore").exists()


def test_a_new_remote_gets_the_branch(tmp_path: Path) -> None:
    """The only remote needs no upstream branch; it is empty at first."""
    site = make_site(tmp_path / "site", "push")
    git(tmp_path, "init", "--quiet", "--bare", "remote.git")
    git(site.folder, "remote", "add", "host", str(tmp_path / "remote.git"))
    GitSync(site, lambda _paths: None).step(after(0))
    assert log(tmp_path / "remote.git", "%s") == ["Begin"]


def test_an_empty_work_tree_takes_what_the_remote_has(server: Server, tmp_path: Path) -> None:
    """A folder with a site.toml alone, and no commit."""
    folder = tmp_path / "empty"
    folder.mkdir()
    (folder / "site.toml").write_text(server.text("site.toml"), "utf-8")
    git(folder, "init", "--quiet")
    git(folder, "remote", "add", "origin", str(server.remote))
    loaded: list[str] = []
    GitSync(load_settings(folder), loaded.extend).step(after(0))
    assert log(folder) == log(server.remote)
    assert POST in loaded
    assert git(folder, "status", "--porcelain") == ""


def test_submodules_are_not_touched(server: Server, tmp_path: Path) -> None:
    """A newer commit of one comes as its number alone."""
    theme = make_site(tmp_path / "theme").folder
    git(server.clone, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(theme), "theme")
    server.edit_elsewhere(OTHER, "1\n")
    server.sync.step(after(300))
    commit_all(theme, "More")
    git(server.clone / "theme", "-c", "protocol.file.allow=always", "pull", "--quiet")
    server.edit_elsewhere(OTHER, "2\n")
    server.sync.step(after(600))
    assert (server.problem, server.text(OTHER)) == ("", "2\n")
    assert not list((server.folder / "theme").iterdir())


@pytest.mark.parametrize("left", ["Came, and", "", None, "Came, and is long.\n"])
def test_a_move_that_was_killed_is_finished(server: Server, left: str | None) -> None:
    """A file that Git was writing is its beginning, missing, or complete; the files are loaded once."""
    server.edit_elsewhere(POST, "Came, and is long.\n")
    server.edit_elsewhere(OTHER, "Other.\n")
    git(server.folder, "fetch", "--quiet")
    head, came = git(server.folder, "rev-parse", "HEAD"), git(server.folder, "rev-parse", "origin/main")
    (server.site.state_dir / "git/move.json").write_text(f'{{"before": "{head}", "after": "{came}"}}', "utf-8")
    (server.folder / POST).unlink()
    if left is not None:
        (server.folder / POST).write_text(left, "utf-8")
    server.sync.step(after(1))
    assert server.problem == ""
    assert (server.text(POST), server.text(OTHER)) == ("Came, and is long.\n", "Other.\n")
    assert git(server.folder, "status", "--porcelain") == ""
    assert server.loaded == [[OTHER, POST]]
    server.sync.step(after(2))
    assert len(server.loaded) == 1


def test_a_load_that_was_killed_is_done_again(server: Server) -> None:
    """The folder was moved, and nothing had been loaded."""
    server.edit_elsewhere(OTHER, "Other.\n")
    git(server.folder, "fetch", "--quiet")
    tree = open_work_tree(server.folder)
    move_folder(tree, git(server.folder, "rev-parse", "origin/main"), server.site.state_dir)
    assert isinstance(find_move(server.site.state_dir), Move)
    server.sync.step(after(1))
    assert server.loaded == [[OTHER]]
    assert find_move(server.site.state_dir) is None


def test_an_edit_made_after_a_move_was_killed_is_not_lost(server: Server) -> None:
    """What is not the beginning of the file that comes was written by somebody."""
    server.edit_elsewhere(POST, "Came.\n")
    git(server.folder, "fetch", "--quiet")
    head, came = git(server.folder, "rev-parse", "HEAD"), git(server.folder, "rev-parse", "origin/main")
    write_atomically(server.site.state_dir / "git/move.json", f'{{"before": "{head}", "after": "{came}"}}'.encode())
    (server.folder / POST).write_text("Of the owner.\n", "utf-8")
    server.sync.step(after(1))
    assert "is changed in the folder" in server.problem
    assert server.text(POST) == "Of the owner.\n"


def test_two_workers_do_not_get_in_each_others_way(server: Server) -> None:
    """One at a time works; the other has nothing to do then."""
    other = GitSync(server.site, lambda _paths: None)
    server.write(POST, "Ours.\n", at=100)
    server.sync.step(after(130))
    other.step(after(130))
    assert log(server.remote, "%s") == ["Begin", "Update “tide”"]


def test_the_state_is_one_line(server: Server, tmp_path: Path) -> None:
    """What is done and what waits, or what is wrong; nothing where Git is off."""
    server.write(POST, "Ours.\n", at=100)
    (finding,) = examine_git(server.site)
    assert (finding.severity, finding.what) == (
        Severity.OK, "pushes main to origin/main; 1 change to commit, 0 commits to push",
    )  # fmt: skip
    git(server.folder, "remote", "set-url", "origin", str(tmp_path / "nowhere"))
    server.sync.step(after(200))
    (finding,) = examine_git(server.site)
    assert finding.severity is Severity.WARNING
    assert finding.what.endswith("does not appear to be a git repository; 0 changes to commit")
    assert list(examine_git(make_site(tmp_path / "off", "off"))) == []
    (finding,) = examine_git(make_site(tmp_path / "commit", "commit"))
    assert finding.what == "commits to main; 0 changes to commit"


def test_a_secret_that_is_too_short_is_named(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not its text; a hook with it would be refused."""
    monkeypatch.setenv("SITECMS_GIT_HOOK_SECRET", "tide")
    _state, finding = examine_git(server.site)
    assert finding.what == "SITECMS_GIT_HOOK_SECRET has fewer than 16 characters, so there is no /hooks/git"
    monkeypatch.setenv("SITECMS_GIT_HOOK_SECRET", "tide" * 4)
    assert len(list(examine_git(server.site))) == 1


def test_changes_of_bo_and_ann_arrive_as_two_commits(server: Server) -> None:
    """Each with its files alone."""
    server.write(POST, "Of Ann.\n", at=100)
    note_change(server.site, update(OTHER, person=BO, at=101))
    (server.folder / OTHER).write_text("Of Bo.\n", "utf-8")
    server.sync.step(after(140))
    assert [changed_files(server.remote, commit) for commit in ("HEAD~1", "HEAD")] == [[POST], [OTHER]]


def test_a_pull_takes_a_change_of_the_same_file_that_waits_for_its_commit(server: Server) -> None:
    """It is committed before, so that nobody is told to commit what the worker has just written."""
    server.edit_elsewhere(POST, f"Above.\n\n\n{FILES[POST]}")
    server.write(POST, f"{FILES[POST]}\n\nBelow.\n", at=310)
    server.sync.step(after(311))
    assert server.problem == ""
    assert server.text(POST) == f"Above.\n\n\n{FILES[POST]}\n\nBelow.\n"
    assert log(server.remote, "%an %s") == ["Olga Owner Begin", f"Olga Owner Edit {POST}", "Ann Ray Update “tide”"]


def test_what_both_append_and_neighbouring_lines_are_merged(server: Server) -> None:
    """Items at the end of one list, and two fields of one front matter: neither waits for a person."""
    server.edit_elsewhere(TEAM, "- {id: 1, fields: {name: Ann}}\n")
    server.edit_elsewhere(POST, ARTICLE.format(*FIRST))
    server.sync.step(after(300))
    start = server.text(TEAM)
    server.write(TEAM, f"{start}- {{id: 2, fields: {{name: Bo}}}}\n", at=400)
    server.sync._commit(after(440))
    server.write(TEAM, f"{start}- {{id: 2, fields: {{name: Bob}}}}\n", at=500)
    server.write(POST, ARTICLE.format("Mine", "Old", "2026-01-02T08:00:00Z", "One.", "Mine."), at=500)
    server.edit_elsewhere(TEAM, f"{start}- {{id: 2, fields: {{name: Cleo}}}}\n")
    server.edit_elsewhere(POST, ARTICLE.format("Tide", "Theirs", "2026-01-03T08:00:00Z", "Theirs.", "Two."))
    server.sync.step(after(700))
    assert server.problem == ""
    assert server.text(POST) == ARTICLE.format("Mine", "Theirs", "2026-01-03T08:00:00Z", "Theirs.", "Mine.")
    names = {each["id"]: each["fields"]["name"] for each in yaml.safe_load(server.text(TEAM))}
    assert names == {1: "Ann", 2: "Cleo", 3: "Bob"}
    assert server.loaded[-1] == sorted([TEAM, POST])
    git(server.clone, "pull", "--quiet")
    assert [(server.clone / name).read_text("utf-8") for name in (POST, TEAM)] == [server.text(POST), server.text(TEAM)]
    assert git(server.folder, "status", "--porcelain") == ""
    server.edit_elsewhere(POST, ARTICLE.format("A", "Theirs", "2026-01-03T08:00:00Z", "Theirs.", "Mine."))
    server.write(POST, ARTICLE.format("B", "Theirs", "2026-01-03T08:00:00Z", "Theirs.", "Mine."), at=1000)
    server.sync.step(after(1030))
    assert server.problem == f"{POST} changed both here and at the remote, in the same place (title)"
    assert server.text(POST).startswith("---\ntitle: B\n")


@pytest.mark.slow
def test_edits_of_two_clones_are_never_lost(server: Server) -> None:
    """Random edits of both in different fields and paragraphs, with several commits between two exchanges."""
    server.edit_elsewhere(POST, ARTICLE.format(*FIRST))
    server.edit_elsewhere(TEAM, "".join(f"- {{id: {number}, fields: {{name: N{number}}}}}\n" for number in range(1, 4)))
    server.sync.step(after(300))
    now, at = list(FIRST), 600.0
    people = {number: f"N{number}" for number in range(1, 4)}

    @settings(max_examples=12, deadline=None)
    @given(st.lists(st.tuples(st.booleans(), st.sampled_from([0, 1, 3, 4, 11, 12, 13])), min_size=1, max_size=5))
    def check(edits: list[tuple[bool, int]]) -> None:
        nonlocal at
        owners = {field: is_here for is_here, field in edits}
        before = list(now), dict(people)
        for is_here in (False, True):
            mine, names = list(before[0]), dict(before[1])
            for number, (field, its) in enumerate(owners.items()):
                if its is is_here:
                    text = f"E{at:.0f}-{number}"
                    if field > 10:
                        names[field - 10] = people[field - 10] = text
                    else:
                        mine[field] = now[field] = text
                    write_all(is_here, mine, names)
        at += 600
        server.sync.step(after(at - 1))
        assert server.problem == ""
        assert server.text(POST) == ARTICLE.format(*now)
        assert {each["id"]: each["fields"]["name"] for each in yaml.safe_load(server.text(TEAM))} == people
        assert log(server.folder) == log(server.remote)

    def write_all(is_here: bool, values: Sequence[str], names: Mapping[int, str]) -> None:
        nonlocal at
        at += 40
        texts = {
            POST: ARTICLE.format(*values),
            TEAM: "".join(f"- {{id: {number}, fields: {{name: {name}}}}}\n" for number, name in names.items()),
        }
        for name, text in texts.items():
            if is_here:
                server.write(name, text, at=at)
            elif (server.clone / name).read_text("utf-8") != text:
                server.edit_elsewhere(name, text)
        if is_here:
            server.sync._commit(after(at + 31))

    check()
