"""Fixtures of editing: the entries of a site, and users of each role."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from sitecms.actions.accounts.users import add_user
from sitecms.actions.editing.edited import EditContext, Edited, NewEntry, get_edited
from sitecms.actions.editing.entries import Form, Outcome, Saved, Target, create, delete, discard, save
from sitecms.actions.editing.values import Values, empty_values, fields_in
from sitecms.actions.writing.apply.applying import Worker, apply_entry
from sitecms.content.entry import FIELDS, Entry
from sitecms.content.kinds import EntryKind
from sitecms.content.user import Role, User
from sitecms.runtime import Runtime
from sitecms.store.entries.bodies import find_markdown
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.writes.writes import get_write
from tests.support.writes import write_context

PASSWORD = "correct horse battery staple"


POST, PAGE, ITEM = EntryKind
TEXT = {PAGE: "summary", ITEM: "name"}
"""The declared field that `text` and `typed` are about; of a post it is the built-in summary."""


def typed(kind: EntryKind, text: str) -> dict[str, Any]:
    """The values of a form in which this text was typed."""
    return {"summary": text} if kind is POST else {FIELDS: {TEXT[kind]: text}}


def text(kind: EntryKind, values: Values) -> Any:
    """The text among values."""
    return values["summary"] if kind is POST else fields_in(values)[TEXT[kind]]


class WritingClient:
    """The entries of a site, and its users."""

    def __init__(
        self, runtime: Runtime, worker: Worker, makers: tuple[Callable[..., Any], ...], noon: datetime
    ) -> None:
        self.runtime = runtime
        self.worker = worker
        self.make_post, self._make_page, self._make_item = makers
        self.now = noon
        self.writes = write_context(runtime.database, runtime.settings, lambda: self.now)
        self.users = {
            role: add_user(runtime.database, None, role.value, role, "ann-ray", PASSWORD, "Tide", noon) for role in Role
        }
        self.editor, self.writer = self.users[Role.EDITOR], self.users[Role.WRITER]

    def context(self, user: User | None = None) -> EditContext:
        """The context of a user, the editor by default."""
        return EditContext(self.writes, user or self.editor)

    def make(self, kind: EntryKind) -> int:
        """Make a published entry with the text "old"; return its id."""
        if kind is POST:
            return int(self.make_post("calm", summary="old"))
        if kind is PAGE:
            return int(self._make_page("knots", {"summary": "old"}))
        self._make_item(1, {"name": "old"})
        return 1

    def edited(self, entry_id: int, user: User | None = None, kind: EntryKind = POST, locale: str = "en") -> Edited:
        """The entry as the form shows it."""
        return self.runtime.database.read(get_edited, user or self.editor, kind, entry_id, locale)

    def post(self, post_id: int) -> Entry:
        """The post as it is stored."""
        return self.runtime.database.read(VERSIONS[EntryKind.POST].get, post_id)

    def source(self, post_id: int) -> str | None:
        """The Markdown of the post."""
        return self.runtime.database.read(find_markdown, post_id)

    def apply(self, saved: Saved) -> Any:
        """Apply an accepted write; return it."""
        write = self.runtime.database.read(get_write, saved.write_id)
        apply_entry(self.worker, write.entry_key)
        return self.runtime.database.read(get_write, saved.write_id)

    def create(self, user: User | None = None, target: Target = Target.DRAFT, **values: Any) -> int:
        """Create a post by the form; return its id."""
        form = Form({**empty_values(POST), "title": "New", "author": "ann-ray", **values})
        write = self.apply(create(self.context(user), NewEntry(POST, "", ""), form, target))
        assert write.status == "applied", write.errors
        return int(write.entry_id)

    def act(
        self, target: Target, entry: int | Edited, user: User | None = None, at: datetime | None = None, **changes: Any
    ) -> Saved:
        """Press a button of the form, of a post by default, with these values changed; apply what is accepted."""
        shown = self.edited(entry, user) if isinstance(entry, int) else entry
        values = {**shown.values, **changes, FIELDS: {**fields_in(shown.values), **fields_in(changes)}}
        saved = save(self.context(user), shown, Form(values, shown.revision, at), target)
        if saved.write_id:
            write = self.apply(saved)
            assert write.status == "applied", write.errors
        return saved

    def discard(self, entry: int | Edited, user: User | None = None, revision: str = "") -> None:
        """Press the button that discards the draft."""
        shown = self.edited(entry, user) if isinstance(entry, int) else entry
        discard(self.context(user), shown, revision or shown.revision)

    def delete(self, entry: int | Edited, user: User | None = None, revision: str = "") -> None:
        """Press the button that deletes."""
        shown = self.edited(entry, user) if isinstance(entry, int) else entry
        delete(self.context(user), shown, revision or shown.revision)


class EntryForm:
    """The form of a published entry of a kind, which has one text, "old"."""

    def __init__(self, client: WritingClient, kind: EntryKind) -> None:
        self.client, self.kind, self.id = client, kind, client.make(kind)

    @property
    def shown(self) -> Edited:
        """The entry as the form shows it."""
        return self.client.edited(self.id, kind=self.kind)

    @property
    def text(self) -> Any:
        """The text in the form."""
        return text(self.kind, self.shown.values)

    @property
    def live_text(self) -> Any:
        """The text that readers see."""
        return text(self.kind, self.shown.live_values)

    @property
    def live(self) -> Entry:
        """The version that readers see."""
        live = self.shown.live
        assert live is not None
        return live

    def act(self, target: Target, new_text: str, at: datetime | None = None) -> Outcome:
        """Type a text and press a button."""
        return self.client.act(target, self.shown, at=at, **typed(self.kind, new_text)).outcome


@pytest.fixture
def client(
    runtime: Runtime,
    worker: Worker,
    make_post: Callable[..., int],
    make_page: Callable[..., int],
    make_item: Callable[..., str],
    make_author: Callable[..., str],
    noon: datetime,
) -> WritingClient:
    """Entries, posts of two authors, and a user of each role who is the author ann-ray."""
    make_author("bo-lind")
    return WritingClient(runtime, worker, (make_post, make_page, make_item), noon)


@pytest.fixture(params=EntryKind, ids=str)
def entry(client: WritingClient, request: pytest.FixtureRequest) -> EntryForm:
    """An entry of each kind."""
    return EntryForm(client, request.param)
