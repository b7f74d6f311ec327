"""Fixtures of editing: the posts of a site, and users of each role."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from sitecms.actions.accounts.users import add_user
from sitecms.actions.editing import posts as editing
from sitecms.actions.editing.post_values import EMPTY, PostValues
from sitecms.actions.editing.posts import EditedPost, Saved
from sitecms.actions.writing.accept import WriteContext
from sitecms.actions.writing.apply.applying import Worker, apply_entry
from sitecms.content.post import Post
from sitecms.content.status import Status
from sitecms.content.user import Role, User
from sitecms.runtime import Runtime
from sitecms.store.entries.posts import find_markdown, get_post_by_id
from sitecms.store.writes.writes import get_write

PASSWORD = "correct horse battery staple"


class WritingClient:
    """The posts of a site, and its users."""

    def __init__(self, runtime: Runtime, worker: Worker, make_post: Callable[..., int], noon: datetime) -> None:
        self.runtime = runtime
        self.worker = worker
        self.make_post = make_post
        numbers = iter(range(1, 10_000))
        self.now = noon
        parts = (runtime.database, runtime.settings, runtime.locales, lambda _url: "", lambda: self.now)
        self.context = WriteContext(*parts, lambda: f"w{next(numbers)}")
        self.users = {
            role: add_user(runtime.database, None, role.value, role, "ann-ray", PASSWORD, "Tide", noon) for role in Role
        }
        self.editor, self.writer = self.users[Role.EDITOR], self.users[Role.WRITER]

    def edited(self, post_id: int, user: User | None = None) -> EditedPost:
        """The post as the form shows it."""
        with self.runtime.database.reading() as session:
            return editing.get_edited(session, user or self.editor, post_id)

    def post(self, post_id: int) -> Post:
        """The post as it is stored."""
        with self.runtime.database.reading() as session:
            return get_post_by_id(session, post_id)

    def source(self, post_id: int) -> str | None:
        """The Markdown of the post."""
        with self.runtime.database.reading() as session:
            return find_markdown(session, post_id)

    def apply(self, saved: Saved) -> Any:
        """Apply an accepted write; return it."""
        with self.runtime.database.reading() as session:
            write = get_write(session, saved.write_id)
        apply_entry(self.worker, write.entry_key)
        with self.runtime.database.reading() as session:
            return get_write(session, saved.write_id)

    def create(self, user: User | None = None, status: Status = Status.DRAFT, **values: Any) -> int:
        """Create a post by the form; return its id."""
        sent = {**EMPTY, "title": "New", "author": "ann-ray", **values}
        write = self.apply(editing.create(self.context, user or self.editor, sent, "", status, None))
        assert write.status == "applied", write.errors
        return int(write.entry_id)

    def act(self, act: Callable[..., Saved], post_id: int, user: User | None = None, **changes: Any) -> Saved:
        """Press a button of the form with these values changed; apply what is accepted."""
        who = user or self.editor
        shown = self.edited(post_id, who)
        saved = act(self.context, who, post_id, {**shown.values, **changes}, shown.revision)
        if saved.write_id:
            write = self.apply(saved)
            assert write.status == "applied", write.errors
        return saved


def at(moment: datetime) -> Callable[..., Saved]:
    """The button that schedules for this time."""

    def schedule(context: WriteContext, user: User, post_id: int, values: PostValues, revision: str) -> Saved:
        return editing.schedule(context, user, post_id, values, revision, moment)

    return schedule


@pytest.fixture
def client(
    runtime: Runtime,
    worker: Worker,
    make_post: Callable[..., int],
    make_author: Callable[..., str],
    noon: datetime,
) -> WritingClient:
    """Posts of two authors, and a user of each role who is the author ann-ray."""
    make_author("bo-lind")
    return WritingClient(runtime, worker, make_post, noon)
