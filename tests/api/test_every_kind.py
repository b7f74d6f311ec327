"""What requests can do with an entry, they can do with an entry of every kind."""

from typing import Any

import pytest
from werkzeug.test import TestResponse

from sitecms.clock import now
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.schema import ContentSchema
from sitecms.runtime import Runtime
from sitecms.store.database import Database
from sitecms.store.entries.load_conflicts import LoadConflict, find_conflicts, save_conflict
from sitecms.store.entries.revisions import last_change
from sitecms.store.entries.trash import find_trash
from sitecms.store.site_state.documents import save_content_schema

Writer = Any
each_kind = pytest.mark.parametrize("kind", EntryKind)


@pytest.fixture(autouse=True)
def moods(store: Database, team_schema: ContentSchema) -> None:
    """Declare a field of posts."""
    schema: Any = team_schema.as_json()
    schema["post_fields"] = [{"slug": "mood", "type": "short_text"}]
    store.write(save_content_schema, ContentSchema.from_json(schema))


FIELDS = {EntryKind.POST: "mood", EntryKind.PAGE: "summary", EntryKind.ITEM: "name"}
NOT_FOUND = {"detail": "Not found."}
GONE = {EntryKind.POST: NOT_FOUND, EntryKind.PAGE: {"detail": "Page not found."}, EntryKind.ITEM: NOT_FOUND}
PATHS = {EntryKind.POST: "/v2/posts/knots/", EntryKind.PAGE: "/v2/pages/guide/knots/"}


def send(writer: Writer, kind: EntryKind, status: str) -> TestResponse:
    """Send a new entry with a text in a declared field."""
    fields = {FIELDS[kind]: "one"}
    match kind:
        case EntryKind.POST:
            path, body = "/v2/posts/", {"title": "Knots"}
        case EntryKind.PAGE:
            path, body = "/v2/pages/", {"title": "Knots", "slug": "knots", "page_type": "guide"}
        case EntryKind.ITEM:
            path, body = "/v2/content/", {"key": "team"}
    sent: TestResponse = writer.post(path, {**body, "status": status, "fields": fields})
    assert (sent.status_code, sent.get_json()) == (202, {"status": "pending"})
    return sent


def path_of(writer: Writer, kind: EntryKind, sent: TestResponse) -> str:
    """Return the path of an entry that was sent."""
    return PATHS.get(kind) or f"/v2/content/team/{writer.get(sent.headers['Location']).get_json()['item_id']}/"


def create(writer: Writer, kind: EntryKind, status: str) -> str:
    """Create an entry with the text; return its path."""
    sent = send(writer, kind, status)
    assert writer.outcome(sent)["status"] == "applied"
    return path_of(writer, kind, sent)


def change(writer: Writer, path: str, kind: EntryKind, text: str, locale: str = "", **keys: str) -> None:
    """Change the text of the entry, in a locale of its own or in the default one."""
    query = f"?locale={locale}" if locale else ""
    sent = writer.patch(f"{path}{query}", {"fields": {FIELDS[kind]: text}, **keys})
    assert writer.outcome(sent)["status"] == "applied"


def read(writer: Writer, path: str, kind: EntryKind, query: str = "") -> Any:
    """Return the text that readers see, None if they see nothing."""
    answered = writer.get(f"{path}?{query}")
    data = answered.get_json().get("data")
    if data is None:
        return None
    return data[FIELDS[kind]] if kind is EntryKind.ITEM else data["fields"][FIELDS[kind]]


@each_kind
def test_draft_is_shown_to_previews_until_it_is_published(writer: Writer, kind: EntryKind) -> None:
    """And keeps its declared fields."""
    path = create(writer, kind, "draft")
    assert (read(writer, path, kind), read(writer, path, kind, "preview=1")) == (None, "one")
    change(writer, path, kind, "two", status="published")
    assert read(writer, path, kind) == "two"


@each_kind
def test_each_locale_has_texts_of_its_own(writer: Writer, runtime: Runtime, kind: EntryKind) -> None:
    """One is deleted alone, and restored."""
    path = create(writer, kind, "published")
    change(writer, path, kind, "uno", "es", status="published")
    assert (read(writer, path, kind), read(writer, path, kind, "locale=es")) == ("one", "uno")
    assert writer.delete(f"{path}?locale=es").status_code == 204
    assert (read(writer, path, kind), read(writer, path, kind, "locale=es")) == ("one", None)
    (part,) = runtime.database.read(find_trash)
    assert part.kind is kind


@each_kind
def test_change_is_in_the_history_with_its_token(writer: Writer, runtime: Runtime, kind: EntryKind) -> None:
    """And a deleted entry in the trash."""
    path = create(writer, kind, "published")
    change(writer, path, kind, "two")
    assert writer.delete(path).status_code == 204
    with runtime.database.reading() as session:
        (entry,) = find_trash(session)
        last = last_change(session, kind, entry.id, "en")
    assert last is not None
    assert (last.source, last.name) == ("token", "newsroom")


@pytest.mark.parametrize("kind", [kind for kind in EntryKind if KINDS[kind].has_draft_version])
def test_draft_keeps_what_is_published(writer: Writer, kind: EntryKind) -> None:
    """Until the draft is published, with what was sent in between; the first publication stays."""
    path = create(writer, kind, "published")
    change(writer, path, kind, "two", status="draft")
    assert (read(writer, path, kind), read(writer, path, kind, "preview=1")) == ("one", "two")
    change(writer, path, kind, "three")
    assert (read(writer, path, kind), read(writer, path, kind, "preview=1")) == ("one", "three")
    published = writer.data(path).get("published")
    assert writer.outcome(writer.patch(path, {"status": "published"}))["status"] == "applied"
    assert read(writer, path, kind) == "three"
    assert writer.data(f"{path}?preview=1") == writer.data(path)
    assert writer.data(path).get("published") == published


@each_kind
def test_deleted_entry_is_gone_at_once(writer: Writer, kind: EntryKind) -> None:
    """It answers 204; its name is free, waiting writes are rejected, and what is not there is 404."""
    path = create(writer, kind, "published")
    waiting = writer.patch(path, {"fields": {FIELDS[kind]: "late"}})
    answered = writer.delete(path)
    assert (answered.status_code, answered.data) == (204, b"")
    assert read(writer, path, kind) is None
    for method in ("DELETE", "PATCH", "PUT"):
        assert writer.refused(method, path, {}, 404) == GONE[kind]
    outcome = writer.outcome(waiting)
    assert outcome["status"] == "rejected"
    assert outcome["errors"] == {"detail": ["The entry was deleted before this write was applied."]}
    again = create(writer, kind, "published")
    assert (again == path) is KINDS[kind].has_slug
    assert read(writer, again, kind) == "one"


@each_kind
def test_waiting_entry_can_be_changed_and_deleted(writer: Writer, kind: EntryKind) -> None:
    """Its name or id stands for it before it exists; then it never appears."""
    sent = send(writer, kind, "published")
    path = path_of(writer, kind, sent)
    assert writer.patch(path, {"fields": {FIELDS[kind]: "two"}}).status_code == 202
    assert writer.delete(path).status_code == 204
    assert writer.outcome(sent)["status"] == "rejected"
    assert read(writer, path, kind, "preview=1") is None


@each_kind
def test_a_program_decides_no_conflict(writer: Writer, store: Database, kind: EntryKind) -> None:
    """What a file replaced waits for a person, whatever a request writes meanwhile."""
    path = create(writer, kind, "published")
    with store.writing() as transaction:
        ((entry_id,),) = transaction.sql("SELECT id FROM entry")
        conflict = LoadConflict(
            kind=kind, entry_id=entry_id, locale="en", field=f"fields.{FIELDS[kind]}", value="one", former="mine",
            path="content/knots", written=None, found_at=now(),
        )  # fmt: skip
        save_conflict(transaction, conflict)
    change(writer, path, kind, "two")
    assert [each.former for each in store.read(find_conflicts, kind, entry_id, "en")] == ["mine"]
