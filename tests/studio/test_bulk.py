"""Actions on several entries: each is checked by itself, and a refusal is told by name (Wagtail CVE-2026-44200)."""

from collections.abc import Callable

import pytest

from sitecms.content.change import EntryKind
from sitecms.content.status import Status, Version
from sitecms.content.user import Role
from sitecms.runtime import Runtime
from sitecms.store.entries.posts import get_post_by_id

from .conftest import FIELDS, Browser, Versions
from .test_entries import press

SignedIn = Callable[..., Browser]


def states(runtime: Runtime, ids: list[int]) -> list[str]:
    """Return the status of each post that is there."""
    with runtime.database.reading() as session:
        there = {row[0] for row in session.sql("SELECT id FROM post WHERE deleted_at IS NULL")}
        return [get_post_by_id(session, each).status.value if each in there else "deleted" for each in ids]


def test_posts_are_published_unpublished_and_deleted_but_for_one(
    signed_in: SignedIn, make_post: Callable[..., int], runtime: Runtime
) -> None:
    """A post that is gone is named by its number, the others change."""
    ids = [make_post(name, status=Status.DRAFT) for name in ("one", "two", "three")]
    editor = signed_in(Role.EDITOR)
    editor.get("/studio/posts/")
    assert editor.page.count('class="pick"') == 3
    editor.send("/studio/posts/bulk/", do="publish", id=[*ids, 99])
    assert "3 of 4 published" in editor.text
    assert "1 was refused Post 99 : It does not exist any more" in editor.text
    assert states(runtime, ids) == ["published"] * 3
    editor.send("/studio/posts/bulk/", do="publish", id=ids)
    assert "0 of 3 published" in editor.text
    assert "Nothing to do: One, Two, Three." in editor.text
    editor.send("/studio/posts/bulk/?status=published&page=2", do="unpublish", id=ids[:2])
    assert 'href="/studio/posts/?status=published&amp;page=2"' in editor.page
    editor.send("/studio/posts/bulk/", do="delete", id=ids[1:])
    assert states(runtime, ids) == ["draft", "deleted", "deleted"]


def test_writer_changes_own_drafts_alone(signed_in: SignedIn, make_post: Callable[..., int], runtime: Runtime) -> None:
    """Whatever is sent with them: of others' drafts not even the title is told."""
    own, public = make_post("own", status=Status.DRAFT), make_post("public")
    other = make_post("secret-plan", author="bo-lind", status=Status.DRAFT)
    writer = signed_in(Role.WRITER)
    writer.get("/studio/posts/")
    assert "Unpublish" not in writer.text
    writer.send("/studio/posts/bulk/", do="publish", id=[own, public, other])
    assert states(runtime, [own, public, other]) == ["draft", "published", "draft"]
    writer.send("/studio/posts/bulk/", do="delete", id=[own, public, other])
    assert "1 of 3 moved to the trash" in writer.text
    assert "Your role" in writer.text
    assert "Secret" not in writer.text
    writer.get("/studio/posts/")
    assert "With those selected" not in writer.text
    assert states(runtime, [own, public, other]) == ["deleted", "published", "draft"]


def test_pages_change_in_all_locales(signed_in: SignedIn, page_id: int, versions: Versions) -> None:
    """Each with the checks of its form; another collection's items are none of a list."""
    editor = signed_in(Role.EDITOR)
    editor.get(f"/studio/pages/{page_id}/?locale=es")
    press(editor, "save", fields__summary="Nudos")
    editor.send("/studio/pages/bulk/", do="publish", id=[page_id, 77])
    assert "1 of 2 published" in editor.text
    assert set(versions(page_id)) == {("en", Version.LIVE), ("es", Version.LIVE)}
    editor.send("/studio/pages/bulk/", do="unpublish", id=page_id)
    assert set(versions(page_id)) == {("en", Version.DRAFT), ("es", Version.DRAFT)}
    assert versions(page_id)["en", Version.DRAFT].fields == FIELDS
    editor.send("/studio/pages/bulk/", do="unpublish", id=page_id)
    assert "Nothing to do: Knots." in editor.text
    editor.get(f"/studio/pages/{page_id}/")
    press(editor, "schedule", scheduled_at="2099-07-01T10:30")
    editor.send("/studio/pages/bulk/", do="unpublish", id=page_id)
    assert versions(page_id)["en", Version.DRAFT].status is Status.DRAFT
    editor.send("/studio/pages/bulk/", do="delete", id=page_id)
    assert versions(page_id) == {}
    editor.send("/studio/collections/menu/bulk/", do="delete", id=1)
    assert "0 of 1 moved to the trash" in editor.text
    editor.send("/studio/collections/team/bulk/", do="delete", id=1)
    assert versions(1, EntryKind.ITEM) == {}


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"do": "publish"}, "Nothing is selected."),
        ({"do": "explode", "id": "1"}, "Press one of the buttons"),
        ({"do": "delete", "id": "x"}, "no number"),
        ({"do": "delete", "id": [str(n) for n in range(201)]}, "Select fewer"),
    ],
)
def test_senseless_forms_change_nothing(signed_in: SignedIn, form: dict[str, object], message: str) -> None:
    """The reason is told."""
    editor = signed_in(Role.EDITOR)
    editor.get("/studio/posts/")
    assert editor.send("/studio/posts/bulk/", **form).status_code == 400
    assert message in editor.text
