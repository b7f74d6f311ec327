"""`sitecms preview` as a process: what it serves, what it notices, what it leaves alone."""

import signal
import socket
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
import requests

from sitecms.actions.loading import load_site
from sitecms.actions.writing.save import save_entry
from sitecms.actions.writing.save_context import SaveContext
from sitecms.clock import now
from sitecms.content.change import Origin
from sitecms.content.status import Status
from sitecms.settings.site import load_settings
from sitecms.site.build import build_site
from sitecms.site.options import BuildOptions
from sitecms.store.opening import open_database
from tests.site.preview.conftest import Previewed
from tests.support.changes import post_change
from tests.support.commands import CommandServer
from tests.support.waiting import PATIENCE_SECONDS

Start = Callable[..., Previewed]


def state_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_drafts_and_scheduled_posts_are_shown_and_marked(running: Previewed) -> None:
    """Everybody else does not see them; published ones carry no mark."""
    assert [running.get(path).status_code for path in ("/blog/fog/", "/blog/storm/", "/blog/spring/")] == [200] * 3
    assert running.state()["marks"] == {"/blog/storm/": "Draft", "/blog/spring/": "Scheduled for 2099-03-01T08:00:00Z"}
    home = running.get("/").text
    assert "/blog/storm/" in home
    assert running.url in home, "absolute addresses lead to the preview"


def test_addresses_are_found_in_both_unicode_forms(preview: Start, site: Path) -> None:
    """Some systems send letters and their accents apart."""
    (site / "content/posts/fog.md").rename(site / "content/posts/café.md")
    running = preview()
    for path in ("/blog/café/", "/blog/cafe%CC%81/", "/blog/caf%C3%A9/"):
        assert running.get(path).status_code == 200
    assert running.get("/blog/cafe%CC%80/").status_code == 404


def test_draft_version_of_a_published_page_is_shown(preview: Start, site: Path) -> None:
    """In the place of its live version, and marked."""
    text = "title: About\nstatus: published\nfields: {body: <p>Live</p>}\ndraft: {fields: {body: <p>Drafted</p>}}\n"
    (site / "content/pages/_single").mkdir(parents=True)
    (site / "content/pages/_single/about.yaml").write_text(text, encoding="utf-8")
    running = preview()
    assert "Drafted" in running.get("/about/").text
    assert running.state()["marks"]["/about/"] == "Draft of what is published"


def test_every_kind_of_file_is_noticed(preview: Start, site: Path) -> None:
    """Content, new and gone, schema, templates, assets, translations, settings: folders that are new among them."""
    running = preview()
    running.changed(lambda: edit(site / "content/posts/fog.md", "White.", "Whiter."))
    assert "Whiter." in running.get("/blog/fog/").text

    def template() -> None:
        (site / "templates").mkdir()
        (site / "templates/post.html").write_text("<main>Mine: {{ post.card.title }}</main>", encoding="utf-8")

    running.changed(template)
    assert running.shows("/blog/fog/", "Mine: Fog")
    running.changed(lambda: edit(site / "site.toml", '"Tide"', '"Ebb"'))
    assert running.shows("/", "Ebb")
    running.changed((site / "content/posts/storm.md").unlink)
    assert running.get("/blog/storm/").status_code == 404
    running.changed((site / "templates/post.html").unlink)
    assert "Mine" not in running.get("/blog/fog/").text


def test_changed_plugin_is_noticed(preview: Start, site: Path) -> None:
    """The preview takes a plug-in as it is now; while it cannot be imported, pages stay as they were."""
    head = "from sitecms.plugins.hooks import hookimpl\n@hookimpl\n"
    text = f"{head}def page_rendered(page):\n    return page.html + 'Low'\n"
    (site / "plugins").mkdir()
    (site / "plugins/water.py").write_text(text, encoding="utf-8")
    with (site / "site.toml").open("a", encoding="utf-8") as file:
        file.write('[plugins]\nenabled = ["water"]\n')
    running = preview()
    assert running.get("/blog/fog/").text.endswith("Low")
    running.changed(lambda: edit(site / "plugins/water.py", "Low", "High"))
    assert running.get("/blog/fog/").text.endswith("High")
    running.changed(lambda: edit(site / "plugins/water.py", "    return", "  return ("))
    assert running.state()["problems"][0]["where"] == "plugins/water.py:4"
    assert running.get("/blog/fog/").text.endswith("High")
    assert not list(site.rglob("*.pyc"))


def test_static_files_are_served_and_noticed(preview: Start, site: Path) -> None:
    """Hidden ones too, as they are, with the type of their name; one that is gone is gone."""
    (site / "static/.well-known").mkdir(parents=True)
    (site / "static/.well-known/security.txt").write_bytes(b"Contact: a\r\n")
    (site / "static/manual.pdf").write_bytes(b"%PDF")
    running = preview()
    found = running.get("/.well-known/security.txt")
    assert (found.content, found.headers["Content-Type"]) == (b"Contact: a\r\n", "text/plain; charset=utf-8")
    assert running.get("/manual.pdf").headers["Content-Type"] == "application/pdf"
    running.changed(lambda: (site / "static/.well-known/security.txt").write_bytes(b"Contact: b\r\n"))
    assert running.get("/.well-known/security.txt").content == b"Contact: b\r\n"
    running.changed((site / "static/manual.pdf").unlink)
    assert running.get("/manual.pdf").status_code == 404
    assert running.get("/.sitecms/store.db").status_code == 404


def test_pages_are_told_what_they_have_to_take_anew(preview: Start, site: Path) -> None:
    """Their stylesheets only, all of it, or nothing, where nothing came of a change."""
    (site / "assets").mkdir()
    (site / "assets/style.css").write_text("body { color: red }", encoding="utf-8")
    running = preview()
    first = running.state()
    styled = running.changed(lambda: edit(site / "assets/style.css", "red", "blue"))
    assert (styled["pages"], styled["styles"]) == (first["pages"], styled["version"])
    edited = running.changed(lambda: edit(site / "content/posts/fog.md", "White.", "Red."))
    assert (edited["pages"], edited["styles"]) == (edited["version"], styled["styles"])
    invalid = running.changed(lambda: edit(site / "content/posts/fog.md", "title: Fog", "title: [Fog"))
    assert (invalid["pages"], invalid["styles"]) == (edited["pages"], styled["styles"])
    assert invalid["problems"]


def test_write_to_the_store_shows_up(preview: Start, site: Path) -> None:
    """An entry that another process wrote, over a store that was not there before."""
    running = preview()
    settings = load_settings(site)
    database = open_database(settings.store_path, create=True)

    def write() -> None:
        load_site(database, settings, now())

    running.changed(write)
    change = post_change("en", "ebb", "Ebb", Status.PUBLISHED, body="<p>Low.</p>", author="ann-ray")

    def accept() -> None:
        with database.writing() as transaction:
            save_entry(SaveContext(transaction, Origin.API, now(), owner="ann-ray"), change)

    running.changed(accept)
    database.close()
    assert running.shows("/blog/ebb/", "Low.")


def test_nothing_of_the_site_is_written(preview: Start, site: Path) -> None:
    """Neither store, library nor published output, whatever is edited meanwhile; a half-written file reaches nobody."""
    settings = load_settings(site)
    database = open_database(settings.store_path, create=True)
    load_site(database, settings, now())
    build_site(database, settings, settings.output_dir, BuildOptions())
    database.close()
    before = state_of(site)
    running = preview()
    running.changed(lambda: edit(site / "content/posts/fog.md", "White.", "![Sea](media/sea.svg)"))
    state = running.changed(lambda: edit(site / "content/posts/storm.md", "title: Storm", "title: [Storm"))
    assert any(problem["where"].startswith("content/posts/storm.md:") for problem in state["problems"])
    assert running.stop() == 0
    after = state_of(site)
    assert {name for name in before | after if before.get(name) != after.get(name)} == {
        "content/posts/fog.md",
        "content/posts/storm.md",
    }
    assert list((site.parent / "temporary").iterdir()) == []


@pytest.mark.parametrize(
    ("name", "text", "where"),
    [
        ("content/posts/fog.md", "---\ntitle: [Fog\n---\n", "content/posts/fog.md:"),
        ("templates/post.html", "<p>\n{{ post.nothing.more }}</p>", "templates/post.html:2"),
        ("templates/post.html", "<p>\n{% if %}", "templates/post.html:2"),
        ("site.toml", 'name = "Tide"\nnme = 1\n', "site.toml:2"),
        ("schema/page_types/x.yaml", "fields:\n  - {slug: a, type: colour}\n", "schema/page_types/x.yaml:2"),
    ],
)
def test_problems_are_shown_with_their_place(preview: Start, site: Path, name: str, text: str, where: str) -> None:
    """The former page stays while something is wrong, and the error goes when it is mended."""
    path = site / name
    path.parent.mkdir(parents=True, exist_ok=True)
    former = path.read_text(encoding="utf-8") if path.is_file() else None
    running = preview()
    state = running.changed(lambda: path.write_text(text, encoding="utf-8"))
    assert [problem["where"] for problem in state["problems"] if problem["where"].startswith(where)], state
    assert "White." in running.get("/blog/fog/").text
    mend = path.unlink if former is None else lambda: path.write_text(former, encoding="utf-8")
    assert running.changed(mend)["problems"] == []


def test_problems_are_shown_with_what_to_do(preview: Start, site: Path) -> None:
    """In the page and on the terminal: the nearest key, what is expected."""
    running = preview()
    state = running.changed(lambda: edit(site / "content/posts/fog.md", "title: Fog", "titel: Fog\ntitle: Fog"))
    (problem,) = state["problems"]
    assert problem["remedy"] == 'did you mean "title"?'
    state = running.changed(lambda: (site / "site.toml").write_text('name = "Tide"\nbuidl = 1\n'))
    assert [each["remedy"] for each in state["problems"]] == ['did you mean "build"?']
    assert running.stop() == 0
    printed = (site.parent / f"{site.name}.log").read_text()
    assert 'is not a known key (did you mean "title"?)' in printed


def test_answers_of_the_server(running: Previewed) -> None:
    """Types, pages, the slash at the end of a folder, the site's own page for what is not there."""
    page = running.get("/blog/fog/")
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "script-src 'self'" in page.headers["Content-Security-Policy"]
    assert page.text.count("/.preview/preview.js") == 1
    moved = running.get("/blog/fog?x=1")
    assert (moved.status_code, moved.headers["Location"]) == (302, "/blog/fog/?x=1")
    assert running.get("/rss.xml").headers["Content-Type"] == "application/xml; charset=utf-8"
    missing = running.get("/nowhere/")
    assert missing.status_code == 404
    assert "/.preview/preview.js" in missing.text
    assert running.get("/.preview/preview.js").headers["Content-Type"].startswith("text/javascript")
    assert running.get("/.preview/other").status_code == 404
    assert requests.post(running.url + "/", timeout=60).status_code == 501
    assert requests.head(running.url + "/", timeout=60).text == ""


@pytest.mark.parametrize(
    "path",
    [
        "/../site.toml",
        "/%2e%2e/site.toml",
        "/..%2f..%2fetc/passwd",
        "/blog/..%5c..%5csite.toml",
        "//etc/passwd",
        "/%00",
        "/.sitecms/store.db",
        "/.sitecms-manifest.json",
        "/" + "a" * 5000,
        "/.preview/..%2f..%2frun.py",
    ],
)
def test_nothing_but_the_output_is_served(running: Previewed, path: str) -> None:
    """However it is written."""
    parts = urlsplit(running.url)
    with socket.create_connection((parts.hostname, parts.port), timeout=60) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {parts.netloc}\r\nConnection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    assert b" 404 " in answer.split(b"\r\n")[0] or b" 414 " in answer.split(b"\r\n")[0]


@pytest.mark.parametrize("host", ["tide.example", "127.0.0.1", "evil.example:{port}", ""])
def test_other_hosts_are_refused(running: Previewed, host: str) -> None:
    """A page elsewhere whose name was made to lead here learns nothing."""
    port = urlsplit(running.url).port
    for path in ("/", "/.preview/state.json", "/.preview/events"):
        assert running.get(path, Host=host.format(port=port)).status_code == 403
    assert running.get("/", Host=f"localhost:{port}").status_code == 200


def test_it_listens_on_loopback_only(running: Previewed) -> None:
    """Not on the machine's other addresses."""
    port = urlsplit(running.url).port
    listening = Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]
    mine = [
        line.split()[1] for line in listening if line.split()[1].endswith(f":{port:04X}") and line.split()[3] == "0A"
    ]
    assert mine == [f"0100007F:{port:04X}"]


@pytest.mark.parametrize("path", ["/mag", "/ü"])
def test_site_below_a_path(preview: Start, site: Path, path: str) -> None:
    """Is previewed below that path, to which the root leads."""
    edit(site / "site.toml", "tide.example", f"tide.example{path}")
    running = preview()
    assert urlsplit(running.url).path == quote(path)
    assert running.get("/blog/storm/").status_code == 200
    root = requests.get(running.url.removesuffix(quote(path)) + "/", timeout=PATIENCE_SECONDS, allow_redirects=False)
    assert (root.status_code, root.headers["Location"]) == (302, f"{quote(path)}/")
    bare = requests.get(running.url, timeout=PATIENCE_SECONDS, allow_redirects=False)
    assert (bare.status_code, bare.headers["Location"]) == (302, f"{quote(path)}/")
    assert f"{path}/blog/storm/" in running.state()["marks"]


def test_two_previews_of_one_site(preview: Start, site: Path) -> None:
    """Each on its own port, each fresh."""
    first, second = preview(), preview()
    assert first.url != second.url
    versions = [each.state()["version"] for each in (first, second)]
    edit(site / "content/posts/fog.md", "White.", "Whiter.")
    for each, version in zip((first, second), versions, strict=True):
        each.after(version)
        assert "Whiter." in each.get("/blog/fog/").text


def test_port_that_is_taken(preview: Start, site: Path, command_server: CommandServer) -> None:
    """Exit code 3 and one line."""
    port = str(urlsplit(preview().url).port)
    result = command_server.run("preview", site, "--port", port, folder=site, variables={})
    assert result.returncode == 3
    assert result.stderr == f"Error: Port {port} is in use; name another one with --port.\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_preview_ends_on_sigterm(preview: Start, site: Path, number: int) -> None:
    """At once and without a word, also while a page listens."""
    running = preview()
    with requests.get(running.url + "/.preview/events", stream=True, timeout=60) as events:
        assert next(events.iter_lines(chunk_size=1)).startswith(b"data: ")
        assert running.stop(number) == 0
    log = (site.parent / "tide.log").read_text(encoding="utf-8")
    assert "Traceback" not in log
    assert list((site.parent / "temporary").iterdir()) == []


def test_rules_of_redirects_hold_in_the_preview(site: Path, preview: Start) -> None:
    """Queries, prefixes, files and removed pages; the file is read again when it changes."""
    file = site / "redirects.yaml"
    file.write_text("- {from: '/?p=1', to: /blog/fog/}\n- {from: /old/*, to: /blog/*, status: 302}\n")
    shown = preview()
    moved = [shown.get(path) for path in ("/?p=1", "/old/fog/", "/")]
    assert [(each.status_code, each.headers.get("Location")) for each in moved] == [
        (301, "/blog/fog/"),
        (302, "/blog/fog/"),
        (200, None),
    ]
    shown.changed(lambda: file.write_text("- {from: /old/*, gone: true}\n"))
    assert shown.get("/old/fog/").status_code == 410
    assert shown.get("/?p=1").status_code == 200
