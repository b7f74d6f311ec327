"""Files that generators publish as they are: they arrive in `static/`, once, and old addresses stay alive."""

import gzip
import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sitecms.actions.loading import load_site
from sitecms.documents import read_yaml
from sitecms.importing.media.collector import MediaOptions
from sitecms.importing.run import ImportOptions, import_site
from sitecms.importing.selection import Selection
from sitecms.settings.site import load_settings
from sitecms.site.build import build_site
from sitecms.site.options import BuildOptions
from sitecms.store.opening import open_database
from tests.importing.imported import Imported, import_files
from tests.media.revealing import png

POST = "---\ntitle: Low\ndate: 2020-01-02\n---\n![Sea](/img/sea.png)\n"
ROOT = {
    "CNAME": "old.example\n",
    "ads.txt": "x\r\n",
    "google123.html": "google-site-verification: google123.html",
    ".well-known/security.txt": "Contact: ann@old.example\n",
    "robots.txt": "User-agent: *\nDisallow: /private/\n",
    "favicon.ico": "icon",
}
PICTURES = {"img/sea.png": png(size=(3, 2)), "img/unnamed.png": png(size=(5, 4))}
HUGO = 'baseURL = "https://old.example/"\ntitle = "Tides"\n'


def below(folder: str, files: Mapping[str, str | bytes]) -> dict[str, str | bytes]:
    return {f"{folder}{path}": data for path, data in files.items()}


def static_of(folder: Path) -> dict[str, bytes]:
    root = folder / "static"
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def as_bytes(files: Mapping[str, str | bytes]) -> dict[str, bytes]:
    return {path: data if isinstance(data, bytes) else data.encode() for path, data in files.items()}


SITES: dict[str, dict[str, str | bytes]] = {
    "hugo": {"hugo.toml": HUGO, "content/posts/low.md": POST, **below("static/", {**ROOT, **PICTURES})},
    "zola": {
        "config.toml": 'base_url = "https://old.example"',
        "content/posts/low.md": '+++\ntitle = "Low"\ndate = 2020-01-02\n+++\n![Sea](/img/sea.png)\n',
        **below("static/", {**ROOT, **PICTURES}),
    },
    "astro": {"astro.config.mjs": "", "src/content/blog/low.md": POST, **below("public/", {**ROOT, **PICTURES})},
    "astro elsewhere": {
        "astro.config.mjs": "export default {publicDir: './files'}",
        "src/content/blog/low.md": POST,
        **below("files/", {**ROOT, **PICTURES}),
    },
    "next": {"next.config.js": "", "posts/low.md": POST, **below("public/", {**ROOT, **PICTURES})},
    "hexo": {
        "_config.yml": "url: https://old.example\nnew_post_name: ':title.md'\ninclude:\n  - .well-known/*\n",
        "source/_posts/low.md": POST,
        "source/_data/x.yml": "a: 1",
        **below("source/", {**ROOT, **PICTURES}),
    },
    "jekyll": {
        "_config.yml": "url: https://old.example\ninclude: [.well-known]\n",
        "_posts/2020-01-02-low.md": POST,
        "_layouts/a.html": "x",
        "feed.css": "---\n---\nx",
        ".gitignore": "x",
        "Gemfile": "x",
        "package.json": "{}",
        **ROOT,
        **PICTURES,
    },
    "eleventy": {
        "eleventy.config.js": "export default (c) => {\n"
        "c.addPassthroughCopy({'./public/': '/', './src/robots.txt': '/robots.txt'});\n"
        "c.addPassthroughCopy('src/CNAME'); c.addPassthroughCopy('src/img/**/*.png') }; const dir = {input: 'src'}",
        "src/blog/low.md": POST,
        "src/other.png": b"x",
        **below("public/", {path: data for path, data in ROOT.items() if path not in ("robots.txt", "CNAME")}),
        **below("src/", {path: ROOT[path] for path in ("robots.txt", "CNAME")}),
        **below("src/", PICTURES),
    },
    "pelican": {
        "pelicanconf.py": "SITEURL = 'https://old.example'\nSTATIC_PATHS = ['img', 'extra']\n"
        f"EXTRA_PATH_METADATA = {({f'extra/{path}': {'path': path} for path in ROOT})!r}\n",
        "content/low.md": "Title: Low\nDate: 2020-01-02\n\n![Sea]({static}/img/sea.png)\n",
        **below("content/extra/", ROOT),
        **below("content/", PICTURES),
    },
}  # fmt: skip


@pytest.mark.parametrize("name", SITES)
def test_files_at_the_root_are_taken(tmp_path: Path, name: str) -> None:
    """As they are, and pictures that no text names with them; what a text names is in media/ alone."""
    site = import_files(tmp_path, SITES[name])
    wanted = as_bytes({**ROOT, "img/unnamed.png": PICTURES["img/unnamed.png"]})
    assert static_of(site.folder) == wanted
    assert [path.name for path in (site.folder / "media").rglob("*.png")] == ["sea.png"]
    assert site.redirects()["/img/sea.png"].startswith("media/")
    places = site.notes("file")["published as it is, from static/"]
    assert places == sorted(wanted)
    assert site.report.counts["static files", "written"] == len(wanted)


def test_the_imported_site_builds_with_them(tmp_path: Path) -> None:
    """The old addresses of all files are alive."""
    site = import_files(tmp_path, SITES["hugo"])
    settings = load_settings(site.folder)
    database = open_database(settings.store, create=True)
    assert load_site(database, settings, datetime(2026, 1, 1, tzinfo=UTC)).errors == ()
    report = build_site(database, settings, settings.output_dir, BuildOptions(jobs=1))
    database.close()
    assert report.failed == {}
    assert (settings.output_dir / "robots.txt").read_text() == ROOT["robots.txt"]
    assert (settings.output_dir / "img/unnamed.png").read_bytes() == PICTURES["img/unnamed.png"]
    assert "/img/sea.png /media/" in (settings.output_dir / "_redirects").read_text()


def again(site: Imported, **options: object) -> Imported:
    report = import_site(site.folder, [str(site.folder.parent / "old")], ImportOptions(**options))  # type: ignore[arg-type]
    return Imported(site.folder, report)


def test_a_second_run_changes_what_changed(tmp_path: Path) -> None:
    """An edited copy is kept, a changed file copied again, one that a text names now moves to media/."""
    site = import_files(tmp_path, SITES["hugo"])
    old = tmp_path / "old"
    (site.folder / "static/robots.txt").write_text("mine")
    (old / "static/robots.txt").write_text("theirs")
    (old / "static/ads.txt").write_text("new")
    (old / "static/CNAME").unlink()
    (old / "content/posts/low.md").write_text(POST + "![New](/img/unnamed.png)\n")
    site = again(site)
    static = static_of(site.folder)
    assert (static["robots.txt"], static["ads.txt"], static["CNAME"]) == (b"mine", b"new", b"old.example\n")
    assert "img/unnamed.png" not in static
    assert (site.folder / "media/img/unnamed.png").is_file()
    assert site.notes("file")["edited by hand, so it was not overwritten"] == ["static/robots.txt"]
    assert site.notes("file")["no longer in the source"] == ["static/CNAME"]
    assert (site.folder / "imports/markdown.conflicts/static/robots.txt").read_text() == "theirs"
    assert "CNAME" not in static_of(again(site, prune=True).folder)
    counts = again(site).report.counts
    assert counts["static files", "written"] == 0


def test_what_the_new_site_makes_itself_is_left_out_and_named(tmp_path: Path) -> None:
    """Pages, feeds and redirects win, also below a file of theirs; the report names what stays behind."""
    left = ("index.html", "sitemap.xml", "posts/low/index.html", "posts", "tags/index.xml", "RSS.xml")
    files = {
        "hugo.toml": HUGO,
        "content/posts/low.md": POST.replace("date", "tags: [sea]\ndate"),
        **below("static/", {**ROOT, **PICTURES}),
        **{f"static/{path}": "x" for path in left if path != "posts"},
        "static/.DS_Store": "x",
    }
    site = import_files(tmp_path, files)
    assert static_of(site.folder).keys() == {*ROOT, "img/unnamed.png"}
    places = site.notes("left out by design")["files where the new site has a page, a feed or a redirect"]
    assert set(places) == set(left) - {"posts"}


@pytest.mark.parametrize("names", [("a", "a/b"), ("F.x", "f.x/b"), ("F.x/b", "f.x")])
def test_a_file_and_a_folder_of_one_name(tmp_path: Path, names: tuple[str, str]) -> None:
    """An archive can hold both, as can a folder where letter case counts: one is copied, the other named."""
    archive = tmp_path / "site.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("hugo.toml", HUGO)
        packed.writestr("content/posts/low.md", POST.partition("![")[0] + "Text")
        for name in (*names, "z.txt", ".GIT/config", f"{'x' * 300}.txt"):
            packed.writestr(f"static/{name}", name)
    report = import_site(tmp_path / "site", [str(archive)], ImportOptions())
    assert static_of(tmp_path / "site").keys() == {sorted(names)[0], "z.txt"}
    [note] = [group for (_kind, what), group in report.notes.items() if "folder of the same name" in what]
    assert note.count == 1


def test_rules_and_headers_for_hosts_are_copied(tmp_path: Path) -> None:
    """The build puts the lines of its own before them."""
    files = {**SITES["hugo"], "static/_redirects": "/a /b 302\n", "static/_headers": "/x\n  X-Y: z\n"}
    site = import_files(tmp_path, files)
    assert static_of(site.folder)["_redirects"] == b"/a /b 302\n"
    assert site.notes("file")["a file for web hosts"] == ["static/_headers", "static/_redirects"]


def test_static_folders_of_hugo(tmp_path: Path) -> None:
    """Several of them, those of languages, and mounts, which may lead to a folder below the root."""
    config = HUGO + 'staticDir = ["static", "more"]\n[languages.en]\n[languages.es]\nstaticDir = "static_es"\n'
    files = {
        "hugo.toml": config,
        "content/posts/low.md": POST.partition("![")[0] + "Text",
        "static/a.txt": "a",
        "more/b.txt": "b",
        "static_es/c.txt": "c",
    }
    assert static_of(import_files(tmp_path / "one", files).folder).keys() == {"a.txt", "b.txt", "c.txt"}
    mounts = (
        '[[module.mounts]]\nsource = "content"\ntarget = "content"\n'
        '[[module.mounts]]\nsource = "site/files"\ntarget = "static/deep"\n'
    )
    files = {"hugo.toml": HUGO + mounts, "content/posts/low.md": files["content/posts/low.md"],
             "static/a.txt": "a", "site/files/b.txt": "b"}  # fmt: skip
    assert static_of(import_files(tmp_path / "two", files).folder).keys() == {"deep/b.txt"}


def test_a_packed_file_is_copied_packed(tmp_path: Path) -> None:
    """Beside its plain form, too."""
    packed = gzip.compress(b"[]", mtime=0)
    files = {**SITES["hugo"], "static/data.json": "[]", "static/data.json.gz": packed}
    static = static_of(import_files(tmp_path, files).folder)
    assert (static["data.json"], static["data.json.gz"]) == (b"[]", packed)


def test_links_to_such_files_stay(tmp_path: Path) -> None:
    """They are no link that the import could not resolve."""
    files = {**SITES["hugo"], "static/setup.exe": b"MZ", "content/posts/low.md": POST + "[Setup](/setup.exe)"}
    site = import_files(tmp_path, files)
    assert "[Setup](/setup.exe)" in site.post("low").body
    assert site.notes("link not resolved") == {}


def test_a_partial_or_dry_import_copies_none(tmp_path: Path) -> None:
    """It would take pictures that other texts name."""
    old = str(import_files(tmp_path, SITES["hugo"]).folder.parent / "old")
    report = import_site(tmp_path / "some", [old], ImportOptions(selection=Selection(only=frozenset({"page"}))))
    assert not (tmp_path / "some/static").exists()
    assert "files that go to static/" in Imported(tmp_path / "some", report).notes("left out by design")
    report = import_site(tmp_path / "dry", [old], ImportOptions(is_dry=True))
    assert not (tmp_path / "dry/static").exists()
    assert report.counts["static files", "written"] == len(ROOT) + 1


def test_links_in_the_source_are_named(tmp_path: Path) -> None:
    """They are not followed, as the files behind them may be anybody's."""
    import_files(tmp_path, SITES["hugo"])
    (tmp_path / "old/static/pw").symlink_to("/etc/passwd")
    report = import_site(tmp_path / "again", [str(tmp_path / "old")], ImportOptions(media=MediaOptions()))
    site = Imported(tmp_path / "again", report)
    assert "pw" not in static_of(site.folder)
    assert site.notes("skipped")["a symbolic link, which is not followed"] == ["static/pw"]
    assert read_yaml(site.folder / "redirects.yaml")
