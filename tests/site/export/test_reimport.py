"""Exports for other systems, imported again: every value of every entry comes back, or the export names it."""

import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import asdict

from sitecms.actions.loading import load_site
from sitecms.content.kinds import EntryKind
from sitecms.content.status import Version
from sitecms.importing.media.collector import MediaChoice, MediaOptions
from sitecms.importing.run import ImportOptions, import_site
from sitecms.settings.site import SiteSettings, load_settings
from sitecms.site.export.run import export_to
from sitecms.site.snapshot import take_snapshot
from sitecms.store.database import Database
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.opening import open_database

NOW = datetime(2026, 3, 1, tzinfo=UTC)
NUMBERS_OF_THE_STORE = {"post": {"id", "group_id", "author", "body_digest"}, "page": {"id"}}
POST_FIELDS = """\
fields:
- {slug: place, type: short_text}
- {slug: notes, type: long_text}
- {slug: rating, type: number}
- {slug: is_walk, type: checkbox}
- {slug: map, type: media}
- {slug: guide, type: reference, targets: [team]}
"""
VALUES = """\
fields:
  place: "a < b & <i>c</i>"
  notes: "See [fog](/blog/reading-fog/).\\n\\nTwo *paragraphs*."
  rating: 4.5
  is_walk: true
  map: {url: media/robin.jpg, alt: A robin}
  guide: 2
"""


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory, repo: Path) -> Iterator[tuple[Database, SiteSettings]]:
    """The sample site with fields of posts, and a former address."""
    folder = tmp_path_factory.mktemp("reimport") / "sample"
    shutil.copytree(repo / "sample_site", folder, ignore=shutil.ignore_patterns(".sitecms", "public"))
    (folder / "schema/post.yaml").write_text(POST_FIELDS)
    post = folder / "content/posts/frost-hollows.md"
    post.write_text(post.read_text().replace("---\n", f"---\n{VALUES}aliases: [/old/frost/]\n", 1))
    database, settings = loaded(folder)
    yield database, settings
    database.close()


def loaded(folder: Path) -> tuple[Database, SiteSettings]:
    """Load a site folder into a new store."""
    settings = load_settings(folder)
    database = open_database(settings.store, create=True)
    assert load_site(database, settings, NOW).errors == ()
    return database, settings


def values(database: Database) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Return all values of all entries, terms and authors by what they are; versions over a live one are left out."""
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    with database.reading() as session:
        snapshot = take_snapshot(session)
        for post in VERSIONS[EntryKind.POST].all(session, with_body=True):
            found["post", post.locale, post.slug] = {**asdict(post), "writer": post.author.slug}
        for page in sorted(VERSIONS[EntryKind.PAGE].all(session), key=lambda each: each.version is Version.LIVE):
            found["page", page.type, page.locale, page.slug] = asdict(page)
        for item in sorted(VERSIONS[EntryKind.ITEM].all(session), key=lambda each: each.version is Version.LIVE):
            found["item", item.type, item.locale, item.id] = asdict(item)
        for term in (*snapshot.categories, *snapshot.tags):
            found["term", term.kind.value, term.slug] = asdict(term)
        for author in snapshot.authors:
            found["author", author.slug] = asdict(author)
        found["schema",] = dict(snapshot.schema.as_json())
    return found


def comparable(value: Any) -> Any:
    """Return a value with white space in HTML as it counts, and lists for tuples."""
    if isinstance(value, str) and "<" in value:
        return re.sub(r"> ?| ?<", lambda sign: sign[0].strip(), " ".join(value.split()))
    if isinstance(value, dict):
        return {name: comparable(each) for name, each in value.items()}
    return [comparable(each) for each in value] if isinstance(value, list | tuple) else value


@pytest.mark.parametrize("name", ["wxr", *(pytest.param(name, marks=pytest.mark.slow) for name in ("hugo", "ghost"))])
def test_export_imported_again_gives_the_same_entries(
    name: str, sample: tuple[Database, SiteSettings], tmp_path: Path
) -> None:
    """Posts, pages, items, terms, authors and schema are equal in every value; Ghost's own addresses lead on."""
    notes = export_to(name, *sample, tmp_path / "export").notes
    source = tmp_path / ("export/ghost-import.zip" if name == "ghost" else "export")
    media = (str(tmp_path / "export/media"),) if name == "wxr" else ()
    import_site(tmp_path / "back", [str(source)], ImportOptions(media=MediaOptions(MediaChoice.SKIP, given=media)))
    database, _settings = loaded(tmp_path / "back")
    before, after = values(sample[0]), values(database)
    database.close()
    assert before.keys() == after.keys()
    for key, held in before.items():
        for field in held.keys() - NUMBERS_OF_THE_STORE.get(key[0], set()):
            wanted, found = comparable(held[field]), comparable(after[key][field])
            if name == "ghost" and field in ("aliases", "addresses"):
                assert any("addresses: Ghost" in note for note in notes)
                assert set(held.get("aliases", ())) <= set(after[key].get("aliases", ()))
                continue
            assert found == wanted, (key, field)
    assert any("drafts over live" in note for note in notes)
