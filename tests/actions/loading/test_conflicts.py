"""A file never replaces in silence what others wrote: an error, or a former version in the trash that comes back."""

from pathlib import Path
from typing import Any

import pytest

from sitecms.actions.exporting.export import export_site
from sitecms.actions.writing.trash import delete_entry
from sitecms.clock import format_timestamp
from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status
from sitecms.settings.site import load_settings
from tests.actions.conftest import SiteFolder
from tests.support.changes import post_change
from tests.support.engines import is_sound


def send_post(folder: SiteFolder, slug: str, title: str = "Sent", **fields: object) -> int:
    """Make a post as a request does; its id."""
    values: dict[str, Any] = {"locale": "en", "slug": slug, "title": title, "status": Status.PUBLISHED, **fields}
    return folder.send(post_change(**values))


def forget_texts(folder: SiteFolder) -> None:
    """Let the store be one of before, which did not keep what files said: edits are replaced, not merged."""
    with folder.database.writing() as transaction:
        transaction.sql("DELETE FROM loaded_text")


def item(folder: SiteFolder, item_id: int) -> object:
    return next(each for each in folder.all_items("team") if each.id == item_id)


def headline(folder: SiteFolder, slug: str) -> object:
    return folder.page(slug)[0].fields["headline"]


# --- entries of other writers


@pytest.mark.parametrize("kind", EntryKind)
def test_a_file_does_not_replace_an_entry_made_through_the_api(folder: SiteFolder, kind: EntryKind) -> None:
    """The error names the entry, when and by what it was written, and the two ways out; nothing changes."""
    folder.load()
    sent_at = folder.now
    match kind:
        case EntryKind.POST:
            name = f'"slack-water" is the slug of the post {send_post(folder, "slack-water", "Slack water")}'
            folder.post("slack-water", title="Slack water", status="draft")
            place = ("content/posts/slack-water.md", "slug", "choose another slug")
        case EntryKind.PAGE:
            name = f'"start" is the slug of the page {folder.send_page("start", "Sent")}'
            folder.guide("start")
            place = ("content/pages/guide/start.yaml", "slug", "choose another slug")
        case EntryKind.ITEM:
            item_id = folder.send_item("Sent")
            name = f'"{item_id}" is the id of an item'
            folder.items("team", "Ann", {"id": item_id, "fields": {"name": "Bo"}})
            place = ("content/collections/team.yaml", "[1].id", "leave the id out")
    before = folder.change_number()
    for _ in range(2):
        report = folder.load()
        assert (report.loaded, report.former, report.replaced) == ((), (), {})
        (error,) = report.errors
        assert (error.file, error.place, error.remedy.partition(";")[0]) == place
        assert error.problem == f"{name} that was written through the API (last on {format_timestamp(sent_at)})"
        assert error.remedy.endswith("or let this file replace it: adopt: true in the file, or sitecms load --adopt")
        assert error.line or kind is not EntryKind.ITEM
    assert folder.change_number() == before
    assert folder.trash() == []


@pytest.mark.parametrize("way", ["file", "option"])
def test_an_adopted_entry_keeps_its_id_and_its_former_version(folder: SiteFolder, way: str) -> None:
    """`adopt: true` or an option of the load adopts entries; former versions can be restored from the trash."""
    folder.load()
    ids = [send_post(folder, "slack", tags=("moon",)), folder.send_page("start", "Sent"), folder.send_item("Sent")]
    sent = (folder.find("slack"), folder.page("start"), folder.all_items("team"))
    mark: dict[str, object] = {"adopt": True} if way == "file" else {}
    folder.post("slack", "The sea.", title="Slack", **mark)
    folder.guide("start", **mark)
    folder.items("team", {"id": ids[2], "fields": {"name": "Ann"}, **mark})
    report = folder.load(adopt=way == "option")
    assert report.errors == ()
    assert [(each.kind.value, each.entry_id, each.is_adopted) for each in report.former] == [
        ("post", ids[0], True), ("item", ids[2], True), ("page", ids[1], True),
    ]  # fmt: skip
    assert (folder.find("slack").id, folder.find("slack").title) == (ids[0], "Slack")
    assert (headline(folder, "start"), folder.ids("team")) == ("start", {"Ann": ids[2]})
    assert sorted(folder.trash()) == sorted((each.kind.value, each.trash_id, each.entry_id) for each in report.former)
    for each in report.former:
        assert folder.restore(each.kind, each.trash_id).id == each.entry_id
    assert (folder.find("slack"), folder.page("start"), folder.all_items("team")) == sent
    assert folder.load().loaded == ()
    assert folder.find("slack").title == "Sent"
    assert is_sound(folder.database)


def test_what_a_former_version_replaced_can_be_restored_too(folder: SiteFolder) -> None:
    """Restoring swaps the two versions; the entry keeps its id and its place."""
    folder.load()
    post_id = send_post(folder, "slack", "Sent")
    folder.post("slack", title="From the file", slug="slack", adopt=True)
    (former,) = folder.load().former
    first = folder.restore(EntryKind.POST, former.trash_id)
    assert (first.id, folder.find("slack").title) == (post_id, "Sent")
    second = folder.restore(EntryKind.POST, first.replaced_id or 0)
    assert (second.id, folder.find("slack").title) == (post_id, "From the file")
    assert folder.trash() == [("post", second.replaced_id, post_id)]


def test_a_file_that_says_the_same_takes_over_an_entry(folder: SiteFolder) -> None:
    """Nothing is lost by it; from then on the entry is the file's."""
    folder.load()
    send_post(folder, "same", "Same", body="<p>The sea.</p>\n")
    folder.post("same")
    assert (folder.load().errors, folder.trash()) == ((), [])
    folder.post("same", "The moon.")
    report = folder.load()
    assert (report.errors, report.replaced, folder.trash()) == ((), {}, [])


def test_an_export_loads_into_the_store_that_it_was_made_from(folder: SiteFolder, tmp_path: Path) -> None:
    """Entries made through the API are files then, which say the same: no error, nothing in the trash."""
    folder.post("filed")
    folder.items("team", "Ann")
    folder.load()
    send_post(folder, "sent", tags=("moon",))
    folder.send_page("start", "Sent")
    folder.send_item("Sent")
    export_site(folder.database, load_settings(folder.folder), tmp_path / "files")
    before = (folder.find("sent"), folder.find("filed"), headline(folder, "start"), folder.ids("team"))
    folder.remove("content/posts/filed.md")
    folder.remove("content/collections/team.yaml")
    for file in (tmp_path / "files" / "content").rglob("*.*"):
        folder.write(file.relative_to(tmp_path / "files").as_posix(), file.read_bytes())
    report = folder.load()
    assert (report.errors, report.replaced, folder.trash()) == ((), {}, [])
    assert (folder.find("sent"), folder.find("filed"), headline(folder, "start"), folder.ids("team")) == before


def test_an_export_that_is_older_than_an_edit_is_refused(folder: SiteFolder, tmp_path: Path) -> None:
    """An entry that was edited after the export was made stays as it is."""
    folder.load()
    send_post(folder, "sent")
    export_site(folder.database, load_settings(folder.folder), tmp_path / "files")
    folder.edit("sent", title="Edited")
    folder.write("content/posts/sent.md", (tmp_path / "files" / "content/posts/sent.md").read_bytes())
    assert [error.place for error in folder.load().errors] == ["slug"]
    assert folder.find("sent").title == "Edited"


# --- edits through the API since


def test_a_file_that_moved_merges_too(folder: SiteFolder) -> None:
    """The file under its new name still owns the entry, and what it said under the former one is known."""
    folder.post("one", slug="one")
    folder.load()
    folder.edit("one", title="Edited", summary="Edited")
    folder.remove("content/posts/one.md")
    folder.post("2026/renamed", slug="one")
    (conflict,) = folder.load().conflicts
    assert (conflict.value, conflict.former) == ("Renamed", "Edited")
    assert (folder.find("one").title, folder.find("one").summary) == ("Renamed", "Edited")


def test_an_edit_of_a_changed_slug_is_kept_with_its_slug(folder: SiteFolder) -> None:
    """Restoring brings the slug back if it is free, also after two files traded slugs."""
    folder.post("a", slug="one")
    folder.post("b", slug="two")
    folder.load()
    folder.edit("one", slug="edited")
    folder.post("a", slug="two")
    folder.post("b", slug="one")
    (former,) = folder.load().former
    assert folder.slugs() == ["one", "two"]
    folder.restore(EntryKind.POST, former.trash_id)
    assert folder.slugs() == ["edited", "one"]


def test_a_restored_former_version_of_a_deleted_post_brings_the_post_back(folder: SiteFolder) -> None:
    """Under its own id; of a post that was removed for good, the former version becomes a post of its own."""
    folder.post("one")
    folder.load()
    folder.edit("one", title="Edited")
    post_id = folder.find("one").id
    forget_texts(folder)
    folder.post("one", "New.")
    (former,) = folder.load().former
    folder.remove("content/posts/one.md")
    folder.load(prune=True)
    assert folder.slugs() == []
    assert folder.restore(EntryKind.POST, former.trash_id).id == post_id
    assert folder.find("one").title == "Edited"


@pytest.mark.parametrize("is_gone", [False, True])
def test_a_picture_that_changed_does_not_load_its_file_over_an_edit(folder: SiteFolder, is_gone: bool) -> None:
    """Entries that nobody edited show the new picture; of the others the report says what to do, at every load."""
    folder.image("media/sea.png")
    folder.post("edited", "![](media/sea.png)")
    folder.post("plain", "![](media/sea.png)", published="2026-01-01")
    folder.post("deleted", "![](media/sea.png)")
    folder.guide("start", fields={"headline": "x", "image": "media/sea.png"})
    folder.items("team", {"id": 1, "fields": {"name": "Ann"}})
    folder.load()
    folder.edit("edited", body="<p>By hand.</p>")
    page_id = folder.send_page("start", "By hand")
    with folder.database.writing() as transaction:
        delete_entry(transaction, EntryKind.POST, folder.find("deleted").id, folder.now)
    edited, plain = folder.find("edited"), folder.find("plain")
    if is_gone:
        folder.remove("media/sea.png")
    else:
        folder.image("media/sea.png", color="white")
    for loaded in ((), ()) if is_gone else (("content/posts/plain.md",), ()):
        report = folder.load()
        assert (report.loaded, report.replaced, report.former) == (loaded, {}, ())
        change = "is gone" if is_gone else "changed"
        since = "was edited through the API since"
        assert [note.partition(f"{since}: ")[0] for note in report.notes] == [
            f"content/pages/guide/start.yaml: media/sea.png {change}, but the page {page_id} ",
            f"content/posts/edited.md: media/sea.png {change}, but the post {edited.id} ",
        ]
    assert (folder.find("edited"), headline(folder, "start")) == (edited, "By hand")
    assert (folder.find("plain") == plain) == is_gone
    assert folder.slugs() == ["edited", "plain"]


def test_a_load_that_prunes_names_the_entries_that_were_edited(folder: SiteFolder) -> None:
    """The report names edited posts, pages and items, which can be restored."""
    folder.post("one")
    folder.post("two")
    folder.guide("start")
    folder.items("team", {"id": 1, "fields": {"name": "Ann"}}, {"id": 2, "fields": {"name": "Bo"}})
    folder.load()
    folder.edit("one", title="Edited")
    folder.send_page("start", "Edited")
    folder.send_item("Edited", 1)
    edited = (folder.find("one"), folder.page("start"), item(folder, 1))
    for path in ("posts/one.md", "posts/two.md", "pages/guide/start.yaml"):
        folder.remove(f"content/{path}")
    folder.items("team", {"id": 2, "fields": {"name": "Bo"}})
    report = folder.load(prune=True)
    assert sorted((each.path, each.kind.value) for each in report.pruned_edits) == [
        ("content/collections/team.yaml", "item"),
        ("content/pages/guide/start.yaml", "page"),
        ("content/posts/one.md", "post"),
    ]
    for each in report.pruned_edits:
        folder.restore(each.kind, each.entry_id)
    assert (folder.find("one"), folder.page("start"), item(folder, 1)) == edited


def test_a_slug_that_an_accepted_write_is_to_have_is_a_error(folder: SiteFolder) -> None:
    """A write that was accepted is not rejected because a file came in between."""
    folder.load()
    with folder.database.writing() as transaction:
        transaction.sql(
            "INSERT INTO write (sequence, id, kind, operation, entry_key, entry_id, payload_json, status, attempt, "
            "errors_json, accepted_at) VALUES (1, 'w', 'post', 'create', 'post:7', 7, '{}', 'accepted', 0, '{}', 1)"
        )
        transaction.sql("INSERT INTO reservation VALUES ('post', 'slack', 'w'), ('page', 'guide/start', 'w')")
    folder.post("slack")
    folder.guide("start")
    report = folder.load()
    assert sorted(error.file for error in report.errors) == [
        "content/pages/guide/start.yaml", "content/posts/slack.md",
    ]  # fmt: skip
    assert all("load again" in error.remedy for error in report.errors)
