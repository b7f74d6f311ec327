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

from .conftest import WritingClient, at


def test_markdown_is_kept_as_it_was_typed(client: WritingClient) -> None:
    """Spacing, line ends and spelling stay; the body is what it renders to."""
    text = "Ebbe  \r\n\r\n* one\n+ two\n\n\n<b>x</b> &amp; **y**\t\n"
    post_id = client.create(body=text)
    assert client.source(post_id) == text
    assert "<strong>y</strong>" in client.post(post_id).body
    client.act(editing.save, post_id, body=text + "\n")
    assert client.source(post_id) == text + "\n"  # the body is the same, the text is not
    client.act(editing.save, post_id, title="Other")
    assert client.source(post_id) == text + "\n"


def test_html_is_stored_as_html(client: WritingClient) -> None:
    """A post without Markdown stays so; what is not allowed is removed."""
    post_id = client.make_post("html", status=Status.DRAFT, body="<p>One</p>")
    client.act(editing.save, post_id, body="<p>Two<script>x</script></p>")
    assert (client.post(post_id).body, client.source(post_id)) == ("<p>Two</p>", None)


def test_nothing_changed_sends_nothing(client: WritingClient) -> None:
    """Open and save is no write, no new time of change, and no working copy."""
    post_id = client.make_post("calm", body="<p>a</p>", tags=("moon",), categories=("Sea",))
    before = client.post(post_id)
    for act in (editing.save, editing.publish):
        assert client.act(act, post_id) == Saved(SaveOutcome.UNCHANGED)
    with client.runtime.database.reading() as session:
        assert session.sql("SELECT count(*) FROM write") == [(0,)]
    assert client.post(post_id) == before


def test_change_of_a_published_post_waits_for_publication(client: WritingClient) -> None:
    """Readers see the stored version until the working copy is published, which then ends."""
    post_id = client.make_post("calm", body="<p>a</p>")
    assert client.act(editing.save, post_id, title="New title", tags=["moon"]).outcome is SaveOutcome.COPY_SAVED
    shown = client.edited(post_id)
    assert (client.post(post_id).title, shown.values["title"]) == ("Calm", "New title")
    assert shown.copy is not None
    assert shown.copy.user_name == "editor"
    client.act(editing.publish, post_id)
    stored = client.post(post_id)
    assert (stored.title, [term.name for term in stored.tags], stored.status) == ("New title", ["moon"], "published")
    assert client.edited(post_id).copy is None


def test_working_copy_ends_when_discarded_or_typed_back(client: WritingClient) -> None:
    """Discarding shows the stored version again; so does typing it back."""
    post_id = client.make_post("calm")
    for _ in range(2):
        client.act(editing.save, post_id, title="Other")
        assert client.edited(post_id).values["title"] == "Other"
        assert client.act(editing.save, post_id, title="Calm").outcome is SaveOutcome.COPY_DISCARDED
        client.act(editing.save, post_id, title="Other")
        shown = client.edited(post_id)
        editing.discard(client.context, client.editor, post_id, shown.revision)
        assert (client.edited(post_id).values["title"], client.edited(post_id).copy) == ("Calm", None)


def test_media_of_a_working_copy_are_in_use(client: WritingClient) -> None:
    """A picture that only the draft of a published post names is not removed as unused."""
    post_id, name = client.make_post("calm"), "0" * 32 + ".png"
    with client.runtime.database.reading() as session:
        assert name not in used_media(session)
    client.act(editing.save, post_id, body=f'<p><img src="/media/{name}" alt=""></p>')
    with client.runtime.database.reading() as session:
        assert name in used_media(session)


def test_draft_is_published_unpublished_and_scheduled(client: WritingClient) -> None:
    """Each with the changes of the form; a schedule is carried out at its time."""
    post_id = client.create(title="Ebbe")
    client.act(editing.publish, post_id, summary="s")
    assert (client.post(post_id).status, client.post(post_id).summary) == ("published", "s")
    with pytest.raises(InvalidFields):
        client.act(at(client.now + timedelta(hours=1)), post_id)
    client.act(editing.unpublish, post_id, summary="t")
    assert (client.post(post_id).status, client.post(post_id).summary) == ("draft", "t")
    with pytest.raises(InvalidFields):
        client.act(at(client.now), post_id)
    due = client.now + timedelta(hours=1)
    client.act(at(due), post_id, title="Flow")
    assert (client.post(post_id).status, client.post(post_id).scheduled_at, client.post(post_id).title) == (
        "scheduled", due, "Flow",
    )  # fmt: skip
    client.act(editing.save, post_id, title="Flood")
    assert (client.post(post_id).status, client.post(post_id).scheduled_at) == ("scheduled", due)
    publish_scheduled(client.runtime.database, due, "en")
    assert (client.post(post_id).status, client.post(post_id).title) == ("published", "Flood")


def test_scheduled_post_is_created_and_withdrawn(client: WritingClient) -> None:
    """A schedule may be taken back."""
    due = client.now + timedelta(days=1)
    sent = {**EMPTY, "title": "Later", "author": "ann-ray", "body": "x"}
    write = client.apply(editing.create(client.context, client.editor, sent, "", Status.SCHEDULED, due))
    assert (client.post(write.entry_id).status, client.post(write.entry_id).scheduled_at) == ("scheduled", due)
    client.act(editing.unpublish, write.entry_id)
    assert (client.post(write.entry_id).status, client.post(write.entry_id).scheduled_at) == ("draft", None)


@pytest.mark.parametrize("act", [editing.save, editing.publish, editing.unpublish])
def test_stale_form_changes_nothing(client: WritingClient, act: Callable[..., Saved]) -> None:
    """A change of the post, of its Markdown or of its working copy by somebody else is told."""
    published, draft = client.make_post("calm"), client.create(body="a")
    changes: tuple[tuple[int, dict[str, Any]], ...] = (
        (published, {"title": "Theirs"}), (draft, {"body": "a\n"}), (draft, {"title": "Theirs"}),
    )  # fmt: skip
    for post_id, change in changes:
        shown = client.edited(post_id)
        client.act(editing.save, post_id, **change)
        before = client.edited(post_id)
        with pytest.raises(Stale):
            act(client.context, client.editor, post_id, {**shown.values, "title": "Mine"}, shown.revision)
        assert client.edited(post_id) == before
    with pytest.raises(Stale):
        editing.delete(client.context, client.editor, published, "0")
    with pytest.raises(Stale):
        editing.discard(client.context, client.editor, published, "0")


def test_writer_writes_own_drafts_and_publishes_nothing(client: WritingClient) -> None:
    """Kirby CVE-2026-40099 and -21896: neither at creation nor later, and no work of others in any way."""
    writer = client.writer
    own = client.create(writer, title="Own", author="ann-ray")
    client.act(editing.save, own, writer, title="Own two")
    sent = {**EMPTY, "title": "x", "author": "ann-ray"}
    for status in (Status.PUBLISHED, Status.SCHEDULED):
        with pytest.raises(Forbidden):
            editing.create(client.context, writer, sent, "", status, client.now + timedelta(1))
    with pytest.raises(Forbidden):
        editing.create(client.context, writer, {**sent, "author": "bo-lind"}, "", Status.DRAFT, None)
    for act in (editing.publish, editing.unpublish, at(client.now + timedelta(1))):
        with pytest.raises(Forbidden):
            client.act(act, own, writer)
    with pytest.raises(Forbidden):
        client.act(editing.save, own, writer, author="bo-lind")
    assert client.post(own).author.slug == "ann-ray"


def test_writer_reaches_no_work_of_others(client: WritingClient) -> None:
    """Drafts of others are not found; what is published can be read, not changed, and shows no working copy."""
    writer = client.writer
    draft = client.make_post("secret", status=Status.DRAFT, author="bo-lind")
    scheduled = client.make_post(
        "later", status=Status.SCHEDULED, author="bo-lind", scheduled_at=client.now + timedelta(days=1)
    )
    shown = client.make_post("shown", author="bo-lind")
    client.act(editing.save, shown, title="Not yet public")
    for post_id in (draft, scheduled, 99_999):
        with pytest.raises(NotFound):
            client.edited(post_id, writer)
    seen = client.edited(shown, writer)
    assert (seen.values["title"], seen.copy) == ("Shown", None)
    for post_id in (draft, scheduled, shown):
        for act in (editing.save, editing.publish, editing.unpublish):
            with pytest.raises((NotFound, Forbidden)):
                act(client.context, writer, post_id, {**seen.values, "title": "Mine"}, seen.revision)
        for do in (editing.discard, editing.delete):
            with pytest.raises((NotFound, Forbidden)):
                do(client.context, writer, post_id, seen.revision)


def test_writer_proposes_changes_of_own_published_posts(client: WritingClient) -> None:
    """The change waits in the working copy, and an editor publishes it; the post cannot be deleted."""
    post_id = client.make_post("calm")
    due = client.make_post("later", status=Status.SCHEDULED, scheduled_at=client.now + timedelta(days=1))
    for each in (post_id, due):
        assert client.act(editing.save, each, client.writer, title="Better").outcome is SaveOutcome.COPY_SAVED
        assert client.post(each).title != "Better"
        with pytest.raises(Forbidden):
            editing.delete(client.context, client.writer, each, client.edited(each, client.writer).revision)
    client.act(editing.publish, post_id)
    assert client.post(post_id).title == "Better"
    own = client.create(client.writer)
    editing.delete(client.context, client.writer, own, client.edited(own, client.writer).revision)
    with pytest.raises(NotFound):
        client.post(own)


def test_errors_come_by_field(client: WritingClient) -> None:
    """A taken slug, a missing title, an error in the Markdown of a published post's change."""
    client.make_post("calm")
    with pytest.raises(InvalidFields) as refused:
        client.create(slug="calm")
    assert [*refused.value.messages] == ["slug"]
    with pytest.raises(InvalidFields) as refused:
        client.create(title=" ")
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
def test_html_of_trusted_files_does_not_come_from_the_studio(client: WritingClient, text: str) -> None:
    """A writer's Markdown is exported into a file, where `trust_html` would run its scripts."""
    kept = client.create(body=text)
    assert "script>" not in client.post(kept).body
    client.context = replace(client.context, settings=replace(client.context.settings, trust_html=True))
    with pytest.raises(InvalidFields) as refused:
        client.create(client.writer, body=text)
    assert [*refused.value.messages] == ["body"]
    assert client.create(client.writer, body="- [x] <kbd>a</kbd>")
