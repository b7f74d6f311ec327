"""Fixtures that all tests share: a small site of two locales, its store, and builders of entries."""

import io
import json
import os
import secrets
import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import hypothesis
import pytest
from PIL import Image

from sitecms.actions.loading import LoadReport, load_site
from sitecms.actions.writing.apply import Worker, apply_entry
from sitecms.actions.writing.save_post import save_post
from sitecms.content.author import Author
from sitecms.content.change import ItemChange, Origin, PageChange, PostChange, Times, VersionChange
from sitecms.content.field_value import Fields
from sitecms.content.media import MediaFile
from sitecms.content.references import ItemTarget
from sitecms.content.schema.types import ContentSchema
from sitecms.content.status import Status, Version
from sitecms.content.token import Scope, TokenLimits, new_secret, secret_digest
from sitecms.errors import RemoteMissing
from sitecms.media.library import MediaLibrary, open_library
from sitecms.runtime import Runtime, open_runtime
from sitecms.settings.site import SiteSettings, load_settings
from sitecms.site.build import BuildOptions, build_site
from sitecms.site.images.image_plan import make_gallery
from sitecms.site.report import Report
from sitecms.site.snapshot import take_snapshot
from sitecms.store.database import Database
from sitecms.store.entries import items, pages
from sitecms.store.entries.authors import save_author
from sitecms.store.opening import open_database
from sitecms.store.site_state.documents import save_content_schema
from sitecms.store.writes.tokens import NO_LIMITS, insert_token
from sitecms.store.writes.writes import get_write, open_entries
from tests import object_storage
from tests.durable_postgres import MISSING as POSTGRES_MISSING
from tests.durable_postgres import DurablePostgres, postgres_programs
from tests.postgres import Databases, PostgresServer
from tests.redis_server import MISSING as REDIS_MISSING
from tests.redis_server import RedisServer, redis_program
from tests.stores import ENGINES, Stores, choose, choose_files, stores

BOTH_ENGINES = frozenset({"store", "actions", "api", "flows"})  # folders of tests
SITES = frozenset({"engine", "make_works", "open_works"})  # fixtures that make sites
SITE_TOML = """
name = "Tide"
url = "https://tide.example"
default_locale = "en"
locales = ["en", "es"]
owner = "ann-ray"
[search]
enabled = false
"""

hypothesis.settings.register_profile("repeatable", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.register_profile("explore", deadline=None, max_examples=2000, print_blob=True)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


@pytest.fixture(scope="session")
def repo() -> Path:
    """The folder of the checkout that these tests stand in."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def lacking() -> Callable[[str], None]:
    """Called where something outside Python is missing: skips with the reason given; fails where CI is set."""

    def stop(reason: str) -> None:
        if os.environ.get("CI"):
            pytest.fail(f"{reason} (CI is set, where nothing may be skipped)")
        pytest.skip(reason)

    return stop


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory, lacking: Callable[[str], None]) -> Iterator[RedisServer]:
    """A Redis for all tests of this process: each site has a name of its own in it."""
    if redis_program() is None:
        lacking(REDIS_MISSING)
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    yield server
    server.kill()


@pytest.fixture
def own_redis(tmp_path: Path, lacking: Callable[[str], None]) -> Iterator[RedisServer]:
    """A Redis that this test may kill."""
    if redis_program() is None:
        lacking(REDIS_MISSING)
    server = RedisServer(tmp_path / "redis")
    yield server
    server.kill()


@pytest.fixture(scope="session")
def databases(lacking: Callable[[str], None]) -> Iterator[Databases]:
    """A PostgreSQL for all tests of this process, and databases in it."""
    if postgres_programs() is None:
        lacking(POSTGRES_MISSING)
    server = PostgresServer()
    made = Databases(server)
    yield made
    made.close()
    server.close()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests of the store, and of what stands on it, run with each engine, unless they are about an SQLite file."""
    if not BOTH_ENGINES.isdisjoint(metafunc.definition.path.parts) and not SITES.isdisjoint(metafunc.fixturenames):
        if "engine" not in metafunc.fixturenames:
            metafunc.fixturenames.append("engine")
        of_files = metafunc.definition.get_closest_marker("sqlite_only")
        metafunc.parametrize("engine", ENGINES[:1] if of_files else ENGINES, indirect=True)


@pytest.fixture
def engine(request: pytest.FixtureRequest) -> Iterator[Stores]:
    """Where sites keep their content in this test."""
    if getattr(request, "param", ENGINES[0]) == ENGINES[0]:
        yield stores()
        return
    chosen = Stores(request.getfixturevalue("databases"))
    choose(chosen)
    yield chosen
    choose_files()
    chosen.close()


@pytest.fixture(scope="session")
def object_server(
    lacking: Callable[[str], None], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[object_storage.ObjectServer]:
    """An S3-compatible server with an empty bucket, started for the first test that asks."""
    program = object_storage.seaweed_program()
    if program is None:
        lacking(object_storage.MISSING)
        return
    with object_storage.running_seaweed(program, tmp_path_factory.mktemp("seaweed")) as server:
        yield server


@pytest.fixture
def bucket(object_server: object_storage.ObjectServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """An empty place in the bucket, with credentials for it in the environment: what `url` under [media] says."""
    for name, value in object_storage.CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    return object_server.url(secrets.token_hex(8))


@pytest.fixture(params=["folder", "bucket"])
def media_storage(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each test twice: media in the site's folder, and in object storage, as the environment says."""
    if request.param == "bucket":
        monkeypatch.setenv("SITECMS_MEDIA_URL", request.getfixturevalue("bucket"))
    return str(request.param)


@pytest.fixture(scope="session")
def durable_postgres(lacking: Callable[[str], None]) -> Iterator[DurablePostgres]:
    """A PostgreSQL that tests may make fall; it stands again when they end."""
    if postgres_programs() is None:
        lacking(POSTGRES_MISSING)
    server = DurablePostgres()
    yield server
    server.remove()


@pytest.fixture
def noon() -> datetime:
    """The time at which everything in the tests' stores begins."""
    return datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def site(tmp_path: Path, engine: Stores) -> SiteSettings:
    """A site folder with nothing but settings."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "site.toml").write_text(SITE_TOML + engine.toml(folder), encoding="utf-8")
    return load_settings(folder)


@pytest.fixture
def runtime(site: SiteSettings) -> Iterator[Runtime]:
    """The site, opened, with an empty store."""
    opened = open_runtime(site, create=True)
    yield opened
    opened.database.close()


@pytest.fixture
def store(runtime: Runtime) -> Database:
    """The site's store."""
    return runtime.database


@pytest.fixture
def make_author(store: Database) -> Callable[..., str]:
    """Make an author: slug, then fields by name; gives the slug."""

    def make(slug: str = "ann-ray", **fields: str) -> str:
        with store.writing() as transaction:
            save_author(transaction, Author(slug, **fields))
        return slug

    return make


@pytest.fixture
def make_post(store: Database, make_author: Callable[..., str], noon: datetime) -> Callable[..., int]:
    """Make a post: slug, then fields of PostChange by name; `hours` after noon it was published. Gives the id."""
    make_author("ann-ray", first_name="Ann", last_name="Ray")

    def make(slug: str, *, hours: int = 0, scheduled_at: datetime | None = None, **fields: object) -> int:
        status = fields.pop("status", Status.PUBLISHED)
        at = noon + timedelta(hours=hours)
        times = Times(created_at=at, updated_at=at, published_at=at if status is Status.PUBLISHED else None)
        if scheduled_at is not None:
            times = Times(created_at=at, updated_at=at, scheduled_at=scheduled_at)
        values: dict[str, object] = {"locale": "en", "title": slug.title(), "slug": slug, "status": status, **fields}
        change = PostChange(**values, times=times)  # type: ignore[arg-type]
        with store.writing() as transaction:
            return save_post(transaction, change, owner="ann-ray", origin=Origin.API, at=at).id

    return make


@pytest.fixture
def make_token(store: Database, noon: datetime) -> Callable[..., str]:
    """Make a token: its name, scope and expiry; gives the secret."""

    def make(
        name: str = "reader",
        scope: Scope = Scope.READ,
        expires_at: datetime | None = None,
        limits: TokenLimits = NO_LIMITS,
    ) -> str:
        secret = new_secret()
        with store.writing() as transaction:
            insert_token(transaction, name, scope, secret_digest(secret), noon, expires_at, limits)
        return secret

    return make


class SiteWorks:
    """A site folder, its store and its output: tests write files, load and build. Each load is an hour later."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.now = datetime(2026, 3, 1, 12, tzinfo=UTC)
        self.database = open_database(stores().address(folder), create=True)

    @property
    def settings(self) -> SiteSettings:
        """site.toml as it is now."""
        return load_settings(self.folder)

    @property
    def public(self) -> Path:
        """Where the site is built, unless a test says otherwise."""
        return self.folder / "public"

    def write(self, path: str, content: object) -> None:
        """A file of text, of bytes, or of data as YAML."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            target.write_bytes(content)
        else:
            target.write_text(content if isinstance(content, str) else json.dumps(content, indent=1), "utf-8")

    def settings_are(self, **values: object) -> None:
        """Write site.toml anew: top-level keys, and tables as mappings. Search and share images are off by default."""
        plain = {
            "name": "Tide", "url": "https://tide.example", "owner": "ann-ray", "locales": ["en", "es"],
            "search": {"enabled": False}, "share_images": {"enabled": False}, **values,
        }  # fmt: skip
        if url := stores().url(self.folder):
            plain.setdefault("store", {"url": url})
        lines = [f"{key} = {json.dumps(value)}" for key, value in plain.items() if not isinstance(value, dict)]
        for table, keys in plain.items():
            if isinstance(keys, dict):
                lines += [f"[{table}]", *(f"{key} = {json.dumps(value)}" for key, value in keys.items())]
        self.write("site.toml", "\n".join(lines) + "\n")

    def post(self, name: str, body: str = "The sea.", **front: object) -> None:
        """A post file: its name below content/posts, its body and front matter; titled by its name."""
        facts = {"title": name.rsplit("/", 1)[-1].capitalize(), "slug": name.rsplit("/", 1)[-1], **front}
        lines = "\n".join(f"{key}: {json.dumps(value)}" for key, value in facts.items())
        self.write(f"content/posts/{name}.md", f"---\n{lines}\n---\n{body}\n")

    def image(self, path: str, color: str = "navy", size: tuple[int, int] = (3, 2)) -> None:
        """A small picture."""
        buffer = io.BytesIO()
        Image.new("RGB", size, color).save(buffer, "PNG")
        self.write(path, buffer.getvalue())

    def remove(self, path: str) -> None:
        """Delete a file."""
        (self.folder / path).unlink()

    def load(self, *, prune: bool = False) -> LoadReport:
        """Load the folder into the store; a fault fails the test."""
        self.now += timedelta(hours=1)
        report = load_site(self.database, self.settings, self.now, prune=prune)
        assert report.faults == ()
        return report

    def build(self, output: Path | None = None, *, jobs: int = 1, clean: bool = False) -> Report:
        """Build what the store holds."""
        return build_site(self.database, self.settings, output or self.public, BuildOptions(clean=clean, jobs=jobs))

    def make(self) -> Report:
        """Load, pruning what is gone, and build; a page that fails fails the test."""
        self.load(prune=True)
        report = self.build()
        assert report.failed == {}
        return report

    def tree(self, output: Path | None = None) -> dict[str, bytes]:
        """Every file of the output by its path, without what the build keeps there for itself."""
        root = output or self.public
        files = (path for path in root.rglob("*") if path.is_file())
        found = {path.relative_to(root).as_posix(): path.read_bytes() for path in files}
        return {path: data for path, data in found.items() if path != ".sitecms-manifest.json"}

    def clean_tree(self) -> dict[str, bytes]:
        """What a build into a new folder makes."""
        fresh = self.folder.with_name(f"{self.folder.name}-fresh-{self.now.timestamp():.0f}")
        assert not fresh.exists()
        assert self.build(fresh).failed == {}
        return self.tree(fresh)

    def text(self, path: str) -> str:
        """A file of the output as text."""
        return (self.public / path).read_text(encoding="utf-8")


@pytest.fixture
def works(tmp_path: Path, engine: Stores) -> Iterator[SiteWorks]:
    """A small site of two locales with posts, pages, a menu and pictures; nothing loaded yet."""
    made = fill_site(tmp_path / "tide")
    yield made
    made.database.close()


@pytest.fixture(scope="session")
def open_works() -> Callable[[Path], SiteWorks]:
    """Open a site folder that is there already."""
    return SiteWorks


@pytest.fixture(scope="session")
def make_works() -> Callable[[Path], SiteWorks]:
    """Make the site of `works` in any folder, as often as a test wants."""
    return fill_site


def fill_site(folder: Path) -> SiteWorks:
    """Six English posts (one a day, the last the newest) by two authors, one of them in Spanish too."""
    folder.mkdir(parents=True)
    works = SiteWorks(folder)
    works.settings_are(build={"page_size": 3}, description="On the sea.")
    works.write("content/authors.yaml", [
        {"slug": "ann-ray", "first_name": "Ann", "last_name": "Ray", "profile_image": "media/ann.png"},
        {"slug": "bo-lind", "first_name": "Bo", "last_name": "Lind", "bio": "Rows."},
    ])  # fmt: skip
    works.write("content/categories.yaml", [{"slug": "tides", "name": "Tides"}, {"slug": "boats", "name": "Boats"}])
    works.write("content/tags.yaml", [{"slug": "moon", "name": "moon"}, {"slug": "ropes", "name": "ropes"}])
    for name, color in (("ann", "teal"), ("sea", "navy")):
        works.image(f"media/{name}.png", color)
    fields = [{"slug": "label", "type": "short_text"}, {"slug": "url", "type": "short_text"}]
    works.write("schema/collections/menu.yaml", {"key": "menu", "label": "label", "fields": fields})
    works.write("content/collections/menu.yaml", [
        {"id": 1, "fields": {"en": {"label": "Posts", "url": "/blog/"}, "es": {"label": "Notas", "url": "/es/blog/"}}},
        {"id": 2, "fields": {"label": "About", "url": "/about/"}},
    ])  # fmt: skip
    works.write("schema/page_types/guide.yaml", {"slug": "guide", "name": "Guide", "fields": [
        {"slug": "summary", "name": "Summary", "type": "short_text"},
        {"slug": "cover", "name": "Cover", "type": "media"},
        {"slug": "link", "name": "Link", "type": "short_text"},
        {"slug": "text", "name": "Text", "type": "long_text"},
    ]})  # fmt: skip
    works.write("content/pages/guide/knots.yaml", {
        "title": "Knots", "status": "published", "published": "2026-01-01T08:00:00Z",
        "fields": {"summary": "Two are enough.", "cover": {"url": "media/sea.png", "alt": "The sea"},
                   "link": "/blog/ebb/", "text": "See [the ebb](/blog/ebb/).\n\n## Bowline\n\nUp through the hole."},
    })  # fmt: skip
    works.write("content/pages/_single/about.md", "---\ntitle: About\nstatus: published\n---\nWe [row](/blog/).\n")
    bo = {"author": "bo-lind", "categories": ["Boats"], "tags": ["ropes"]}
    ann = {"author": "ann-ray", "categories": ["Tides"], "tags": ["moon"]}
    picture = {"featured_image": "media/sea.png", "featured_image_alt": "The sea"}
    bodies = {
        "calm": ("Nothing moves.", ann), "drift": ("We drift to [calm](/blog/calm/).", bo),
        "ebb": ("Out it goes.\n\n![The sea](media/sea.png)", ann), "flow": ("In it comes.", {**ann, **picture}),
        "gale": ("Reef early.", bo), "haul": ("Pull `<a href=\"/not-a-link/\">` hard.", {**bo, "tags": []}),
    }  # fmt: skip
    for day, (name, (body, front)) in enumerate(bodies.items(), 1):
        at = f"2026-02-{day:02}T08:00:00Z"
        works.post(name, body, published=at, created=at, updated=at, summary=f"On the {name}.", **front)
    at = "2026-02-03T09:00:00Z"
    times = {"published": at, "created": at, "updated": at}
    works.post("es/marea", "Se va.", locale="es", translation_of="ebb", slug="marea-baja", **times, **ann)
    works.post("secret", "Unfinished business.", status="draft", title="Classified")
    works.post("later", "Not yet.", scheduled="2031-01-01T00:00:00Z", title="Tomorrow")
    return works


@pytest.fixture(scope="session")
def lend_derived(repo: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], None]:
    """Give a copy of the sample site what is derived of its images, which is made once for all tests."""
    folder = tmp_path_factory.mktemp("derived") / "site"
    ignored = shutil.ignore_patterns(".sitecms", "public")

    def lend(copy: Path) -> None:
        if not folder.exists():
            shutil.copytree(repo / "sample_site", folder, ignore=ignored)
            works = SiteWorks(folder)
            works.load()
            with works.database.reading() as session:
                make_gallery(take_snapshot(session), works.settings)
            works.database.close()
        derived = copy / ".sitecms" / "derived"
        shutil.copytree(folder / ".sitecms" / "derived", derived)

    return lend


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
    with store.writing() as transaction:
        save_content_schema(transaction, schema)
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
def make_page(store: Database, team_schema: ContentSchema, noon: datetime) -> Callable[..., int]:
    """Make a page: slug, stored fields; `hours` after noon it was published. Gives the id."""

    def make(
        slug: str,
        fields: Fields | None = EMPTY,
        *,
        page_type: str | None = "guide",
        status: Status = Status.PUBLISHED,
        draft: Fields | None = None,
        es: Fields | None = None,
        hours: int = 0,
    ) -> int:
        at = noon + timedelta(hours=hours)
        versions = versions_of(fields, status, draft, es, Times(at, at, at))
        with store.writing() as transaction:
            page_id = pages.insert_page(transaction, page_type, slug, slug.title(), Origin.API, at)
            change = PageChange(page_id, page_type, slug, slug.title(), versions)
            pages.save_page(transaction, change, Origin.API, at)
        return page_id

    return make


@pytest.fixture
def make_item(store: Database, team_schema: ContentSchema, noon: datetime) -> Callable[..., str]:
    """Make an item: id, stored fields; `hours` after noon it was published. Gives its URI."""

    def make(
        item_id: int,
        fields: Fields | None = EMPTY,
        *,
        collection: str = "team",
        status: Status = Status.PUBLISHED,
        draft: Fields | None = None,
        es: Fields | None = None,
        hours: int = 0,
    ) -> str:
        at = noon + timedelta(hours=hours)
        versions = versions_of(fields, status, draft, es, Times(at, at, at))
        with store.writing() as transaction:
            items.insert_item(transaction, collection, Origin.API, at, item_id)
            items.save_item(transaction, ItemChange(item_id, collection, versions), Origin.API, at)
        return ItemTarget(collection, item_id).uri

    return make


class Remote:
    """The outside world of writes: files by URL. `is_there` is the probe, `fetch` takes a file into the library."""

    def __init__(self, library: MediaLibrary, at: datetime) -> None:
        self.files: dict[str, bytes] = {}
        self.missing: set[str] = set()
        self.fetched: list[str] = []
        self._library = library
        self._at = at

    def is_there(self, url: str) -> bool:
        """Whether the probe finds it."""
        return url not in self.missing

    def fetch(self, url: str, _budget: object = None) -> MediaFile:
        """The file; RemoteMissing where there is none."""
        self.fetched.append(url)
        if url not in self.files:
            raise RemoteMissing(404)
        return self._library.add(self.files[url], url.rpartition("/")[2], self._at)


@pytest.fixture
def remote(site: SiteSettings, noon: datetime) -> Remote:
    """The outside world, empty."""
    return Remote(open_library(site), noon)


@pytest.fixture
def worker(runtime: Runtime, remote: Remote) -> Worker:
    """Who applies accepted writes; every other owner is dead."""
    return Worker(
        database=runtime.database,
        settings=runtime.settings,
        library=open_library(runtime.settings),
        fetch=remote.fetch,
        clock=runtime.clock,
        owner="me",
        is_alive=lambda _name: False,
    )


@pytest.fixture
def apply_all(worker: Worker) -> Callable[[], int]:
    """Apply everything that is open; how many writes."""

    def apply() -> int:
        count = 0
        while True:
            with worker.database.reading() as session:
                waiting = [get_write(session, write_id) for write_id, *_ in open_entries(session, 1000)]
            done = sum(apply_entry(worker, write.entry_key) for write in waiting)
            if not done:
                return count
            count += done

    return apply


@dataclass(frozen=True, slots=True)
class Received:
    """One message as it arrived; header names in lower case."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, dict[str, object]]:
        """The body, read."""
        found: dict[str, dict[str, object]] = json.loads(self.body)
        return found


class Receiver:
    """A receiver of webhooks on loopback: answers by its script, one step a message, the last one for good.

    A step is a status; "hang" holds the message until the receiver is closed and never answers.
    """

    def __init__(self, *script: int | str) -> None:
        self.script = list(script) or [200]
        self.received: list[Received] = []
        self.over = threading.Event()
        self._lock = threading.Lock()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                step = receiver._note(Received(self.path, headers, body))
                if step == "hang":
                    receiver.over.wait(30)
                    return
                self.send_response(int(step))
                if 300 <= int(step) < 400:
                    self.send_header("Location", "/elsewhere")
                self.end_headers()
                self.wfile.write(b"Answer \x1b " + str(step).encode())

            def log_message(self, *_arguments: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.host = f"127.0.0.1:{self._server.server_port}"
        self.url = f"http://{self.host}/in"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def _note(self, message: Received) -> int | str:
        with self._lock:
            self.received.append(message)
            return self.script.pop(0) if len(self.script) > 1 else self.script[0]

    def close(self) -> None:
        """Take no more messages."""
        self.over.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def make_receiver() -> Iterator[Callable[..., Receiver]]:
    """Start receivers of webhooks, each with its script."""
    started: list[Receiver] = []

    def start(*script: int | str) -> Receiver:
        started.append(Receiver(*script))
        return started[-1]

    yield start
    for receiver in started:
        receiver.close()
