"""`sitecms load` and `sitecms build` as a person or a script meets them: words, options, exit codes."""

import re
import shutil
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sitecms.actions.writing.save import save_entry
from sitecms.actions.writing.save_context import SaveContext
from sitecms.content.change import Origin
from sitecms.content.status import Status
from sitecms.settings.site import load_settings
from sitecms.store.opening import open_database
from tests.cli.conftest import Run
from tests.support.changes import post_change
from tests.support.reading import execute, get_post

LOADED = r"Files: (\d+) loaded, (\d+) unchanged, (\d+) pruned, (\d+) failed in \d+\.\d\d s"
BUILT = r"Built (.+): (\d+) written, (\d+) current, (\d+) pruned, (\d+) failed in \d+\.\d\d s"
BROKEN_POST = "---\ntitle: [never closed\n---\nText\n"
POST = "posts/first-steps.md"


def files_of(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths if not path.name.startswith(".sitecms")}


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_load_ends_with_one_summary_line(run: Run, demo: Path) -> None:
    """A pipe gets the summary alone; the second load finds every file unchanged."""
    first, second = run("load", demo), run("load", demo)
    for result in (first, second):
        assert (result.returncode, result.stderr) == (0, "")
        assert result.stdout.count("\n") == 1
    new, before = re.fullmatch(LOADED, first.stdout.strip()), re.fullmatch(LOADED, second.stdout.strip())
    assert new
    assert before
    assert int(new[1]) > 5
    assert before.groups() == ("0", new[1], "0", "0")


def test_build_is_silent_but_for_its_summary(run: Run, demo: Path) -> None:
    """A pipe gets no progress bar; the second build finds everything current."""
    settings = (demo / "site.toml").read_text("utf-8")
    (demo / "site.toml").write_text(settings.replace('url = ""', 'url = "https://tide.example"'), "utf-8")
    first, second = run("build", demo), run("build", demo)
    assert (first.returncode, first.stderr, second.returncode, second.stderr) == (0, "", 0, "")
    loaded, built = first.stdout.splitlines()
    assert re.fullmatch(LOADED, loaded)
    made = re.fullmatch(BUILT, built)
    kept = re.fullmatch(BUILT, second.stdout.strip())
    assert made
    assert kept
    assert made[1] == kept[1]
    assert demo.parent / made[1] == demo / "public"
    assert (made[3], made[4], made[5]) == ("0", "0", "0")
    assert (kept[2], kept[3]) == ("0", made[2])


def test_current_folder_is_the_default(run: Run, demo: Path) -> None:
    """Without SITE, `load` and `build` take the folder they are started in."""
    assert run("load", folder=demo).returncode == 0
    assert run("build", folder=demo).returncode == 0
    assert (demo / "public" / "index.html").is_file()


def test_explain_prints_reasons(run: Run, demo: Path) -> None:
    """--explain names each page that is rendered again with its reason."""
    first = run("build", demo, "--explain").stdout.splitlines()
    reasons = {line.split(": ")[0]: line.split(": ", 1)[1] for line in first if not line.startswith(("Files", "Built"))}
    assert "index.html" in reasons
    assert all(reasons.values())
    assert len(run("build", demo, "--explain").stdout.splitlines()) == 1
    assert "index.html: a clean build was asked for" in run("build", demo, "--explain", "--clean").stdout
    edit(demo / "content" / POST, "title: ", "title: Edited ")
    changed = run("build", demo, "--explain").stdout
    assert "blog/first-steps/index.html: " in changed
    assert "about/index.html: " not in changed


def test_removed_page_is_pruned(run: Run, demo: Path) -> None:
    """A vanished file is reported and its page stays; `load --prune` deletes the entry, the next build the page."""
    run("build", demo)
    page = demo / "public" / "blog" / "first-steps" / "index.html"
    assert page.is_file()
    (demo / "content" / POST).unlink()
    kept = run("build", demo)
    assert kept.returncode == 0
    assert f"content/{POST}: is gone" in kept.stderr
    assert page.is_file()
    pruned = run("load", demo, "--prune")
    assert (pruned.returncode, re.findall(LOADED, pruned.stdout)[0][2]) == (0, "1")
    built = run("build", demo, "--explain")
    assert "blog/first-steps/index.html: no longer planned" in built.stdout
    assert not page.parent.exists()


def test_a_missing_picture_is_said_in_the_summary(run: Run, demo: Path) -> None:
    """A new post that names it is not on the site; a post that was loaded before stays. --strict builds nothing."""
    post = demo / "content" / "posts" / "pictured.md"
    post.write_text("---\ntitle: Pictured\nstatus: published\n---\n![A sea](media/none.png)\n", encoding="utf-8")
    for command in (("load", demo), ("build", demo), ("build", demo, "--strict")):
        result = run(*command)
        assert result.returncode == 1
        assert "content/posts/pictured.md:5:10: media/none.png does not exist" in result.stderr
        assert "1 failed in" in result.stdout
        assert "; 1 file not loaded: its content is not on the site" in result.stdout.splitlines()[0]
        assert ("Nothing was built: --strict" in result.stderr) == ("--strict" in command)
    post.unlink()
    edit(demo / "content" / POST, "\n---\n", "\n---\n![A sea](media/none.png)\n")
    assert "; 1 file not loaded: its entry stays as before" in run("load", demo).stdout


def test_a_file_does_not_replace_a_post_made_through_the_api(run: Run, demo: Path) -> None:
    """Neither load nor build does without --adopt; the printed command restores the former version."""
    run("load", demo)
    run("new", "post", demo, "--title", "Slack water")
    with open_database(load_settings(demo).store).writing() as transaction:
        change = post_change("en", "slack-water", "Slack water", Status.PUBLISHED, body="<p>Sent.</p>")
        save_entry(SaveContext(transaction, Origin.API, datetime(2026, 3, 1, tzinfo=UTC), owner="me"), change)
    for command in ("load", "build"):
        refused = run(command, demo)
        assert refused.returncode == 1
        assert "written through the API (last on 2026-03-01T00:00:00Z)" in refused.stderr
        assert "load --adopt" in refused.stderr
    adopted = run("build", demo, "--adopt")
    assert adopted.returncode == 0
    assert "title replaced" not in adopted.stderr
    assert "status replaced in an entry taken over by this file; the former value: 'published'" in adopted.stderr
    assert "through the API" not in adopted.stderr
    found = re.search(r"its former version is in the trash: sitecms (trash restore demo post \d+)\n", adopted.stderr)
    assert found
    assert "former version of post" in run("trash", "list", demo).stdout
    restored = run(*found[1].split())
    assert (restored.returncode, "is restored" in restored.stderr) == (0, True)
    assert run("load", demo).returncode == 0
    assert open_database(load_settings(demo).store).read(get_post, "slack-water").body == "<p>Sent.</p>"


def test_a_pruned_post_that_was_edited_is_named_with_its_command(run: Run, demo: Path) -> None:
    """The printed command brings the edit back."""
    run("load", demo)
    execute(open_database(load_settings(demo).store), "UPDATE entry SET origin = 'api' WHERE slug = 'first-steps'")
    (demo / "content" / POST).unlink()
    pruned = run("load", demo, "--prune")
    found = re.search(r"was edited through the API since .*: sitecms (trash restore demo post \d+)\n", pruned.stderr)
    assert found
    assert run(*found[1].split()).returncode == 0
    assert open_database(load_settings(demo).store).read(get_post, "first-steps").slug == "first-steps"


def test_strict_stops_at_a_fault(run: Run, demo: Path) -> None:
    """An invalid file ends with 1 either way; --strict builds nothing, without it all the rest is built."""
    (demo / "content" / "posts" / "broken.md").write_text(BROKEN_POST, encoding="utf-8")
    strict = run("build", demo, "--strict")
    assert strict.returncode == 1
    assert "content/posts/broken.md:3: is not valid YAML" in strict.stderr
    assert "Nothing was built" in strict.stderr
    assert not (demo / "public").exists()
    lenient = run("build", demo)
    assert lenient.returncode == 1
    assert "content/posts/broken.md:3: is not valid YAML" in lenient.stderr
    assert (demo / "public" / "blog" / "first-steps" / "index.html").is_file()
    assert not (demo / "public" / "blog" / "broken").exists()


def test_no_load_builds_the_store_alone(run: Run, demo: Path) -> None:
    """Whatever the files say now."""
    run("load", demo)
    edit(demo / "content" / POST, "title: ", "title: Unloaded ")
    built = run("build", demo, "--no-load")
    assert built.returncode == 0
    assert "Files:" not in built.stdout
    assert "Unloaded" not in (demo / "public" / "blog" / "first-steps" / "index.html").read_text(encoding="utf-8")


def test_base_url_is_the_address_of_this_build(run: Run, demo: Path, tmp_path: Path) -> None:
    """--base-url stands in feeds and sitemap, its path before every link; the stored settings are untouched."""
    target = tmp_path / "out"
    assert run("build", demo, "--output", target, "--base-url", "https://host.example/sub/").returncode == 0
    assert "<loc>https://host.example/sub/</loc>" in (target / "sitemap.xml").read_text(encoding="utf-8")
    home = (target / "index.html").read_text(encoding="utf-8")
    links = re.findall(r'(?:href|src)="(/[^"]*)"', home)
    assert links
    assert [link for link in links if not link.startswith("/sub/")] == []
    assert "host.example" not in (demo / "site.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        *(("--base-url", url, "expected an address such as https://tide.example|write https://host.example")
          for url in ("nope", "ftp://host.example", "https://", "https://host.example/?a=b", "//host.example")),
        ("--jobs", "-1", "-1 is not in the range"),
    ],
)  # fmt: skip
def test_wrong_values_of_options_are_wrong_usage(run: Run, demo: Path, option: str, value: str, said: str) -> None:
    """Exit code 2, with an example of a right one."""
    result = run("build", demo, option, value)
    assert result.returncode == 2
    assert re.search(said, result.stderr)


def test_failing_template_fails_its_pages_only(run: Run, demo: Path) -> None:
    """The error names file and line of the template; all other pages are built; the exit code is 1."""
    (demo / "templates").mkdir()
    (demo / "templates" / "post.html").write_text("<p>\n{{ post.nothing.there }}\n", encoding="utf-8")
    result = run("build", demo)
    assert result.returncode == 1
    assert "post.html:2: " in result.stderr
    assert "Traceback" not in result.stderr
    assert (demo / "public" / "about" / "index.html").is_file()


@pytest.mark.parametrize("command", ["load", "build"])
@pytest.mark.parametrize(
    ("toml", "message"),
    [
        pytest.param(None, "has no site.toml. Create a new site with: sitecms init", id="no-site-toml"),
        pytest.param("name = \n", "site.toml:1: is not valid TOML", id="broken-toml"),
        pytest.param('nmae = "Tide"\n', 'site.toml:1 nmae: is not a known key (did you mean "name"?)', id="typo"),
        pytest.param('name = "T"\nurl = 7\n', "site.toml:2 url: ", id="wrong-type"),
        pytest.param("name = '\udcff'\n", "site.toml:1: is not UTF-8 text", id="not-utf-8"),
    ],
)
def test_settings_that_cannot_be_read(run: Run, demo: Path, command: str, toml: str | None, message: str) -> None:
    """Exit code 3; file, line and remedy are named, and nothing is made."""
    (demo / "site.toml").unlink()
    if toml is not None:
        (demo / "site.toml").write_bytes(toml.encode("utf-8", "surrogateescape"))
    result = run(command, demo)
    assert (result.returncode, result.stdout) == (3, "")
    assert message in result.stderr
    assert not (demo / ".sitecms" / "store.db").exists()
    assert not (demo / "public").exists()


def test_broken_schema_stops_the_load(run: Run, demo: Path) -> None:
    """Without the schema no entry can be read: exit code 3, the errors named."""
    (demo / "schema" / "collections" / "broken.yaml").write_text("a: [\n", encoding="utf-8")
    result = run("load", demo)
    assert result.returncode == 3
    assert "schema/collections/broken.yaml:2: is not valid YAML" in result.stderr


def test_folder_that_is_not_there(run: Run, tmp_path: Path) -> None:
    """Exit code 3, and the folder is not made."""
    result = run("build", "nowhere")
    assert result.returncode == 3
    assert "The site folder nowhere does not exist" in result.stderr
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("place", ["full", "file", "file/below", "dangling-link", "/proc/sitecms"])
def test_output_folder_that_cannot_be_used(run: Run, demo: Path, tmp_path: Path, place: str) -> None:
    """One with other files, a file, a place below a file or that the system refuses: 3, one line, nothing changed."""
    if place.startswith("/proc") and not Path("/proc").is_dir():
        pytest.skip("this system has no /proc, which nobody may write to")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    (tmp_path / "dangling-link").symlink_to(tmp_path / "missing" / "folder")
    result = run("build", demo, "--output", place)
    assert result.returncode == 3
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1, result.stderr
    assert Path(place).name in result.stderr
    assert files_of(tmp_path / "full") == {"thesis.txt": b"mine"}
    assert (tmp_path / "file").read_text(encoding="utf-8") == "mine"


def test_state_folder_that_is_a_file(run: Run, demo: Path) -> None:
    """Where the store's folder cannot be made, load and build say so; exit code 3."""
    shutil.rmtree(demo / ".sitecms")
    (demo / ".sitecms").write_text("", encoding="utf-8")
    for command in ("load", "build"):
        result = run(command, demo)
        assert result.returncode == 3
        assert ".sitecms" in result.stderr
        assert "Traceback" not in result.stderr


def break_newer(store: Path) -> str:
    connection = sqlite3.connect(store)
    connection.execute("PRAGMA user_version = 9999")
    connection.close()
    return "newer version"


def break_noise(store: Path) -> str:
    store.write_bytes(b"\x17" * 5000)
    return "not a store of sitecms"


def break_inside(store: Path) -> str:
    data = bytearray(store.read_bytes())
    data[100:20_000] = b"\xa5" * 19_900
    store.write_bytes(data)
    return "damaged"


def break_stranger(store: Path) -> str:
    store.unlink()
    connection = sqlite3.connect(store)
    connection.execute("CREATE TABLE recipes (name)")
    connection.close()
    return "another program"


def break_folder(store: Path) -> str:
    store.unlink()
    store.mkdir()
    return "is a folder"


def test_store_that_cannot_be_used(run: Run, demo: Path) -> None:
    """Every command that opens it says why in one line and ends with 3; the file stays as it was, nothing is built."""
    run("build", demo)
    shutil.rmtree(demo / "public")
    store = demo / ".sitecms" / "store.db"
    for leftover in demo.glob(".sitecms/store.db-*"):
        leftover.unlink()
    whole = store.read_bytes()
    opening = [("load",), ("build",), ("build", "--no-load"), ("token", "list")]
    for breaking in (break_newer, break_noise, break_inside, break_stranger, break_folder):
        store.write_bytes(whole)
        word = breaking(store)
        before = store.read_bytes() if store.is_file() else b""
        for command in opening if breaking is break_newer else opening[:2]:
            result = run(*command, folder=demo)
            assert (result.returncode, result.stdout) == (3, ""), (breaking, command)
            assert word in result.stderr
            assert result.stderr.count("\n") == 1
        assert (store.read_bytes() if store.is_file() else b"") == before
    assert not (demo / "public").exists()
