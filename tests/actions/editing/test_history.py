"""Histories: every change keeps what it replaces, whoever makes it; versions come back by the ordinary save."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from sitecms.actions.editing import entries
from sitecms.actions.editing import history as histories
from sitecms.actions.editing import posts as editing
from sitecms.actions.editing.entries import EditedEntry
from sitecms.actions.editing.history import History
from sitecms.actions.editing.posts import SaveOutcome
from sitecms.actions.writing import accept
from sitecms.actions.writing.accept import Caller
from sitecms.actions.writing.publish_scheduled import publish_scheduled
from sitecms.content.change import EntryKind
from sitecms.content.query import Window
from sitecms.content.status import Status
from sitecms.content.token import Scope, secret_digest
from sitecms.content.user import Role, User
from sitecms.errors import NotFound
from sitecms.store.entries import revisions
from sitecms.store.entries.trash import remove_for_good
from sitecms.store.writes.tokens import find_token

from .conftest import Desk

ALL = Window(1000)


def history_of(desk: Desk, post_id: int, user: User | None = None) -> History:
    """Return the history of a post."""
    return histories.history_of_post(user or desk.editor, desk.edited(post_id, user))


def listed(desk: Desk, post_id: int) -> list[tuple[str, str, str]]:
    """Return kind, source and name of each version, the newest first."""
    with desk.runtime.database.reading() as session:
        found = histories.find_versions(session, history_of(desk, post_id), ALL).entries
    return [(each.made.kind.value, each.made.source.value, each.made.name) for each in found]


def version(desk: Desk, post_id: int, place: int) -> histories.Comparison:
    """Return the version at a place of the list, 0 for the current one."""
    with desk.runtime.database.reading() as session:
        history = history_of(desk, post_id)
        found = histories.find_versions(session, history, ALL).entries
        return histories.compare(session, history, found[place].id)


def titles(desk: Desk, post_id: int) -> list[Any]:
    """Return the title of each version."""
    count = len(listed(desk, post_id))
    return [histories.values_of_post(version(desk, post_id, place).state)["title"] for place in range(count)]


def test_each_button_leaves_a_version(desk: Desk) -> None:
    """Save, publish, a draft over the live post, its end, unpublish; each with its user and kind; no change, none."""
    post_id = desk.create(title="One")
    assert listed(desk, post_id) == [("save", "", "")]
    desk.act(editing.save, post_id, title="Two")
    desk.act(editing.publish, post_id)
    desk.act(editing.save, post_id, user=desk.users[Role.ADMIN], title="Three")
    desk.act(editing.save, post_id)
    shown = desk.edited(post_id)
    editing.discard(desk.context, desk.editor, post_id, shown.revision)
    desk.act(editing.unpublish, post_id)
    kinds = [("unpublish", "editor"), ("discard", "editor"), ("save", "admin"), ("publish", "editor")]
    assert [(kind, name) for kind, _source, name in listed(desk, post_id)] == [*kinds, ("save", "editor"), ("save", "")]
    assert titles(desk, post_id) == ["Two", "Two", "Three", "Two", "Two", "One"]
    with desk.runtime.database.reading() as session:
        found = histories.find_versions(session, history_of(desk, post_id), ALL).entries
    assert [each.was_public for each in found] == [False, True, False, False, False, False]


def test_discarded_draft_comes_back_as_a_draft(desk: Desk) -> None:
    """Readers see no change until it is published; the restoration is a version itself."""
    post_id = desk.make_post("calm", body="<p>a</p>")
    desk.act(editing.save, post_id, body="<p>weeks of work</p>", tags=["moon"])
    editing.discard(desk.context, desk.editor, post_id, desk.edited(post_id).revision)
    found = version(desk, post_id, 1)
    edited = desk.edited(post_id)
    saved = histories.restore_post(desk.context, desk.editor, edited, found.state, edited.revision)
    assert saved.outcome is SaveOutcome.COPY_SAVED
    values = desk.edited(post_id).values
    assert (values["body"], values["tags"], desk.post(post_id).body) == ("<p>weeks of work</p>", ["moon"], "<p>a</p>")
    assert listed(desk, post_id)[0] == ("restore", "user", "editor")


@pytest.mark.parametrize("status", [Status.DRAFT, Status.PUBLISHED])
def test_markdown_that_a_token_replaced_comes_back(desk: Desk, make_token: Callable[..., str], status: Status) -> None:
    """A write of the API is a version too; its HTML becomes the Markdown of before, exactly."""
    text = "Ebbe  \r\n* one\n"
    post_id = desk.create(body=text, status=status)
    secret = make_token("importer", Scope.WRITE)
    with desk.runtime.database.reading() as session:
        token = find_token(session, secret_digest(secret))
    assert token is not None
    accepted = accept.update_post(desk.context, Caller(token), desk.post(post_id).slug, {"body": "<p>oops</p>"})
    desk.apply(editing.Saved(SaveOutcome.WRITTEN, accepted.write_id))
    assert listed(desk, post_id)[0][1:] == ("token", "importer")
    edited = desk.edited(post_id)
    assert not edited.is_markdown
    saved = histories.restore_post(desk.context, desk.editor, edited, version(desk, post_id, 1).state, edited.revision)
    if status is Status.DRAFT:
        desk.apply(saved)
    else:
        assert desk.edited(post_id).is_markdown
        desk.act(editing.publish, post_id)
    assert (desk.source(post_id), "<li>one</li>" in desk.post(post_id).body) == (text, True)


def test_time_of_a_schedule_is_a_version(desk: Desk) -> None:
    """So that the draft that was scheduled can be told from what was published."""
    post_id = desk.create(title="Later")
    shown = desk.edited(post_id)
    at = desk.now + timedelta(hours=1)
    desk.apply(editing.schedule(desk.context, desk.editor, post_id, shown.values, shown.revision, at))
    publish_scheduled(desk.runtime.database, at, "en")
    assert [kind for kind, _source, _name in listed(desk, post_id)] == ["publish", "schedule", "save"]
    assert listed(desk, post_id)[0] == ("publish", "schedule", "")


def test_comparison_is_with_the_version_before(desk: Desk) -> None:
    """The oldest has none; the form's revision finds its state as long as it is kept."""
    post_id = desk.create(title="One")
    opened = desk.edited(post_id).revision
    for title in ("Two", "Three"):
        desk.act(editing.save, post_id, title=title)
    middle = version(desk, post_id, 1)
    assert middle.before is not None
    assert (middle.state["post"]["title"], middle.before["post"]["title"]) == ("Two", "One")
    assert version(desk, post_id, 2).before is None
    with desk.runtime.database.reading() as session:
        base = histories.base_of_post(session, desk.edited(post_id), opened)
        assert histories.base_of_post(session, desk.edited(post_id), "0" * 16) is None
        with pytest.raises(NotFound):
            histories.compare(session, history_of(desk, post_id), 99)
    assert base is not None
    assert base["title"] == "One"


def test_history_is_read_by_who_may_read_drafts(desk: Desk) -> None:
    """A writer sees the own one alone, even of published posts."""
    own, other = desk.make_post("own"), desk.make_post("other", author="bo-lind")
    assert history_of(desk, own, desk.writer).entry_id == own
    with pytest.raises(NotFound):
        history_of(desk, other, desk.writer)


def test_versions_of_a_page_are_kept_by_locale(desk: Desk, make_page: Callable[..., int]) -> None:
    """Only the locale that changed gets one; a draft over the live version, and its publication, are two."""
    page_id = make_page("knots", {"summary": "Knots"}, es={"summary": "Nudos"})

    def edited(locale: str) -> EditedEntry:
        with desk.runtime.database.reading() as session:
            return entries.get_entry(session, desk.editor, EntryKind.PAGE, page_id, locale)

    def states(locale: str) -> list[tuple[str, bool, Any]]:
        history = histories.history_of_entry(edited(locale), locale)
        with desk.runtime.database.reading() as session:
            found = histories.find_versions(session, history, ALL).entries
            shown = [histories.fields_of_entry(histories.compare(session, history, each.id).state) for each in found]
        pairs = zip(found, shown, strict=True)
        return [(each.made.kind.value, each.was_public, fields["summary"]) for each, fields in pairs]

    opened = edited("en")
    for sent, aim in (({"summary": "Bends"}, entries.Aim.DRAFT), ({}, entries.Aim.PUBLISH)):
        now = edited("en")
        accepted = entries.save(desk.context, desk.editor, now, sent, "en", now.revision, aim)
        assert accepted is not None
        assert desk.apply(editing.Saved(SaveOutcome.WRITTEN, accepted.write_id)).status == "applied"
    assert states("en") == [("publish", True, "Bends"), ("save", True, "Bends"), ("save", False, "Knots")]
    assert states("es") == [("save", True, "Nudos")]
    with desk.runtime.database.reading() as session:
        base = histories.base_of_entry(session, edited("en"), "en", opened.revision)
    assert base is not None
    assert base["summary"] == "Knots"


def test_old_versions_are_pruned_and_go_with_their_entry(desk: Desk) -> None:
    """The newest stay, and of those that readers saw some more; nothing of another entry goes."""
    post_id, other = desk.create(title="0"), desk.create(title="other")
    desk.act(editing.save, other, title="changed")
    desk.act(editing.publish, post_id)
    for number in range(1, 4):
        desk.act(editing.publish, post_id, title=str(number))
    for number in range(4, 8):
        desk.act(editing.save, post_id, title=str(number))
    assert titles(desk, post_id) == ["7", "6", "5", "4", "3", "2", "1", "0", "0"]
    with desk.runtime.database.writing(counts_as_change=False) as transaction:
        old = revisions.find_old(transaction, 2, 2)
        assert len(old) == 4
        revisions.delete_revisions(transaction, old)
        assert revisions.find_old(transaction, 2, 2) == ()
    assert titles(desk, post_id) == ["7", "6", "5", "2", "1"]
    assert len(titles(desk, other)) == 2
    shown = desk.edited(post_id)
    editing.delete(desk.context, desk.editor, post_id, shown.revision)
    with desk.runtime.database.writing() as transaction:
        remove_for_good(transaction, desk.now + timedelta(days=1))
        assert transaction.sql("SELECT DISTINCT entry_id FROM revision") == [(other,)]
