"""A site folder that tests write and load, step by step."""

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from sitecms.actions.loading import LoadReport, load_site
from sitecms.actions.writing.accept import Caller, WriteContext
from sitecms.actions.writing.apply.applying import Worker
from sitecms.actions.writing.entry_events import EventCause
from sitecms.actions.writing.save import save_entry
from sitecms.actions.writing.save_context import SaveContext
from sitecms.actions.writing.trash import Restored, restore_entry
from sitecms.content.change import EntryChange, Origin, Times, VersionChange
from sitecms.content.entry import Entry
from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status, Version
from sitecms.content.token import Scope
from sitecms.runtime import Runtime
from sitecms.settings.operations import Limits
from sitecms.settings.site import SiteSettings, load_settings
from sitecms.store.database import Database
from sitecms.store.entries.bodies import find_markdown
from sitecms.store.entries.entry_rows import find_named
from sitecms.store.entries.trash import find_trash
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.writes.tokens import find_tokens
from tests.support.changes import post_change
from tests.support.engines import Stores, make_store, stores
from tests.support.reading import get_post
from tests.support.sites import SiteFiles
from tests.support.writes import Remote, Writes, write_context

SITE_TOML = 'name = "Tide"\ndefault_locale = "en"\nlocales = ["en", "es"]\nowner = "ann-ray"\n'
AUTHORS = [{"slug": "ann-ray", "first_name": "Ann", "email": "ann@tide.example"}, {"slug": "bo", "first_name": "Bo"}]
TEAM = {
    "key": "team",
    "label": "name",
    "fields": [
        {"slug": "name", "type": "short_text", "required": True},
        {"slug": "age", "type": "number", "translatable": False},
        {"slug": "friend", "type": "reference", "targets": ["team", "pets"]},
    ],
}
PETS = {
    "key": "pets",
    "label": "name",
    "fields": [
        {"slug": "name", "type": "short_text", "required": True},
        {"slug": "owner", "type": "reference", "targets": ["team"]},
    ],
}
GUIDE = {
    "slug": "guide",
    "fields": [
        {"slug": "headline", "type": "short_text", "required": True, "max_length": 60},
        {"slug": "text", "type": "wysiwyg"},
        {"slug": "image", "type": "media"},
        {"slug": "team", "type": "reference", "targets": ["team"], "many": True},
        {"slug": "next", "type": "reference", "targets": ["page:guide", "page:*"]},
    ],
}


class SiteFolder(SiteFiles):
    """A site on disk and its store; every load is one hour later than the one before."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.now = datetime(2026, 3, 1, 12, tzinfo=UTC)
        self.write("site.toml", SITE_TOML + stores().toml(folder))
        self.write("schema/collections/team.yaml", TEAM)
        self.write("schema/collections/pets.yaml", PETS)
        self.write("schema/page_types/guide.yaml", GUIDE)
        self.write("content/authors.yaml", AUTHORS)
        self.database: Database = make_store(stores().address(folder))

    @property
    def settings(self) -> SiteSettings:
        """The settings of the site."""
        return load_settings(self.folder)

    def post(self, name: str, body: str = "The sea.", **front: object) -> None:
        """A post file: its name below content/posts, its body, and its front matter; titled by its name."""
        facts = {"title": name.rsplit("/", 1)[-1].title(), "status": "published", **front}
        lines = "\n".join(f"{key}: {json.dumps(value)}" for key, value in facts.items())
        self.write(f"content/posts/{name}.md", f"---\n{lines}\n---\n{body}\n")

    def items(self, collection: str, *entries: object) -> None:
        """A collection file; text stands for an item of that name."""
        data = [{"fields": {"name": entry}} if isinstance(entry, str) else entry for entry in entries]
        self.write(f"content/collections/{collection}.yaml", data)

    def guide(self, name: str, **data: object) -> None:
        """A page of the type guide: its file name, and what stands in it besides title and headline."""
        whole: dict[str, object] = {"title": name, "status": "published", "fields": {"headline": name}, **data}
        self.write(f"content/pages/guide/{name}.yaml", whole)

    def entry(self, kind: EntryKind, text: str = "Ebb", **keys: Any) -> None:
        """The file of an entry `one` of a kind: a text in a declared field, and these keys."""
        if kind is EntryKind.POST:
            self.write("schema/post.yaml", {"fields": [{"slug": "mood", "type": "short_text"}]})
            self.post("one", **{"fields": {"mood": text}, **keys})
        elif kind is EntryKind.PAGE:
            self.guide("one", **{"fields": {"headline": text}, **keys})
        else:
            self.items("team", {"id": 1, "status": "published", "fields": {"name": text}, **keys})

    def move(self, source: str, target: str) -> None:
        """Rename a file."""
        (self.folder / target).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / source).rename(self.folder / target)

    def load(self, *, prune: bool = False, adopt: bool = False) -> LoadReport:
        """Load the folder into the store, an hour later than the last time."""
        self.now += timedelta(hours=1)
        return load_site(self.database, self.settings, self.now, prune=prune, adopt=adopt)

    def fresh(self, folder: Path) -> "SiteFolder":
        """The same files in another folder, with an empty store."""
        shutil.copytree(self.folder, folder, ignore=shutil.ignore_patterns(".sitecms"))
        if url := stores().url(folder):
            settings = folder / "site.toml"
            settings.write_text(settings.read_text("utf-8").replace(stores().url(self.folder), url), "utf-8")
        copy = SiteFolder.__new__(SiteFolder)
        copy.folder, copy.now = folder, self.now
        copy.database = make_store(stores().address(folder))
        return copy

    def change_number(self) -> int:
        """How often the store changed."""
        with self.database.reading() as session:
            return session.change_number()

    def find(self, slug: str) -> Entry:
        """The post of that slug, published or not."""
        with self.database.reading() as session:
            return get_post(session, slug, preview=True)

    def slugs(self) -> list[str]:
        """The slugs of all posts outside the trash."""
        with self.database.reading() as session:
            return [
                row[0]
                for row in session.sql(
                    "SELECT slug FROM entry WHERE kind = 'post' AND deleted_at IS NULL ORDER BY slug"
                )
            ]

    def all_items(self, collection: str) -> tuple[Entry, ...]:
        """Every version of every item, by id and locale."""
        with self.database.reading() as session:
            return VERSIONS[EntryKind.ITEM].of_type(session, collection)

    def ids(self, collection: str) -> dict[str, int]:
        """The ids of the items by name; names in the default locale."""
        return {str(item.fields["name"]): item.id for item in self.all_items(collection) if item.locale == "en"}

    def page(self, slug: str, page_type: str = "guide") -> tuple[Entry, ...]:
        """All versions of a page, by locale, the draft first."""
        with self.database.reading() as session:
            page_id = find_named(session, EntryKind.PAGE, page_type, slug)
            return VERSIONS[EntryKind.PAGE].of(session, (page_id,)) if page_id else ()

    def versions(self, kind: EntryKind) -> Sequence[Entry]:
        """The versions of the entry `one`, none if it is not there."""
        if kind is EntryKind.POST:
            return (self.find("one"),) if self.slugs() else ()
        return self.page("one") if kind is EntryKind.PAGE else self.all_items("team")

    def edit(self, slug: str, /, **fields: object) -> None:
        """Change fields of a post as a request does."""
        post = self.find(slug)
        values: dict[str, Any] = {
            "locale": post.locale, "slug": post.slug, "title": post.title, "status": post.status, "body": post.body,
            "author": post.author.slug, "categories": tuple(term.name for term in post.categories),
            "tags": tuple(term.name for term in post.tags), "id": post.id, **fields,
        }  # fmt: skip
        change = post_change(**values, times=Times())
        if post.body == change.only.body:
            with self.database.reading() as session:
                change = change.with_values(markdown=find_markdown(session, post.id))
        self.send(change)

    def send(self, change: EntryChange) -> int:
        """Store a change as a request does; return the id of its entry."""
        with self.database.writing() as transaction:
            return save_entry(SaveContext(transaction, Origin.API, self.now, owner="ann-ray"), change).id

    def send_page(self, slug: str, headline: str) -> int:
        """Make a page of the type guide, or change it, as a request does; its id."""
        page_id = self.database.read(find_named, EntryKind.PAGE, "guide", slug) or 0
        version = VersionChange("en", Version.LIVE, Status.PUBLISHED, {"headline": headline})
        return self.send(EntryChange(EntryKind.PAGE, page_id, "guide", (version,), slug, "Sent"))

    def send_item(self, name: str, item_id: int = 0, **fields: int) -> int:
        """Make an item of the collection team, or change it, as a request does; its id."""
        version = VersionChange("en", Version.LIVE, Status.PUBLISHED, {"name": name, **fields})
        return self.send(EntryChange(EntryKind.ITEM, item_id, "team", (version,)))

    def restore(self, kind: EntryKind, entry_id: int, limits: Limits | None = None) -> Restored:
        """Bring an entry back from the trash."""
        settings = replace(self.settings, limits=limits or self.settings.limits)
        return self.database.write(restore_entry, kind, entry_id, settings, EventCause("en", self.now))

    def trash(self) -> list[tuple[str, int, int | None]]:
        """Kind, id and the entry it is a former version of, of everything in the trash."""
        return [(entry.kind.value, entry.id, entry.former_of) for entry in self.database.read(find_trash)]


@pytest.fixture
def folder(tmp_path: Path, engine: Stores) -> Iterator[SiteFolder]:
    """A site of two locales with authors, collections `team` and `pets`, page type `guide`; nothing loaded yet."""
    made = SiteFolder(tmp_path / "tide")
    yield made
    made.database.close()


@pytest.fixture
def make_site() -> Callable[[Path], SiteFolder]:
    """Make such a site in a folder."""
    return SiteFolder


@pytest.fixture
def caller(make_token: Callable[..., str], store: Database) -> Caller:
    """A token without limits that allows writes."""
    make_token("newsroom", Scope.WRITE)
    return Caller(store.read(find_tokens)[0])


@pytest.fixture
def context(runtime: Runtime, remote: Remote, make_author: Callable[..., str]) -> WriteContext:
    """The context in which writes are accepted, with one author."""
    make_author("ann-ray")
    return write_context(runtime.database, runtime.settings, runtime.clock, remote.probe)


@pytest.fixture
def writes(context: WriteContext, caller: Caller, worker: Worker) -> Writes:
    """Requests with that token."""
    return Writes(context, caller, worker)
