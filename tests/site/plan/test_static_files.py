"""Files of `static`: published at the root as they are, in place of the theme's, and never in place of an entry."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from sitecms.actions.loading import load_site
from sitecms.errors import ConfigurationError, InvalidFiles
from sitecms.site.dry_run import plan_dry_run
from sitecms.site.output.manifest import read_manifest
from sitecms.site.plan.static_files import plan_static
from sitecms.site.render.pages import LastOutput, Renderer
from tests.support.ordinary_user import ordinary_user
from tests.support.sites import ExampleSite

PLAIN = {
    "CNAME": b"tide.example\n",
    "ads.txt": b"x\r\n\xff",
    ".well-known/security.txt": b"Contact: mailto:ann@tide.example\n",
    "google123.html": b"google-site-verification: google123.html",
    "favicon.ico": b"\0\1",
    "empty": b"",
}


def test_files_are_published_as_they_are(example: ExampleSite) -> None:
    """Hidden ones too; what systems, editors and Git leave there is not published."""
    for path, data in PLAIN.items():
        example.write(f"static/{path}", data)
    left_out = (".DS_Store", "Thumbs.db", ".a.txt.swp", "a.txt~", ".#a.txt", ".gitkeep", ".git/config")
    for path in left_out:
        example.write(f"static/{path}", "x")
    example.make()
    assert {path: data for path, data in example.tree().items() if path in {*PLAIN, *left_out}} == PLAIN


def test_a_build_copies_what_changed_and_prunes_what_is_gone(example: ExampleSite) -> None:
    """Each file is an output of the manifest, with a reason for its copy."""
    for path, data in PLAIN.items():
        example.write(f"static/{path}", data)
    example.make()
    before = read_manifest(example.public).outputs
    assert before.keys() >= PLAIN.keys()
    assert example.make().written == 0
    example.write("static/ads.txt", b"yy\n")
    example.remove("static/google123.html")
    report = example.make()
    assert (report.written, report.pruned, report.stale) == (1, 1, {"ads.txt": "its content changed"})
    assert report.orphaned == ("google123.html",)
    assert example.tree() == example.clean_tree()


def test_a_published_file_that_others_changed_is_copied_again(example: ExampleSite) -> None:
    """The published folder equals a clean build after the next build."""
    example.write("static/ads.txt", "x\n")
    example.make()
    (example.public / "ads.txt").write_text("changed by hand\n")
    assert "ads.txt" in example.make().stale
    assert example.text("ads.txt") == "x\n"


@pytest.mark.parametrize("path", ["robots.txt", "404.html", "sitemap.xml", "es/404.html"])
def test_a_file_takes_the_place_of_one_of_the_theme(example: ExampleSite, path: str) -> None:
    """The theme's is published again once the file is gone."""
    example.make()
    theirs = example.text(path)
    example.write(f"static/{path}", "mine\n")
    example.make()
    assert example.text(path) == "mine\n"
    example.remove(f"static/{path}")
    example.make()
    assert example.text(path) == theirs


@pytest.mark.parametrize("path", ["blog/ebb/index.html", "blog/ebb", "blog/EBB/index.html"])
def test_an_entry_where_a_file_is_is_an_error_of_the_entry(example: ExampleSite, path: str) -> None:
    """It names both, with the line to change; all others are built."""
    example.load()
    example.write(f"static/{path}", "x")
    report = example.build()
    (error,) = report.left_out
    assert (error.file, error.line) == ("content/posts/ebb.md", 3)
    assert "the post ebb would be written to blog/ebb/index.html" in error.problem
    assert f"the file static/{path}" in error.problem
    assert example.text(path) == "x"
    assert (example.public / "blog/calm/index.html").exists()


@pytest.mark.parametrize(("path", "other"), [("blog/index.html", "All posts"), ("rss.xml", "feed /rss.xml")])
def test_a_file_where_a_list_or_a_feed_is_is_an_error(example: ExampleSite, path: str, other: str) -> None:
    """The message names both, and what to do."""
    example.load()
    example.write(f"static/{path}", "x")
    with pytest.raises(ConfigurationError) as raised:
        example.build()
    message = str(raised.value)
    assert message.startswith(f"The file static/{path} would be written to {path}, which is the {other}")
    assert message.endswith(f"(rename or remove static/{path}).")


def test_names_that_differ_in_case_are_an_error(example: ExampleSite) -> None:
    """They are one file where a file system ignores case."""
    example.load()
    example.write("static/Ads.txt", "x")
    example.write("static/ads.txt", "x")
    with pytest.raises(ConfigurationError, match=r"static/ads\.txt .* static/Ads\.txt, .*rename or remove"):
        example.build()


def test_own_headers_and_redirects_follow_those_of_the_site(example: ExampleSite) -> None:
    """`_headers` and `_redirects` hold the lines of both."""
    example.post("ebb", aliases=["/old/"], published="2026-02-10T08:00:00Z")
    example.make()
    headers, redirects = example.text("_headers"), example.text("_redirects")
    example.write("static/_headers", "/x\n  X-Own: 1\n")
    example.write("static/_redirects", "/old /new 302\n")
    example.make()
    assert example.text("_headers") == f"{headers}# From static/_headers:\n/x\n  X-Own: 1\n"
    assert example.text("_redirects") == f"{redirects}# From static/_redirects:\n/old /new 302\n"


def test_browsers_ask_again_for_files_in_folders_that_they_keep(example: ExampleSite) -> None:
    """Names in /assets/ and /media/ change with their content, but not those of `static`."""
    example.settings_are(url="https://tide.example/magazine")
    for path in ("assets/app.js", "assets/img/a.png", "media/b.png", "ads.txt"):
        example.write(f"static/{path}", "x")
    example.make()
    headers, nginx = example.text("_headers"), example.text("nginx-headers.conf")
    for place in ("assets/app.js", "assets/img/*", "media/b.png"):
        assert f"/magazine/{place}\n  Cache-Control: no-cache\n" in headers
    assert "ads.txt" not in headers
    assert 'if ($uri ~ "^/magazine/assets/app\\\\.js$") { set $sitecms_cache "no-cache"; }' in nginx
    assert 'if ($uri ~ "^/magazine/assets/img/") { set $sitecms_cache "no-cache"; }' in nginx


def test_an_alias_at_the_path_of_a_file_is_left_out(example: ExampleSite) -> None:
    """As one at the address of a page, with a line that names both."""
    example.post("ebb", aliases=["/old/"], published="2026-02-10T08:00:00Z")
    example.write("static/old/index.html", "mine")
    example.load()
    notes = example.build().notes
    assert any("/old/ is the file static/old/index.html" in note for note in notes)
    assert example.text("old/index.html") == "mine"


def test_own_compressed_copies_are_published(example: ExampleSite) -> None:
    """The build makes none in their place."""
    example.settings_are(delivery={"precompress": ["gz"]})
    example.write("static/data.json", b"[" + b"1," * 500 + b"1]")
    example.write("static/data.json.gz", b"mine")
    example.make()
    assert (example.public / "data.json.gz").read_bytes() == b"mine"
    assert (example.public / "robots.txt").exists()


def test_an_unreadable_file_fails_alone(example: ExampleSite) -> None:
    """It is planned all the same, so its published version stays; its error names it."""
    example.load()
    with TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        static = Path(place, "static")
        static.mkdir()
        (static / "ads.txt").write_text("x")
        (static / "ads.txt").chmod(0)
        environment = example.database.read(plan_dry_run, example.settings).environment
        with ordinary_user():
            [job] = plan_static(Path(place))
            outcome = Renderer(environment, LastOutput(), lambda _ids: {}).run(job, {})
    assert (job.path, outcome.is_fatal) == ("ads.txt", False)
    assert outcome.error == "static/ads.txt cannot be read: permission denied; make it readable"


def test_what_cannot_be_published_is_named_by_the_load(example: ExampleSite) -> None:
    """Devices, links to folders and to nothing, unfit names, and names of sitecms's own."""
    example.make()
    static = example.folder / "static"
    static.mkdir()
    os.mkfifo(static / "pipe")
    (static / "folder").symlink_to("../content")
    (static / "gone").symlink_to("nowhere")
    (static / "a\nb").write_text("x")
    example.write("static/.sitecms-manifest.json", "{}")
    example.write("static/ads.txt", "x")
    report = load_site(example.database, example.settings, example.now)
    assert [(error.file, error.problem) for error in report.errors] == [
        ("static/.sitecms-manifest.json", "has a name that sitecms uses itself in the built site"),
        ("static/a\\nb", "has a name with a line break or control character, so it is not read"),
        ("static/folder", "is a link to a folder, which is not followed"),
        ("static/gone", "is a link to a file that does not exist"),
        ("static/pipe", "is not a file"),
    ]
    assert example.build().failed == {}
    assert example.text("ads.txt") == "x"
    assert "name" not in example.text(".sitecms-manifest.json")[:4]


def test_a_large_file_is_copied_in_parts(example: ExampleSite) -> None:
    """A file of several parts arrives whole, and equals the published one afterwards."""
    data = bytes(range(256)) * 4096 * 3 + b"end"
    example.write("static/film.bin", data)
    example.make()
    assert (example.public / "film.bin").read_bytes() == data
    assert example.make().written == 0
    (example.folder / "static/film.bin").touch()
    assert example.make().written == 0
    example.write("static/film.bin", data[:-1] + b"D")
    assert example.make().written == 1
    assert (example.public / "film.bin").read_bytes() == data[:-1] + b"D"


@pytest.mark.parametrize("output", ["static", "content", "media/site"])
def test_the_output_is_no_folder_that_the_site_is_made_from(example: ExampleSite, output: str) -> None:
    """A build into `static` would publish itself."""
    example.settings_are(build={"output": output})
    with pytest.raises(InvalidFiles, match="a folder that the site is made from"):
        _ = example.settings
