"""The search index: matches, their order, and content that is never found."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from sitecms.actions.operations.reindex import reindex
from sitecms.actions.writing.new_entries import NewEntries
from sitecms.actions.writing.publish_scheduled import publish_scheduled
from sitecms.actions.writing.save import save_entry
from sitecms.actions.writing.save_context import SaveContext
from sitecms.actions.writing.trash import delete_entry
from sitecms.content.change import EntryChange, Origin, Times, VersionChange
from sitecms.content.field_value import FieldValue
from sitecms.content.kinds import EntryKind
from sitecms.content.query import EntrySearch, Window
from sitecms.content.schema import ContentSchema, FieldSpec, PageType
from sitecms.content.status import Status, Version
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Database, Session
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.search.index import TABLES, add_rows
from sitecms.store.search.queries import search
from sitecms.store.site_state.documents import save_content_schema
from sitecms.store.sql import Statement
from tests.support.changes import post_change
from tests.support.reading import found_entries

Make = Callable[..., int]
GUIDE = PageType(
    "guide",
    "Guide",
    (
        FieldSpec("text", "long_text", searchable=True),
        FieldSpec("note", "short_text"),
        FieldSpec("next", "reference", targets=("page:guide",), searchable=True),
    ),
)
SCHEMA = ContentSchema({"guide": GUIDE})


def found(store: Database, text: str, locale: str = "en", window: Window | None = None) -> list[str]:
    """Return the slugs of the posts that a search finds, in order."""
    answer = store.read(found_entries, text, window or Window(100), locale=locale)
    return [ranked.entry.slug for ranked in answer.entries]


def ranks(store: Database, text: str) -> dict[str, float]:
    """Return the rank of each post that a search finds."""
    answer = store.read(found_entries, text, Window(100))
    return {ranked.entry.slug: ranked.rank for ranked in answer.entries}


def index_of(store: Database) -> list[list[tuple[object, ...]]]:
    """Return every word in both indexes with its positions; check that the indexes are intact."""
    terms = []
    with store.writing() as transaction:
        for table in ("post_search", "page_search"):
            if isinstance(store.address, Path):
                transaction.sql(f"INSERT INTO {table} ({table}) VALUES ('integrity-check')")
                transaction.sql(f"CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, {table}, instance)")
                terms.append(transaction.sql('SELECT term, doc, col, "offset" FROM temp.words ORDER BY 1, 2, 3, 4'))
                transaction.sql("DROP TABLE temp.words")
            else:
                unnested = f"FROM {table}, unnest(words) AS word ORDER BY 1, 2"
                terms.append(transaction.sql(f"SELECT lexeme, rowid, positions::text, weights::text {unnested}"))
    return terms


@pytest.mark.parametrize(
    ("query", "slugs"),
    [
        ("slack", ["a"]),
        ("SLACK water", ["a"]),
        ("water slack", ["a"]),
        ("sla", ["a"]),
        ("sla water", []),
        ("slack wat", ["a"]),
        ("slack moon", []),
        ("lack", []),
        ("cafe", ["b"]),
        ("CAFÉ", ["b"]),
        ("cafe\u0301 d'ete", ["b"]),
        ("満ち", ["b"]),
        ("潮の満ち引き", ["b"]),
        ("満引", []),
        ("満", ["b"]),
        ("き", ["b"]),
        ("引き 潮", ["b"]),
        ("strasse", ["b"]),
        ("script", []),
        ("strong", []),
        ("bold", ["a"]),
        ("href", []),
        ("", []),
        ("   ", []),
        ('"', []),
        ("*", []),
        ("NEAR(", []),
        ("slack NOT water", []),
        ("slack OR moon", []),
        ("title:slack", []),
        ("sla*", ["a"]),
        ("*slack", ["a"]),
        ("^slack", ["a"]),
        ("-slack", ["a"]),
        ('"slack" water"', ["a"]),
        ("slack\0water", ["a"]),
        ("slack\ud800", ["a"]),
        ("slack 😀", []),
        ("slack \u0308\u0b4d", ["a"]),
    ],
)
def test_query_matches_words(store: Database, make_post: Make, query: str, slugs: list[str]) -> None:
    """All words must match, the last one also as a prefix; punctuation and words of markup have no meaning."""
    make_post("a", title="Slack water", body='<p>Nothing <b>bold</b> moves, <a href="https://x.example">see</a>.</p>')
    make_post("b", title="Café d’été", body="<p>潮の満ち引きを見る, Straße</p>")
    assert found(store, query) == slugs


def test_word_in_the_title_ranks_higher(store: Database, make_post: Make) -> None:
    """A better match has a greater rank, and each rank is above zero."""
    make_post("body", title="Nothing", body="<p>moon moon moon</p>")
    make_post("title", title="Moon", body="<p>Nothing at all here</p>")
    make_post("neither", title="Sun", body="<p>Sun</p>")
    assert found(store, "moon") == ["title", "body"]
    rank = ranks(store, "moon")
    assert rank["title"] > rank["body"] > 0


def test_equal_ranks_are_ordered_by_time_then_slug(store: Database, make_post: Make) -> None:
    """The newest comes first, so that no post is repeated or lost between pages of a search."""
    for slug, hours in (("old", 0), ("twin-a", 1), ("twin-b", 1), ("new", 2)):
        make_post(slug, hours=hours, title="Moon", body="<p>same</p>")
    whole = ["new", "twin-a", "twin-b", "old"]
    assert found(store, "moon") == whole
    assert [found(store, "moon", window=Window(1, number)) for number in range(5)] == [[slug] for slug in whole] + [[]]
    assert store.read(found_entries, "moon", Window(1, 99)).count == 4


def test_search_finds_only_the_requested_locale(store: Database, make_post: Make) -> None:
    """A post of another locale is never found."""
    make_post("moon")
    make_post("luna", locale="es", title="moon moon", translation_of="moon")
    assert (found(store, "moon"), found(store, "moon", "es"), found(store, "moon", "xx")) == (["moon"], ["luna"], [])


def change(store: Database, post_id: int, noon: datetime, **fields: object) -> None:
    """Save the post with other values."""
    values: dict[str, Any] = {"locale": "en", "slug": "p", "title": "Moon", "status": Status.PUBLISHED, **fields}
    post = post_change(**values, id=post_id, times=Times(published_at=noon))
    with store.writing() as transaction:
        save_entry(SaveContext(transaction, Origin.API, noon, owner="ann-ray"), post)


def test_changed_post_is_found_by_its_new_words(store: Database, make_post: Make, noon: datetime) -> None:
    """Former words do not find it; another slug makes no difference."""
    post_id = make_post("p", title="Moon")
    change(store, post_id, noon, title="Sun", body="<p>rain</p>")
    assert (found(store, "moon"), found(store, "sun"), found(store, "rain")) == ([], ["p"], ["p"])
    change(store, post_id, noon, title="Sun", body="<p>rain</p>", slug="q")
    assert found(store, "sun rain") == ["q"]
    index_of(store)


def test_unpublished_posts_are_never_found(
    store: Database, make_post: Make, noon: datetime, site: SiteSettings
) -> None:
    """Drafts, scheduled, deleted and unpublished posts are found only once they are published."""
    at = noon + timedelta(hours=5)
    make_post("draft", title="Moon", status=Status.DRAFT)
    make_post("later", title="Moon", status=Status.SCHEDULED, scheduled_at=at)
    deleted = make_post("deleted", title="Moon")
    post_id = make_post("p", title="Moon")
    store.write(delete_entry, EntryKind.POST, deleted, noon)
    assert found(store, "moon") == ["p"]
    change(store, post_id, noon, status=Status.DRAFT)
    assert found(store, "moon") == []
    change(store, post_id, noon, status=Status.PUBLISHED)
    publish_scheduled(store, at, site)
    assert found(store, "moon") == ["later", "p"]
    change(store, post_id, noon, status=Status.DRAFT, title="Sun")
    assert found(store, "sun") == []
    index_of(store)


def test_stale_index_rows_disclose_nothing(store: Database, make_post: Make, noon: datetime) -> None:
    """The entry's own row decides whether a match is returned."""
    for slug in ("a", "b", "c"):
        make_post(slug, title="Moon")
    with store.writing() as transaction:
        transaction.sql("UPDATE version SET status = 'draft' WHERE slug = 'a'")
        transaction.sql("UPDATE entry SET deleted_at = 1 WHERE slug = 'b'")
        add_rows(transaction, EntryKind.POST, [(999, "moon", "")])
    assert found(store, "moon") == ["c"]
    assert store.read(found_entries, "moon", Window()).count == 1


def test_ranks_do_not_depend_on_drafts(store: Database, make_post: Make, noon: datetime) -> None:
    """Ranks are equal whether a draft with the word exists, existed or never existed."""
    make_post("a", title="Moon", body="<p>over the sea</p>")
    make_post("b", title="Sea")
    before = ranks(store, "moon")
    make_post("draft", title="Moon", status=Status.DRAFT)
    gone = make_post("gone", title="Moon")
    back = make_post("p", title="Moon")
    store.write(delete_entry, EntryKind.POST, gone, noon)
    change(store, back, noon, status=Status.DRAFT)
    assert ranks(store, "moon") == before
    change(store, back, noon, status=Status.PUBLISHED)
    assert ranks(store, "moon").keys() == {"a", "p"}


@pytest.mark.sqlite_only("asks SQLite for its plan")
def test_search_reads_no_post_outside_its_results(store: Database) -> None:
    """Matches are checked with a covering index."""
    with store.reading() as session:
        for kind in TABLES:
            spy: Any = _Spy(session)
            found_entries(spy, "x", Window(), kind)
            plans = [str(row[-1]) for plan in spy.plans for row in plan]
            assert any("COVERING INDEX" in line and "_shown" in line for line in plans), plans
            scanned = {line.split()[1] for line in plans if line.startswith("SCAN")}
            assert scanned <= {"post_search", "page_search", "found"}, plans


class _Spy:
    """Session that also collects the query plan of each statement."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.plans: list[list[tuple[object, ...]]] = []

    def sql(self, statement: Statement, *values: object) -> list[tuple[object, ...]]:
        """Return the rows, as Session does."""
        self.plans.append(self._session.sql("EXPLAIN QUERY PLAN " + statement, *values))
        return self._session.sql(statement, *values)

    def rows(self, query: object) -> list[tuple[object, ...]]:
        """Return the rows, as Session does."""
        return self._session.rows(query)

    def cached(self, _key: object, compute: Callable[[], object], _size_of: object) -> object:
        """Return what `compute` returns, which a cache could keep from being asked."""
        return compute()


def live(text: str, locale: str = "en", status: Status = Status.PUBLISHED, **fields: FieldValue) -> VersionChange:
    """Return a version of a page with that text: live if published, otherwise a draft."""
    version = Version.LIVE if status is Status.PUBLISHED else Version.DRAFT
    return VersionChange(locale, version, status, {"text": text, **fields})


@pytest.fixture
def make_page(store: Database, noon: datetime) -> Callable[..., int]:
    """Return a function that creates or changes a page and returns its id."""

    def make(slug: str, *versions: VersionChange, page_id: int = 0, page_type: str = "guide") -> int:
        title = slug.title()
        with store.writing() as transaction:
            save_content_schema(transaction, SCHEMA)
            page = EntryChange(EntryKind.PAGE, page_id, page_type, versions, slug, title)
            return save_entry(SaveContext(transaction, Origin.API, noon, schema=SCHEMA), page).id

    return make


def pages_found(store: Database, text: str, locale: str = "en", page_type: str | None = None) -> list[str]:
    """Return the slugs of the pages that a search finds, in order."""
    with store.reading() as session:
        answer = search(session, EntrySearch(EntryKind.PAGE, locale, text, page_type), Window(100))
        pages = VERSIONS[EntryKind.PAGE].of_versions(session, [match.entry for match in answer.entries])
    assert answer.count == len(answer.entries)
    return [page.slug for page in pages.values()]


def test_pages_are_found_by_title_and_searchable_fields(store: Database, make_page: Make) -> None:
    """Other fields and the targets of references are not searched; a title ranks higher."""
    make_page("moon", live("tide"))
    uri = "/v2/pages/guide/moon/"
    make_page("other", live("moon light", note="secret", next=uri))
    assert pages_found(store, "moon") == ["moon", "other"]
    assert pages_found(store, "tide") == ["moon"]
    assert pages_found(store, "moon tide") == ["moon"]
    assert pages_found(store, "secret") == pages_found(store, "v2") == pages_found(store, "!") == []


def test_page_search_filters_by_type(store: Database, make_page: Make) -> None:
    """A type's slug, `*` for Single Pages, nothing for all; an unknown type has no pages."""
    make_page("moon", live("x"))
    make_page("moon-about", live("x"), page_type="")
    assert sorted(pages_found(store, "moon")) == ["moon", "moon-about"]
    assert pages_found(store, "moon", page_type="guide") == ["moon"]
    assert pages_found(store, "moon", page_type="") == ["moon-about"]
    assert pages_found(store, "moon", page_type="nothing") == []


def test_page_search_finds_only_the_requested_locale(store: Database, make_page: Make) -> None:
    """Each locale is searched in its own text; the title is shared."""
    make_page("moon", live("water"), live("agua", "es"))
    make_page("sol", live("luz", "es"))
    assert (pages_found(store, "water"), pages_found(store, "water", "es")) == (["moon"], [])
    assert (pages_found(store, "agua", "es"), pages_found(store, "agua")) == (["moon"], [])
    assert (pages_found(store, "sol"), pages_found(store, "sol", "es")) == ([], ["sol"])


def test_drafts_of_pages_are_never_found(store: Database, make_page: Make, noon: datetime) -> None:
    """Draft pages, the draft text of published pages, and deleted pages are not found."""
    make_page("draft", live("water", status=Status.DRAFT))
    draft = VersionChange("en", Version.DRAFT, Status.DRAFT, {"text": "secret"})
    page_id = make_page("moon", live("water"), draft)
    assert (pages_found(store, "water"), pages_found(store, "secret")) == (["moon"], [])
    make_page("moon", live("water", status=Status.DRAFT), page_id=page_id)
    assert pages_found(store, "water") == []
    make_page("moon", live("water"), page_id=page_id)
    assert pages_found(store, "water") == ["moon"]
    store.write(delete_entry, EntryKind.PAGE, page_id, noon)
    assert pages_found(store, "water") == []
    assert index_of(store)[1] == []


def test_scheduled_version_is_found_once_published(
    store: Database, make_page: Make, noon: datetime, site: SiteSettings
) -> None:
    """The text of the live version that it replaces is not found any more."""
    at = noon + timedelta(hours=1)
    later = VersionChange("en", Version.DRAFT, Status.SCHEDULED, {"text": "new"}, Times(scheduled_at=at))
    make_page("moon", live("old"), later)
    assert (pages_found(store, "old"), pages_found(store, "new")) == (["moon"], [])
    publish_scheduled(store, at, site)
    assert (pages_found(store, "old"), pages_found(store, "new")) == ([], ["moon"])
    index_of(store)


def test_reused_version_id_finds_only_new_words(store: Database, make_page: Make) -> None:
    """A version that gets the id of a deleted one is not found by that one's words."""
    first = make_page("sun", live("rain"), live("lluvia", "es"))
    make_page("sun", page_id=first)
    make_page("moon", live("tide", "es"))
    assert [pages_found(store, text, "es") for text in ("lluvia", "sun", "tide")] == [[], [], ["moon"]]
    assert [row[0] for row in index_of(store)[1]] == ["moon", "tide"]


def test_saving_equal_values_changes_nothing(store: Database, make_page: Make) -> None:
    """The change number stays, so that no cache is emptied."""
    page_id = make_page("moon", live("tide"))
    with store.reading() as session:
        number = session.change_number()
    make_page("moon", live("tide"), page_id=page_id)
    with store.reading() as session:
        assert session.change_number() == number


def test_reindex_builds_an_equal_index(
    store: Database, make_post: Make, make_page: Make, noon: datetime, site: SiteSettings
) -> None:
    """After every kind of change both indexes equal those that a reindex builds."""
    post_id = make_post("p", title="Moon", body="<p>water <b>bold</b></p>")
    make_post("draft", status=Status.DRAFT)
    make_post("later", status=Status.SCHEDULED, scheduled_at=noon)
    gone = make_post("gone", body="<p>moon</p>")
    change(store, post_id, noon, title="Café 潮の満ち引き", body="<p>sun</p>")
    page_id = make_page("sun", live("rain"), live("lluvia", "es"))
    make_page("sun", live("snow"), page_id=page_id)
    deleted = make_page("old", live("gone"))
    make_page("hidden", live("x", status=Status.DRAFT))
    with store.writing() as transaction:
        delete_entry(transaction, EntryKind.POST, gone, noon)
        delete_entry(transaction, EntryKind.PAGE, deleted, noon)
    publish_scheduled(store, noon, site)
    kept = index_of(store)
    assert {row[0] for row in kept[0]} == {"cafe", *["潮の", "の満", "満ち", "ち引", "引き", "き"], "sun", "later"}
    assert {row[0] for row in kept[1]} == {"sun", "snow"}
    report = reindex(store)
    assert index_of(store) == kept
    assert replace(report, seconds=0) == type(report)(posts=2, pages=1, seconds=0)


def test_reindex_in_batches_is_complete(store: Database, make_post: Make) -> None:
    """More posts than one batch are all indexed."""
    for number in range(7):
        make_post(f"p{number}", title="Moon")
    with store.writing() as transaction:
        new = NewEntries(SaveContext(transaction, Origin.API, datetime(2026, 1, 1, tzinfo=UTC), owner="ann-ray"))
        for number in range(1200):
            new.add(post_change("en", f"x{number}", "Moon", Status.PUBLISHED))
        new.flush()
    assert reindex(store).posts == 1207
    assert store.read(found_entries, "moon", Window()).count == 1207
