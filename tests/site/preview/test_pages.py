"""Pages of a preview, made when they are asked for: what they show, what becomes of errors, search."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import orjson
import pytest

from sitecms.actions.authoring.file_schemas import write_schemas
from sitecms.actions.loading import load_site
from sitecms.content.kinds import EntryKind
from sitecms.settings.site import SiteSettings
from sitecms.site.before_build import WatchedCommands
from sitecms.site.dry_run import plan_dry_run
from sitecms.site.preview.rebuild import PreviewRebuilder
from sitecms.site.preview.responses import StatusBoard
from sitecms.site.render.pages import Renderer, Sink, render
from sitecms.site.scratch_site import ScratchSite, open_scratch_site
from sitecms.store.entries.bodies import bodies_of
from tests.support.newsroom import Newsroom
from tests.support.sites import ExampleSite

HOST = "http://127.0.0.1:4400"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
NO_COMMANDS = WatchedCommands((), Path(), print)
GONE = "content/posts/gone.md"


@pytest.fixture
def board() -> StatusBoard:
    """What open pages are told."""
    return StatusBoard()


@pytest.fixture
def start(example: ExampleSite, tmp_path: Path, board: StatusBoard) -> Iterator[Callable[[], PreviewRebuilder]]:
    """Begin to preview the site, up to the first turn."""
    started: list[PreviewRebuilder] = []

    def begin() -> PreviewRebuilder:
        folder = tmp_path / "scratch"
        folder.mkdir()
        rebuilder = PreviewRebuilder(
            example.settings, ScratchSite(example.settings, folder), board, HOST, lambda: NOON, NO_COMMANDS
        )
        started.append(rebuilder)
        rebuilder.rebuild()
        return rebuilder

    yield begin
    for each in started:
        each.close()


class OutputsInMemory(Sink):
    """Keeps rendered outputs by their path."""

    def __init__(self) -> None:
        self.outputs: dict[str, bytes] = {}

    def write(self, path: str, data: bytes) -> bool:
        """Keep the output."""
        self.outputs[path] = data
        return True


def built_whole(settings: SiteSettings) -> dict[str, bytes]:
    """Return the outputs of a fresh copy of the site, drafts included."""
    with open_scratch_site(settings) as scratch:
        mine = PreviewRebuilder(settings, scratch, StatusBoard(), HOST, lambda: NOON, NO_COMMANDS).settings
        database = scratch.copy_store()
        load_site(database, mine, NOON, prune=True)
        sink = OutputsInMemory()
        with database.reading() as session:
            site = plan_dry_run(session, mine, drafts=True)
            renderer = Renderer(site.environment, sink, partial(bodies_of, session), finish=site.finish)
            outcomes = [outcome for _number, outcome in render(renderer, (*site.plan.files, *site.plan.pages), 1)]
        assert [outcome.error for outcome in outcomes if outcome.error] == []
        database.close()
    return sink.outputs


def shown(rebuilder: PreviewRebuilder, paths: Iterator[str] | dict[str, bytes]) -> dict[str, bytes | None]:
    """What the preview has at these paths."""
    found = {path: rebuilder.find(path) for path in paths}
    return {path: each.data if each else None for path, each in found.items()}


@pytest.mark.slow
def test_after_every_change_pages_are_those_of_a_whole_build(
    example: ExampleSite, start: Callable[[], PreviewRebuilder]
) -> None:
    """Byte for byte, whichever pages were looked at before; what went is gone."""
    example.post("gone", "Soon gone.", published="2026-02-03T08:00:00Z")
    example.post("draft", "Not yet.", status="draft")
    rebuilder = start()
    changes: tuple[Callable[[], object], ...] = (
        lambda: example.post("draft", "Nearly.", status="draft", tags=["late"]),
        lambda: example.write("assets/extra.css", "h1 { color: red }"),
        lambda: example.write("templates/parts/extra.html", "<p>Extra</p>"),
        lambda: example.remove(GONE),
        lambda: example.settings_are(name="Ebb"),
        lambda: example.post("draft", "Now.", published="2026-02-05T08:00:00Z"),
    )
    for change in (lambda: None, *changes):
        change()
        assert rebuilder.rebuild().problems == ()
        whole = built_whole(example.settings)
        assert shown(rebuilder, whole) == whole
        assert rebuilder.find("blog/draft/index.html")
    assert rebuilder.find("blog/gone/index.html") is None


def test_the_store_is_copied_again_where_somebody_wrote_to_it(
    example: ExampleSite, start: Callable[[], PreviewRebuilder]
) -> None:
    """Pages that were looked at before among them."""
    example.load()
    rebuilder = start()
    before = rebuilder.find("index.html")
    example.post("new", "From elsewhere.", published="2026-02-06T09:00:00Z")
    example.load()
    rebuilder.rebuild()
    whole = built_whole(example.settings)
    assert shown(rebuilder, whole) == whole
    assert before
    assert before.data != whole["index.html"]


def test_faults_of_pages_that_nobody_looks_at_are_told_in_the_end(
    example: ExampleSite, start: Callable[[], PreviewRebuilder], board: StatusBoard
) -> None:
    """Once all others are seen to be sound; mended, the error goes. The page is shown as it was."""
    for number in range(40):
        example.post(f"number-{number}", "One of many.", published=f"2025-01-{1 + number % 28:02}T08:00:00Z")
    rebuilder = start()
    while rebuilder.resume():
        pass
    path = "templates/post.html"
    example.write(path, '<p>{{ post.card.title }}\n{% if post.card.title == "Number-7" %}{{ nothing.more }}{% endif %}')
    rebuilder.rebuild()
    while rebuilder.resume():
        pass
    assert [problem.where for problem in board.state.problems] == [f"{path}:2"]
    page = rebuilder.find("blog/number-7/index.html")
    assert page
    assert b"One of many." in (page.data or b"")
    other = rebuilder.find("blog/number-8/index.html")
    assert other
    assert b"One of many." not in (other.data or b"")
    example.remove(path)
    rebuilder.rebuild()
    while rebuilder.resume():
        pass
    assert board.state.problems == ()


def test_nothing_is_asked_of_a_site_that_cannot_be_planned(
    example: ExampleSite, start: Callable[[], PreviewRebuilder]
) -> None:
    """Until it is mended, there is no page, and no error but the one that is told."""
    example.write("schema/page_types/x.yaml", "fields:\n  - {slug: a, type: colour}\n")
    rebuilder = start()
    assert rebuilder.find("index.html") is None
    assert not rebuilder.resume()
    example.remove("schema/page_types/x.yaml")
    rebuilder.rebuild()
    assert rebuilder.find("index.html")


def test_search_is_made_when_it_is_asked_for(
    example: ExampleSite, start: Callable[[], PreviewRebuilder], lacking: Callable[[str], None]
) -> None:
    """With drafts in it, and anew after a change of what it finds."""
    if not any(map(find_spec, ("pagefind_bin_extended", "pagefind_bin"))):
        lacking("there is no Pagefind for this machine")
    example.settings_are(search={"enabled": True})
    example.post("draft", "Not yet.", status="draft")
    rebuilder = start()
    assert rebuilder.searchable

    def count() -> int:
        found = rebuilder.find("pagefind/pagefind-entry.json")
        assert found
        assert found.data
        languages = orjson.loads(found.data)["languages"]
        return sum(int(each["page_count"]) for each in languages.values())

    before = count()
    script = rebuilder.find("pagefind/pagefind.js")
    assert script
    assert script.data
    example.post("another", "Found, too.", status="draft")
    rebuilder.rebuild()
    assert count() == before + 1
    assert rebuilder.find("pagefind/../pagefind-entry.json") is None


def test_conflicts_of_the_load_are_shown(example: ExampleSite, start: Callable[[], PreviewRebuilder]) -> None:
    """Both values, file and line, for as long as the store does not change."""
    example.load()
    newsroom = Newsroom(example)
    newsroom.update(EntryKind.POST, "calm", {"title": "Slack"})
    text = newsroom.files()["content/posts/calm.md"]
    example.write("content/posts/calm.md", text.replace('"Calm"', '"Quiet"'))
    rebuilder = start()
    for _ in range(2):
        (problem,) = rebuilder.rebuild().problems
        assert problem.where == "content/posts/calm.md:2 title"
        assert "the file's 'Quiet' stands, the other was 'Slack'" in problem.what


def test_a_preview_keeps_the_schemas_for_editors_current(
    example: ExampleSite, start: Callable[[], PreviewRebuilder]
) -> None:
    """Where sitecms schema has written them; nowhere else."""
    rebuilder = start()
    folder = example.folder / ".sitecms/schemas"
    assert not folder.exists()
    write_schemas(example.settings)
    example.write("schema/post.yaml", {"fields": [{"slug": "rating", "type": "number"}]})
    rebuilder.rebuild([example.folder / "schema/post.yaml"])
    assert '"rating"' in (folder / "post.schema.json").read_text("utf-8")
