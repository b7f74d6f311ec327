"""A collection has the order of its file; items of requests come after those, oldest first."""

from pathlib import Path
from typing import TYPE_CHECKING

from sitecms.actions.exporting import export_site
from sitecms.content.change import ItemChange, Origin, VersionChange
from sitecms.content.query import ItemQuery, Order, Visibility, Window
from sitecms.content.status import Status, Version
from sitecms.documents import read_yaml
from sitecms.settings.site import load_settings
from sitecms.site.snapshot import take_snapshot
from sitecms.store.entries import items
from sitecms.store.entries.draft_queries import items_with_drafts
from sitecms.store.site_state.site_builds import site_changes
from sitecms.store.writes.webhooks import insert_webhook

if TYPE_CHECKING:
    from tests.actions.conftest import SiteFolder


def names(folder: "SiteFolder", order: Order | None = None) -> list[object]:
    """Return the names as a read of the API lists them, after a look that pages, previews and builds agree."""
    query = ItemQuery(Visibility("en"), "team", order=order)
    with folder.database.reading() as session:
        found: list[object] = [item.fields["name"] for item in items.find_items(session, query, None).entries]
        pages = [items.find_items(session, query, Window(1, place)).entries for place in range(len(found))]
        assert [item.fields["name"] for page in pages for item in page] == found
        if order is None:
            assert [item.fields["name"] for item in take_snapshot(session).items] == found
            assert [item.fields["name"] for item in items_with_drafts(session)] == found
    return found


def create(folder: "SiteFolder", name: str, age: int = 0) -> None:
    """Make an item as a request does."""
    with folder.database.writing() as transaction:
        made = items.insert_item(transaction, "team", Origin.API, folder.now)
        version = VersionChange("en", Version.LIVE, Status.PUBLISHED, {"name": name, "age": age})
        items.save_item(transaction, ItemChange(made, "team", (version,)), Origin.API, folder.now)


def test_the_order_of_the_file_is_that_of_the_collection(folder: "SiteFolder") -> None:
    """Items put in front, moved and removed; ids stay, and nothing else of the items changes."""
    folder.items("team", "Ann", "Bo", "Cy")
    folder.load()
    ids = folder.ids("team")
    before = {item.id: item for item in folder.all_items("team")}
    folder.items("team", "Dee", "Cy", "Ann", "Bo")
    folder.load()
    assert names(folder) == ["Dee", "Cy", "Ann", "Bo"]
    assert {name: folder.ids("team")[name] for name in ids} == ids
    assert {item.id: item for item in folder.all_items("team") if item.id in before} == before
    folder.items("team", "Bo", "Dee")
    folder.load()
    assert names(folder) == ["Bo", "Dee", "Ann", "Cy"]  # those that are no longer listed stay, and come last
    folder.load(prune=True)
    assert names(folder) == ["Bo", "Dee"]


def test_given_ids_are_no_order(folder: "SiteFolder") -> None:
    """A file may list a higher id first."""
    named = [{"id": number, "fields": {"name": name}} for number, name in ((9, "Nine"), (2, "Two"), (5, "Five"))]
    folder.items("team", *named)
    folder.load()
    assert names(folder) == ["Nine", "Two", "Five"]


def test_items_of_requests_come_last(folder: "SiteFolder") -> None:
    """However long the file grows; and they stand behind equal ones where another order is asked for."""
    folder.items("team", *({"fields": {"name": name, "age": 5}} for name in ("Ann", "Bo")))
    folder.load()
    create(folder, "Zoe", age=5)
    create(folder, "Yan", age=5)
    assert names(folder) == ["Ann", "Bo", "Zoe", "Yan"]
    folder.items("team", *({"fields": {"name": name, "age": 5}} for name in ("Cy", "Bo", "Ann")))
    folder.load()
    assert names(folder) == names(folder, Order(("age",))) == ["Cy", "Bo", "Ann", "Zoe", "Yan"]


def test_an_export_keeps_the_order(folder: "SiteFolder", tmp_path: Path) -> None:
    """Its file lists the items so, and a load of it gives the same order."""
    folder.items("team", "Ann", "Bo")
    folder.load()
    create(folder, "Zoe")
    folder.items("team", "Bo", "Ann")
    folder.load()
    export_site(folder.database, load_settings(folder.folder), tmp_path / "export")
    path = "content/collections/team.yaml"
    data = read_yaml(tmp_path / "export" / path, path)
    assert isinstance(data, list)
    assert [entry["fields"]["name"] for entry in data] == ["Bo", "Ann", "Zoe"]
    other = folder.fresh(tmp_path / "other")
    other.write(path, (tmp_path / "export" / path).read_bytes())
    other.load()
    assert names(other) == ["Bo", "Ann", "Zoe"]
    other.database.close()


def test_a_new_order_reaches_readers(folder: "SiteFolder") -> None:
    """The site is built again; items that changed places have an event, those that only moved up have none."""
    folder.items("team", "Ann", "Bo", "Cy")
    folder.load()
    with folder.database.writing() as transaction:
        insert_webhook(transaction, "https://hooks.example/", ["*"], "whsec_", {}, folder.now)

    def after_load() -> tuple[int, list[str]]:
        folder.load()
        with folder.database.writing() as transaction:
            sent = transaction.sql("SELECT payload_json FROM delivery ORDER BY rowid")
            transaction.sql("DELETE FROM delivery")
            labels = [name for (text,) in sent for name in ("Ann", "Bo", "Cy", "Dee") if f'"{name}"' in text]
            return site_changes(transaction), labels

    start = after_load()[0]
    folder.items("team", "Ann", "Cy", "Bo")
    changed, labels = after_load()
    assert changed > start
    assert sorted(labels) == ["Bo", "Cy"]
    folder.items("team", "Dee", "Ann", "Cy", "Bo")
    assert after_load()[1] == ["Dee"]
    folder.items("team", "Ann", "Cy", "Bo")
    assert after_load()[1] == []
