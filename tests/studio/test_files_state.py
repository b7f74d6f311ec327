"""The home of the studio says what is not in the files of the site, and nothing where all is."""

import sys

import pytest
from msgspec.structs import replace

from sitecms.actions.syncing.git.state import GitState, save_state
from sitecms.content.kinds import EntryKind
from sitecms.content.user import Role
from sitecms.runtime import Runtime
from sitecms.settings.files import GitMode
from sitecms.store.site_state.file_changes import note_file_change, open_file_changes, save_file_problem
from sitecms.store.site_state.loaded_files import LoadedFile, save_loaded_file
from sitecms.web.service import create_app
from tests.support.ordinary_user import permissions_that_count

from .conftest import Browser, MakeUser, SignedIn

IS_CHANGED = "content/posts/calm.md changed since it was loaded; load it first (sitecms load, or sitecms sync)"


def note_problems(runtime: Runtime, *problems: str) -> None:
    """Let one change for each problem be one that no file has, in a site that was loaded from files."""
    with runtime.database.writing(counts_as_change=False) as transaction:
        save_loaded_file(transaction, LoadedFile("content/posts/calm.md", "", "", "[]", "{}", 0, ""))
        for number, problem in enumerate(problems, 1):
            note_file_change(transaction, EntryKind.POST, number)
            (change,) = open_file_changes(transaction, 1)
            save_file_problem(transaction, change, problem)


@pytest.mark.parametrize(
    ("problems", "said"),
    [
        ([IS_CHANGED], f"1 change is not in the files of the site: {IS_CHANGED}."),
        (
            ["a: no", "b: no", "a: no"],
            "3 changes are not in the files of the site: a: no. sitecms status lists 1 more reason.",
        ),
    ],
)
def test_home_says_what_is_not_in_the_files(problems: list[str], said: str, runtime: Runtime, editor: Browser) -> None:
    """In one line, to those who see the changes of all: how many and why."""
    note_problems(runtime, *problems)
    editor.get("/studio/")
    assert said in editor.text


@pytest.mark.parametrize(("role", "problems"), [(Role.EDITOR, []), (Role.WRITER, [IS_CHANGED])])
def test_home_is_silent(role: Role, problems: list[str], runtime: Runtime, signed_in: SignedIn) -> None:
    """Where all is in the files, or about to be written, and to writers, who see their own changes only."""
    browser = signed_in(role)
    note_problems(runtime, *problems)
    with runtime.database.writing(counts_as_change=False) as transaction:
        note_file_change(transaction, EntryKind.POST, 9)
    browser.get("/studio/")
    assert "not in the files" not in browser.text


@pytest.mark.parametrize(("role", "is_said"), [(Role.EDITOR, True), (Role.WRITER, False)])
def test_home_says_what_stops_git(role: Role, is_said: bool, runtime: Runtime, make_user: MakeUser) -> None:
    """File and field, as the worker noted them, to those who see the changes of all."""
    pushing = replace(runtime.settings, files=replace(runtime.settings.files, git=GitMode.PUSH))
    problem = "content/posts/tide.md changed both here and at the remote, in the same place (title)"
    save_state(pushing.state_dir, GitState(problem))
    browser = Browser(create_app(replace(runtime, settings=pushing), "http://127.0.0.1:8000").test_client())
    browser.open_session(runtime, make_user("ann", role).name)
    browser.get("/studio/")
    assert (f"The files are not exchanged with Git: {problem}." in browser.text) is is_said


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="an administrator may write everywhere")
def test_home_says_that_the_folder_cannot_be_written(runtime: Runtime, signed_in: SignedIn) -> None:
    """With the reason of the system, while a change waits."""
    browser, folder = signed_in(Role.EDITOR), runtime.settings.folder
    note_problems(runtime)
    with runtime.database.writing(counts_as_change=False) as transaction:
        note_file_change(transaction, EntryKind.POST, 9)
    folder.chmod(0o555)
    try:
        with permissions_that_count():
            browser.get("/studio/")
    finally:
        folder.chmod(0o755)
    assert "1 change is not in the files of the site: " in browser.text
    assert "cannot be written: permission denied" in browser.text
