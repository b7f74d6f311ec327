"""Writes whose schema, author or defaults changed between acceptance and application."""

from collections.abc import Callable
from datetime import datetime

import pytest
from msgspec import structs
from PIL import Image

from sitecms.actions.writing.accept.acceptance import retry_write
from sitecms.content.kinds import EntryKind
from sitecms.content.schema import ContentSchema
from sitecms.content.writes import Write, WriteStatus
from sitecms.errors import InvalidFields
from sitecms.media.library import open_library
from sitecms.store.database import Database
from sitecms.store.entries.media_files import save_media
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.site_state.documents import save_content_schema
from tests.support.pictures import image_bytes
from tests.support.reading import execute
from tests.support.writes import Remote, Writes

URL = "https://remote.example/a.pdf"
SCRIPT = "<script>alert(1)</script>"


def notes(field_type: str, *more: object) -> dict[str, object]:
    """A schema with a collection of one field, and further fields."""
    return {"collections": [{"key": "notes", "fields": [{"slug": "name", "type": field_type}, *more]}]}


def save_schema(store: Database, data: dict[str, object]) -> None:
    """Save a content schema."""
    store.write(save_content_schema, ContentSchema.from_json(data))


def stored_name(store: Database, write: Write) -> object:
    """Return the stored value of the field."""
    (version,) = store.read(VERSIONS[EntryKind.ITEM].of, write.entry_ids)
    return version.fields["name"]


def test_text_of_a_field_that_became_html_is_sanitised(writes: Writes, store: Database) -> None:
    """The field was plain text when the write was accepted."""
    save_schema(store, notes("short_text"))
    accepted = writes.create(EntryKind.ITEM, {"key": "notes", "fields": {"name": f"{SCRIPT}waiting"}})
    save_schema(store, notes("html"))
    write = writes.apply(accepted)
    assert (write.status, stored_name(store, write)) == (WriteStatus.APPLIED, "waiting")


def test_retried_text_of_a_field_that_became_html_is_sanitised(writes: Writes, store: Database) -> None:
    """A rejected write that is retried after a change of the schema."""
    save_schema(store, notes("short_text"))
    accepted = writes.create(EntryKind.ITEM, {"key": "notes", "fields": {"name": f"{SCRIPT}again"}})
    save_schema(store, notes("short_text", {"slug": "more", "type": "short_text", "required": True}))
    assert writes.apply(accepted).status is WriteStatus.REJECTED
    save_schema(store, notes("wysiwyg"))
    store.write(retry_write, accepted, is_forced=False)
    write = writes.apply(accepted)
    assert (write.status, stored_name(store, write)) == (WriteStatus.APPLIED, "again")


def test_html_default_of_a_component_without_fields_is_applied(writes: Writes, store: Database, noon: datetime) -> None:
    """The default shows a picture of the library, whose size is added when the write is applied."""
    file = open_library(writes.context.settings).add(
        image_bytes(Image.new("RGB", (40, 30), "red"), "PNG"), "x.png", noon
    )
    store.write(save_media, file)
    default = f'<p>d</p><img src="{file.url}" alt="x">'
    save_schema(store, {
        "components": [{"slug": "box", "fields": [{"slug": "rich", "type": "html", "default": default}]}],
        "page_types": [{
            "slug": "guide", "fields": [{"slug": "boxes", "type": "component_picker", "components": ["box"]}],
        }],
    })  # fmt: skip
    body = {"title": "X", "slug": "x", "page_type": "guide", "fields": {"boxes": [{"type": "box"}]}}
    assert writes.apply(writes.create(EntryKind.PAGE, body)).status is WriteStatus.APPLIED


def test_author_that_is_removed_during_the_probe_is_refused(
    writes: Writes, store: Database, make_author: Callable[..., str], remote: Remote
) -> None:
    """The plan is made again in the transaction that accepts the write."""
    make_author("bo")
    remote.files[URL] = b"%PDF-1.4\n"

    def probe(_url: str) -> str:
        execute(store, "DELETE FROM author WHERE slug = 'bo'")
        return ""

    writes.context = structs.replace(writes.context, probe=probe)
    body = {"title": "T", "author": "bo", "featured_image": URL}
    with pytest.raises(InvalidFields) as raised:
        writes.create(EntryKind.POST, body)
    assert raised.value.messages.keys() == {"author"}


def test_fields_of_a_post_that_got_another_locale_are_applied(
    writes: Writes, store: Database, make_post: Callable[..., int]
) -> None:
    """A file may name another locale until the write is applied; the post still has one version."""
    save_schema(store, {"post_fields": [{"slug": "mood", "type": "short_text"}]})
    post_id = make_post("one")
    accepted = writes.update(EntryKind.POST, "one", {"fields": {"mood": "calm"}})
    for table, name in (("entry", "id"), ("version", "entry_id")):
        execute(store, f"UPDATE {table} SET locale = 'es' WHERE kind = 'post' AND {name} = ?", post_id)
    write = writes.apply(accepted)
    (post,) = store.read(VERSIONS[EntryKind.POST].of, (post_id,))
    assert (write.status, post.locale, post.fields) == (WriteStatus.APPLIED, "es", {"mood": "calm"})
