"""Fixtures that put entries and tokens into the store of a test."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from sitecms.actions.writing.save import save_entry
from sitecms.actions.writing.save_context import SaveContext
from sitecms.content.author import Author
from sitecms.content.change import EntryChange, Origin, Times, VersionChange
from sitecms.content.entry import Entry
from sitecms.content.field_value import Fields
from sitecms.content.kinds import EntryKind
from sitecms.content.references import ItemTarget
from sitecms.content.schema import ContentSchema
from sitecms.content.status import Status, Version
from sitecms.content.token import Scope, TokenLimits, new_secret, secret_digest
from sitecms.store.database import Database
from sitecms.store.entries.authors import save_author
from sitecms.store.site_state.documents import load_content_schema, save_content_schema
from sitecms.store.writes.tokens import NO_LIMITS, insert_token
from tests.support.changes import post_change

MakeAuthor = Callable[..., str]
MakePost = Callable[..., int]
MakePage = Callable[..., int]
MakeItem = Callable[..., str]
MakeToken = Callable[..., str]


def an_entry(kind: EntryKind, entry_id: int, at: datetime, **values: Any) -> Entry:
    """Return an entry that was published at a time, with these values."""
    plain: dict[str, Any] = {
        "group_id": entry_id, "type": "", "slug": "", "title": "", "locale": "en", "version": Version.LIVE,
        "status": Status.PUBLISHED, "fields": {}, "created_at": at, "updated_at": at, "published_at": at,
    }  # fmt: skip
    return Entry(kind, entry_id, **{**plain, **values})


def declare(database: Database, change: Callable[[dict[str, Any]], object]) -> ContentSchema:
    """Change the content schema of a store, which is given as JSON, in place; return it."""
    with database.writing() as transaction:
        data: dict[str, Any] = load_content_schema(transaction).as_json()
        change(data)
        schema = ContentSchema.from_json(data)
        save_content_schema(transaction, schema)
    return schema


def declare_fields(database: Database, *fields: dict[str, Any]) -> None:
    """Give pages of the type guide these fields, too."""
    declare(database, lambda data: data["page_types"][0]["fields"].extend(fields))


def give_team_pages(database: Database) -> ContentSchema:
    """Let each item of the collection team have a page; return the schema."""

    def route(data: dict[str, Any]) -> None:
        (team,) = (each for each in data["collections"] if each["key"] == "team")
        team |= {"route": "/people/{slug}/", "label": "name"}

    return declare(database, route)


@pytest.fixture
def noon() -> datetime:
    """The time at which everything in the tests' stores begins."""
    return datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def make_author(store: Database) -> MakeAuthor:
    """Make an author: slug, then fields by name; gives the slug."""

    def make(slug: str = "ann-ray", **fields: Any) -> str:
        store.write(save_author, Author(slug, **fields))
        return slug

    return make


@pytest.fixture
def make_post(store: Database, make_author: MakeAuthor, noon: datetime) -> MakePost:
    """Make a post: slug, then values of `post_change` by name; `hours` after noon it was published. Gives the id."""
    make_author("ann-ray", first_name="Ann", last_name="Ray")

    def make(slug: str, *, hours: int = 0, scheduled_at: datetime | None = None, **fields: object) -> int:
        status = fields.pop("status", Status.PUBLISHED)
        at = noon + timedelta(hours=hours)
        times = Times(created_at=at, updated_at=at, published_at=at if status is Status.PUBLISHED else None)
        if scheduled_at is not None:
            times = Times(created_at=at, updated_at=at, scheduled_at=scheduled_at)
        values: dict[str, Any] = {"locale": "en", "title": slug.title(), "slug": slug, "status": status, **fields}
        change = post_change(**values, times=times)
        with store.writing() as transaction:
            return save_entry(SaveContext(transaction, Origin.API, at, owner="ann-ray"), change).id

    return make


@pytest.fixture
def make_token(store: Database, noon: datetime) -> MakeToken:
    """Make a token: its name, scope and expiry; gives the secret."""

    def make(
        name: str = "reader",
        scope: Scope = Scope.READ,
        expires_at: datetime | None = None,
        limits: TokenLimits = NO_LIMITS,
    ) -> str:
        secret = new_secret()
        store.write(insert_token, name, scope, secret_digest(secret), noon, expires_at, limits)
        return secret

    return make


EMPTY: Fields = {}


TEAM_SCHEMA = {
    "collections": [
        {
            "key": "team",
            "fields": [
                {"slug": "name", "type": "short_text"},
                {"slug": "bio", "type": "wysiwyg"},
                {"slug": "photo", "type": "media"},
                {"slug": "born", "type": "date"},
                {"slug": "notebooks", "type": "number"},
                {"slug": "active", "type": "checkbox"},
                {"slug": "tint", "type": "color"},
                {"slug": "mentor", "type": "reference", "targets": ["team"]},
                {"slug": "friends", "type": "reference", "targets": ["team"], "many": True},
                {"slug": "page", "type": "reference", "targets": ["page:guide", "page:*"]},
            ],
        },
        {"key": "topics", "fields": [{"slug": "slug", "type": "short_text"}]},
    ],
    "components": [
        {
            "slug": "hero",
            "fields": [
                {"slug": "title", "type": "short_text"},
                {"slug": "image", "type": "media"},
                {"slug": "by", "type": "reference", "targets": ["team"]},
                {"slug": "links", "type": "repeater", "fields": [{"slug": "label", "type": "short_text"}]},
            ],
        },
        {"slug": "quote", "fields": [{"slug": "text", "type": "long_text"}, {"slug": "stars", "type": "number"}]},
    ],
    "page_types": [
        {
            "slug": "guide",
            "fields": [
                {"slug": "summary", "type": "short_text"},
                {"slug": "rank", "type": "number"},
                {"slug": "hero", "type": "component", "component": "hero"},
                {"slug": "body", "type": "component_picker", "components": ["hero", "quote"]},
                {
                    "slug": "steps",
                    "type": "repeater",
                    "fields": [
                        {"slug": "title", "type": "short_text"},
                        {"slug": "who", "type": "reference", "targets": ["team"]},
                    ],
                },
                {"slug": "category", "type": "reference", "targets": ["topics"]},
                {"slug": "team", "type": "reference", "targets": ["team"], "many": True},
                {"slug": "next", "type": "reference", "targets": ["page:guide", "page:*"]},
                {"slug": "see", "type": "reference", "targets": ["page:guide", "team"], "many": True},
            ],
        },
        {"slug": "news", "fields": [{"slug": "summary", "type": "short_text"}]},
    ],
}


@pytest.fixture
def team_schema(store: Database) -> ContentSchema:
    """Collections `team` and `topics`, page types `guide` and `news`, with every kind of field; kept in the store."""
    schema = ContentSchema.from_json(TEAM_SCHEMA)
    store.write(save_content_schema, schema)
    return schema


def versions_of(
    fields: Fields | None, status: Status, draft: Fields | None, es: Fields | None, times: Times
) -> tuple[VersionChange, ...]:
    """The versions of an entry with fields in `en` (None: not there), a draft over them, and fields in `es`."""
    main = Version.LIVE if status is Status.PUBLISHED else Version.DRAFT
    never = replace(times, published_at=None)
    found = []
    if fields is not None:
        found.append(VersionChange("en", main, status, fields, times if main is Version.LIVE else never))
    if draft is not None:
        found.append(VersionChange("en", Version.DRAFT, Status.DRAFT, draft, times if fields is not None else never))
    if es is not None:
        found.append(VersionChange("es", Version.LIVE, Status.PUBLISHED, es, times))
    return tuple(found)


@pytest.fixture
def make_entry(store: Database, team_schema: ContentSchema, noon: datetime) -> Callable[..., int]:
    """Make a page or an item: kind, id or 0, type, slug, stored fields; `hours` after noon it was published."""

    def make(
        kind: EntryKind,
        entry_id: int,
        type_: str,
        slug: str,
        fields: Fields | None = EMPTY,
        *,
        status: Status = Status.PUBLISHED,
        draft: Fields | None = None,
        es: Fields | None = None,
        hours: int = 0,
    ) -> int:
        at = noon + timedelta(hours=hours)
        change = EntryChange(
            kind, entry_id, type_, versions_of(fields, status, draft, es, Times(at, at, at)), slug, slug.title()
        )
        with store.writing() as transaction:
            return save_entry(SaveContext(transaction, Origin.API, at), change).id

    return make


@pytest.fixture
def make_page(make_entry: Callable[..., int]) -> Callable[..., int]:
    """Make a page: slug, stored fields, and further values of `make_entry` by name. Gives the id."""

    def make(slug: str, fields: Fields | None = EMPTY, *, page_type: str = "guide", **values: Any) -> int:
        return make_entry(EntryKind.PAGE, 0, page_type, slug, fields, **values)

    return make


@pytest.fixture
def make_item(make_entry: Callable[..., int]) -> Callable[..., str]:
    """Make an item: id, stored fields, and further values of `make_entry` by name. Gives its URI."""

    def make(item_id: int, fields: Fields | None = EMPTY, *, collection: str = "team", **values: Any) -> str:
        return ItemTarget(collection, make_entry(EntryKind.ITEM, item_id, collection, "", fields, **values)).uri

    return make
