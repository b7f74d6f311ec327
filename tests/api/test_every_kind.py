"""What requests can do with an entry, they can do with an entry of every kind."""

from typing import Any

import pytest

from sitecms.content.kinds import EntryKind
from sitecms.content.schema import ContentSchema
from sitecms.runtime import Runtime
from sitecms.store.database import Database
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
    with store.writing() as transaction:
        save_content_schema(transaction, ContentSchema.from_json(schema))


FIELDS = {EntryKind.POST: "mood", EntryKind.PAGE: "summary", EntryKind.ITEM: "name"}
PATHS = {EntryKind.POST: "/v2/posts/knots/", EntryKind.PAGE: "/v2/pages/guide/knots/"}


def create(writer: Writer, kind: EntryKind, status: str) -> str:
    """Create an entry with a text in a declared field; return its path."""
    fields = {FIELDS[kind]: "one"}
    match kind:
        case EntryKind.POST:
            sent = writer.post("/v2/posts/", {"title": "Knots", "status": status, "fields": fields})
        case EntryKind.PAGE:
            body = {"title": "Knots", "slug": "knots", "page_type": "guide", "status": status, "fields": fields}
            sent = writer.post("/v2/pages/", body)
        case EntryKind.ITEM:
            sent = writer.post("/v2/content/", {"key": "team", "status": status, "fields": [fields]})
    outcome = writer.outcome(sent)
    assert outcome["status"] == "applied"
    return PATHS.get(kind) or f"/v2/content/team/{outcome['item_id']}/"


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
    with runtime.database.reading() as session:
        (part,) = find_trash(session)
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
