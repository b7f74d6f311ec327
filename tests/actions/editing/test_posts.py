"""What users do with posts: rights, working copies, schedules, Markdown kept as it is, and conflicts."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from sitecms.actions.editing import posts as editing
from sitecms.actions.editing.post_values import EMPTY, render_body
from sitecms.actions.editing.posts import Saved, SaveOutcome
from sitecms.actions.writing.apply.applying import Worker
from sitecms.actions.writing.publish_scheduled import publish_scheduled
from sitecms.content.status import Status
from sitecms.errors import Forbidden, InvalidFields, NotFound, Stale
from sitecms.runtime import Runtime
from sitecms.store.entries.posts import find_markdown, get_post_by_id
from sitecms.store.maintenance.media_usage import used_media

from .conftest import Desk, at


def test_markdown_is_kept_as_it_was_typed(desk: Desk) -> None:
    """Spacing, line ends and spelling stay; the body is what it renders to."""
    text = "Ebbe  \r\n\r\n* one\n+ two\n\n\n<b>x</b> &amp; **y**\t\n"
    post_id = desk.create(body=text)
    assert desk.source(post_id) == text
    assert "<strong>y</strong>" in desk.post(post_id).body
    desk.act(editing.save, post_id, body=text + "\n")
    assert desk.source(post_id) == text + "\n"  # the body is the same, the text is not
    desk.act(editing.save, post_id, title="Other")
    assert desk.source(post_id) == text + "\n"


def test_html_is_stored_as_html(desk: Desk) -> None:
    """A post without Markdown stays so; what is not allowed is removed."""
    post_id = desk.make_post("html", status=Status.DRAFT, body="<p>One</p>")
    desk.act(editing.save, post_id, body="<p>Two<script>x</script></p>")
    assert (desk.post(post_id).body, desk.source(post_id)) == ("<p>Two</p>", None)


def test_nothing_changed_sends_nothing(desk: Desk) -> None:
    """Open and save is no write, no new time of change, and no working copy."""
    post_id = desk.make_post("calm", body="<p>a</p>", tags=("moon",), categories=("Sea",))
    before = desk.post(post_id)
    for act in (editing.save, editing.publish):
        assert desk.act(act, post_id) == Saved(SaveOutcome.UNCHANGED)
    with desk.runtime.database.reading() as session:
        assert session.sql("SELECT count(*) FROM write") == [(0,)]
    assert desk.post(post_id) == before


def test_change_of_a_published_post_waits_for_publication(desk: Desk) -> None:
    """Readers see the stored version until the working copy is published, which then ends."""
    post_id = desk.make_post("calm", body="<p>a</p>")
    assert desk.act(editing.save, post_id, title="New title", tags=["moon"]).outcome is SaveOutcome.COPY_SAVED
    shown = desk.edited(post_id)
    assert (desk.post(post_id).title, shown.values["title"]) == ("Calm", "New title")
    assert shown.copy is not None
    assert shown.copy.user_name == "editor"
    desk.act(editing.publish, post_id)
    stored = desk.post(post_id)
    assert (stored.title, [term.name for term in stored.tags], stored.status) == ("New title", ["moon"], "published")
    assert desk.edited(post_id).copy is None


def test_working_copy_ends_when_discarded_or_typed_back(desk: Desk) -> None:
    """Discarding shows the stored version again; so does typing it back."""
    post_id = desk.make_post("calm")
    for _ in range(2):
        desk.act(editing.save, post_id, title="Other")
        assert desk.edited(post_id).values["title"] == "Other"
        assert desk.act(editing.save, post_id, title="Calm").outcome is SaveOutcome.COPY_DISCARDED
        desk.act(editing.save, post_id, title="Other")
        shown = desk.edited(post_id)
        editing.discard(desk.context, desk.editor, post_id, shown.revision)
        assert (desk.edited(post_id).values["title"], desk.edited(post_id).copy) == ("Calm", None)


def test_media_of_a_working_copy_are_in_use(desk: Desk) -> None:
    """A picture that only the draft of a published post names is not removed as unused."""
    post_id, name = desk.make_post("calm"), "0" * 32 + ".png"
    with desk.runtime.database.reading() as session:
        assert name not in used_media(session)
    desk.act(editing.save, post_id, body=f'<p><img src="/media/{name}" alt=""></p>')
    with desk.runtime.database.reading() as session:
        assert name in used_media(session)


def test_draft_is_published_unpublished_and_scheduled(desk: Desk) -> None:
    """Each with the changes of the form; a schedule is carried out at its time."""
    post_id = desk.create(title="Ebbe")
    desk.act(editing.publish, post_id, summary="s")
    assert (desk.post(post_id).status, desk.post(post_id).summary) == ("published", "s")
    with pytest.raises(InvalidFields):
        desk.act(at(desk.now + timedelta(hours=1)), post_id)
    desk.act(editing.unpublish, post_id, summary="t")
    assert (desk.post(post_id).status, desk.post(post_id).summary) == ("draft", "t")
    with pytest.raises(InvalidFields):
        desk.act(at(desk.now), post_id)
    due = desk.now + timedelta(hours=1)
    desk.act(at(due), post_id, title="Flow")
    assert (desk.post(post_id).status, desk.post(post_id).scheduled_at, desk.post(post_id).title) == (
        "scheduled", due, "Flow",
    )  # fmt: skip
    desk.act(editing.save, post_id, title="Flood")
    assert (desk.post(post_id).status, desk.post(post_id).scheduled_at) == ("scheduled", due)
    publish_scheduled(desk.runtime.database, due, "en")
    assert (desk.post(post_id).status, desk.post(post_id).title) == ("published", "Flood")


def test_scheduled_post_is_created_and_withdrawn(desk: Desk) -> None:
    """A schedule may be taken back."""
    due = desk.now + timedelta(days=1)
    sent = {**EMPTY, "title": "Later", "author": "ann-ray", "body": "x"}
    write = desk.apply(editing.create(desk.context, desk.editor, sent, "", Status.SCHEDULED, due))
    assert (desk.post(write.entry_id).status, desk.post(write.entry_id).scheduled_at) == ("scheduled", due)
    desk.act(editing.unpublish, write.entry_id)
    assert (desk.post(write.entry_id).status, desk.post(write.entry_id).scheduled_at) == ("draft", None)


@pytest.mark.parametrize("act", [editing.save, editing.publish, editing.unpublish])
def test_stale_form_changes_nothing(desk: Desk, act: Callable[..., Saved]) -> None:
    """A change of the post, of its Markdown or of its working copy by somebody else is told."""
    published, draft = desk.make_post("calm"), desk.create(body="a")
    changes: tuple[tuple[int, dict[str, Any]], ...] = (
        (published, {"title": "Theirs"}), (draft, {"body": "a\n"}), (draft, {"title": "Theirs"}),
    )  # fmt: skip
    for post_id, change in changes:
        shown = desk.edited(post_id)
        desk.act(editing.save, post_id, **change)
        before = desk.edited(post_id)
        with pytest.raises(Stale):
            act(desk.context, desk.editor, post_id, {**shown.values, "title": "Mine"}, shown.revision)
        assert desk.edited(post_id) == before
    with pytest.raises(Stale):
        editing.delete(desk.context, desk.editor, published, "0")
    with pytest.raises(Stale):
        editing.discard(desk.context, desk.editor, published, "0")


def test_writer_writes_own_drafts_and_publishes_nothing(desk: Desk) -> None:
    """Kirby CVE-2026-40099 and -21896: neither at creation nor later, and no work of others in any way."""
    writer = desk.writer
    own = desk.create(writer, title="Own", author="ann-ray")
    desk.act(editing.save, own, writer, title="Own two")
    sent = {**EMPTY, "title": "x", "author": "ann-ray"}
    for status in (Status.PUBLISHED, Status.SCHEDULED):
        with pytest.raises(Forbidden):
            editing.create(desk.context, writer, sent, "", status, desk.now + timedelta(1))
    with pytest.raises(Forbidden):
        editing.create(desk.context, writer, {**sent, "author": "bo-lind"}, "", Status.DRAFT, None)
    for act in (editing.publish, editing.unpublish, at(desk.now + timedelta(1))):
        with pytest.raises(Forbidden):
            desk.act(act, own, writer)
    with pytest.raises(Forbidden):
        desk.act(editing.save, own, writer, author="bo-lind")
    assert desk.post(own).author.slug == "ann-ray"


def test_writer_reaches_no_work_of_others(desk: Desk) -> None:
    """Drafts of others are not found; what is published can be read, not changed, and shows no working copy."""
    writer = desk.writer
    draft = desk.make_post("secret", status=Status.DRAFT, author="bo-lind")
    scheduled = desk.make_post(
        "later", status=Status.SCHEDULED, author="bo-lind", scheduled_at=desk.now + timedelta(days=1)
    )
    shown = desk.make_post("shown", author="bo-lind")
    desk.act(editing.save, shown, title="Not yet public")
    for post_id in (draft, scheduled, 99_999):
        with pytest.raises(NotFound):
            desk.edited(post_id, writer)
    seen = desk.edited(shown, writer)
    assert (seen.values["title"], seen.copy) == ("Shown", None)
    for post_id in (draft, scheduled, shown):
        for act in (editing.save, editing.publish, editing.unpublish):
            with pytest.raises((NotFound, Forbidden)):
                act(desk.context, writer, post_id, {**seen.values, "title": "Mine"}, seen.revision)
        for do in (editing.discard, editing.delete):
            with pytest.raises((NotFound, Forbidden)):
                do(desk.context, writer, post_id, seen.revision)


def test_writer_proposes_changes_of_own_published_posts(desk: Desk) -> None:
    """The change waits in the working copy, and an editor publishes it; the post cannot be deleted."""
    post_id = desk.make_post("calm")
    due = desk.make_post("later", status=Status.SCHEDULED, scheduled_at=desk.now + timedelta(days=1))
    for each in (post_id, due):
        assert desk.act(editing.save, each, desk.writer, title="Better").outcome is SaveOutcome.COPY_SAVED
        assert desk.post(each).title != "Better"
        with pytest.raises(Forbidden):
            editing.delete(desk.context, desk.writer, each, desk.edited(each, desk.writer).revision)
    desk.act(editing.publish, post_id)
    assert desk.post(post_id).title == "Better"
    own = desk.create(desk.writer)
    editing.delete(desk.context, desk.writer, own, desk.edited(own, desk.writer).revision)
    with pytest.raises(NotFound):
        desk.post(own)


def test_errors_come_by_field(desk: Desk) -> None:
    """A taken slug, a missing title, an error in the Markdown of a published post's change."""
    desk.make_post("calm")
    with pytest.raises(InvalidFields) as refused:
        desk.create(slug="calm")
    assert [*refused.value.messages] == ["slug"]
    with pytest.raises(InvalidFields) as refused:
        desk.create(title=" ")
    assert [*refused.value.messages] == ["title"]


def test_pictures_of_the_file_are_found_again(example: Any, worker: Worker, noon: datetime, runtime: Runtime) -> None:
    """The Markdown of a loaded post names `media/sea.png`: after an edit it shows the same picture."""
    example.load()
    with example.database.reading() as session:
        (post_id,) = (row[0] for row in session.sql("SELECT id FROM post WHERE slug = 'ebb'"))
        before, source = get_post_by_id(session, post_id), find_markdown(session, post_id)
        assert source is not None
        assert render_body(session, example.settings, source, "en", post_id) == before.body
        assert "/media/" in before.body


def test_files_and_shortcodes_of_a_loaded_post_are_found_again(example: Any) -> None:
    """Links between files, pictures beside the text and shortcodes are rendered as at the load."""
    example.image("content/posts/trip/boat.png")
    example.write("templates/shortcodes/price.html", "<b>{{ args[0] }}, {{ page.title }}</b>")
    example.post("trip/quiet", "[x](../ebb.md#a) ![Boat](boat.png) {{< price 5 >}}", published="2026-02-01T08:00:00Z")
    example.load()
    with example.database.reading() as session:
        (post_id,) = (row[0] for row in session.sql("SELECT id FROM post WHERE slug = 'quiet'"))
        before, source = get_post_by_id(session, post_id), find_markdown(session, post_id)
        assert source is not None
        assert render_body(session, example.settings, source, "en", post_id, title="Quiet") == before.body
        assert 'href="/blog/ebb/#a"' in before.body
        assert "<b>5, Quiet</b>" in before.body


@pytest.mark.parametrize(
    "text",
    ["a\n\n<script>alert(1)</script>", "<p style='position:fixed'>x</p>", "a <label onclick='alert(1)'>b</label>"],
)
def test_html_of_trusted_files_does_not_come_from_the_studio(desk: Desk, text: str) -> None:
    """A writer's Markdown is exported into a file, where `trust_html` would run its scripts."""
    kept = desk.create(body=text)
    assert "script>" not in desk.post(kept).body
    desk.context = replace(desk.context, settings=replace(desk.context.settings, trust_html=True))
    with pytest.raises(InvalidFields) as refused:
        desk.create(desk.writer, body=text)
    assert [*refused.value.messages] == ["body"]
    assert desk.create(desk.writer, body="- [x] <kbd>a</kbd>")
