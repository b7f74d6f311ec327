"""What users can do with an entry, they can do with an entry of every kind."""

from datetime import timedelta
from typing import Any

import pytest

from sitecms.actions.editing import history as histories
from sitecms.actions.editing.copies import duplicate, translate
from sitecms.actions.editing.edited import Edited
from sitecms.actions.editing.entries import Form, Outcome, Target, delete, save
from sitecms.clock import to_microseconds
from sitecms.content.query import Window
from sitecms.content.status import Status
from sitecms.errors import NotFound
from sitecms.store.entries.trash import find_trash

from .conftest import POST, EntryForm, WritingClient, text, typed


def variant_of(client: WritingClient, entry: EntryForm) -> tuple[int, str]:
    """Make what the entry has in Spanish; return its id and the locale in which a form shows it."""
    if entry.kind is POST:
        return int(client.apply(translate(client.context(), entry.shown, "es")).entry_id), ""
    client.act(Target.PUBLISH, client.edited(entry.id, kind=entry.kind, locale="es"), **typed(entry.kind, "uno"))
    return entry.id, "es"


def test_each_change_is_kept_and_comes_back(client: WritingClient, entry: EntryForm) -> None:
    """By the ordinary save, as a draft over what readers see."""
    entry.act(Target.PUBLISH, "new")
    shown = entry.shown
    with client.runtime.database.reading() as session:
        history = histories.history_of(client.editor, shown)
        now, before = histories.find_versions(session, history, Window(9)).entries
        state = histories.compare(session, history, before.id).state
    assert (now.made.kind, now.made.name, before.was_public) == ("publish", "editor", True)
    form = Form({**shown.values, **histories.values_of_state(state)}, shown.revision)
    saved = save(client.context(), shown, form, restores=True)
    if saved.write_id:
        client.apply(saved)
    assert (saved.outcome, entry.live_text, entry.text) == (Outcome.DRAFT_SAVED, "new", "old")


def test_states_of_every_kind_have_one_form(client: WritingClient, entry: EntryForm) -> None:
    """What readers see, and the whole draft over it."""
    entry.act(Target.DRAFT, "new")
    state = histories.history_of(client.editor, entry.shown).state
    live, draft = state["live"], state["draft"]
    assert (live["status"], draft["status"], live.keys() - draft.keys()) == ("published", "draft", set())
    former, newer = histories.values_of_state({**state, "draft": None}), histories.values_of_state(state)
    assert (text(entry.kind, former), text(entry.kind, newer), former.keys()) == ("old", "new", newer.keys())


def test_deleted_entry_comes_back_as_it_was(client: WritingClient, entry: EntryForm) -> None:
    """With its draft, if it has one."""
    entry.act(Target.SCHEDULE, "new", at=client.now + timedelta(1))
    before = entry.shown
    client.delete(before)
    with pytest.raises(NotFound):
        client.edited(entry.id, kind=entry.kind)
    histories.restore(client.context(), entry.kind, entry.id)

    def state(edited: Edited) -> tuple[Any, ...]:
        return edited.status, edited.values, edited.live_values, edited.scheduled_at

    assert state(entry.shown) == state(before)


def test_draft_that_is_published_before_its_time_is_published_now(client: WritingClient, entry: EntryForm) -> None:
    """Whatever time a file had meant for it."""
    entry.act(Target.UNPUBLISH, "draft")
    with client.runtime.database.writing() as transaction:
        later = client.worker.clock() + timedelta(days=9)
        transaction.sql("UPDATE version SET published_at = ? WHERE kind = ?", to_microseconds(later), entry.kind.value)
    client.act(Target.PUBLISH, entry.shown)
    assert entry.live.published_at is not None
    assert entry.live.published_at < later


def test_one_language_is_deleted_and_restored(client: WritingClient, entry: EntryForm) -> None:
    """The other one stays."""
    spanish, locale = variant_of(client, entry)
    shown = client.edited(spanish, kind=entry.kind, locale=locale)
    assert shown.locale == "es"
    delete(client.context(), shown, shown.revision, locale)
    assert entry.shown.status is Status.PUBLISHED
    (part,) = client.runtime.database.read(find_trash)
    histories.restore(client.context(), entry.kind, part.id)
    assert client.edited(spanish, kind=entry.kind, locale=locale).values == shown.values


def test_copy_is_a_draft_of_its_own(client: WritingClient, entry: EntryForm) -> None:
    """Made of what was typed."""
    values = {**entry.shown.values, **typed(entry.kind, "typed")}
    write = client.apply(duplicate(client.context(), entry.shown, values))
    copy = client.edited(write.entry_id, kind=entry.kind)
    assert (copy.id != entry.id, copy.status, copy.live) == (True, Status.DRAFT, None)
    assert "typed" in str(copy.values)
