"""`sitecms writes`: list, show and retry."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

import orjson
import pytest
from click.testing import CliRunner, Result

from sitecms.cli.main import cli
from sitecms.content.write import EntryKind, Operation, Write, WriteStatus
from sitecms.runtime import Runtime
from sitecms.store.writes import cancel, get_write, insert_write


def run(*arguments: object) -> Result:
    """One command, as typed."""
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


@pytest.fixture
def kept(runtime: Runtime, noon: datetime, make_token: Callable[..., str]) -> Runtime:
    """A site with one accepted write of an item, and one rejected write of a post."""
    kind, waits = (EntryKind.POST, Operation.CREATE), WriteStatus.ACCEPTED
    post = Write("w1", 0, *kind, "post:1", 1, {"slug": "ebb"}, waits, 0, {}, noon)
    with runtime.database.writing() as transaction:
        insert_write(transaction, post)
        item = replace(post, id="w2", kind=EntryKind.ITEM, entry_key="item:7", entry_id=7, payload={})
        insert_write(transaction, item)
        cancel(transaction, post, "It is gone.", noon)
    return runtime


def test_list(kept: Runtime) -> None:
    """The newest first, or only those of a status."""
    folder = kept.settings.folder
    lines = [line.split() for line in run("writes", "list", folder).stdout.splitlines()]
    assert lines[0] == ["ID", "STATUS", "OPERATION", "ENTRY", "ACCEPTED", "FINISHED"]
    at = "2026-03-01T12:00:00Z"
    assert lines[1:] == [
        ["w2", "accepted", "create", "item", "7", at], ["w1", "rejected", "create", "post", "ebb", at, at],
    ]  # fmt: skip
    only = run("writes", "list", folder, "--status", "rejected", "--limit", "5").stdout
    assert ("w1" in only, "w2" in only) == (True, False)
    assert run("writes", "list", folder, "--status", "lost").exit_code == 2


def test_show(kept: Runtime) -> None:
    """All that is kept of a write, as JSON; an unknown one is wrong usage."""
    shown = orjson.loads(run("writes", "show", kept.settings.folder, "w1").stdout)
    assert (shown["status"], shown["errors"]) == ("rejected", {"detail": ["It is gone."]})
    assert (shown["payload"], shown["ids"]) == ({"slug": "ebb"}, [1])
    assert run("writes", "show", kept.settings.folder, "w9").exit_code == 2


def test_retry(kept: Runtime) -> None:
    """A rejected write waits again; one that waits already, or that nobody knows, is wrong usage."""
    folder = kept.settings.folder
    assert run("writes", "retry", folder, "w1").exit_code == 0
    with kept.database.reading() as session:
        assert get_write(session, "w1").status is WriteStatus.ACCEPTED
    for wrong in ("w1", "w9"):
        result = run("writes", "retry", folder, wrong)
        assert (result.exit_code, result.stderr.startswith("Error: ")) == (2, True)
