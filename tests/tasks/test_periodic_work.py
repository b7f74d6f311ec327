"""The site is built by itself after a change that readers see: soon, once, and by one worker."""

import sys
import time
from collections.abc import Callable
from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from sitecms.actions.writing.entry_events import record_event
from sitecms.actions.writing.save import save_entry
from sitecms.actions.writing.save_context import SaveContext
from sitecms.clock import now
from sitecms.content.change import Origin, change_of_entry
from sitecms.content.kinds import EntryKind
from sitecms.content.webhooks.event import Event, EventKind
from sitecms.settings.current import CurrentSettings
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.opening import open_database
from sitecms.store.site_state.build_log import answered_request, find_build_records, open_request, request_build
from sitecms.store.site_state.site_builds import built_change, save_built_change, site_changes
from sitecms.tasks.periodic_work import Rebuilder
from tests.support.sites import ExampleSite
from tests.support.waiting import until

PUBLISHED, DRAFT = Event(EventKind.POST_PUBLISHED, {}), Event(EventKind.PAGE_DRAFT, {})


def edit(example: ExampleSite, body: str, event: Event = PUBLISHED) -> None:
    """A change as a request makes it: text and event in one transaction."""
    with example.database.writing() as transaction:
        ((post_id,),) = transaction.sql("SELECT id FROM entry WHERE slug = 'calm'")
        post = change_of_entry([VERSIONS[EntryKind.POST].get(transaction, post_id)]).with_values(
            body=body, markdown=None
        )
        save_entry(SaveContext(transaction, Origin.API, now()), post)
        record_event(transaction, event, now())


def make(example: ExampleSite, **build: object) -> int:
    """Load and build a site that builds on publishing; return the number of its last change."""
    example.settings_are(build={"on_publish": True, **build})
    example.make()
    number = example.database.read(site_changes)
    save_built_change(example.folder / ".sitecms", number)
    return number


def unbuilt(example: ExampleSite) -> int | None:
    """The number of the last change, None if it was built."""
    number = example.database.read(site_changes)
    return None if number == built_change(example.folder / ".sitecms") else number


def run(happened: Callable[[], bool], *rebuilders: Rebuilder) -> bool:
    """Step them as workers do, only faster."""

    def has_happened() -> bool:
        for rebuilder in rebuilders if not happened() else ():
            rebuilder.step()
        return happened()

    return until(has_happened, pause=0.05)


def test_a_change_is_built_within_seconds(example: ExampleSite) -> None:
    """Several quick ones by one build; files that nobody loaded are left alone."""
    made = make(example)
    example.post("unfinished", "Half a sent", status="published", published="2026-02-09T08:00:00Z")
    rebuilder = Rebuilder(CurrentSettings(example.settings), example.database)
    with capture_logs() as logs:
        for number in range(3):
            edit(example, f"<p>Version {number}.</p>")
        assert run(lambda: unbuilt(example) is None, rebuilder)
    assert "Version 2." in example.text("blog/calm/index.html")
    assert not (example.public / "blog/unfinished").exists()
    assert [(entry["event"], entry["change"]) for entry in logs] == [("site_built", made + 3)]


def test_what_no_reader_sees_is_no_reason_to_build(example: ExampleSite) -> None:
    """A draft of a page stands beside what is published."""
    made = make(example)
    edit(example, "<p>Unseen.</p>", DRAFT)
    assert unbuilt(example) is None
    edit(example, "<p>Seen.</p>")
    assert unbuilt(example) == made + 1


def test_one_worker_builds(example: ExampleSite) -> None:
    """The others wait, and find nothing left to do."""
    make(example)
    edit(example, "<p>Once.</p>")
    others = [open_database(example.database.address) for _ in range(3)]
    rebuilders = [Rebuilder(CurrentSettings(example.settings), database) for database in others]
    with capture_logs() as logs:
        assert run(lambda: unbuilt(example) is None, *rebuilders)
        for _ in range(3):
            for rebuilder in rebuilders:
                rebuilder.step()
    assert [entry["event"] for entry in logs] == ["site_built"]
    for rebuilder, database in zip(rebuilders, others, strict=True):
        rebuilder.stop()
        database.close()


@pytest.mark.slow
def test_a_failed_build_is_told_and_tried_again(example: ExampleSite) -> None:
    """Not at once: a minute later, or in a new worker."""
    made = make(example)
    edit(example, "<p>After all.</p>")
    settings = example.settings
    right = (example.folder / "site.toml").read_text("utf-8")
    example.write("site.toml", "nam = 7\n")
    rebuilder = Rebuilder(CurrentSettings(settings), example.database)
    with capture_logs() as logs:
        assert run(lambda: bool(logs), rebuilder)
    (log,) = logs
    assert (log["event"], log["exit_code"]) == ("build_failed", 3)
    assert "site.toml" in log["output"]
    example.write("site.toml", right)
    end = time.monotonic() + 1.5
    run(lambda: time.monotonic() > end, rebuilder)
    assert unbuilt(example) == made + 1
    assert run(lambda: unbuilt(example) is None, Rebuilder(CurrentSettings(settings), example.database))
    assert "After all." in example.text("blog/calm/index.html")


@pytest.mark.slow
def test_a_build_that_breaks_off_is_no_build(example: ExampleSite) -> None:
    """Python ends with 1 on an error that nobody expected, as a build does whose pages failed; only that one counts."""
    made = make(example)
    edit(example, "<p>Unbuilt.</p>")
    rebuilder = Rebuilder(CurrentSettings(example.settings), example.database)
    rebuilder._command = [sys.executable, "-c", "raise MemoryError"]
    with capture_logs() as logs:
        assert run(lambda: bool(logs), rebuilder)
    assert (logs[0]["event"], logs[0]["exit_code"], unbuilt(example)) == ("build_failed", 1, made + 1)
    example.write("templates/post.html", "{{ nothing.at.all }}")
    assert run(lambda: unbuilt(example) is None, Rebuilder(CurrentSettings(example.settings), example.database))


@pytest.mark.slow
def test_a_build_ends_with_its_worker(example: ExampleSite) -> None:
    """The next worker builds the change."""
    made = make(example)
    edit(example, "<p>Later.</p>")
    rebuilder = Rebuilder(CurrentSettings(example.settings), example.database)
    assert run(lambda: rebuilder._build is not None, rebuilder)
    build = rebuilder._build
    assert build is not None
    rebuilder.stop()
    assert build.program.exit_code is not None
    assert unbuilt(example) == made + 1
    assert run(lambda: unbuilt(example) is None, Rebuilder(CurrentSettings(example.settings), example.database))


@pytest.mark.slow
def test_a_user_asks_for_a_build(example: ExampleSite) -> None:
    """Once, also where changes are not built by themselves; the log says what it changed and why."""
    make(example, on_publish=False)
    state = example.folder / ".sitecms"
    rebuilder = Rebuilder(CurrentSettings(example.settings), example.database)
    edit(example, "<p>The new text.</p>")
    for _ in range(3):
        rebuilder.step()
    assert unbuilt(example) is not None
    with example.database.writing(counts_as_change=False) as transaction:
        number = request_build(transaction, "mira", now())
    assert run(lambda: answered_request(state) == number, rebuilder)
    assert unbuilt(example) is None
    newest = find_build_records(state)[0]
    assert newest.written == sum(newest.reasons.values()) > 0
    assert dict(newest.pages)["blog/calm/index.html"] == "what it shows changed"


def test_a_request_of_long_ago_is_not_answered(example: ExampleSite) -> None:
    """As on a host that joins later, or in a store that is restored."""
    make(example)
    asked_at, state = now(), example.folder / ".sitecms"
    with example.database.writing(counts_as_change=False) as transaction:
        request_build(transaction, "mira", asked_at)
    with example.database.reading() as session:
        assert open_request(session, state, asked_at + timedelta(minutes=59)) is not None
        assert open_request(session, state, asked_at + timedelta(minutes=61)) is None


def test_a_requested_build_that_fails_says_why_and_is_not_tried_again(example: ExampleSite) -> None:
    """Somebody has to correct something first."""
    make(example, on_publish=False)
    state, settings = example.folder / ".sitecms", example.settings
    (example.folder / "site.toml").write_text("name = [", encoding="utf-8")
    with example.database.writing(counts_as_change=False) as transaction:
        number = request_build(transaction, "mira", now())
    rebuilder = Rebuilder(CurrentSettings(settings), example.database)
    assert run(lambda: answered_request(state) == number, rebuilder)
    assert "is not valid TOML" in find_build_records(state)[0].error


def test_a_load_is_built(example: ExampleSite) -> None:
    """A file that was changed and loaded reaches readers without `sitecms build`; an equal load starts nothing."""
    made = make(example)
    example.post("calm", "Loaded.", status="published", published="2026-02-09T08:00:00Z")
    example.load()
    assert unbuilt(example) == made + 1
    assert run(lambda: unbuilt(example) is None, Rebuilder(CurrentSettings(example.settings), example.database))
    assert "Loaded." in example.text("blog/calm/index.html")
    example.load()
    assert unbuilt(example) is None


def test_a_worker_builds_once_the_settings_say_so(example: ExampleSite) -> None:
    """It was started without `on_publish`, and is not started again."""
    make(example, on_publish=False)
    rebuilder = Rebuilder(CurrentSettings(example.settings), example.database)
    edit(example, "<p>Now.</p>")
    for _ in range(3):
        rebuilder.step()
    assert rebuilder._build is None
    example.settings_are(build={"on_publish": True}, name="Ebb")
    assert run(lambda: unbuilt(example) is None, rebuilder)
    assert "Ebb" in example.text("blog/calm/index.html")


def test_commands_that_came_after_the_start_of_a_worker_do_not_run(example: ExampleSite) -> None:
    """A pull may bring them; those that the worker started with run before each of its builds."""
    mark = "import sys; open(sys.argv[1], 'w')"
    make(example, before=[sys.executable, "-c", mark, "first"])
    rebuilder = Rebuilder(CurrentSettings(example.settings), example.database)
    edit(example, "<p>One.</p>")
    assert run(lambda: unbuilt(example) is None, rebuilder)
    assert (example.folder / "first").exists()
    example.settings_are(build={"on_publish": True, "before": [sys.executable, "-c", mark, "second"]})
    with capture_logs() as logs:
        edit(example, "<p>Two.</p>")
        assert run(lambda: unbuilt(example) is None, rebuilder)
    assert "Two." in example.text("blog/calm/index.html")
    assert not (example.folder / "second").exists()
    assert "commands_left_out" in [entry["event"] for entry in logs]
