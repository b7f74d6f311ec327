"""Import of a source into a site folder: files, second runs, edited files."""

from pathlib import Path
from typing import Any

import pytest

from sitecms.documents import read_front_matter, read_yaml
from sitecms.errors import ConfigurationError, InvalidRequest
from sitecms.importing.media.collector import MediaChoice, MediaOptions
from sitecms.importing.old_urls import BuiltSite, UrlOutcome
from sitecms.importing.plan.target import open_target
from sitecms.importing.records import NoteKind
from sitecms.importing.report import ImportReport
from sitecms.importing.run import ImportOptions, import_site
from sitecms.importing.selection import Selection
from sitecms.importing.state import ImportState
from sitecms.importing.write import FileOutcome, Writer, write_list
from tests.importing.building import build
from tests.importing.wxr import export, item
from tests.support.interruption import interrupt

DRY = ImportOptions(is_dry=True)


def _write(path: Path, *items: str) -> str:
    path.write_text(export(*items), encoding="utf-8")
    return str(path)


def _tree(folder: Path) -> dict[str, tuple[bytes, int]]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def test_a_post_becomes_a_file_with_its_facts(tmp_path: Path) -> None:
    """Slug, times, author, terms, body and the permalinks of the old site are kept."""
    terms = [("category", "tides", "Tides"), ("post_tag", "moon", "Moon")]
    source = _write(tmp_path / "export.xml", item(7, "Slack &amp; water", terms=terms, name="slack"))
    import_site(tmp_path / "site", [source], ImportOptions())
    front = read_front_matter(tmp_path / "site/content/posts/slack.md")
    assert front.data["title"] == "Slack & water"
    assert front.data["published"] == "2012-03-04T09:00:00Z"
    assert (front.data["author"], front.data["categories"], front.data["tags"]) == ("ann", ["Tides"], ["Moon"])
    assert "Text." in front.body
    by_pattern = 'post = "/{year}/{month}/{slug}/"' in (tmp_path / "site/site.toml").read_text()
    assert by_pattern or front.data["path"] == "/2012/03/slack/"
    assert read_yaml(tmp_path / "site/content/categories.yaml") == [{"slug": "tides", "name": "Tides"}]


def test_a_dry_run_writes_nothing_and_counts_the_same(tmp_path: Path) -> None:
    """Its counts and notes are those of the run after it."""
    source = _write(tmp_path / "export.xml", item(1), item(2, "Other", status="private"))
    dry = import_site(tmp_path / "site", [source], DRY).as_json()
    assert not (tmp_path / "site").exists()
    assert import_site(tmp_path / "site", [source], ImportOptions()).as_json() == dry


def test_an_edited_file_is_kept_and_the_new_text_put_aside(tmp_path: Path) -> None:
    """A changed source never overwrites what a person wrote; an unedited file follows the source."""
    site, path = tmp_path / "site", tmp_path / "export.xml"
    import_site(site, [_write(path, item(1), item(2))], ImportOptions())
    (site / "content/posts/post-1.md").write_text("---\ntitle: Mine\n---\nMine.\n")
    _write(path, item(1, content="<p>Newer.</p>"), item(2, content="<p>Newer.</p>"))
    report = import_site(site, [str(path)], ImportOptions())
    assert (site / "content/posts/post-1.md").read_text() == "---\ntitle: Mine\n---\nMine.\n"
    assert "Newer." in (site / "imports/wordpress.conflicts/content/posts/post-1.md").read_text()
    assert "Newer." in (site / "content/posts/post-2.md").read_text()
    assert report.counts["posts", "conflicts"] == 1


def test_a_gone_entry_stays_until_it_is_pruned(tmp_path: Path) -> None:
    """Only an unedited file is removed."""
    site, path = tmp_path / "site", tmp_path / "export.xml"
    import_site(site, [_write(path, item(1), item(2), item(3))], ImportOptions())
    (site / "content/posts/post-3.md").write_text("---\ntitle: Mine\n---\nMine.\n")
    _write(path, item(1))
    import_site(site, [str(path)], ImportOptions())
    assert (site / "content/posts/post-2.md").exists()
    import_site(site, [str(path)], ImportOptions(prune=True))
    assert not (site / "content/posts/post-2.md").exists()
    assert (site / "content/posts/post-3.md").exists()


def test_a_selection_leaves_other_entries_alone(tmp_path: Path) -> None:
    """Entries that --since and --only leave out are counted; those of earlier runs stay, with --prune too."""
    site = tmp_path / "site"
    new = item(2, local="2020-03-04 10:00:00", utc="2020-03-04 09:00:00")
    path = _write(tmp_path / "export.xml", item(1), new, item(3, kind="page", link="https://old.example/about/"))
    chosen = Selection("2019-01-01", only=frozenset({"post"}))
    report = import_site(site, [path], ImportOptions(selection=chosen))
    assert {file.name for file in (site / "content").rglob("*.md")} == {"post-2.md"}
    assert report.notes[NoteKind.LEFT_OUT, "entries other than post"].count == 1
    assert report.notes[NoteKind.LEFT_OUT, "entries not changed since 2019-01-01"].count == 1
    import_site(site, [path], ImportOptions())
    chosen = Selection("2019-01-01", only=frozenset({"post"}))
    import_site(site, [path], ImportOptions(selection=chosen, prune=True))
    assert len(list((site / "content").rglob("*.md"))) == 3


def test_a_foreign_file_keeps_its_name(tmp_path: Path) -> None:
    """An entry whose slug a post of the owner has gets another one."""
    site = tmp_path / "site"
    (site / "content/posts").mkdir(parents=True)
    (site / "site.toml").write_text('name = "Mine"\n')
    (site / "content/posts/post-1.md").write_text("---\ntitle: Mine\n---\nMine.\n")
    import_site(site, [_write(tmp_path / "export.xml", item(1))], ImportOptions())
    assert (site / "content/posts/post-1.md").read_text() == "---\ntitle: Mine\n---\nMine.\n"
    assert read_front_matter(site / "content/posts/post-1-2.md").data["path"] == "/2012/03/post-1/"
    assert (site / "site.toml").read_text() == 'name = "Mine"\n'


def test_the_state_of_another_site_is_not_mixed(tmp_path: Path) -> None:
    """A second old site needs a name of its own."""
    site, path = tmp_path / "site", tmp_path / "export.xml"
    import_site(site, [_write(path, item(1))], ImportOptions())
    path.write_text(path.read_text().replace("old.example", "other.example"))
    with pytest.raises(InvalidRequest, match="--name"):
        import_site(site, [str(path)], ImportOptions())


def test_nothing_known_is_one_clear_error(tmp_path: Path) -> None:
    """A source of no known kind names the kinds."""
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(InvalidRequest, match="--from"):
        import_site(tmp_path / "site", [str(tmp_path / "notes.txt")], ImportOptions())


@pytest.mark.parametrize("files_before", range(12))
def test_an_interrupted_import_ends_as_if_it_had_not_been(tmp_path: Path, files_before: int) -> None:
    """Whichever file is the last before the end, the next run gives the same site."""
    source = _write(tmp_path / "export.xml", *(item(number, f"Post {number}") for number in range(1, 5)))
    import_site(tmp_path / "whole", [source], ImportOptions())
    interrupt(lambda: import_site(tmp_path / "cut", [source], ImportOptions()), after_files=files_before)
    import_site(tmp_path / "cut", [source], ImportOptions())
    assert _bytes(tmp_path / "cut") == _bytes(tmp_path / "whole")


def _bytes(folder: Path) -> dict[str, bytes]:
    return {name: data for name, (data, _time) in _tree(folder).items()}


def test_the_files_load_and_build(tmp_path: Path) -> None:
    """What was imported is a site without errors, at its old addresses."""
    page = item(3, "About", kind="page", name="team", link="https://old.example/about/team/")
    source = _write(tmp_path / "export.xml", item(1), item(2), page)
    import_site(tmp_path / "site", [source], ImportOptions())
    build(tmp_path / "site")
    assert (tmp_path / "site/public/2012/03/post-1/index.html").is_file()
    assert (tmp_path / "site/public/about/team/index.html").is_file()


def test_a_list_of_the_owner_is_added_to(tmp_path: Path) -> None:
    """Authors and categories that are there stay as they are written, comments included."""
    site = tmp_path / "site"
    (site / "content").mkdir(parents=True)
    (site / "site.toml").write_text('name = "Mine"\n')
    (site / "content/authors.yaml").write_text("# mine\n- slug: me\n  first_name: Me\n")
    source = _write(tmp_path / "export.xml", item(1))
    for _run in range(2):
        import_site(site, [source], ImportOptions())
        text = (site / "content/authors.yaml").read_text()
        assert text.startswith("# mine\n- slug: me\n  first_name: Me\n- slug: ann\n")
        assert text.count("slug: ann") == 1


def test_many_rules_are_added_to_those_of_the_owner(tmp_path: Path) -> None:
    """They are added in several parts, and read back as one list."""
    mine, report = '- {from: "/?p=1", to: "/mine/"}  # mine\n', ImportReport()
    (tmp_path / "redirects.yaml").write_text(mine)
    rules = [{"from": f"/?p={number}", "to": f"/post-{number}/"} for number in range(1, 2502)]
    writer = Writer(tmp_path, "wordpress", ImportState(), report, is_dry=False)
    assert write_list(writer, tmp_path, "redirects.yaml", rules, "from", report) is FileOutcome.WRITTEN
    assert (tmp_path / "redirects.yaml").read_text().startswith(mine)
    assert read_yaml(tmp_path / "redirects.yaml") == [{"from": "/?p=1", "to": "/mine/"}, *rules[1:]]


def test_rules_are_added_to_those_of_the_owner(tmp_path: Path) -> None:
    """A rule of the owner stays, comments of a file without rules too; a file that is no list is not changed."""
    source = _write(tmp_path / "export.xml", *(item(number) for number in range(1, 6)))
    mine = '- {from: "/?p=1", to: "/mine/"}  # mine\n'
    for number, text in enumerate((mine, "# No rules yet.\n", "[]\n", "from: no list\n")):
        site = tmp_path / f"site-{number}"
        site.mkdir()
        (site / "site.toml").write_text('name = "Mine"\n')
        (site / "redirects.yaml").write_text(text)
        import_site(site, [source], ImportOptions())
        written, rules = (site / "redirects.yaml").read_text(), read_yaml(site / "redirects.yaml")
        if isinstance(rules, dict):
            assert written == text
            assert (site / "imports/wordpress.conflicts/redirects.yaml").is_file()
            continue
        assert written.startswith(text.removeprefix("[]\n"))
        assert isinstance(rules, list)
        found = [rule["from"] for rule in rules if rule["from"].startswith("/?p=")]
        assert found == [f"/?p={each}" for each in range(1, 6)]


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    """Bytes and times of all files stay; drafts and scheduled posts do not change the order of rules."""
    later = item(2, status="future", local="2099-01-01 10:00:00", utc="2099-01-01 09:00:00")
    items = (item(1, status="draft"), later, item(3), item(4, status="private"), item(5))
    source = _write(tmp_path / "export.xml", *items)
    import_site(tmp_path / "site", [source], ImportOptions())
    before = _tree(tmp_path / "site")
    import_site(tmp_path / "site", [source], ImportOptions())
    assert _tree(tmp_path / "site") == before


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    """A site is made only where `sitecms init` would make one."""
    source = _write(tmp_path / "export.xml", item(1))
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos/a.jpg").write_bytes(b"x")
    with pytest.raises(ConfigurationError, match="not empty"):
        import_site(tmp_path / "photos", [source], ImportOptions())
    assert [path.name for path in (tmp_path / "photos").iterdir()] == ["a.jpg"]


def test_old_addresses_of_media_lead_to_the_files(tmp_path: Path) -> None:
    """A published post's picture, in the size that the text names too; that of a draft stays unknown."""
    uploads = tmp_path / "uploads/2012/01"
    uploads.mkdir(parents=True)
    for number, name in enumerate(("sea.svg", "secret.svg")):
        picture = f'<svg xmlns="http://www.w3.org/2000/svg" width="{number + 1}" height="8"/>'
        (uploads / name).write_text(picture)
    image = '<p><img src="https://old.example/wp-content/uploads/2012/01/{}" alt="x"></p>'
    posts = (item(1, content=image.format("sea.svg")), item(2, content=image.format("secret.svg"), status="draft"))
    (tmp_path / "wp.xml").write_text(export(*posts))
    media = MediaOptions(MediaChoice.SKIP, given=(str(tmp_path / "uploads"),))
    site = tmp_path / "site"
    for _run in range(2):  # the second one converts nothing
        import_site(site, [str(tmp_path / "wp.xml")], ImportOptions(media=media))
        rules: Any = read_yaml(site / "redirects.yaml")
        leads = {rule["from"]: rule.get("to") for rule in rules if "uploads" in rule["from"]}
        assert leads == {"/wp-content/uploads/2012/01/sea.svg": "media/2012/01/sea.svg"}
    with (site / "redirects.yaml").open("a") as file:
        file.write("- {from: /x.svg, to: media/none.svg}\n")
    assert "leads to media/none.svg, which no text names" in build(site)
    found = BuiltSite(site, site / "public").check("https://old.example/wp-content/uploads/2012/01/sea.svg")
    assert found.outcome is UrlOutcome.REDIRECTED
    assert (site / "public" / found.target.lstrip("/")).read_bytes() == (uploads / "sea.svg").read_bytes()


def test_an_entry_gets_the_locale_of_its_language(tmp_path: Path) -> None:
    """Of several locales in a language, the one with the same tag, else the first."""
    text = 'name = "Tide"\nlocales = ["en", "es", "latam", "brasil"]\n'
    text += '[languages]\nlatam.tag = "es-419"\nbrasil.tag = "pt-BR"\n'
    (tmp_path / "site.toml").write_text(text, encoding="utf-8")
    target = open_target(tmp_path)
    found = {locale: target.locale_of(locale) for locale in ("latam", "es-419", "es-MX", "pt", "en-GB", "fr")}
    assert found == {
        "latam": "latam", "es-419": "latam", "es-MX": "es", "pt": "brasil", "en-GB": "en", "fr": "en",
    }  # fmt: skip
