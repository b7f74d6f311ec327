"""What users can do with an entry, they can do with an entry of every kind."""

from datetime import timedelta
from typing import Any

import pytest

from sitecms.actions.editing import history as histories
from sitecms.actions.editing.copies import duplicate, translate
from sitecms.actions.editing.edited import Edited
from sitecms.actions.editing.entries import Form, Outcome, Target, delete, save
from sitecms.clock import to_microseconds
from sitecms.content.kinds import EntryKind
from sitecms.content.query import Window
from sitecms.content.status import Status
from sitecms.errors import NotFound
from sitecms.store.entries.trash import find_trash

from .conftest import POST, WritingClient, text, typed

each_kind = pytest.mark.parametrize("kind", EntryKind)


def variant_of(client: WritingClient, kind: EntryKind, entry_id: int) -> tuple[int, str]:
    """Make what the entry has in Spanish; return its id and the locale in which a form shows it."""
    shown = client.edited(entry_id, kind=kind)
    if kind is POST:
        return int(client.apply(translate(client.context(), shown, "es")).entry_id), ""
    client.act(Target.PUBLISH, client.edited(entry_id, kind=kind, locale="es"), **typed(kind, "uno"))
    return entry_id, "es"


@each_kind
def test_each_change_is_kept_and_comes_back(client: WritingClient, kind: EntryKind) -> None:
    """By the ordinary save, as a draft over what readers see."""
    entry_id = client.make(kind)
    client.act(Target.PUBLISH, client.edited(entry_id, kind=kind), **typed(kind, "new"))
    shown = client.edited(entry_id, kind=kind)
    with client.runtime.database.reading() as session:
        history = histories.history_of(client.editor, shown)
        now, before = histories.find_versions(session, history, Window(9)).entries
        state = histories.compare(session, history, before.id).state
    assert (now.made.kind, now.made.name, before.was_public) == ("publish", "editor", True)
    form = Form({**shown.values, **histories.values_of_state(state)}, shown.revision)
    saved = save(client.context(), shown, form, restores=True)
    if saved.write_id:
        client.apply(saved)
    shown = client.edited(entry_id, kind=kind)
    assert (saved.outcome, text(kind, shown.live_values), text(kind, shown.values)) == (
        Outcome.DRAFT_SAVED, "new", "old",
    )  # fmt: skip


@each_kind
def test_states_of_every_kind_have_one_form(client: WritingClient, kind: EntryKind) -> None:
    """What readers see, and the whole draft over it."""
    entry_id = client.make(kind)
    client.act(Target.DRAFT, client.edited(entry_id, kind=kind), **typed(kind, "new"))
    shown = client.edited(entry_id, kind=kind)
    state = histories.history_of(client.editor, shown).state
    live, draft = state["live"], state["draft"]
    assert (live["status"], draft["status"], live.keys() - draft.keys()) == ("published", "draft", set())
    former, newer = histories.values_of_state({**state, "draft": None}), histories.values_of_state(state)
    assert (text(kind, former), text(kind, newer), former.keys()) == ("old", "new", newer.keys())


@each_kind
def test_deleted_entry_comes_back_as_it_was(client: WritingClient, kind: EntryKind) -> None:
    """With its draft, if it has one."""
    entry_id = client.make(kind)
    client.act(Target.SCHEDULE, client.edited(entry_id, kind=kind), at=client.now + timedelta(1), **typed(kind, "new"))
    before = client.edited(entry_id, kind=kind)
    client.delete(before)
    with pytest.raises(NotFound):
        client.edited(entry_id, kind=kind)
    histories.restore(client.context(), kind, entry_id)

    def shown(edited: Edited) -> tuple[Any, ...]:
        return edited.status, edited.values, edited.live_values, edited.scheduled_at

    assert shown(client.edited(entry_id, kind=kind)) == shown(before)


@each_kind
def test_draft_that_is_published_before_its_time_is_published_now(client: WritingClient, kind: EntryKind) -> None:
    """Whatever time a file had meant for it."""
    entry_id = client.make(kind)
    client.act(Target.UNPUBLISH, client.edited(entry_id, kind=kind), **typed(kind, "draft"))
    with client.runtime.database.writing() as transaction:
        later = client.worker.clock() + timedelta(days=9)
        transaction.sql("UPDATE version SET published_at = ? WHERE kind = ?", to_microseconds(later), kind.value)
    client.act(Target.PUBLISH, client.edited(entry_id, kind=kind))
    live = client.edited(entry_id, kind=kind).live
    assert live is not None
    assert live.published_at is not None
    assert live.published_at < later


@each_kind
def test_one_language_is_deleted_and_restored(client: WritingClient, kind: EntryKind) -> None:
    """The other one stays."""
    entry_id = client.make(kind)
    spanish, locale = variant_of(client, kind, entry_id)
    shown = client.edited(spanish, kind=kind, locale=locale)
    assert shown.locale == "es"
    delete(client.context(), shown, shown.revision, locale)
    assert client.edited(entry_id, kind=kind).status is Status.PUBLISHED
    (part,) = client.runtime.database.read(find_trash)
    histories.restore(client.context(), kind, part.id)
    assert client.edited(spanish, kind=kind, locale=locale).values == shown.values


@each_kind
def test_copy_is_a_draft_of_its_own(client: WritingClient, kind: EntryKind) -> None:
    """Made of what was typed."""
    entry_id = client.make(kind)
    shown = client.edited(entry_id, kind=kind)
    write = client.apply(duplicate(client.context(), shown, {**shown.values, **typed(kind, "typed")}))
    copy = client.edited(write.entry_id, kind=kind)
    assert (copy.id != entry_id, copy.status, copy.live) == (True, Status.DRAFT, None)
    assert "typed" in str(copy.values)
