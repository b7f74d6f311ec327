"""Stored values outlive changes of the schema and the locales: a load names them, and they can be shown again."""

from pathlib import Path
from typing import Any

from sitecms.actions.exporting.export import export_site
from sitecms.actions.writing.save import save_entry
from sitecms.actions.writing.save_context import SaveContext
from sitecms.actions.writing.trash import delete_entry
from sitecms.content.change import EntryChange, Origin, VersionChange
from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status, Version
from sitecms.settings.site import load_settings
from sitecms.store.database import Session
from sitecms.store.site_state import documents
from tests.actions.conftest import GUIDE, SITE_TOML, TEAM, SiteFolder
from tests.support.engines import stores

BACK = "nobody sees; put it back to show them"
UNSEEN = "for it, which nobody sees; put the field back to show it"
GUIDE_FILE = "schema/page_types/guide.yaml"
FIELDS: list[dict[str, Any]] = GUIDE["fields"]  # type: ignore[assignment]


def send_page(folder: SiteFolder, slug: str, *locales: str, is_in_trash: bool = False, **fields: Any) -> int:
    """Make a page of the type guide as a request does, published and with a draft in each locale; its id."""
    values: dict[str, Any] = {"headline": slug, "text": "", "image": None, "team": [], "next": None, **fields}
    with folder.database.writing() as transaction:
        versions = [
            VersionChange(locale, version, status, values)
            for locale in locales or ("en",)
            for version, status in ((Version.LIVE, Status.PUBLISHED), (Version.DRAFT, Status.DRAFT))
        ]
        schema = documents.load_content_schema(transaction)
        change = EntryChange(EntryKind.PAGE, 0, "guide", tuple(versions), slug, slug)
        page_id = save_entry(SaveContext(transaction, Origin.API, folder.now, schema=schema), change).id
        if is_in_trash:
            delete_entry(transaction, EntryKind.PAGE, page_id, folder.now)
    return page_id


def send_item(folder: SiteFolder, *locales: str) -> None:
    """Make an item of the collection team as a request does."""
    fields: dict[str, Any] = {"name": "Cy", "age": 7, "friend": None}
    versions = [VersionChange(locale, Version.LIVE, Status.PUBLISHED, fields) for locale in locales]
    folder.send(EntryChange(EntryKind.ITEM, 0, "team", tuple(versions)))


def stored(session: Session) -> list[Any]:
    """Everything that entries hold, in the trash or not."""
    return [
        session.sql("SELECT kind, entry_id, locale, version, fields_json FROM version ORDER BY 1, 2, 3, 4"),
        session.sql(
            "SELECT entry_id, locale, title, html FROM version JOIN version_body ON version_id = id ORDER BY 1"
        ),
    ]


def contents(folder: SiteFolder) -> list[Any]:
    return folder.database.read(stored)


def exported(folder: SiteFolder, target: Path) -> tuple[str, ...]:
    return export_site(folder.database, load_settings(folder.folder), target).notes


def test_the_values_of_a_field_that_is_gone_are_kept_and_told(folder: SiteFolder, tmp_path: Path) -> None:
    """Once, with the number of entries that hold one; the field is shown again when it is back."""
    folder.load()
    send_page(folder, "a", text="<p>A</p>")
    send_page(folder, "b", text="<p>B</p>", is_in_trash=True)
    send_page(folder, "empty")
    folder.guide("start", fields={"headline": "start", "text": "<p>Of a file</p>"})
    folder.load()
    before = contents(folder)
    folder.write(GUIDE_FILE, {**GUIDE, "fields": [each for each in FIELDS if each["slug"] != "text"]})
    report = folder.load()
    assert [error.file for error in report.errors] == ["content/pages/guide/start.yaml"]
    assert report.notes == (
        f'schema/page_types: the field "text" of "guide" is gone; 3 pages (1 in the trash) still hold a value {UNSEEN}',
    )
    assert contents(folder) == before
    assert exported(folder, tmp_path / "files") == (
        "page guide/a: has a field text, which the schema does not have: not written",
        "page guide/start: has a field text, which the schema does not have: not written",
    )
    assert folder.load().notes == ()
    folder.write(GUIDE_FILE, GUIDE)
    assert folder.load().notes == ()
    assert contents(folder) == before


def test_values_of_a_field_of_another_type_are_kept_and_noted(folder: SiteFolder, tmp_path: Path) -> None:
    """Values that the new type can show are not noted."""
    folder.load()
    send_page(folder, "a", text="<p>A</p>")
    before = contents(folder)
    for name, count in (("html", 0), ("number", 1)):
        fields = [{**each, "type": name} if each["slug"] == "text" else each for each in FIELDS]
        folder.write(GUIDE_FILE, {**GUIDE, "fields": fields})
        assert len(folder.load().notes) == count
    assert contents(folder) == before
    assert exported(folder, tmp_path / "files") == (
        "page guide/a: has a field text, whose value does not fit its type: not written",
    )
    folder.write(GUIDE_FILE, GUIDE)
    assert folder.load().notes == ()


def test_entries_of_a_page_type_and_a_collection_that_are_gone_are_kept_and_told(
    folder: SiteFolder, tmp_path: Path
) -> None:
    """They are not exported, with a line each."""
    folder.write("schema/collections/pets.yaml", {**TEAM, "key": "pets", "fields": [{"slug": "name", "type": "html"}]})
    folder.write(GUIDE_FILE, {**GUIDE, "fields": FIELDS[:2]})
    folder.load()
    page_id = send_page(folder, "a", text="<p>A</p>")
    send_page(folder, "b", is_in_trash=True)
    send_item(folder, "en")
    before = contents(folder)
    folder.remove(GUIDE_FILE)
    folder.remove("schema/collections/team.yaml")
    assert folder.load().notes == (
        f'schema/page_types: "guide" is gone; still stored of it: 2 pages (1 in the trash), whose fields {BACK}',
        f'schema/collections: "team" is gone; still stored of it: 1 item, whose fields {BACK}',
    )
    assert contents(folder) == before
    assert exported(folder, tmp_path / "files") == (
        "page guide/a: is of a page type that the schema does not have, so it is not written",
        "item 1 of team: is of a collection that the schema does not have, so it is not written",
    )
    folder.write(GUIDE_FILE, GUIDE)
    folder.write("schema/collections/team.yaml", TEAM)
    assert folder.load().notes == ()
    assert folder.page("a")[0].id == page_id


def test_what_is_written_in_a_locale_that_is_gone_is_kept_and_told(folder: SiteFolder, tmp_path: Path) -> None:
    """Posts, pages and items, once; they are shown again when the locale is back."""
    folder.post("ebb", locale="es")
    folder.load()
    folder.edit("ebb", title="By hand")
    send_page(folder, "a", "en", "es")
    send_page(folder, "b", "es", is_in_trash=True)
    send_item(folder, "en", "es")
    before = contents(folder)
    folder.write("site.toml", SITE_TOML.replace(', "es"]', "]") + stores().toml(folder.folder))
    report = folder.load()
    there = "1 post, 2 pages (1 in the trash), 1 item"
    assert report.notes == (f'site.toml: "es" is not among locales; still stored in it: {there}, which {BACK}',)
    assert contents(folder) == before
    assert exported(folder, tmp_path / "files") == (
        "post ebb: is in es, which is not a locale of the site: not written",
        "page guide/a: is written in es too, which is not a locale of the site: not written",
        "item 1 of team: is written in es too, which is not a locale of the site: not written",
    )
    assert folder.load().notes == ()
    folder.write("site.toml", SITE_TOML + stores().toml(folder.folder))
    assert folder.load().notes == ()
    assert contents(folder) == before
