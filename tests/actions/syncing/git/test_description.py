"""What was written for an entry, in the words of its commit."""

from collections.abc import Callable, Sequence

import pytest

from sitecms.actions.syncing.git.changes import message_of
from sitecms.actions.syncing.git.description import WrittenFile, describe
from sitecms.content.kinds import EntryKind
from sitecms.store.database import Database
from sitecms.store.entries.trash import move_to_trash
from sitecms.store.site_state.file_changes import FileChange
from tests.actions.syncing.git.conftest import START

NEW, SAME, GONE = (False, True), (True, True), (True, False)


@pytest.fixture
def message(store: Database) -> Callable[..., str]:
    """Return the message of a commit of these files, each with whether it was there and is there."""

    def make(kind: str, entry_id: int, *files: tuple[str, tuple[bool, bool]], by: str = "shop") -> str:
        written = [WrittenFile(path, *state) for path, state in files]
        with store.reading() as session:
            changes = tuple(describe(session, FileChange(kind, entry_id, 1, editor=by), written, START))
        assert {change.person.name for change in changes} == {by}
        return message_of(changes)

    return make


@pytest.mark.sqlite_only
def test_entries_are_named_by_their_titles(
    message: Callable[..., str],
    make_post: Callable[..., int],
    make_page: Callable[..., int],
    make_item: Callable[..., str],
    store: Database,
) -> None:
    """Also in the trash; an entry that is gone altogether by its file, a list by what it lists."""
    post, page = make_post("tide", title="Spring tide"), make_page("home")
    make_item(7, {"name": "Bo Lind"})
    path = "content/posts/tide.md"
    assert message("post", post, (path, NEW)) == "Publish “Spring tide”\n"
    assert message("post", post, (path, SAME), ("content/posts/marea.md", NEW)) == "Update “Spring tide”\n"
    assert message("page", page, ("content/pages/_single/home.yaml", SAME)).startswith("Update page ")
    assert message("item", 7, ("content/collections/team.yaml", SAME)) == "Publish item “Bo Lind”\n"
    with store.writing() as transaction:
        move_to_trash(transaction, EntryKind.POST, post, START)
        move_to_trash(transaction, EntryKind.ITEM, 7, START)
    assert message("post", post, (path, GONE)) == "Delete “Spring tide”\n"
    assert message("item", 7, ("content/collections/team.yaml", SAME)) == "Delete item “Bo Lind”\n"
    assert message("post", 99, (path, GONE)) == "Delete “tide”\n"
    assert message("authors", 0, ("content/authors.yaml", SAME)) == "Update authors\n"


@pytest.mark.sqlite_only
def test_pictures_are_counted(message: Callable[..., str], make_post: Callable[..., int]) -> None:
    """Beside the entry that they came with, or alone."""
    post = make_post("tide", title="Spring tide")
    pictures: Sequence[tuple[str, tuple[bool, bool]]] = [(f"media/{name}.jpg", NEW) for name in "abc"]
    assert message("post", post, ("content/posts/tide.md", SAME), *pictures).startswith(
        "Update “Spring tide”, add 3 pictures\n\nUpdate “Spring tide”\nAdd picture a.jpg\n"
    )
    assert message("media", 0, *pictures).startswith("Add 3 pictures\n")
