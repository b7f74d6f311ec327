"""The addresses of the studio's forms, which every kind of entry has."""

import pytest

from sitecms.content.kinds import KINDS, EntryKind
from sitecms.studio.entry_place import NEW_FORMS, find_form


@pytest.mark.parametrize("kind", EntryKind)
def test_form_of_each_kind_is_found_by_its_address(kind: EntryKind) -> None:
    """An address leads back to the kind and the entry whose form stands there."""
    form = find_form(KINDS[kind].form_address(3, "team"))
    assert form is not None
    assert (form[0], form[1]["entry_id"]) == (kind, "3")
    new = find_form(NEW_FORMS[kind].replace("<key>", "team").replace("<page_type>", "guide"))
    assert new is not None
    assert new[0] is kind


@pytest.mark.parametrize(
    ("kind", "address"),
    [
        (EntryKind.POST, "/studio/posts/3/"),
        (EntryKind.PAGE, "/studio/pages/3/?locale=es"),
        (EntryKind.ITEM, "/studio/collections/team/3/?locale=es"),
    ],
)
def test_address_names_locale_where_entry_has_several(kind: EntryKind, address: str) -> None:
    """A post is in one locale, and its address does not name it."""
    assert KINDS[kind].form_address(3, "team", "es") == address
