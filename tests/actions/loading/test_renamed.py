"""Translations that name their original by the slug it had before a request renamed it."""

import pytest

from sitecms.content.status import Status
from sitecms.store.entries.entry_state import find_former_addresses
from tests.actions.conftest import SiteFolder


@pytest.mark.parametrize("status", ["published", "draft"])
def test_a_translation_finds_its_renamed_original(folder: SiteFolder, status: str) -> None:
    """Loaded for the first time or again, with a note; a draft is found too, though nothing leads to its old slug."""
    folder.post("one", status=status)
    folder.post("uno", locale="es", translation_of="one", published="2026-01-01")
    folder.load()
    folder.edit("one", slug="first", status=Status(status))
    folder.post("uno", "La mar.", locale="es", translation_of="one", published="2026-01-01")
    report = folder.load()
    assert report.errors == ()
    told = "content/posts/uno.md: translation_of names one, which has the slug first now (write that)"
    assert report.notes == (told,)
    assert folder.find("uno").group_id == folder.find("first").id
    assert [each.slug for each in folder.database.read(find_former_addresses)] == ["one"] * (status == "published")
    folder.remove("content/posts/uno.md")
    folder.load(prune=True)
    folder.post("dos", locale="es", translation_of="one")
    assert folder.load().errors == ()
    assert folder.find("dos").group_id == folder.find("first").id


def test_a_slug_belongs_to_the_post_that_has_it(folder: SiteFolder) -> None:
    """A post that took a slug over is meant by it; a slug that no post ever had is an error."""
    folder.post("one")
    folder.load()
    folder.edit("one", slug="first")
    folder.post("other", slug="one")
    folder.post("uno", locale="es", translation_of="one")
    folder.post("dos", locale="es", translation_of="two")
    assert [error.problem for error in folder.load().errors] == ["There is no post with the slug 'two'."]
    assert folder.find("uno").group_id == folder.find("one").id != folder.find("first").id


def test_a_file_that_renames_a_post_is_no_request(folder: SiteFolder) -> None:
    """The files alone say what a load makes of them: a translation that names the old slug is an error."""
    folder.post("one", slug="one")
    folder.load()
    folder.post("one", slug="first")
    folder.post("uno", locale="es", translation_of="one")
    assert [error.problem for error in folder.load().errors] == ["There is no post with the slug 'one'."]
