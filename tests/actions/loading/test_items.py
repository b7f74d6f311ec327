"""Items of collection files keep their ids."""

import pytest

from tests.actions.conftest import SiteFolder


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        ("Ann Bo Bo Cy", "Cy Bo Ann Bo", [3, 1, 0, 2]),
        ("Ann Bo Cy", "New Ann Newer Bo Cy", [None, 0, None, 1, 2]),
        ("Ann Bo Cy", "Ann Bob Cy", [0, 1, 2]),
    ],
    ids=["reordered", "put between", "edited"],
)
def test_items_keep_their_ids(folder: SiteFolder, before: str, after: str, kept: list[int | None]) -> None:
    """One without an id is known by its label, equal ones in their order, else by its place; new ones have new ids."""
    folder.items("team", *before.split())
    folder.load()
    ids = [item.id for item in folder.all_items("team")]
    folder.items("team", *after.split())
    folder.load()
    found = [item.id for item in folder.all_items("team")]
    assert [ids.index(each) if each in ids else None for each in found] == kept
    assert len(set(found)) == len(found)


def test_an_item_no_longer_in_the_file_is_reported_and_kept_until_prune(folder: SiteFolder) -> None:
    """Each load names it, also if no file changed; `prune` moves it to the trash, and its id is not used again."""
    folder.items("team", "Ann", "Bo", "Cy")
    folder.load()
    before = folder.ids("team")
    folder.items("team", "Ann", "Cy")
    for _ in range(2):
        report = folder.load()
        lost = [(item.path, item.id, item.label) for item in report.vanished_items]
        assert lost == [("content/collections/team.yaml", before["Bo"], "Bo")]
        assert folder.ids("team") == before
    number = folder.change_number()
    folder.load()
    assert folder.change_number() == number
    report = folder.load(prune=True)
    assert ([item.label for item in report.pruned_items], report.vanished_items) == (["Bo"], ())
    assert folder.ids("team") == {"Ann": before["Ann"], "Cy": before["Cy"]}
    report = folder.load(prune=True)
    assert (report.pruned_items, report.vanished_items) == ((), ())
    folder.items("team", "Ann", "Cy", "Di")
    folder.load()
    assert folder.ids("team")["Di"] > before["Cy"]


def test_an_item_that_a_file_dropped_is_not_taken_for_a_new_one(folder: SiteFolder) -> None:
    """A new item at its place gets an id of its own; the dropped item comes back by its label, to any file."""
    folder.items("team", "Ann", "Bo", "Cy")
    folder.load()
    before = folder.ids("team")
    folder.items("team", "Ann", "Cy")
    folder.load()
    folder.items("team", "Ann", "Cy", "Di")
    assert folder.load().vanished_items[0].id == before["Bo"]
    assert folder.ids("team")["Di"] > before["Cy"]
    assert folder.ids("team")["Bo"] == before["Bo"]
    folder.items("team", "Ann", "Bo", "Cy", "Di")
    assert folder.load().vanished_items == ()
    assert folder.ids("team")["Bo"] == before["Bo"]
    folder.items("team", "Ann")
    folder.load()
    folder.items("more/team", {"id": before["Bo"], "fields": {"name": "Bo"}})
    report = folder.load(prune=True)
    assert (report.errors, [item.label for item in report.pruned_items]) == ((), ["Cy", "Di"])
    assert folder.ids("team") == {"Ann": before["Ann"], "Bo": before["Bo"]}


def test_items_that_a_faulty_file_may_list_again_are_not_pruned(folder: SiteFolder) -> None:
    """A file that cannot be read as it is now says nothing about its items."""
    folder.items("team", "Ann", "Bo")
    folder.load()
    folder.items("team", "Ann")
    folder.load()
    folder.write("content/collections/team.yaml", "- fields: [")
    report = folder.load(prune=True)
    assert (len(report.errors), report.pruned_items, len(report.vanished_items)) == (1, (), 1)
    assert folder.ids("team").keys() == {"Ann", "Bo"}


def test_an_explicit_id_is_kept_and_numbers_go_on_around_it(folder: SiteFolder) -> None:
    """Ids that files name are never given to items without one, wherever those stand."""
    folder.items("pets", "Rex", {"id": 1, "fields": {"name": "Tom"}}, "Kit")
    folder.items("team", "Ann", {"id": 2, "fields": {"name": "Bo"}}, {"id": 41, "fields": {"name": "Cy"}})
    assert folder.load().errors == ()
    assert folder.ids("pets")["Tom"] == 1
    assert (folder.ids("team")["Bo"], folder.ids("team")["Cy"]) == (2, 41)
    every = [*folder.ids("pets").values(), *folder.ids("team").values()]
    assert len(set(every)) == 6


def test_an_id_stands_once(folder: SiteFolder) -> None:
    """Twice in a file, or in two collections, is a error with the line of the second."""
    folder.items("pets", {"id": 5, "fields": {"name": "Rex"}}, {"id": 5, "fields": {"name": "Tom"}})
    assert [*map(str, folder.load().errors)] == [
        "content/collections/pets.yaml:9 [1].id: is 5, as above (each needs its own)"
    ]
    folder.items("pets", {"id": 5, "fields": {"name": "Rex"}})
    folder.items("team", "Ann", {"id": 5, "fields": {"name": "Bo"}})
    assert [*map(str, folder.load().errors)] == [
        (
            'content/collections/team.yaml:8 [1].id: is 5, an item of the collection "pets" '
            "(choose another id, or leave it out)"
        )
    ]
    assert folder.all_items("team") == ()


def test_a_file_that_fails_takes_no_id_from_another(folder: SiteFolder) -> None:
    """Items made for it by name alone are undone with it, and so is its claim on their ids."""
    folder.items("pets", "Rex", {"id": 7, "fields": {"name": "Tom"}}, {"id": 7, "fields": {"name": "Kit"}})
    folder.items("team", "Ann", "Bo")
    assert [error.file for error in folder.load().errors] == ["content/collections/pets.yaml"]
    assert list(folder.ids("team")) == ["Ann", "Bo"]


def test_items_are_published_unless_they_say_otherwise(folder: SiteFolder) -> None:
    """Giving a time of creation does not make one a draft."""
    folder.items(
        "team",
        {"fields": {"name": "A"}, "created": "2026-01-01T00:00:00Z"},
        {"fields": {"name": "B"}, "status": "draft"},
        {"fields": {"name": "C"}, "status": "scheduled", "scheduled": "2026-06-01T00:00:00Z"},
        {"fields": {"name": "D"}, "scheduled": "2026-06-01T00:00:00Z"},
    )
    assert folder.load().errors == ()
    found = [(item.fields["name"], item.status.value, item.version.value) for item in folder.all_items("team")]
    assert found == [
        ("A", "published", "live"), ("B", "draft", "draft"), ("C", "scheduled", "draft"), ("D", "scheduled", "draft"),
    ]  # fmt: skip
