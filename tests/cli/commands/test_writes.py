"""`sitecms writes`: list, show and retry."""

from collections.abc import Callable
from datetime import datetime, timedelta

import orjson
import pytest
from msgspec.structs import replace

from sitecms.clock import to_microseconds
from sitecms.content.kinds import EntryKind
from sitecms.content.writes import BuiltInFields, Operation, Save, Write, WriteStatus
from sitecms.runtime import Runtime
from sitecms.store.writes.writes import cancel, get_write, insert_write
from tests.support.command_line import run


@pytest.fixture
def kept(runtime: Runtime, noon: datetime, make_token: Callable[..., str]) -> Runtime:
    """A site with one accepted write of an item, and one rejected write of a post."""
    kind, waits = (EntryKind.POST, Operation.CREATE), WriteStatus.ACCEPTED
    post = Write("w1", 0, *kind, "post:1", 1, Save(slug="ebb"), waits, 0, {}, noon)
    with runtime.database.writing() as transaction:
        insert_write(transaction, post)
        item = replace(post, id="w2", kind=EntryKind.ITEM, entry_key="item:7", entry_id=7, payload=Save())
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
    assert (shown["payload"], shown["ids"]) == ({"verb": "save", "slug": "ebb"}, [1])
    assert run("writes", "show", kept.settings.folder, "w9").exit_code == 2


def test_retry_of_an_old_write(kept: Runtime, noon: datetime, make_post: Callable[..., int]) -> None:
    """Refused while later writes or other changes stand; it says which, and --force applies it all the same."""
    folder = kept.settings.folder
    post_id = make_post("flow", hours=-1)
    sent = Save(slug="flow", title="x", built_in=BuiltInFields(body="y"))
    old = Write("w3", 0, EntryKind.POST, Operation.UPDATE, "post:9", post_id, sent, WriteStatus.ACCEPTED, 0, {}, noon)
    with kept.database.writing() as transaction:
        insert_write(transaction, old)
        cancel(transaction, old, "No.", noon)
    retried = run("writes", "retry", folder, "w3")
    assert (retried.exit_code, retried.stderr) == (0, "The write w3 is accepted again.\n")
    late = noon + timedelta(hours=1)
    newer = replace(old, id="w4", payload=Save(slug="flow", title="z"), accepted_at=late, finished_at=late)
    with kept.database.writing() as transaction:
        cancel(transaction, old, "No.", noon)
        insert_write(transaction, replace(newer, status=WriteStatus.APPLIED))
    refused = run("writes", "retry", folder, "w3")
    assert refused.exit_code == 2
    assert "w4 (update of title, accepted 2026-03-01T13:00:00Z)" in refused.stderr
    assert "w3 (update of body, title, accepted 2026-03-01T12:00:00Z)" in refused.stderr
    assert "add --force" in refused.stderr
    with kept.database.writing() as transaction:
        assert get_write(transaction, "w3").status is WriteStatus.REJECTED
        transaction.sql("DELETE FROM write WHERE id = 'w4'")
        transaction.sql(
            "UPDATE version SET updated_at = ? WHERE kind = 'post' AND entry_id = ?", to_microseconds(late), post_id
        )
    refused = run("writes", "retry", folder, "w3")
    assert (refused.exit_code, "was changed at 2026-03-01T13:00:00Z" in refused.stderr) == (2, True)
    assert run("writes", "retry", folder, "w3", "--force").exit_code == 0
    assert kept.database.read(get_write, "w3").status is WriteStatus.ACCEPTED


def test_retry(kept: Runtime) -> None:
    """A rejected write waits again; one that waits already, or that nobody knows, is wrong usage."""
    folder = kept.settings.folder
    assert run("writes", "retry", folder, "w1").exit_code == 0
    assert kept.database.read(get_write, "w1").status is WriteStatus.ACCEPTED
    for wrong in ("w1", "w9"):
        result = run("writes", "retry", folder, wrong)
        assert (result.exit_code, result.stderr.startswith("Error: ")) == (2, True)
