"""Incremental builds: stale, current and pruned outputs, and files that a build never changes."""

import os
import subprocess
import sys
import threading
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

import pytest

from sitecms.actions.loading import load_site
from sitecms.errors import OutputRefused
from sitecms.site.report import Report
from tests.support.sites import ExampleSite

SHARED = "what all pages share changed (settings, menu, theme)"
SHOWN = "what it shows changed"
TEMPLATE = "its template or a plug-in changed"


def changed(before: dict[str, bytes], after: dict[str, bytes]) -> set[str]:
    """Return the paths that are new, gone or changed."""
    return {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}


def test_a_second_build_writes_nothing(example: ExampleSite) -> None:
    """An unchanged site has only current outputs."""
    first = example.make()
    times = {path: path.stat().st_mtime_ns for path in example.public.rglob("*")}
    second = example.make()
    assert (second.written, second.pruned, second.stale) == (0, 0, {})
    assert second.current == first.written == len(example.tree())
    assert {path: path.stat().st_mtime_ns for path in example.public.rglob("*")} == times


def feeds(*folders: str) -> set[str]:
    """Return the feeds of these archives, "" for those of the site."""
    names = ("rss.xml", "atom.xml", "feed.json")
    return {f"{folder}{name}" for folder in folders for name in (names[:1] if folder else names)}


def test_an_edited_body_changes_the_pages_that_show_it(example: ExampleSite) -> None:
    """The post and the feeds change; cards have title, summary and date, which are equal."""
    example.make()
    before = example.tree()
    path = example.folder / "content/posts/ebb.md"
    path.write_text(path.read_text(encoding="utf-8").replace("Out it goes.", "Out it went."), encoding="utf-8")
    report = example.make()
    archives = ("", "blog/2026/", "categories/tides/", "tags/moon/", "authors/ann-ray/")
    expected = {"blog/ebb/index.html", *feeds(*archives)}
    assert report.stale == dict.fromkeys(expected, SHOWN)
    assert report.written == len(expected)
    assert changed(before, example.tree()) == expected
    assert example.tree() == example.clean_tree()


def test_an_edited_title_changes_lists_neighbours_and_feeds(example: ExampleSite) -> None:
    """Every page that names the post changes, and no other."""
    example.make()
    path = example.folder / "content/posts/ebb.md"
    path.write_text(path.read_text(encoding="utf-8").replace('"Ebb"', '"Low water"'), encoding="utf-8")
    before = example.tree()
    example.make()
    assert changed(before, example.tree()) == {
        "blog/ebb/index.html", "blog/drift/index.html", "blog/flow/index.html", "blog/page/2/index.html",
        "categories/tides/index.html", "tags/moon/index.html", "authors/ann-ray/index.html",
        "blog/calm/index.html", "blog/2026/page/2/index.html",
        *feeds("", "blog/2026/", "categories/tides/", "tags/moon/", "authors/ann-ray/"),
    }  # fmt: skip
    assert example.tree() == example.clean_tree()


def test_a_new_post_moves_posts_to_the_next_list_page(example: ExampleSite) -> None:
    """The list gets a third page, the home page shows the new post, unrelated posts stay."""
    example.make()
    before = example.tree()
    at = "2026-02-20T08:00:00Z"
    example.post("iron", published=at, created=at, updated=at, author="bo-lind", categories=["Boats"])
    example.make()
    assert changed(before, example.tree()) == {
        "index.html", "blog/index.html", "blog/page/2/index.html", "blog/page/3/index.html", "blog/iron/index.html",
        "blog/haul/index.html", "categories/boats/index.html", "categories/boats/page/2/index.html",
        "authors/bo-lind/index.html", "authors/bo-lind/page/2/index.html", "sitemap.xml", "blog/2026/index.html",
        "blog/2026/page/2/index.html", "blog/2026/page/3/index.html", "blog/drift/index.html", "blog/gale/index.html",
        "categories/index.html", "authors/index.html",
        *feeds("", "blog/2026/", "categories/boats/", "authors/bo-lind/"),
    }  # fmt: skip
    assert example.tree() == example.clean_tree()


def test_a_deleted_post_is_pruned_with_its_folder(example: ExampleSite) -> None:
    """Orphaned outputs and folders without files are gone, and a locale in which nothing is left."""
    example.make()
    example.remove("content/posts/calm.md")
    example.remove("content/posts/es/marea.md")
    report = example.make()
    assert set(report.orphaned) == {
        "blog/calm/index.html", "es/blog/marea-baja/index.html", "es/categories/tides/index.html",
        "es/tags/moon/index.html", "es/authors/ann-ray/index.html", "es/blog/2026/index.html",
        "es/categories/index.html", "es/tags/index.html", "es/authors/index.html",
        "es/index.html", "es/404.html", "es/blog/index.html", "es/atom.xml", "es/feed.json",
        *feeds("es/categories/tides/", "es/tags/moon/", "es/authors/ann-ray/", "es/blog/2026/", "es/"),
    }  # fmt: skip
    assert not any((example.public / gone).exists() for gone in ("blog/calm", "es"))
    assert example.tree() == example.clean_tree()


def test_an_orphaned_output_that_is_already_deleted_is_no_error(example: ExampleSite) -> None:
    """The owner deleted its folder before the build."""
    example.make()
    (example.public / "blog/calm/index.html").unlink()
    (example.public / "blog/calm").rmdir()
    example.remove("content/posts/calm.md")
    assert example.make().orphaned == ("blog/calm/index.html",)
    assert example.tree() == example.clean_tree()


def test_deleted_and_edited_outputs_are_written_again(example: ExampleSite) -> None:
    """The report has the reason of each; all others stay."""
    example.make()
    good = example.tree()
    (example.public / "rss.xml").unlink()
    (example.public / "blog/ebb/index.html").write_text("edited", encoding="utf-8")
    (example.public / "404.html").unlink()
    (example.public / "404.html").mkdir()
    (example.public / "404.html").rmdir()
    (example.public / "404.html").symlink_to(example.public / "index.html")
    report = example.make()
    assert report.stale == {
        "rss.xml": "it is missing from the output folder",
        "blog/ebb/index.html": "it was changed in the output folder",
        "404.html": "it was changed in the output folder",
    }
    assert example.tree() == good
    assert not (example.public / "404.html").is_symlink()


def test_a_clean_build_rewrites_edited_outputs_of_equal_size(example: ExampleSite) -> None:
    """It compares bytes; equal pages keep their time."""
    example.make()
    good = example.tree()
    page = example.public / "blog/ebb/index.html"
    page.write_bytes(page.read_bytes().replace(b"Out", b"Huh"))
    os.utime(example.public / "rss.xml", (1, 1))
    report = example.build(clean=True)
    assert (report.written, len(report.stale)) == (1, len(good))
    assert set(report.stale.values()) == {"a clean build was asked for"}
    assert example.tree() == good
    assert (example.public / "rss.xml").stat().st_mtime == 1


def test_a_missing_or_damaged_manifest_is_written_again(example: ExampleSite) -> None:
    """All pages are rendered again, and none is lost."""
    example.make()
    (example.public / ".sitecms-manifest.json").write_text("{", encoding="utf-8")
    report = example.make()
    assert (report.written, set(report.stale.values())) == (0, {"it is new"})
    assert example.make().stale == {}


def test_settings_that_all_pages_show_make_all_pages_stale(example: ExampleSite) -> None:
    """The report has the reason."""
    example.make()
    example.settings_are(build={"page_size": 3}, description="On the sea.", name="Ebb and Flow")
    report = example.make()
    pages = {path for path in example.tree() if not path.startswith(("assets/", "media/", "_headers", "nginx-headers"))}
    assert report.stale.keys() == pages
    assert all(SHARED in reason for reason in report.stale.values())
    assert example.tree() == example.clean_tree()


@pytest.mark.parametrize(
    ("changes", "path", "shown"),
    [
        ({"timezone": "Pacific/Auckland"}, "blog/gale/index.html", '">5 February 2026</time>'),
        ({"markdown": {"typographer": True}}, "guide/knots/index.html", "“quoted”"),
        ({"theme": {"accent": "#123456"}}, "", ""),
        ({"permalinks": {"post": "/notes/{slug}/"}}, "notes/gale/index.html", 'href="/notes/flow/"'),
        ({"default_locale": "es"}, "blog/gale/index.html", '<html lang="es"'),
        ({"locales": ["es", "en", "pt"]}, "es/index.html", '<html lang="es"'),
        ({"build": {"page_size": 2}}, "blog/page/3/index.html", "Calm"),
        ({"build": {"home": "guide/knots"}}, "index.html", "Bowline"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_every_changed_setting_changes_the_next_build(
    example: ExampleSite, changes: dict[str, object], path: str, shown: str
) -> None:
    """Settings are part of fingerprints: the result equals a clean build."""
    page = example.folder / "content/pages/guide/knots.yaml"
    page.write_text(page.read_text(encoding="utf-8").replace("Up through", '\\"quoted\\" Up through'), encoding="utf-8")
    example.post("gale", "Reef early.", published="2026-02-04T20:00:00Z", author="bo-lind")
    example.make()
    example.settings_are(**{"build": {"page_size": 3}, "description": "On the sea.", **changes})
    load_site(example.database, example.settings, example.now)  # some entries do not fit the new settings, and stay
    assert example.build().failed == {}
    assert example.tree() == example.clean_tree()
    assert not path or shown in example.text(path)


def test_a_changed_accent_renames_the_stylesheet(example: ExampleSite) -> None:
    """Browsers with the old stylesheet in their cache load the new one; the old one is pruned."""
    example.make()
    (old,) = example.public.glob("assets/style.*.css")
    example.settings_are(build={"page_size": 3}, description="On the sea.", theme={"accent": "#ABCDEF"})
    example.make()
    (new,) = example.public.glob("assets/style.*.css")
    assert new.name != old.name
    assert "--accent:#abcdef" in new.read_text(encoding="utf-8")
    assert f"/assets/{new.name}" in example.text("index.html")


def test_the_site_folder_itself_is_no_output_folder(example: ExampleSite) -> None:
    """The folders with the files of the site are refused too; nothing in them changes."""
    example.load()
    for folder in (example.folder, example.folder / "content", example.folder / "media"):
        before = example.tree(folder)
        with pytest.raises(OutputRefused):
            example.build(folder)
        after = example.tree(folder)
        assert {path for path in changed(before, after) if not path.startswith(".sitecms/")} == set()


def test_slugs_in_any_script_have_a_file_and_an_encoded_address(example: ExampleSite) -> None:
    """The file has the readable name, links are percent-encoded, and both are one address."""
    at = "2026-02-20T08:00:00Z"
    example.post("seasons", title="七十二候", slug="七十二候", published=at, tags=["Größe & Maß"])
    example.make()
    assert (example.public / "blog/七十二候/index.html").is_file()
    assert (example.public / "tags/größe-and-maß/index.html").is_file()
    home = example.text("index.html")
    assert 'href="/blog/%E4%B8%83%E5%8D%81%E4%BA%8C%E5%80%99/"' in home
    assert "https://tide.example/blog/%E4%B8%83%E5%8D%81%E4%BA%8C%E5%80%99/" in example.text("sitemap.xml")
    assert example.make().stale == {}


def test_a_slug_too_long_for_a_file_is_shortened_wherever_it_is_named(example: ExampleSite) -> None:
    """File, links and sitemap agree, and two slugs with the same beginning stay different."""
    at = "2026-02-20T08:00:00Z"
    for ending in ("甲", "乙"):
        example.post(f"long-{ord(ending)}", slug="候" * 99 + ending, published=at)
    example.make()
    tree = example.tree()
    paths = [path for path in tree if path.startswith("blog/候")]
    assert len(paths) == 2
    for path in paths:
        assert all(len(part.encode()) <= 255 for part in path.split("/"))
        address = quote("/" + path.removesuffix("index.html"))
        assert f'href="{address}"' in example.text("index.html")
        for listing in ("sitemap.xml", "atom.xml"):
            assert f"https://tide.example{address}<" in example.text(listing)
    assert example.make().stale == {}


def test_several_processes_make_the_same_site(example: ExampleSite) -> None:
    """Output and report are equal."""
    example.load()
    reports = [example.build(example.folder / f"out-{jobs}", jobs=jobs) for jobs in (1, 2, 5)]
    trees = [example.tree(example.folder / f"out-{jobs}") for jobs in (1, 2, 5)]
    assert trees[0] == trees[1] == trees[2]
    assert len({(report.written, report.current, report.pruned) for report in reports}) == 1
    assert example.build(example.folder / "out-2", jobs=2).stale == {}


def test_two_builds_at_once_run_one_after_the_other(example: ExampleSite) -> None:
    """The second waits, and finds every output current."""
    example.load()
    reports: list[Report] = []
    threads = [threading.Thread(target=lambda: reports.append(example.build())) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(report.written for report in reports) == [0, 0, len(example.tree())]
    assert example.tree() == example.clean_tree()


def test_builds_do_not_write_to_the_store(example: ExampleSite) -> None:
    """Its rows are read and nothing else."""
    example.load()

    def dump() -> list[object]:
        with example.database.reading() as session:
            tables = session.sql("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
            return [session.sql(f'SELECT * FROM "{name}"') for (name,) in tables]

    before = dump()
    digest = sha256(example.settings.store_path.read_bytes()).digest()
    example.build()
    example.build(example.folder / "again", clean=True)
    assert dump() == before
    assert sha256(example.settings.store_path.read_bytes()).digest() == digest


ELSEWHERE = """
import datetime, sys, time
import peewee  # it imports psycopg, whose C code needs the real class
from pathlib import Path

class Other(type):
    __instancecheck__ = lambda cls, value: isinstance(value, real)
    __getattr__ = lambda cls, name: getattr(real, name)

class Shifted(metaclass=Other):
    __new__ = lambda cls, *parts, **named: real(*parts, **named)
    now = lambda tz=None: real.now(tz) + datetime.timedelta(days=400)

real, real_time = datetime.datetime, time.time
datetime.datetime = Shifted
time.time = lambda: real_time() + 400 * 86400
from sitecms.settings.site import load_settings
from sitecms.site.build import build_site
from sitecms.site.options import BuildOptions
from sitecms.store.opening import open_database
settings = load_settings(Path(sys.argv[1]))
build_site(open_database(settings.store_path), settings, Path(sys.argv[2]), BuildOptions())
"""


@pytest.mark.slow
def test_another_day_zone_language_and_hash_seed_make_the_same_site(example: ExampleSite, tmp_path: Path) -> None:
    """Output depends on store, settings and templates alone."""
    example.make()
    environment = {**os.environ, "TZ": "Pacific/Auckland", "LC_ALL": "C", "PYTHONHASHSEED": "7"}
    command = [sys.executable, "-c", ELSEWHERE, str(example.folder), str(tmp_path / "elsewhere")]
    subprocess.run(command, env=environment, check=True, timeout=120)
    assert example.tree(tmp_path / "elsewhere") == example.tree()


def test_unpublished_content_is_not_in_the_output(example: ExampleSite) -> None:
    """This holds for texts and images of drafts, scheduled posts and drafts of live pages."""
    example.image("media/hidden.png", "red")
    example.post("secret", "Unfinished business. ![Hidden](media/hidden.png)", status="draft", title="Classified")
    page = example.folder / "content/pages/_single/about.md"
    page.write_text(
        "---\ntitle: About\nstatus: published\ndraft: {fields: {body: Overhauled}}\n---\nWe row.\n", encoding="utf-8"
    )
    example.make()
    everything = b"\n".join(f"{path}\n".encode() + data for path, data in example.tree().items())
    for word in (b"Unfinished", b"Classified", b"secret", b"Not yet", b"Tomorrow", b"/later/", b"Overhauled"):
        assert word not in everything
    assert len(list(example.public.glob("media/*"))) == 2


def test_a_missing_media_file_fails_only_its_copy(example: ExampleSite) -> None:
    """The message has the original name of the file; the next build copies it."""
    example.load()
    data = (example.folder / "media/sea.png").read_bytes()
    (stored,) = (path for path in example.settings.media_dir.rglob("*.png") if path.read_bytes() == data)
    stored.unlink()
    report = example.build()
    assert list(report.failed) == [f"media/{stored.name}"]
    assert "has lost sea.png" in report.failed[f"media/{stored.name}"]
    stored.write_bytes(data)
    assert example.build().failed == {}
    assert example.tree() == example.clean_tree()


def test_a_failed_page_keeps_its_old_file_and_its_assets(example: ExampleSite) -> None:
    """The old stylesheet is pruned by the build that renders the page."""
    example.make()
    old = example.tree()
    (style,) = (path for path in old if path.startswith("assets/style."))
    example.settings_are(build={"page_size": 3}, description="On the sea.", theme={"accent": "#abcdef"})
    example.write("templates/post.html", "{{ nothing.at.all }}")
    example.load()
    report = example.build()
    assert set(report.failed) == {
        path for path in old if "/blog/" in f"/{path}" and path.count("/") >= 2 and "blog/2026/" not in path
    } - {"blog/page/2/index.html", "es/blog/index.html"}
    tree = example.tree()
    assert tree["blog/ebb/index.html"] == old["blog/ebb/index.html"]
    assert tree[style] == old[style]
    example.remove("templates/post.html")
    assert example.make().orphaned == (style,)
    assert example.tree() == example.clean_tree()
