"""`sitecms status`: show the state of a site."""

import json
import re
from collections.abc import Callable
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from sitecms.clock import now, parse_timestamp, to_microseconds
from sitecms.content.change import Origin
from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status
from sitecms.runtime import Runtime
from sitecms.store.entries.entry_rows import insert_entry
from tests.cli.conftest import Run

Make = Callable[..., int]


def status(run: Run, folder: Path) -> dict[str, Any]:
    """Return the report of the command."""
    result = run("status", folder, "--format", "json")
    assert (result.returncode, result.stderr) == (0, "")
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_a_new_site(run: Run, demo: Path) -> None:
    """Built, and nothing written yet: every part is there; the queue, which nobody used, is not made by looking."""
    assert run("build", demo).returncode == 0
    found = status(run, demo)
    assert found["format"] == 2
    assert found["site"] == "My site"
    assert found["store"]["entries"]["post"] == {"published": 3}
    assert found["store"]["size_bytes"] > 10_000
    assert found["queue"] == {"kind": "sqlite", "length": 0, "oldest_seconds": None}
    assert (found["writes"], found["deliveries"], found["processes"]) == ({}, {}, {})
    build = found["last_build"]
    assert build["files"] == sum(path.is_file() for path in (demo / "public").rglob("*")) - 1  # the manifest
    assert (build["failed"], build["output"]) == (0, str(demo / "public"))
    assert build["phases"].keys() >= {"snapshot", "plan", "render", "publish"}
    assert found["media"]["files"] > 0
    assert found["versions"].keys() >= {"sitecms", "python", "sqlite", "flask", "peewee"}
    assert not (demo / ".sitecms" / "queue.db").exists()


def test_entries_by_kind_and_status(run: Run, runtime: Runtime, make_post: Make) -> None:
    """A page with a published and a draft version is one published page; the trash has its own count."""
    make_post("one")
    make_post("two", status=Status.DRAFT)
    make_post("three")
    with runtime.database.writing() as transaction:
        transaction.sql("UPDATE entry SET deleted_at = 1 WHERE slug = 'three'")
        for page, versions in (("a", ("published", "draft")), ("b", ("draft",)), ("c", ("scheduled", "draft"))):
            page_id = insert_entry(transaction, EntryKind.PAGE, {"type": "", "slug": page}, (Origin.API, now()))
            for version, state in zip(("live", "draft"), versions, strict=False):
                transaction.sql(
                    "INSERT INTO version (kind, entry_id, locale, version, status, fields_json, created_at, updated_at)"
                    " VALUES ('page', ?, 'en', ?, ?, '{}', 1, 1)",
                    page_id, version, state,
                )  # fmt: skip
    entries = status(run, runtime.settings.folder)["store"]["entries"]
    assert entries["post"] == {"published": 1, "draft": 1, "trash": 1}
    assert entries["page"] == {"published": 1, "draft": 1, "scheduled": 1}
    assert entries["item"] == {}


def test_open_writes_have_an_age(run: Run, runtime: Runtime) -> None:
    """The oldest of each state counts."""
    at = to_microseconds(now())
    with runtime.database.writing() as transaction:
        for number, (state, seconds) in enumerate((("accepted", 50), ("accepted", 500), ("failed", 7))):
            transaction.sql(
                "INSERT INTO write (id, kind, operation, entry_key, entry_id, payload_json, status, attempt,"
                " errors_json, accepted_at) VALUES (?, 'post', 'create', 'k', 1, '{}', ?, 0, '{}', ?)",
                str(number), state, at - seconds * 1_000_000,
            )  # fmt: skip
    found = status(run, runtime.settings.folder)
    assert found["writes"]["accepted"]["count"] == 2
    assert found["writes"]["accepted"]["oldest_seconds"] == pytest.approx(500, abs=30)
    assert found["writes"]["failed"]["oldest_seconds"] == pytest.approx(7, abs=30)
    assert found["queue"]["oldest_seconds"] == found["writes"]["accepted"]["oldest_seconds"]
    text = run("status", runtime.settings.folder).stdout
    assert re.search(r"2 accepted \(oldest \d+ min ago\)", text), text


def test_status_prints_text_by_default(run: Run, demo: Path) -> None:
    """One line for each part; a site that was never built says so."""
    run("load", demo)
    lines = run("status", demo).stdout.splitlines()
    assert [line.split("  ")[0] for line in lines] == [
        "site", "store", "posts", "pages", "items", "others", "media", "queue", "writes", "deliveries", "e-mail",
        "files", "processes", "last build", "versions",
    ]  # fmt: skip
    assert lines[-2].split(None, 2)[2] == "never"


def test_problems_are_findings(run: Run, runtime: Runtime) -> None:
    """Failed writes, and accepted ones that no worker applies, are warnings with a remedy; the exit code stays 0."""
    at = to_microseconds(now())
    with runtime.database.writing() as transaction:
        for number, state in enumerate(("accepted", "failed", "failed")):
            transaction.sql(
                "INSERT INTO write (id, kind, operation, entry_key, entry_id, payload_json, status, attempt,"
                " errors_json, accepted_at) VALUES (?, 'post', 'create', 'k', 1, '{}', ?, 0, '{}', ?)",
                str(number), state, at - 500_000_000,
            )  # fmt: skip
    report = status(run, runtime.settings.folder)
    assert (report["errors"], report["warnings"]) == (0, 2)
    assert {each["kind"]: each["what"] for each in report["findings"]} == {
        "writes-overdue": "1 write accepted and not applied for more than a minute; no worker runs on this machine",
        "writes-failed": "2 writes failed",
    }
    assert "writes-failed: warning: 2 writes failed (" in run("status", runtime.settings.folder).stdout


def test_an_entry_that_was_not_published_is_a_finding(run: Run, runtime: Runtime, make_post: Make) -> None:
    """Its address is that of another one; the build says it, too."""
    at = parse_timestamp("2026-01-01T08:00:00Z", UTC)
    make_post("holder")
    held = make_post("held", status=Status.SCHEDULED, scheduled_at=at)
    with runtime.database.writing() as transaction:
        path = '{"paths": {"en": "/blog/holder/"}}'
        transaction.sql("UPDATE entry SET addresses_json = ? WHERE id = ? AND kind = 'post'", path, held)
    built = run("build", runtime.settings.folder)
    (finding,) = [each for each in status(run, runtime.settings.folder)["findings"] if each["kind"] == "address-taken"]
    occupant = "the post holder stands at that address, /blog/holder/"
    assert finding["what"] == (
        f"post held (id {held}), en, was to be published at 2026-01-01T08:00:00Z, but {occupant}"
    )
    assert f"{finding['what']} ({finding['remedy']})" in built.stderr
