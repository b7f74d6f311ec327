"""`sitecms trash`: list, restore and empty."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

import pytest

from sitecms.actions.writing.trash import delete_entry
from sitecms.clock import now
from sitecms.content.kinds import EntryKind
from sitecms.runtime import Runtime
from sitecms.store.database import Database
from tests.support import command_line
from tests.support.reading import get_post

Make = Callable[..., int]


run = partial(command_line.run, "trash")


def delete(store: Database, post_id: int, at: datetime) -> None:
    store.write(delete_entry, EntryKind.POST, post_id, at)


def test_list_and_restore(runtime: Runtime, make_post: Make, noon: datetime) -> None:
    """The most recently deleted entry is first; a restored one is visible again."""
    folder, ids = runtime.settings.folder, [make_post("ebb"), make_post("flow")]
    for hour, post_id in enumerate(ids):
        delete(runtime.database, post_id, noon + timedelta(hours=hour))
    lines = [re.split(r" {2,}", line) for line in run("list", folder).stdout.splitlines()]
    assert lines == [
        ["KIND", "ID", "NAME", "DELETED"],
        ["post", str(ids[1]), "flow", "2026-03-01T13:00:00Z"],
        ["post", str(ids[0]), "ebb", "2026-03-01T12:00:00Z"],
    ]
    assert run("restore", folder, "post", ids[0]).stderr == f"The post {ids[0]} is restored.\n"
    assert runtime.database.read(get_post, "ebb").id == ids[0]
    assert len(run("list", folder).stdout.splitlines()) == 2


def test_taken_slug_is_reported(runtime: Runtime, make_post: Make, noon: datetime) -> None:
    """Exit code 2, and what would help."""
    post_id = make_post("ebb")
    delete(runtime.database, post_id, noon)
    make_post("ebb")
    result = run("restore", runtime.settings.folder, "post", post_id)
    assert result.exit_code == 2
    assert result.stderr == "Error: The post 'ebb' is another one now. Rename or delete that one first.\n"


@pytest.mark.parametrize("arguments", [("post", 7), ("page", 7), ("item", 7), ("author", 7), ("post", "ebb")])
def test_unknown_entry_is_wrong_usage(runtime: Runtime, arguments: tuple[object, ...]) -> None:
    """A kind that is none, an id that is none, one that is not in the trash."""
    assert run("restore", runtime.settings.folder, *arguments).exit_code == 2


def test_empty_asks_for_confirmation(runtime: Runtime, make_post: Make) -> None:
    """Only old entries are removed; nothing is removed without an answer, or if it is no."""
    folder = runtime.settings.folder
    for slug, days in (("old", 31), ("young", 1)):
        delete(runtime.database, make_post(slug), now() - timedelta(days=days))
    refused = run("empty", folder, typed="n\n")
    assert refused.exit_code == 1
    unanswered = run("empty", folder)
    assert (unanswered.exit_code, "give --yes" in unanswered.stderr) == (2, True)
    removed = run("empty", folder, "--older-than", 30, "--yes")
    expected = "0 old writes, 0 old deliveries, 0 old revisions, 0 unsaved texts, 0 old actions of the log"
    assert removed.stderr == f"Removed 1 deleted entry, {expected} and 0 unused media files.\n"
    assert "young" in run("list", folder).stdout
    assert run("empty", folder, "--yes").exit_code == 0
    assert run("list", folder).stdout == "KIND  ID  NAME  DELETED\n"
