"""The law of one truth: whatever is edited by files, API and studio, at rest files and store say the same."""

import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from sitecms.actions.editing import media, names
from sitecms.actions.editing.edited import EditContext
from sitecms.actions.item_order import MoveDirection, move_items
from sitecms.actions.writing.accept.planning import StudioValues
from sitecms.actions.writing.publish_scheduled import publish_scheduled
from sitecms.content.fingerprint import revision_of
from sitecms.content.kinds import EntryKind
from sitecms.content.media import MediaDetails, clean_tags
from sitecms.content.term import Term, TermKind
from sitecms.documents.reading import read_front_matter
from sitecms.documents.rewriting import rewrite_front_matter
from sitecms.errors import Conflict, InvalidFields, NotFound
from sitecms.store.entries.authors import find_authors
from sitecms.store.entries.media_files import all_media
from sitecms.store.entries.trash import find_trash
from tests.support.newsroom import Newsroom, killed_write_back
from tests.support.sites import ExampleSite

IS_SEARCH = os.environ.get("HYPOTHESIS_PROFILE") == "search"
MANY = 60 if IS_SEARCH else 15
PHASES = [*Phase] if IS_SEARCH else [Phase.explicit, Phase.generate]  # to make a failure smaller takes minutes
POST, PAGE, ITEM = EntryKind.POST, EntryKind.PAGE, EntryKind.ITEM
SLUGS = ("calm", "drift", "ebb", "flow", "gale", "marea-baja", "secret", "later", "spring")
TEXTS = ("Neap", 'It\'s: a "tide"', "# low", "Ebb\nand flow", " water ", "Ōmi → 海", "-", "no")
BODIES = (
    "<p>High <b>water</b>.</p>",
    '<p>See <a href="/blog/calm/">it</a>.</p>',
    "",
    "<h2>One</h2>\n<p>Two &amp; three</p>",
)


NAMES = st.lists(st.sampled_from(["moon", "Boats", "C++", "a: b"]), max_size=2, unique=True)


def _edits() -> st.SearchStrategy[Any]:
    """One thing that somebody does."""
    slug, text = st.sampled_from(SLUGS), st.sampled_from(TEXTS)
    status, locale = st.sampled_from(["draft", "published"]), st.sampled_from(["", "en", "es"])
    term = st.sampled_from(["Moon", "Rope work", "C++"])
    change = st.one_of(
        st.tuples(st.sampled_from(["title", "summary", "seo_title", "featured_image_alt"]), text),
        st.tuples(st.just("body"), st.sampled_from(BODIES)),
        st.tuples(st.sampled_from(["tags", "categories"]), NAMES),
        st.tuples(st.just("status"), st.sampled_from(["draft", "published"])),
        st.tuples(st.just("slug"), st.sampled_from(["calm", "neap", "low-water", "high"])),
        st.tuples(st.just("author"), st.sampled_from([{"slug": "ann-ray"}, {"slug": "bo-lind"}])),
    )  # fmt: skip
    return st.one_of(
        st.tuples(st.just("post"), slug, change),
        st.tuples(st.just("post"), slug, change),
        st.tuples(st.just("new post"), text, st.sampled_from(BODIES), st.sampled_from(["en", "es"])),
        st.tuples(st.just("delete"), slug),
        st.tuples(st.just("page"), st.sampled_from(["summary", "text", "link"]), text, locale),
        st.tuples(st.just("about"), st.sampled_from(BODIES), st.sampled_from(["", "es"])),
        st.tuples(st.just("new page"), st.sampled_from(["splices", "bends"]), text, status),
        st.tuples(st.just("rename page"), st.sampled_from(["knots", "splices"]), st.sampled_from(["bends", "hitches"])),
        st.tuples(st.just("schedule post"), slug, st.sampled_from([1, 3])),
        st.tuples(st.just("schedule page"), text, st.sampled_from([1, 3]), st.sampled_from(["", "es"])),
        st.tuples(st.just("wait")),
        st.tuples(st.just("delete page"), st.sampled_from(["knots", "splices"]), st.sampled_from(["", "es"])),
        st.tuples(st.just("item"), st.integers(0, 3), text, st.sampled_from(["en", "es"])),
        st.tuples(st.just("new item"), text),
        st.tuples(st.just("delete item"), st.integers(0, 3)),
        st.tuples(st.just("move"), st.integers(0, 3), st.sampled_from([*MoveDirection])),
        st.tuples(st.just("restore"), st.integers(0, 3)),
        st.tuples(st.just("author"), st.sampled_from(["bo-lind", "bo"]), text),
        st.tuples(st.just("term"), st.sampled_from([*TermKind]), term, st.sampled_from(["", "own"])),
        st.tuples(st.just("describe"), st.integers(0, 1), text),
        st.tuples(st.just("file"), st.sampled_from(["calm", "drift", "secret"]), text),
        st.tuples(st.just("load")),
        st.tuples(st.just("sync")),
        st.tuples(st.just("killed")),
    )  # fmt: skip


class Office:
    """Does what the edits say, where it can be done."""

    def __init__(self, newsroom: Newsroom) -> None:
        self.newsroom = newsroom
        self.site = newsroom.site

    def make(self, edit: Any) -> None:
        """Do one edit; what the store refuses is not done."""
        what, *values = edit
        with suppress(InvalidFields, NotFound, Conflict):
            getattr(self, f"_{what.replace(' ', '_')}")(*values)

    def _post(self, slug: str, change: tuple[str, Any]) -> None:
        self.newsroom.update(POST, slug, dict([change]))

    def _new_post(self, title: str, body: str, locale: str) -> None:
        self.newsroom.create(POST, {"title": title, "body": body, "status": "published"}, locale)

    def _delete(self, slug: str) -> None:
        self.newsroom.delete(POST, slug)

    def _page(self, name: str, text: str, locale: str) -> None:
        self.newsroom.update(
            PAGE, "knots", {"fields": {name: text}, "status": "published"}, type_="guide", locale=locale
        )

    def _about(self, body: str, locale: str) -> None:
        sent = {"fields": {"body": body}, "status": "published"}
        self.newsroom.update(PAGE, "about", sent, type_="*", locale=locale)

    def _new_page(self, slug: str, text: str, status: str) -> None:
        sent = {"title": text, "slug": slug, "page_type": "guide", "status": status, "fields": {"summary": text}}
        self.newsroom.create(PAGE, sent)

    def _rename_page(self, slug: str, new: str) -> None:
        self.newsroom.update(PAGE, slug, {}, type_="guide", studio=StudioValues(slug=new))

    def _schedule_post(self, slug: str, days: int) -> None:
        self.newsroom.update(POST, slug, {}, studio=self._in(days))

    def _schedule_page(self, text: str, days: int, locale: str) -> None:
        sent = {"fields": {"summary": text}}
        self.newsroom.update(PAGE, "knots", sent, type_="guide", locale=locale, studio=self._in(days))

    def _in(self, days: int) -> StudioValues:
        return StudioValues(scheduled_at=self.newsroom.clock() + timedelta(days=days))

    def _wait(self) -> None:
        self.site.now += timedelta(days=2)
        self._publish()

    def _publish(self) -> None:
        publish_scheduled(self.newsroom.database, self.newsroom.clock(), self.site.settings)

    def _delete_page(self, slug: str, locale: str) -> None:
        self.newsroom.delete(PAGE, slug, "guide", locale)

    def _item_id(self, place: int) -> int:
        ids = self.newsroom.item_ids("menu")
        if place >= len(ids):
            raise NotFound("Not found.")
        return ids[place]

    def _item(self, place: int, text: str, locale: str) -> None:
        self.newsroom.update(ITEM, str(self._item_id(place)), {"fields": {"label": text}}, type_="menu", locale=locale)

    def _new_item(self, text: str) -> None:
        self.newsroom.create(ITEM, {"key": "menu", "status": "published", "fields": [{"label": text, "url": "/x/"}]})

    def _delete_item(self, place: int) -> None:
        self.newsroom.delete(ITEM, str(self._item_id(place)), "menu")

    def _move(self, place: int, direction: MoveDirection) -> None:
        move_items(self.newsroom.context, self.newsroom.editor, "menu", [self._item_id(place)], direction)

    def _restore(self, place: int) -> None:
        trash = [each for each in self.newsroom.database.read(find_trash) if each.former_of is None]
        if place < len(trash):
            self.newsroom.restore(trash[place].kind, trash[place].id)

    def _author(self, slug: str, text: str) -> None:
        known = next(each for each in self.newsroom.database.read(find_authors) if each.slug.startswith("bo"))
        values = {name: getattr(known, name) for name in names.AUTHOR_VALUES} | {"slug": slug, "bio": text}
        names.save_author(
            EditContext(self.newsroom.context, self.newsroom.editor), known.slug, values, revision_of(known)
        )

    def _term(self, kind: TermKind, name: str, slug: str) -> None:
        old = "moon" if kind is TermKind.TAG else "boats"
        known: Term = self.newsroom.database.read(names.get_term, kind, old)
        context = EditContext(self.newsroom.context, self.newsroom.editor)
        names.save_term(context, kind, old, (name, slug), revision_of(known))

    def _describe(self, place: int, text: str) -> None:
        name = sorted(self.newsroom.database.read(all_media))[place]
        details = MediaDetails(alt=text.strip(), tags=clean_tags(text.split()[:3]))
        media.describe(self.newsroom.database, self.newsroom.editor, name, details, self.newsroom.clock())

    def _file(self, name: str, text: str) -> None:
        path = self.newsroom.folder / f"content/posts/{name}.md"
        if path.is_file():
            front = read_front_matter(path)
            data = {**front.data, "meta_description": text.strip()}
            path.write_bytes(rewrite_front_matter(path.read_text("utf-8"), data, front.body).encode())

    def _load(self) -> None:
        self.site.load()

    def _sync(self) -> None:
        self.newsroom.sync()

    def _killed(self) -> None:
        self._load()
        killed_write_back(self.newsroom)

    def rest(self) -> None:
        """Publish what is due, load and write back until nothing is left."""
        self._publish()
        self.site.load()
        report = self.newsroom.sync(again=True)
        assert (report.problems, report.stopped) == ((), "")


def _check(make_example: Any, steps: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        site = make_example(Path(scratch) / "tide")
        try:
            site.load()
            office = Office(Newsroom(site))
            for step in steps:
                office.make(step)
            office.rest()
            office.newsroom.check_clone("clone")
        finally:
            site.database.close()


@pytest.mark.slow
@pytest.mark.sqlite_only
@settings(
    max_examples=MANY, derandomize=not IS_SEARCH, phases=PHASES, deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip
@example(steps=[("post", "calm", ("title", TEXTS[1])), ("sync",), ("post", "calm", ("body", BODIES[0]))])
@example(
    steps=[
        ("schedule post", "secret", 1),
        ("schedule page", "Soon", 1, ""),
        ("sync",),
        ("wait",),
        ("file", "calm", "Neap"),
    ]
)
@example(steps=[("post", "ebb", ("slug", "neap")), ("killed",)])
@example(steps=[("delete", "ebb"), ("killed",)])
@example(steps=[("author", "bo", "Neap"), ("file", "drift", "no"), ("load",)])
@given(steps=st.lists(_edits(), min_size=3, max_size=14))
def test_files_and_store_say_the_same_at_rest(make_example: Callable[[Path], ExampleSite], steps: list[Any]) -> None:
    """A load finds nothing to do, and a clone of the folder builds the same site byte for byte."""
    _check(make_example, steps)
