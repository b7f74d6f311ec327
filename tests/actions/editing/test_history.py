"""Histories: every change keeps what it replaces, whoever makes it; versions come back by the ordinary save."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from sitecms.actions.editing import history as histories
from sitecms.actions.editing.edited import Edited
from sitecms.actions.editing.entries import Form, Outcome, Saved, Target, save
from sitecms.actions.editing.history import History, State
from sitecms.actions.editing.values import fields_in
from sitecms.actions.writing import accept
from sitecms.actions.writing.accept import Caller
from sitecms.actions.writing.publish_scheduled import publish_scheduled
from sitecms.content.kinds import EntryKind
from sitecms.content.query import Window
from sitecms.content.status import Status
from sitecms.content.token import Scope, secret_digest
from sitecms.content.user import Role, User
from sitecms.errors import NotFound
from sitecms.store.entries import revisions
from sitecms.store.entries.trash import remove_for_good
from sitecms.store.writes.tokens import find_token

from .conftest import WritingClient

ALL = Window(1000)


def history_of(client: WritingClient, post_id: int, user: User | None = None) -> History:
    """Return the history of a post."""
    return histories.history_of(user or client.editor, client.edited(post_id, user))


def restore(client: WritingClient, post_id: int, state: State) -> Saved:
    """Bring a former state of a post back."""
    edited = client.edited(post_id)
    form = Form({**edited.values, **histories.values_of_state(state)}, edited.revision)
    return save(client.context(), edited, form, restores=True)


def listed(client: WritingClient, post_id: int) -> list[tuple[str, str, str]]:
    """Return kind, source and name of each version, the newest first."""
    found = client.runtime.database.read(histories.find_versions, history_of(client, post_id), ALL).entries
    return [(each.made.kind.value, each.made.source.value, each.made.name) for each in found]


def version(client: WritingClient, post_id: int, place: int) -> histories.Comparison:
    """Return the version at a place of the list, 0 for the current one."""
    with client.runtime.database.reading() as session:
        history = history_of(client, post_id)
        found = histories.find_versions(session, history, ALL).entries
        return histories.compare(session, history, found[place].id)


def titles(client: WritingClient, post_id: int) -> list[Any]:
    """Return the title of each version."""
    count = len(listed(client, post_id))
    return [histories.values_of_state(version(client, post_id, place).state)["title"] for place in range(count)]


def test_each_button_leaves_a_version(client: WritingClient) -> None:
    """Save, publish, a draft over the live post, its end, unpublish; each with its user and kind; no change, none."""
    post_id = client.create(title="One")
    assert listed(client, post_id) == [("save", "", "")]
    client.act(Target.DRAFT, post_id, title="Two")
    client.act(Target.PUBLISH, post_id)
    client.act(Target.DRAFT, post_id, user=client.users[Role.ADMIN], title="Three")
    client.act(Target.DRAFT, post_id)
    client.discard(post_id)
    client.act(Target.UNPUBLISH, post_id)
    kinds = [("unpublish", "editor"), ("discard", "editor"), ("save", "admin"), ("publish", "editor")]
    assert [(kind, name) for kind, _source, name in listed(client, post_id)] == [
        *kinds,
        ("save", "editor"),
        ("save", ""),
    ]
    assert titles(client, post_id) == ["Two", "Two", "Three", "Two", "Two", "One"]
    found = client.runtime.database.read(histories.find_versions, history_of(client, post_id), ALL).entries
    assert [each.was_public for each in found] == [False, True, False, False, False, False]


def test_discarded_draft_comes_back_as_a_draft(client: WritingClient) -> None:
    """Readers see no change until it is published; the restoration is a version itself."""
    post_id = client.make_post("calm", body="<p>a</p>")
    client.act(Target.DRAFT, post_id, body="<p>weeks of work</p>", tags=["moon"])
    client.discard(post_id)
    saved = restore(client, post_id, version(client, post_id, 1).state)
    assert saved.outcome is Outcome.DRAFT_SAVED
    values = client.edited(post_id).values
    assert (values["body"], values["tags"], client.post(post_id).body) == ("<p>weeks of work</p>", ["moon"], "<p>a</p>")
    assert listed(client, post_id)[0] == ("restore", "user", "editor")


@pytest.mark.parametrize("status", [Status.DRAFT, Status.PUBLISHED])
def test_markdown_that_a_token_replaced_comes_back(
    client: WritingClient, make_token: Callable[..., str], status: Status
) -> None:
    """A write of the API is a version too; its HTML becomes the Markdown of before, exactly."""
    text = "Ebbe  \r\n* one\n"
    post_id = client.create(body=text, target=Target.DRAFT if status is Status.DRAFT else Target.PUBLISH)
    secret = make_token("importer", Scope.WRITE)
    token = client.runtime.database.read(find_token, secret_digest(secret))
    assert token is not None
    accepted = accept.update(
        client.writes,
        Caller(token),
        accept.EntryName(EntryKind.POST, client.post(post_id).slug),
        {"body": "<p>oops</p>"},
    )
    client.apply(Saved(Outcome.WRITTEN, accepted.write_id))
    assert listed(client, post_id)[0][1:] == ("token", "importer")
    edited = client.edited(post_id)
    assert not edited.is_markdown
    saved = restore(client, post_id, version(client, post_id, 1).state)
    if status is Status.DRAFT:
        client.apply(saved)
    else:
        assert client.edited(post_id).is_markdown
        client.act(Target.PUBLISH, post_id)
    assert (client.source(post_id), "<li>one</li>" in client.post(post_id).body) == (text, True)


def test_time_of_a_schedule_is_a_version(client: WritingClient) -> None:
    """So that the draft that was scheduled can be told from what was published."""
    post_id = client.create(title="Later")
    at = client.now + timedelta(hours=1)
    client.act(Target.SCHEDULE, post_id, at=at)
    publish_scheduled(client.runtime.database, at, client.runtime.settings)
    assert [kind for kind, _source, _name in listed(client, post_id)] == ["publish", "schedule", "save"]
    assert listed(client, post_id)[0] == ("publish", "schedule", "")


def test_each_time_that_is_set_is_a_version(client: WritingClient) -> None:
    """Also another one for changes of what readers see."""
    post_id = client.make_post("calm")
    for hours in (1, 2):
        client.act(Target.SCHEDULE, post_id, at=client.now + timedelta(hours=hours), title="New")
    assert [kind for kind, _source, _name in listed(client, post_id)][:2] == ["schedule", "schedule"]


def test_comparison_is_with_the_version_before(client: WritingClient) -> None:
    """The oldest has none; the form's revision finds its state as long as it is kept."""
    post_id = client.create(title="One")
    opened = client.edited(post_id).revision
    for title in ("Two", "Three"):
        client.act(Target.DRAFT, post_id, title=title)
    middle = version(client, post_id, 1)
    assert middle.before is not None
    assert (middle.state["title"], middle.before["title"]) == ("Two", "One")
    assert version(client, post_id, 2).before is None
    with client.runtime.database.reading() as session:
        base = histories.base_of(session, client.edited(post_id), opened)
        assert histories.base_of(session, client.edited(post_id), "0" * 16) is None
        with pytest.raises(NotFound):
            histories.compare(session, history_of(client, post_id), 99)
    assert base is not None
    assert base["title"] == "One"


def test_history_is_read_by_who_may_read_drafts(client: WritingClient) -> None:
    """A writer sees the own one alone, even of published posts."""
    own, other = client.make_post("own"), client.make_post("other", author="bo-lind")
    assert history_of(client, own, client.writer).entry_id == own
    with pytest.raises(NotFound):
        history_of(client, other, client.writer)


def test_versions_of_a_page_are_kept_by_locale(client: WritingClient, make_page: Callable[..., int]) -> None:
    """Only the locale that changed gets one; a draft over the live version, and its publication, are two."""
    page_id = make_page("knots", {"summary": "Knots"}, es={"summary": "Nudos"})

    def edited(locale: str) -> Edited:
        return client.edited(page_id, kind=EntryKind.PAGE, locale=locale)

    def states(locale: str) -> list[tuple[str, bool, Any]]:
        history = histories.history_of(client.editor, edited(locale))
        with client.runtime.database.reading() as session:
            found = histories.find_versions(session, history, ALL).entries
            shown = [histories.values_of_state(histories.compare(session, history, each.id).state) for each in found]
        pairs = zip(found, shown, strict=True)
        return [(each.made.kind.value, each.was_public, fields_in(values)["summary"]) for each, values in pairs]

    opened = edited("en")
    client.act(Target.DRAFT, opened, fields={"summary": "Bends"})
    client.act(Target.PUBLISH, edited("en"))
    assert states("en") == [("publish", True, "Bends"), ("save", True, "Bends"), ("save", False, "Knots")]
    assert states("es") == [("save", True, "Nudos")]
    base = client.runtime.database.read(histories.base_of, edited("en"), opened.revision)
    assert base is not None
    assert fields_in(base)["summary"] == "Knots"


def test_old_versions_are_pruned_and_go_with_their_entry(client: WritingClient) -> None:
    """The newest stay, and of those that readers saw some more; nothing of another entry goes."""
    post_id, other = client.create(title="0"), client.create(title="other")
    client.act(Target.DRAFT, other, title="changed")
    client.act(Target.PUBLISH, post_id)
    for number in range(1, 4):
        client.act(Target.PUBLISH, post_id, title=str(number))
    for number in range(4, 8):
        client.act(Target.DRAFT, post_id, title=str(number))
    assert titles(client, post_id) == ["7", "6", "5", "4", "3", "2", "1", "0", "0"]
    with client.runtime.database.writing(counts_as_change=False) as transaction:
        old = revisions.find_old(transaction, 2, 2)
        assert len(old) == 4
        revisions.delete_revisions(transaction, old)
        assert revisions.find_old(transaction, 2, 2) == ()
    assert titles(client, post_id) == ["7", "6", "5", "2", "1"]
    assert len(titles(client, other)) == 2
    client.delete(post_id)
    with client.runtime.database.writing() as transaction:
        remove_for_good(transaction, client.now + timedelta(days=1))
        assert transaction.sql("SELECT DISTINCT entry_id FROM revision") == [(other,)]
