"""A collection has the order of its file or the one set in the studio; items of requests come last, oldest first."""

from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from sitecms.actions.exporting.export import export_site
from sitecms.actions.item_order import MoveDirection, move_items, with_items_of_file
from sitecms.content.kinds import EntryKind
from sitecms.content.query import EntryQuery, Order, Visibility, Window
from sitecms.content.user import Role, User
from sitecms.documents import read_yaml
from sitecms.settings.site import load_settings
from sitecms.site.snapshot import take_snapshot
from sitecms.store.entries.entry_queries import find_entries
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.site_state.site_builds import site_changes
from sitecms.store.writes.webhooks import insert_webhook
from tests.actions.conftest import SiteFolder
from tests.support.writes import write_context


def names(folder: SiteFolder, order: Order | None = None) -> list[object]:
    """Return the names as a read of the API lists them, after a look that pages, previews and builds agree."""
    query = EntryQuery(EntryKind.ITEM, Visibility("en"), "team", order=order)
    with folder.database.reading() as session:
        found: list[object] = [item.fields["name"] for item in find_entries(session, query, None).entries]
        pages = [find_entries(session, query, Window(1, place)).entries for place in range(len(found))]
        assert [item.fields["name"] for page in pages for item in page] == found
        if order is None:
            assert [item.fields["name"] for item in take_snapshot(session).items] == found
            assert [item.fields["name"] for item in VERSIONS[EntryKind.ITEM].latest(session)] == found
    return found


def create(folder: SiteFolder, name: str, age: int = 0) -> None:
    """Make an item as a request does."""
    folder.send_item(name, age=age)


def test_the_order_of_the_file_is_that_of_the_collection(folder: SiteFolder) -> None:
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


def test_given_ids_are_no_order(folder: SiteFolder) -> None:
    """A file may list a higher id first."""
    named = [{"id": number, "fields": {"name": name}} for number, name in ((9, "Nine"), (2, "Two"), (5, "Five"))]
    folder.items("team", *named)
    folder.load()
    assert names(folder) == ["Nine", "Two", "Five"]


def test_items_of_requests_come_last(folder: SiteFolder) -> None:
    """However long the file grows; and they stand behind equal ones where another order is asked for."""
    folder.items("team", *({"fields": {"name": name, "age": 5}} for name in ("Ann", "Bo")))
    folder.load()
    create(folder, "Zoe", age=5)
    create(folder, "Yan", age=5)
    assert names(folder) == ["Ann", "Bo", "Zoe", "Yan"]
    folder.items("team", *({"fields": {"name": name, "age": 5}} for name in ("Cy", "Bo", "Ann")))
    folder.load()
    assert names(folder) == names(folder, Order(("age",))) == ["Cy", "Bo", "Ann", "Zoe", "Yan"]


def test_an_export_keeps_the_order(folder: SiteFolder, tmp_path: Path) -> None:
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


def test_a_new_order_reaches_readers(folder: SiteFolder) -> None:
    """The site is built again; items that changed places have an event, those that only moved up have none."""
    folder.items("team", "Ann", "Bo", "Cy")
    folder.load()
    folder.database.write(insert_webhook, "https://hooks.example/", ["*"], "whsec_", {}, folder.now)

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


def move(folder: SiteFolder, name: str, way: MoveDirection) -> None:
    """Move an item as an editor of the studio does."""
    editor = User(1, "Eve", Role.EDITOR, "", folder.now)
    context = write_context(folder.database, folder.settings, lambda: folder.now)
    move_items(context, editor, "team", [folder.ids("team")[name]], way)


def test_an_order_set_in_the_studio_stays(folder: SiteFolder) -> None:
    """The file gains and loses items, and its texts change: the others keep their places, and nothing is reported."""
    folder.items("team", "Ann", "Bo", "Cy")
    folder.load()
    create(folder, "Zoe")
    move(folder, "Zoe", MoveDirection.TOP)
    move(folder, "Cy", MoveDirection.UP)
    assert names(folder) == ["Zoe", "Ann", "Cy", "Bo"]
    folder.items("team", "New", "Ann", "Bo", "Dee", "Cy")
    assert folder.load().notes == ()
    assert names(folder) == ["New", "Zoe", "Ann", "Cy", "Bo", "Dee"]
    folder.items("team", "New", "Ann", "Dee", "Cy")
    assert folder.load(prune=True).notes == ()
    assert names(folder) == ["New", "Zoe", "Ann", "Cy", "Dee"]


def test_a_new_order_of_the_file_replaces_that_of_the_studio_and_says_so(folder: SiteFolder) -> None:
    """The note has the former order, as the way back; none is needed where the file has the order of the studio."""
    folder.items("team", "Ann", "Bo", "Cy")
    folder.load()
    move(folder, "Ann", MoveDirection.DOWN)
    ids = folder.ids("team")
    folder.items("team", "Cy", "Ann", "Bo")
    former = ", ".join(str(ids[name]) for name in ("Bo", "Ann", "Cy"))
    note = f"content/collections/team.yaml: its order of items replaces the one set in the studio ({former})"
    assert folder.load().notes == (note,)
    assert names(folder) == ["Cy", "Ann", "Bo"]
    move(folder, "Bo", MoveDirection.TOP)
    folder.items("team", "Bo", "Cy", "Dee", "Ann")
    assert folder.load().notes == ()
    assert names(folder) == ["Bo", "Cy", "Dee", "Ann"]


def test_items_of_requests_stay_behind_a_file_whose_order_counts(folder: SiteFolder) -> None:
    """Wherever they stood in an order of the studio that is gone, or that was the order of the file all the same."""
    folder.items("team", "Ann", "Bo")
    folder.load()
    create(folder, "Zoe")
    move(folder, "Ann", MoveDirection.DOWN)
    move(folder, "Ann", MoveDirection.UP)
    folder.items("team", "Ann", "Bo", "Cy", "Dee")
    assert folder.load().notes == ()
    assert names(folder) == ["Ann", "Bo", "Cy", "Dee", "Zoe"]
    move(folder, "Zoe", MoveDirection.TOP)
    folder.items("team", "Dee", "Cy", "Bo", "Ann", "Eve")
    assert len(folder.load().notes) == 1
    assert names(folder) == ["Dee", "Cy", "Bo", "Ann", "Eve", "Zoe"]


def test_items_that_the_file_no_longer_lists_are_no_order_of_the_studio(folder: SiteFolder) -> None:
    """They stand last without anybody having moved them, and may be listed again."""
    folder.items("team", "Ann", "Bo", "Cy")
    folder.load()
    folder.items("team", "Ann", "Cy")
    folder.load()
    folder.items("team", "Cy", "Ann")
    assert folder.load().notes == ()
    assert names(folder) == ["Cy", "Ann", "Bo"]


def test_an_item_that_the_file_lists_again_leaves_the_order_of_the_studio(folder: SiteFolder) -> None:
    """It follows its neighbour, as new ones do; while it is not listed, it stays where an editor put it."""
    folder.items("team", "Ann", "Bo", "Cy")
    folder.load()
    folder.items("team", "Ann", "Cy")
    folder.load()
    move(folder, "Cy", MoveDirection.TOP)
    move(folder, "Bo", MoveDirection.TOP)
    folder.items("team", "Ann", "Cy", "Dee")
    assert folder.load().notes == ()
    assert names(folder) == ["Bo", "Cy", "Dee", "Ann"]
    folder.items("team", "Ann", "Bo", "Cy", "Dee")
    assert folder.load().notes == ()
    assert names(folder) == ["Cy", "Dee", "Ann", "Bo"]


@given(data=st.data())
def test_a_merged_order_keeps_what_was_set_and_has_every_item_once(data: st.DataObject) -> None:
    """Items the file had before keep their order among those of the store, and each new one follows its neighbour."""
    order = data.draw(st.permutations(range(8)))
    before = [each for each in range(8) if each % 2]
    kept = [each for each in before if data.draw(st.booleans())]
    listed = list(kept)
    for new in (20, 21, 0):
        listed.insert(data.draw(st.integers(0, len(listed))), new)
    merged = with_items_of_file(order, before, listed)
    assert sorted(merged) == sorted({*order, *listed})
    stayed = [each for each in merged if each not in (20, 21, 0)]
    assert stayed == [each for each in order if each != 0]
    for above, new in pairwise(listed):
        if new in (20, 21, 0):
            assert merged.index(new) == merged.index(above) + 1 or merged[merged.index(above) + 1] in (20, 21, 0)
