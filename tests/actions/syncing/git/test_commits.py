"""Changes of files become commits: by whom, of what, with which subject, and nothing else in them."""

import shutil
from pathlib import Path

import pytest

from sitecms.actions.syncing.git import AuthoredChange, Verb, note_change
from sitecms.actions.syncing.git.changes import commit_due, message_of, waiting_changes
from sitecms.errors import GitFailed
from sitecms.settings.site import SiteSettings, load_settings
from tests.actions.syncing.git.conftest import ANN, BO, FILES, START, TOKEN, after, make_site, update
from tests.support.git import GIT, OWNER, changed_files, git, log

pytestmark = GIT
POST = "content/posts/tide.md"


def write(site: SiteSettings, change: AuthoredChange, text: str = "New.\n") -> None:
    """Note a change and write its files, as the worker does; a deletion removes them."""
    note_change(site, change)
    for name in change.paths:
        path = site.folder / name
        if change.verb is Verb.DELETE:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")


def test_changes_of_one_person_within_half_a_minute_are_one_commit(site: SiteSettings) -> None:
    """It is made half a minute after the first one, with the person as author, at the time of the last one."""
    write(site, update(POST, title="Spring tide"))
    write(site, update(POST, title="Spring tide", at=20), "Newer.\n")
    assert commit_due(site, after(29)).subjects == ()
    assert commit_due(site, after(30)).subjects == ("Update “Spring tide”",)
    assert log(site.folder, "%an <%ae> %aI %s")[-1] == (
        "Ann Ray <ann@tide.example> 2026-03-01T12:00:20+00:00 Update “Spring tide”"
    )
    assert git(site.folder, "show", f"HEAD:{POST}") == "Newer."
    assert git(site.folder, "status", "--porcelain") == ""
    assert waiting_changes(site) == ()
    write(site, update(POST, at=40), "Newest.\n")
    write(site, update(POST, at=71), "Last.\n")
    assert len(commit_due(site, after(200)).subjects) == 1
    assert git(site.folder, "show", f"HEAD:{POST}") == "Last."


def test_people_have_commits_of_their_own(site: SiteSettings) -> None:
    """Also for the same file: what the first one wrote is committed before the second one writes."""
    write(site, update(POST, title="Spring tide"), "Of Ann.\n")
    write(site, update("content/posts/new.md", person=TOKEN, at=1, verb=Verb.ADD))
    write(site, update(POST, person=BO, at=2, title="Spring tide"), "Of Bo.\n")
    assert git(site.folder, "show", f"HEAD:{POST}") == "Of Ann."
    assert commit_due(site, after(60)).subjects == ("Add “new”", "Update “Spring tide”")
    assert log(site.folder)[1:] == [
        "Ann Ray <ann@tide.example> Update “Spring tide”",
        "shop <> Add “new”",
        "Bo <bo@tide.example> Update “Spring tide”",
    ]


def test_what_else_is_staged_or_changed_stays_as_it_is(site: SiteSettings) -> None:
    """Also a file that is new, staged, or removed, and the staged state of another file than its present one."""
    folder = site.folder
    (folder / "staged.txt").write_text("Staged.\n", "utf-8")
    (folder / "site.toml").write_text((folder / "site.toml").read_text("utf-8") + "# staged\n", "utf-8")
    git(folder, "add", "staged.txt", "site.toml")
    (folder / "site.toml").write_text((folder / "site.toml").read_text("utf-8") + "# more\n", "utf-8")
    (folder / "new.txt").write_text("New.\n", "utf-8")
    (folder / ".gitignore").unlink()
    (folder / ".git/info/exclude").write_text(".sitecms\n", "utf-8")
    before = git(folder, "status", "--porcelain")
    write(site, update(POST))
    commit_due(site, after(30))
    assert changed_files(folder) == [POST]
    assert git(folder, "status", "--porcelain") == before
    assert git(folder, "show", ":site.toml").endswith("# staged")


NAMES = [
    "content/posts/-n.md",
    "content/posts/:(top)x.md",
    "content/posts/*.md",
    'content/posts/quote" and \\ back.md',
    "content/posts/ leading and trailing ",
    "content/posts/día-日本.md",
    "content/posts/line\nend.md",
]


@pytest.mark.parametrize("name", NAMES)
def test_any_name_of_a_file_is_committed_alone(site: SiteSettings, name: str) -> None:
    """No character of it is a pattern, an option or an end."""
    (site.folder / "content/posts/other.md").write_text("Other.\n", "utf-8")
    write(site, update(name, title="Odd", verb=Verb.ADD))
    assert commit_due(site, after(30)).subjects == ("Add “Odd”",)
    assert changed_files(site.folder) == [name]
    write(site, update(name, title="Odd", verb=Verb.DELETE, at=60))
    assert commit_due(site, after(90)).subjects == ("Delete “Odd”",)
    assert changed_files(site.folder) == [name]


def test_a_file_that_becomes_a_folder_takes_nothing_with_it(site: SiteSettings) -> None:
    """The path of the removed file is not a pattern for what is below it now."""
    (site.folder / POST).unlink()
    (site.folder / POST).mkdir()
    (site.folder / POST / "notes.txt").write_text("Of the owner.\n", "utf-8")
    note_change(site, update(f"{POST}/index.md"))
    (site.folder / POST / "index.md").write_text("Text.\n", "utf-8")
    commit_due(site, after(30))
    assert changed_files(site.folder) == [POST, f"{POST}/index.md"]
    assert git(site.folder, "status", "--porcelain") == f"?? {POST}/notes.txt"


def test_ignored_files_are_named_once_and_not_committed(site: SiteSettings) -> None:
    """A file that is ignored but was committed before is committed again."""
    git(site.folder, "add", "--force", *_write_secret(site, "tracked"))
    git(site.folder, "commit", "--quiet", "--message", "Force")
    write(site, update("tracked.secret", "other.secret"))
    report = commit_due(site, after(30))
    assert report.notes == ("other.secret is ignored by .gitignore, and was not committed",)
    assert changed_files(site.folder) == ["tracked.secret"]
    assert commit_due(site, after(60)).notes == ()


def _write_secret(site: SiteSettings, name: str) -> list[str]:
    (site.folder / f"{name}.secret").write_text("Secret.\n", "utf-8")
    return [f"{name}.secret"]


def test_the_state_of_the_site_is_never_committed(site: SiteSettings) -> None:
    """Whatever .gitignore says, and in whichever letters."""
    (site.folder / ".gitignore").unlink()
    write(site, update(POST, ".sitecms/store.db", ".SITECMS/x"))
    assert commit_due(site, after(30)).problems == ()
    assert changed_files(site.folder) == [POST]


@pytest.mark.parametrize("name", ["../outside.txt", ".git/config", "content/../../outside.txt"])
def test_no_path_leads_out_of_the_work_tree(site: SiteSettings, name: str) -> None:
    """It is left out, and the other files of the change are committed."""
    (site.folder.parent / "outside.txt").write_text("Outside.\n", "utf-8")
    note_change(site, update(POST, name))
    (site.folder / POST).write_text("New.\n", "utf-8")
    report = commit_due(site, after(30))
    assert name == ".git/config" or name in report.problems[0]  # Git leaves its own files out without a word
    assert changed_files(site.folder) == [POST]


def test_one_file_that_git_refuses_does_not_stop_others(site: SiteSettings, tmp_path: Path) -> None:
    """It waits with its reason, and is committed once it can be."""
    (tmp_path / "elsewhere").mkdir()
    (site.folder / "media").symlink_to(tmp_path / "elsewhere")
    write(site, update(POST, "media/x.svg"))
    write(site, update("content/posts/b.md", person=BO))
    report = commit_due(site, after(30))
    assert report.subjects == ("Update “tide”", "Update “b”")
    assert len(report.problems) == 1
    assert "media/x.svg cannot be committed" in report.problems[0]
    assert "beyond a symbolic link" in report.problems[0]
    assert [waiting.change.paths for waiting in waiting_changes(site)] == [("media/x.svg",)]
    (site.folder / "media").unlink()
    shutil.copytree(tmp_path / "elsewhere", site.folder / "media")
    assert commit_due(site, after(60)).problems == ()
    assert changed_files(site.folder) == ["media/x.svg"]


def test_a_site_may_be_a_part_of_a_repository_or_a_linked_work_tree(tmp_path: Path) -> None:
    """Paths are those of the site; the repository is above it, or elsewhere."""
    outer = make_site(tmp_path / "outer").folder
    git(outer, "worktree", "add", "--quiet", "-b", "web", str(tmp_path / "linked"))
    for place in (outer / "a" / "site", tmp_path / "linked"):
        place.mkdir(parents=True, exist_ok=True)
        (place / "site.toml").write_text('name = "Tide"\n[files]\ngit = "commit"\n', "utf-8")
        site = load_settings(place)
        write(site, update(POST))
        assert commit_due(site, after(30)).subjects == ("Update “tide”",)
    assert changed_files(outer) == [f"a/site/{POST}"]
    assert changed_files(tmp_path / "linked") == [POST]
    assert git(outer, "status", "--porcelain") == "?? a/site/site.toml"


def test_the_first_commit_of_a_repository_has_what_was_written_alone(tmp_path: Path) -> None:
    """Nobody has a name in the configuration; the committer is sitecms then."""
    folder = tmp_path / "site"
    folder.mkdir()
    git(folder, "init", "--quiet")
    for name, text in {**FILES, "site.toml": 'name = "Tide"\n[files]\ngit = "commit"\n'}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    site = load_settings(folder)
    write(site, update("content/posts/first.md"))
    assert commit_due(site, after(30)).subjects == ("Update “first”",)
    assert git(folder, "ls-tree", "-r", "--name-only", "HEAD") == "content/posts/first.md"
    assert log(folder, "%an %cn <%ce>") == ["Ann Ray sitecms <>"]
    git(folder, "config", "user.name", OWNER)
    git(folder, "config", "user.email", "olga@tide.example")
    write(site, update("content/posts/second.md", at=60, person=TOKEN))
    commit_due(site, after(90))
    assert log(folder, "%an %cn <%ce>")[-1] == f"shop {OWNER} <olga@tide.example>"


@pytest.mark.parametrize("name", ["<>", "\n", "...", "", "A <b@c> D"])
def test_any_name_of_a_person_makes_a_commit(site: SiteSettings, name: str) -> None:
    """Git refuses names without letters, and keeps no brackets."""
    person = type(ANN)(name, "x@y.example>\n")
    write(site, update(POST, person=person))
    assert len(commit_due(site, after(30)).subjects) == 1
    assert log(site.folder)[-1] == f"{'A b@c D' if 'A' in name else 'sitecms'} <x@y.example> Update “tide”"


def _begin_merge(folder: Path) -> None:
    git(folder, "switch", "--quiet", "--create", "other")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "Other")
    git(folder, "switch", "--quiet", "main")
    git(folder, "merge", "--quiet", "--no-ff", "--no-commit", "other")


@pytest.mark.parametrize(
    ("spoil", "restore", "problem"),
    [
        (lambda folder: git(folder, "checkout", "--quiet", "--detach"), ("switch", "main"), "detached HEAD"),
        (_begin_merge, ("merge", "--abort"), "a merge has begun and not ended"),
        (lambda folder: (folder / ".git/index.lock").touch(), (), "index.lock': File exists."),
        (lambda folder: (folder / ".git/refs/heads/main.lock").touch(), (), "main.lock': File exists"),
    ],
)
def test_changes_wait_while_git_cannot_commit(
    site: SiteSettings, spoil: object, restore: tuple[str, ...], problem: str
) -> None:
    """The branch stays where it is; the same call commits once it can."""
    write(site, update(POST))
    before = log(site.folder)
    assert callable(spoil)
    spoil(site.folder)
    with pytest.raises(GitFailed, match=problem):
        commit_due(site, after(30))
    assert git(site.folder, "log", "--format=%s", "main").splitlines()[-1] == "Begin"
    if restore:
        git(site.folder, *restore)
    for lock in site.folder.glob(".git/**/*.lock"):
        lock.unlink()
    assert commit_due(site, after(31)).subjects == ("Update “tide”",)
    assert log(site.folder)[: len(before)] == before


def test_what_the_owner_commits_meanwhile_is_not_undone(site: SiteSettings) -> None:
    """A commit takes files as they are, so a change that the owner has committed is in no second commit."""
    write(site, update(POST))
    git(site.folder, "commit", "--quiet", "--all", "--message", "Of the owner")
    assert commit_due(site, after(30)).subjects == ()
    assert log(site.folder, "%s") == ["Begin", "Of the owner"]
    assert waiting_changes(site) == ()


def test_nothing_is_noted_where_git_is_off(tmp_path: Path) -> None:
    """A folder without Git works as well."""
    site = make_site(tmp_path / "site", "off")
    write(site, update(POST))
    assert waiting_changes(site) == ()
    assert not (site.folder / ".sitecms").exists()


def test_changes_of_a_wrong_clock_do_not_wait_for_ever(site: SiteSettings) -> None:
    """A change that is later than now was noted before the clock was set back."""
    write(site, update(POST, at=86_400))
    assert commit_due(site, START).subjects == ("Update “tide”",)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ([update("a.md", title="Spring tide")], "Update “Spring tide”\n"),
        ([update("a.md", title="A", verb=Verb.ADD), update("a.md", title="A")], "Add “A”\n"),
        ([update("a.md", title="A"), update("a.md", title="A", verb=Verb.DELETE)], "Delete “A”\n"),
        (
            [update("a.md", title="A", verb=Verb.ADD_DRAFT), update("a.md", title="A", verb=Verb.PUBLISH)],
            "Publish “A”\n",
        ),
        ([update("a.md", title="A", verb=Verb.PUBLISH), update("a.md", title="A", verb=Verb.RENAME)], "Publish “A”\n"),
        ([update("a.md", title="A", verb=Verb.DELETE), update("a.md", title="A", verb=Verb.RESTORE)], "Restore “A”\n"),
        (
            [update("a.md", title="A"), update("b.md", title="x" * 80)],
            f"Update 2 posts\n\nUpdate “A”\nUpdate “{'x' * 80}”\n",
        ),
        (
            [update("a.md", title="A", verb=Verb.PUBLISH), update("b.md", title="B")],
            "Publish “A”, update “B”\n\nPublish “A”\nUpdate “B”\n",
        ),
        ([AuthoredChange(ANN, Verb.UPDATE, "media", "", ("media.yaml",), START)], "Describe pictures\n"),
        ([update("a.md", title="A"), update("a.md", title="B")], "Update “B”\n"),
        (
            [AuthoredChange(ANN, Verb.UPDATE, "authors", "", ("authors.yaml",), START), update("a.md", title="A")],
            "Update authors, update “A”\n\nUpdate authors\nUpdate “A”\n",
        ),
        ([update("a.md", title="A"), update("b.md", title="A")], "Update 2 posts\n\nUpdate “A”\nUpdate “A”\n"),
        (
            [
                update("a.md", title="A"),
                *(AuthoredChange(ANN, Verb.ADD, "picture", each, (each,), START) for each in "xyz"),
            ],
            "Update “A”, add 3 pictures\n\nUpdate “A”\nAdd picture x\nAdd picture y\nAdd picture z\n",
        ),
        ([update("a.md", title="A\nSigned-off-by: \x1b[1m")], "Update “A Signed-off-by: [1m”\n"),
        ([update("a.md", title="x" * 100)], f"Update “{'x' * 63}…\n"),
    ],
)
def test_a_message_says_in_words_what_changed(changes: list[AuthoredChange], message: str) -> None:
    """One entry by its title, several by their number with a line each; no control characters."""
    assert message_of(changes) == message
