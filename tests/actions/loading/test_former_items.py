"""Former versions of items in the trash are no items of a file: no load takes one for an item that was deleted."""

import pytest

from sitecms.content.kinds import EntryKind
from sitecms.store.entries.trash import part_locale
from tests.actions.conftest import SiteFolder
from tests.actions.loading.test_conflicts import forget_texts


def listed(*names: str) -> tuple[dict[str, object], ...]:
    return tuple({"fields": {"name": name}} for name in names)


def restore_edited(folder: SiteFolder) -> int:
    """Replace an edited item by its file, then restore the edit; return the id of the copy of the file's version."""
    folder.items("team", *listed("Ann", "Bo"))
    folder.load()
    folder.send_item("Ann edited", folder.ids("team")["Ann"])
    forget_texts(folder)
    folder.items("team", *listed("Ann again", "Bo"))
    (former,) = folder.load().former
    restored = folder.restore(EntryKind.ITEM, former.trash_id)
    assert folder.trash() == [("item", restored.replaced_id, restored.id)]
    return restored.replaced_id or 0


def test_a_new_item_with_the_label_of_a_former_version_gets_its_own_id(folder: SiteFolder) -> None:
    """Once it is removed, restoring it brings it back, and leaves the item of the former version alone."""
    copy_id = restore_edited(folder)
    before = folder.ids("team")
    folder.items("team", *listed("Ann edited", "Bo", "Ann again"))
    assert folder.load().errors == ()
    new_id = folder.ids("team")["Ann again"]
    assert folder.ids("team") == {**before, "Ann again": new_id}
    assert new_id not in {copy_id, *before.values()}
    assert folder.trash() == [("item", copy_id, before["Ann edited"])]
    folder.items("team", *listed("Ann edited", "Bo"))
    folder.load(prune=True)
    assert folder.restore(EntryKind.ITEM, new_id).id == new_id
    assert folder.ids("team") == {**before, "Ann again": new_id}


@pytest.mark.parametrize("adopts", [False, True])
def test_the_id_of_a_former_version_is_refused(folder: SiteFolder, adopts: bool) -> None:
    """The error names the item and how to restore the version, even with `adopt: true`."""
    copy_id = restore_edited(folder)
    before, in_trash = folder.ids("team"), folder.trash()
    mark: dict[str, object] = {"adopt": True} if adopts else {}
    folder.items("team", *listed("Ann edited", "Bo"), {"id": copy_id, **listed("Cy")[0], **mark})
    (error,) = folder.load(adopt=adopts).errors
    assert error.place == "[2].id"
    assert error.problem == f"is {copy_id}, a former version of the item {before['Ann edited']}, in the trash"
    assert error.remedy.startswith("choose another id, or leave it out")
    assert f"sitecms trash restore item {copy_id}" in error.remedy
    assert "adopt" not in error.remedy
    assert (folder.ids("team"), folder.trash()) == (before, in_trash)


def test_the_id_of_a_deleted_locale_is_refused(folder: SiteFolder) -> None:
    """One locale of an item in the trash has an id there, which no other item can have."""
    item_id = folder.send_item("Ann")
    folder.database.write(part_locale, EntryKind.ITEM, item_id, "en", folder.now)
    ((_kind, part_id, _former_of),) = folder.trash()
    folder.items("team", {"id": part_id, "adopt": True, **listed("Cy")[0]})
    (error,) = folder.load().errors
    assert error.problem == f'is {part_id}, the locale "en" of the item {item_id}, in the trash'
