"""Fixtures of whole sites: a folder, its store and its output, of which tests write files, load and build."""

import atexit
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from fcntl import LOCK_EX, flock
from functools import cache, partial
from pathlib import Path

import pytest
from PIL import Image

from sitecms.actions.loading import LoadReport, load_site
from sitecms.content.fields import own_types
from sitecms.runtime import Runtime, open_runtime
from sitecms.settings.site import TEMPLATE_CACHE, SiteSettings, load_settings
from sitecms.site.build import build_site
from sitecms.site.images.image_plan import plan_images
from sitecms.site.options import BuildOptions
from sitecms.site.report import Report
from sitecms.site.snapshot import take_snapshot
from sitecms.store.database import Database
from tests.support.engines import ENGINES, Stores, choose, choose_files, make_store, prepare_store, stores
from tests.support.pictures import image_bytes

SITE_TOML = """
name = "Tide"
url = "https://tide.example"
default_locale = "en"
locales = ["en", "es"]
owner = "ann-ray"
[search]
enabled = false
"""


@pytest.fixture(scope="session")
def repo() -> Path:
    """The folder of the checkout that these tests stand in."""
    return Path(__file__).resolve().parents[2]


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
    prepare_store(site.store)
    opened = open_runtime(site, create=True)
    yield opened
    opened.database.close()


@pytest.fixture
def store(runtime: Runtime) -> Database:
    """The site's store."""
    return runtime.database


class SiteFiles:
    """A folder in which tests write files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, path: str, content: object) -> None:
        """A file of text, of bytes, or of data as YAML."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            target.write_bytes(content)
        else:
            target.write_text(content if isinstance(content, str) else json.dumps(content, indent=1), "utf-8")

    def add_settings(self, text: str) -> None:
        """Add lines to site.toml."""
        with (self.folder / "site.toml").open("a", encoding="utf-8") as file:
            file.write(f"\n{text}\n")

    def image(self, path: str, color: str = "navy", size: tuple[int, int] = (3, 2)) -> None:
        """A small picture."""
        self.write(path, image_bytes(Image.new("RGB", size, color), "PNG"))

    def remove(self, path: str) -> None:
        """Delete a file."""
        (self.folder / path).unlink()


def share_templates(folder: Path) -> None:
    """Let a site use the templates that another one has compiled in this process, which takes most of a small build."""
    cache = folder / TEMPLATE_CACHE
    cache.parent.mkdir(0o700, exist_ok=True)
    if not cache.exists():
        cache.symlink_to(_compiled_templates())


@cache
def _compiled_templates() -> Path:
    """Return a folder of this process for compiled templates."""
    folder = tempfile.mkdtemp(prefix="sitecms-templates-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


class ExampleSite(SiteFiles):
    """A site folder, its store and its output: tests write files, load and build. Each load is an hour later."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.now = datetime(2026, 3, 1, 12, tzinfo=UTC)
        self.database = make_store(stores().address(folder))
        share_templates(folder)

    @property
    def settings(self) -> SiteSettings:
        """site.toml as it is now."""
        return load_settings(self.folder)

    @property
    def public(self) -> Path:
        """Where the site is built, unless a test says otherwise."""
        return self.folder / "public"

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

    def load(self, *, prune: bool = False) -> LoadReport:
        """Load the folder into the store; an error fails the test."""
        self.now += timedelta(hours=1)
        settings = self.settings
        self.database.field_types = own_types(settings.plugins)
        report = load_site(self.database, settings, self.now, prune=prune)
        assert report.errors == ()
        return report

    def build(self, output: Path | None = None, *, jobs: int = 1, clean: bool = False) -> Report:
        """Build what the store holds."""
        return build_site(self.database, self.settings, output or self.public, BuildOptions(clean=clean, jobs=jobs))

    def make(self) -> Report:
        """Load, pruning what is gone, and build; a page that fails fails the test."""
        self.load(prune=True)
        report = self.build()
        assert (report.failed, report.left_out) == ({}, ())
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
def example(tmp_path: Path, engine: Stores) -> Iterator[ExampleSite]:
    """A small site of two locales with posts, pages, a menu and pictures; nothing loaded yet."""
    made = fill_site(tmp_path / "tide")
    yield made
    made.database.close()


@pytest.fixture(scope="session")
def open_example() -> Callable[[Path], ExampleSite]:
    """Open a site folder that is there already."""
    return ExampleSite


@pytest.fixture(scope="session")
def make_example() -> Callable[[Path], ExampleSite]:
    """Make the site of `works` in any folder, as often as a test wants."""
    return fill_site


def fill_site(folder: Path) -> ExampleSite:
    """Six English posts (one a day, the last the newest) by two authors, one of them in Spanish too."""
    folder.mkdir(parents=True)
    example = ExampleSite(folder)
    example.settings_are(build={"page_size": 3}, description="On the sea.")
    example.write("content/authors.yaml", [
        {"slug": "ann-ray", "first_name": "Ann", "last_name": "Ray", "profile_image": "media/ann.png"},
        {"slug": "bo-lind", "first_name": "Bo", "last_name": "Lind", "bio": "Rows."},
    ])  # fmt: skip
    example.write("content/categories.yaml", [{"slug": "tides", "name": "Tides"}, {"slug": "boats", "name": "Boats"}])
    example.write("content/tags.yaml", [{"slug": "moon", "name": "moon"}, {"slug": "ropes", "name": "ropes"}])
    for name, color in (("ann", "teal"), ("sea", "navy")):
        example.image(f"media/{name}.png", color)
    fields = [{"slug": "label", "type": "short_text"}, {"slug": "url", "type": "short_text"}]
    example.write("schema/collections/menu.yaml", {"key": "menu", "label": "label", "fields": fields})
    example.write("content/collections/menu.yaml", [
        {"id": 1, "fields": {"en": {"label": "Posts", "url": "/blog/"}, "es": {"label": "Notas", "url": "/es/blog/"}}},
        {"id": 2, "fields": {"label": "About", "url": "/about/"}},
    ])  # fmt: skip
    example.write("schema/page_types/guide.yaml", {"slug": "guide", "name": "Guide", "fields": [
        {"slug": "summary", "name": "Summary", "type": "short_text"},
        {"slug": "cover", "name": "Cover", "type": "media"},
        {"slug": "link", "name": "Link", "type": "short_text"},
        {"slug": "text", "name": "Text", "type": "long_text"},
    ]})  # fmt: skip
    example.write("content/pages/guide/knots.yaml", {
        "title": "Knots", "status": "published", "published": "2026-01-01T08:00:00Z",
        "fields": {"summary": "Two are enough.", "cover": {"url": "media/sea.png", "alt": "The sea"},
                   "link": "/blog/ebb/", "text": "See [the ebb](/blog/ebb/).\n\n## Bowline\n\nUp through the hole."},
    })  # fmt: skip
    example.write("content/pages/_single/about.md", "---\ntitle: About\nstatus: published\n---\nWe [row](/blog/).\n")
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
        example.post(name, body, published=at, created=at, updated=at, summary=f"On the {name}.", **front)
    at = "2026-02-03T09:00:00Z"
    times = {"published": at, "created": at, "updated": at}
    example.post("es/marea", "Se va.", locale="es", translation_of="ebb", slug="marea-baja", **times, **ann)
    example.post("secret", "Unfinished business.", status="draft", title="Classified")
    example.post("later", "Not yet.", scheduled="2031-01-01T00:00:00Z", title="Tomorrow")
    return example


MakeOnce = Callable[[str, Callable[[Path], None]], Path]


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> MakeOnce:
    """A function that fills a folder, by its name, once for all processes of a run; who asks meanwhile waits."""
    own = tmp_path_factory.getbasetemp()
    run = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own

    def once(name: str, fill: Callable[[Path], None]) -> Path:
        folder = run / "once" / name
        folder.parent.mkdir(exist_ok=True)
        with folder.with_name(f"{name}.lock").open("w") as lock:
            flock(lock, LOCK_EX)
            if not folder.exists():
                making = folder.with_name(f"{name}.making")
                shutil.rmtree(making, ignore_errors=True)  # of a process that failed
                making.mkdir()
                fill(making)
                making.rename(folder)
        return folder

    return once


@pytest.fixture(scope="session")
def lend_derived(repo: Path, once: MakeOnce) -> Callable[[Path], None]:
    """Give a copy of the sample site what is derived of its images, which the processes of a run make once for all."""

    def lend(copy: Path) -> None:
        folder = once("derived", partial(_derive, repo / "sample_site"))
        shutil.copytree(folder / ".sitecms" / "derived", copy / ".sitecms" / "derived")

    return lend


def _derive(sample: Path, folder: Path) -> None:
    """Derive all images of the sample site in a copy of it."""
    shutil.copytree(sample, folder, ignore=shutil.ignore_patterns(".sitecms", "public"), dirs_exist_ok=True)
    example = ExampleSite(folder)
    example.load()
    plan_images(example.database.read(take_snapshot), example.settings)
    example.database.close()
