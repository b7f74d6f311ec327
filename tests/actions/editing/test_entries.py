"""What users do with entries: rights, drafts, schedules, Markdown kept as it is, and conflicts."""

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import count
from typing import Any

import pytest
from msgspec.structs import replace

from sitecms.actions.editing.copies import duplicate
from sitecms.actions.editing.edited import NewEntry
from sitecms.actions.editing.entries import Form, Outcome, Saved, Target, create, entry_of_form, keep_file, save
from sitecms.actions.editing.markdown_body import render_body, resolver_of
from sitecms.actions.editing.values import empty_values, values_of
from sitecms.actions.writing.apply.applying import Worker
from sitecms.actions.writing.publish_scheduled import publish_scheduled
from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status
from sitecms.errors import Forbidden, InvalidFields, NotFound, Stale
from sitecms.runtime import Runtime
from sitecms.store.entries.bodies import find_markdown, set_columns
from sitecms.store.entries.entry_rows import change_entry
from sitecms.store.entries.revisions import last_change
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.maintenance.media_usage import used_media
from tests.support.reading import select

from .conftest import POST, EntryForm, WritingClient, text, typed

DAY = timedelta(days=1)


def test_markdown_is_kept_as_it_was_typed(client: WritingClient) -> None:
    """Spacing, line ends and spelling stay; the body is what it renders to."""
    text = "Ebbe  \r\n\r\n* one\n+ two\n\n\n<b>x</b> &amp; **y**\t\n"
    post_id = client.create(body=text)
    assert client.source(post_id) == text
    assert "<strong>y</strong>" in client.post(post_id).body
    client.act(Target.DRAFT, post_id, body=text + "\n")
    assert client.source(post_id) == text + "\n"  # the body is the same, the text is not
    client.act(Target.DRAFT, post_id, title="Other")
    assert client.source(post_id) == text + "\n"


def test_html_is_stored_as_html(client: WritingClient) -> None:
    """A post without Markdown stays so; what is not allowed is removed."""
    post_id = client.make_post("html", status=Status.DRAFT, body="<p>One</p>")
    client.act(Target.DRAFT, post_id, body="<p>Two<script>x</script></p>")
    assert (client.post(post_id).body, client.source(post_id)) == ("<p>Two</p>", None)


def test_nothing_changed_sends_nothing(client: WritingClient, entry: EntryForm) -> None:
    """Open and save is no write, no new time of change, and no draft."""
    before = entry.shown
    for target in (Target.DRAFT, Target.PUBLISH):
        assert client.act(target, before) == Saved(Outcome.UNCHANGED)
    assert select(client.runtime.database, "SELECT count(*) FROM write") == [(0,)]
    assert entry.shown == before


def test_change_of_what_readers_see_waits_for_publication(client: WritingClient, entry: EntryForm) -> None:
    """Readers see the stored version until the draft is published, which then ends; a discarded one ends as well."""
    assert entry.act(Target.DRAFT, "new") is Outcome.DRAFT_SAVED
    assert (entry.live_text, entry.text, entry.shown.has_draft) == ("old", "new", True)
    client.discard(entry.shown)
    assert (entry.text, entry.shown.has_draft) == ("old", False)
    entry.act(Target.DRAFT, "new")
    client.act(Target.PUBLISH, entry.shown)
    assert (entry.live_text, entry.shown.status, entry.shown.has_draft) == ("new", Status.PUBLISHED, False)


def test_draft_of_a_published_post_names_its_writer(client: WritingClient) -> None:
    """Terms and title wait in it, too."""
    post_id = client.make_post("calm", body="<p>a</p>")
    client.act(Target.DRAFT, post_id, title="New title", tags=["moon"])
    shown = client.edited(post_id)
    assert shown.shown is not None
    assert (client.post(post_id).title, shown.values["title"], shown.shown.saved_by) == ("Calm", "New title", "editor")
    client.act(Target.PUBLISH, post_id)
    stored = client.post(post_id)
    assert (stored.title, [term.name for term in stored.tags]) == ("New title", ["moon"])


def test_draft_is_as_old_as_the_change_that_saved_it(client: WritingClient) -> None:
    """Else its form would say that somebody changed the published version after the draft was saved."""
    post_id = client.make_post("calm")
    seconds = count(1)
    client.writes = replace(client.writes, clock=lambda: client.now + timedelta(seconds=next(seconds)))
    client.act(Target.DRAFT, post_id, title="Other")
    last = client.runtime.database.read(last_change, POST, post_id, "en")
    assert last is not None
    assert last.at == client.edited(post_id).saved_at


def test_working_copy_ends_when_typed_back(client: WritingClient) -> None:
    """As it does when it is discarded."""
    post_id = client.make_post("calm")
    client.act(Target.DRAFT, post_id, title="Other")
    assert client.act(Target.DRAFT, post_id, title="Calm").outcome is Outcome.DISCARDED
    assert not client.edited(post_id).has_draft


def test_media_of_a_working_copy_are_in_use(client: WritingClient) -> None:
    """A picture that only the draft of a published post names is not removed as unused."""
    post_id, name = client.make_post("calm"), "0" * 32 + ".png"
    assert name not in client.runtime.database.read(used_media)
    client.act(Target.DRAFT, post_id, body=f'<p><img src="/media/{name}" alt=""></p>')
    assert name in client.runtime.database.read(used_media)


def test_entry_is_unpublished_scheduled_and_withdrawn(client: WritingClient, entry: EntryForm) -> None:
    """Each with the changes of the form; a schedule is carried out at its time, and may be taken back."""

    def now() -> tuple[Status | None, Any, datetime | None]:
        return entry.shown.status, entry.text, entry.shown.scheduled_at

    entry.act(Target.UNPUBLISH, "1")
    assert now() == (Status.DRAFT, "1", None)
    with pytest.raises(InvalidFields):
        entry.act(Target.SCHEDULE, "2", at=client.now)
    due = client.now + DAY
    entry.act(Target.SCHEDULE, "2", at=due)
    assert (now(), entry.shown.is_scheduled) == ((Status.SCHEDULED, "2", due), True)
    entry.act(Target.DRAFT, "3")
    assert now() == (Status.SCHEDULED, "3", due)
    entry.act(Target.UNSCHEDULE, "3")
    assert (now(), entry.shown.is_scheduled) == ((Status.DRAFT, "3", None), False)
    entry.act(Target.SCHEDULE, "4", at=due)
    publish_scheduled(client.runtime.database, due, client.runtime.settings)
    assert now() == (Status.PUBLISHED, "4", None)


def test_changes_of_what_readers_see_are_scheduled(client: WritingClient, entry: EntryForm) -> None:
    """They keep their time while they are changed, may be taken back, and leave the first publication as it was."""
    due, published_at = client.now + DAY, entry.live.published_at

    def now() -> tuple[Any, Any, datetime | None, bool]:
        return entry.live_text, entry.text, entry.shown.scheduled_at, entry.shown.has_draft

    entry.act(Target.SCHEDULE, "1", at=due)
    assert now() == ("old", "1", due, True)
    entry.act(Target.DRAFT, "2")
    assert now() == ("old", "2", due, True)
    entry.act(Target.UNSCHEDULE, "2")
    assert now() == ("old", "2", None, True)
    entry.act(Target.SCHEDULE, "3", at=due)
    assert publish_scheduled(client.runtime.database, due, client.runtime.settings) == 1
    assert now() == ("3", "3", None, False)
    assert (entry.live.published_at, entry.live.updated_at) == (published_at, due)
    entry.act(Target.SCHEDULE, "4", at=due + DAY)
    entry.act(Target.PUBLISH, "5")
    assert publish_scheduled(client.runtime.database, due + DAY, client.runtime.settings) == 0
    assert now() == ("5", "5", None, False)


def test_first_publication_is_kept(client: WritingClient, entry: EntryForm) -> None:
    """Also by an entry that is a draft in the meantime, under whatever name."""
    published_at = entry.live.published_at
    client.now += DAY
    entry.act(Target.UNPUBLISH, "draft")
    assert entry.shown.live is None
    client.now += DAY
    entry.act(Target.PUBLISH, "again")
    assert entry.live.published_at == published_at


def test_everything_of_a_post_is_scheduled(client: WritingClient) -> None:
    """Title, terms, author and text, in Markdown or HTML, over what a request changed since; but no address."""
    post_id, due = client.make_post("calm", body="<p>a</p>", summary="old"), client.now + DAY
    terms: dict[str, Any] = {"title": "New", "tags": ["moon"], "author": "bo-lind"}
    client.act(Target.SCHEDULE, post_id, at=due, **terms, body="*new*", format="markdown")
    client.runtime.database.write(set_columns, post_id, {"summary": "by a request"})
    assert (client.post(post_id).title, client.post(post_id).body) == ("Calm", "<p>a</p>")
    publish_scheduled(client.runtime.database, due, client.runtime.settings)
    stored = client.post(post_id)
    assert (stored.title, stored.author.slug, stored.summary) == ("New", "bo-lind", "by a request")
    assert ([term.name for term in stored.tags], stored.body) == (["moon"], "<p><em>new</em></p>\n")
    assert client.source(post_id) == "*new*"
    client.act(Target.SCHEDULE, post_id, at=due + DAY, body="<p>html</p>", format="html")
    publish_scheduled(client.runtime.database, due + DAY, client.runtime.settings)
    assert (client.post(post_id).body, client.source(post_id)) == ("<p>html</p>", None)
    for slug in ("calm", "other"):
        with pytest.raises(InvalidFields):
            client.act(Target.SCHEDULE, post_id, at=due + 2 * DAY, slug=slug)


def test_scheduled_changes_that_cannot_be_published_stay_a_draft(client: WritingClient) -> None:
    """Of a post that was unpublished by a request, or whose new author is gone; others are published."""
    unpublished, orphaned, due = client.make_post("a"), client.make_post("b"), client.now + DAY
    client.act(Target.SCHEDULE, unpublished, at=due, title="New")
    client.act(Target.SCHEDULE, orphaned, at=due, author="bo-lind")
    client.act(Target.SCHEDULE, other := client.make_post("c"), at=due, title="New")
    with client.runtime.database.writing() as transaction:
        set_columns(transaction, unpublished, {"status": "draft"})
        transaction.sql("DELETE FROM author WHERE slug = 'bo-lind'")
    publish_scheduled(client.runtime.database, due, client.runtime.settings)
    assert (client.post(unpublished).status, client.post(unpublished).title) == (Status.DRAFT, "A")
    assert (client.post(orphaned).author.slug, client.post(other).title) == ("ann-ray", "New")
    for post_id in (unpublished, orphaned):
        draft = client.edited(post_id)
        assert (draft.has_draft, draft.scheduled_at) == (True, None)


def test_writer_does_not_change_what_an_editor_scheduled(client: WritingClient) -> None:
    """The writer is told so, and the changes and their time stay."""
    post_id, due = client.make_post("calm"), client.now + DAY
    client.act(Target.SCHEDULE, post_id, at=due, title="New")
    with pytest.raises(Forbidden):
        client.act(Target.DRAFT, post_id, client.writer, title="Newer")
    assert (client.edited(post_id).values["title"], client.edited(post_id).scheduled_at) == ("New", due)


def test_preview_is_the_entry_with_the_values_of_the_form(client: WritingClient, entry: EntryForm) -> None:
    """As if it was published now, with its names and its own address; nothing is stored."""
    client.runtime.database.write(change_entry, entry.kind, entry.id, {"addresses": {"paths": {"en": "/own/"}}})
    shown, live = entry.shown, entry.live
    assert entry_of_form(client.context(), shown, shown.values) == replace(live, markdown=None)
    client.now += DAY
    preview = entry_of_form(client.context(), shown, {**shown.values, **typed(entry.kind, "new")})
    assert (text(entry.kind, values_of(preview)), preview.path, preview.title) == ("new", "/own/", live.title)
    assert (preview.updated_at, preview.published_at) == (client.now, live.published_at)
    assert entry.text == "old"


def test_scheduled_post_is_created(client: WritingClient) -> None:
    """Its time must not have passed."""
    form = Form({**empty_values(POST), "title": "Later", "body": "x"}, "", client.now + DAY)
    new = NewEntry(POST, "", "")
    write = client.apply(create(client.context(), new, form, Target.SCHEDULE))
    post = client.post(write.entry_id)
    assert (post.status, post.scheduled_at) == (Status.SCHEDULED, client.now + DAY)
    with pytest.raises(InvalidFields):
        create(client.context(), new, replace(form, scheduled_at=client.now), Target.SCHEDULE)


@pytest.mark.parametrize("target", [Target.DRAFT, Target.PUBLISH, Target.UNPUBLISH])
def test_stale_form_changes_nothing(client: WritingClient, entry: EntryForm, target: Target) -> None:
    """A change by somebody else since the form was opened is told, whether of what readers see or of a draft."""
    for theirs in (Target.DRAFT, Target.PUBLISH):
        shown = entry.shown
        entry.act(theirs, f"theirs {theirs}")
        before = entry.shown
        with pytest.raises(Stale):
            save(client.context(), before, Form({**shown.values, **typed(entry.kind, "mine")}, shown.revision), target)
        for act in (client.discard, client.delete):
            with pytest.raises(Stale):
                act(before, revision=shown.revision)
        assert entry.shown == before


def test_form_is_stale_once_the_markdown_changed(client: WritingClient) -> None:
    """Even where the HTML of it stays the same."""
    post_id = client.create(body="a")
    shown = client.edited(post_id)
    client.act(Target.DRAFT, post_id, body="a\n")
    with pytest.raises(Stale):
        save(client.context(), client.edited(post_id), Form({**shown.values, "title": "x"}, shown.revision))


def test_writer_writes_own_drafts_and_publishes_nothing(client: WritingClient) -> None:
    """Kirby CVE-2026-40099 and -21896: neither at creation nor later, and no work of others in any way."""
    writer, new = client.writer, NewEntry(POST, "", "")
    own = client.create(writer, title="Own", author="ann-ray")
    client.act(Target.DRAFT, own, writer, title="Own two")
    values = {**empty_values(POST), "title": "x", "author": "ann-ray"}
    for target in (Target.PUBLISH, Target.SCHEDULE):
        with pytest.raises(Forbidden):
            create(client.context(writer), new, Form(values, "", client.now + DAY), target)
    with pytest.raises(Forbidden):
        create(client.context(writer), new, Form({**values, "author": "bo-lind"}))
    for target in (Target.PUBLISH, Target.UNPUBLISH, Target.SCHEDULE):
        with pytest.raises(Forbidden):
            client.act(target, own, writer, at=client.now + DAY)
    with pytest.raises(Forbidden):
        client.act(Target.DRAFT, own, writer, author="bo-lind")
    assert client.post(own).author.slug == "ann-ray"


@pytest.mark.parametrize("kind", [EntryKind.PAGE, EntryKind.ITEM])
def test_writer_reaches_no_page_or_item(client: WritingClient, kind: EntryKind) -> None:
    """By no function of this room, whatever an editor has read before."""
    shown, context = client.edited(client.make(kind), kind=kind), client.context(client.writer)
    new, form = NewEntry(kind, shown.type, "en"), Form({**shown.values, **typed(kind, "x")}, shown.revision)
    acts: tuple[Callable[[], object], ...] = (
        lambda: client.edited(shown.id, client.writer, kind), lambda: create(context, new, form),
        lambda: save(context, shown, form), lambda: client.discard(shown, client.writer),
        lambda: client.delete(shown, client.writer), lambda: duplicate(context, shown, form.values),
        lambda: entry_of_form(context, shown, form.values), lambda: entry_of_form(context, new, form.values),
    )  # fmt: skip
    for act in acts:
        with pytest.raises(Forbidden):
            act()


def test_writer_reaches_no_work_of_others(client: WritingClient) -> None:
    """Drafts of others are not found; what is published can be read, not changed, and shows no working copy."""
    writer = client.writer
    draft = client.make_post("secret", status=Status.DRAFT, author="bo-lind")
    scheduled = client.make_post(
        "later", status=Status.SCHEDULED, author="bo-lind", scheduled_at=client.now + timedelta(days=1)
    )
    shown = client.make_post("shown", author="bo-lind")
    client.act(Target.DRAFT, shown, title="Not yet public")
    for post_id in (draft, scheduled, 99_999):
        with pytest.raises(NotFound):
            client.edited(post_id, writer)
    seen = client.edited(shown, writer)
    assert (seen.values["title"], seen.has_draft) == ("Shown", False)
    for post_id in (draft, scheduled, shown):
        stored = client.edited(post_id)
        form = Form({**seen.values, "title": "Mine"}, stored.revision)
        for target in (Target.DRAFT, Target.PUBLISH, Target.UNPUBLISH):
            with pytest.raises((NotFound, Forbidden)):
                save(client.context(writer), stored, form, target)
        for act in (client.discard, client.delete):
            with pytest.raises((NotFound, Forbidden)):
                act(stored, writer)
        with pytest.raises(Forbidden):
            keep_file(client.context(writer), stored, 1)


def test_writer_proposes_changes_of_own_published_posts(client: WritingClient) -> None:
    """The change waits in the working copy, and an editor publishes it; the post cannot be deleted."""
    post_id = client.make_post("calm")
    due = client.make_post("later", status=Status.SCHEDULED, scheduled_at=client.now + timedelta(days=1))
    for each in (post_id, due):
        assert client.act(Target.DRAFT, each, client.writer, title="Better").outcome is Outcome.DRAFT_SAVED
        assert client.post(each).title != "Better"
        with pytest.raises(Forbidden):
            client.delete(each, client.writer)
    client.act(Target.PUBLISH, post_id)
    assert client.post(post_id).title == "Better"
    own = client.create(client.writer)
    client.delete(own, client.writer)
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
        (post_id,) = (row[0] for row in session.sql("SELECT id FROM entry WHERE kind = 'post' AND slug = 'ebb'"))
        before, source = VERSIONS[EntryKind.POST].get(session, post_id), find_markdown(session, post_id)
        assert source is not None
        assert render_body(example.settings, source, "en", resolver_of(session, (before.kind, post_id))) == before.body
        assert "/media/" in before.body


def test_files_and_shortcodes_of_a_loaded_post_are_found_again(example: Any) -> None:
    """Links between files, pictures beside the text and shortcodes are rendered as at the load."""
    example.image("content/posts/trip/boat.png")
    example.write("templates/shortcodes/price.html", "<b>{{ args[0] }}, {{ page.title }}</b>")
    example.post("trip/quiet", "[x](../ebb.md#a) ![Boat](boat.png) {{< price 5 >}}", published="2026-02-01T08:00:00Z")
    example.load()
    with example.database.reading() as session:
        (post_id,) = (row[0] for row in session.sql("SELECT id FROM entry WHERE kind = 'post' AND slug = 'quiet'"))
        before, source = VERSIONS[EntryKind.POST].get(session, post_id), find_markdown(session, post_id)
        assert source is not None
        resolve = resolver_of(session, (before.kind, post_id))
        assert render_body(example.settings, source, "en", resolve, title="Quiet") == before.body
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
    client.writes = replace(client.writes, settings=replace(client.writes.settings, trust_html=True))
    with pytest.raises(InvalidFields) as refused:
        client.create(client.writer, body=text)
    assert [*refused.value.messages] == ["body"]
    assert client.create(client.writer, body="- [x] <kbd>a</kbd>")
