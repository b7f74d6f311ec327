"""Open writes that the store has from earlier versions, and those that nothing can read."""

import json

from sitecms.actions.writing.accept import Caller, EntryName, WriteContext, create, delete, update
from sitecms.actions.writing.accept.acceptance import retry_write
from sitecms.actions.writing.apply.applying import Worker, apply_entry
from sitecms.content.kinds import EntryKind
from sitecms.content.schema import ContentSchema
from sitecms.content.writes import Write, WriteStatus
from sitecms.store.database import Database
from sitecms.store.entries import items
from sitecms.store.entries.pages import page_versions
from sitecms.store.writes.payloads import UNREADABLE
from sitecms.store.writes.writes import get_write
from tests.support.reading import execute, get_post

EARLIER = (
    (
        "e1", "post", "create", "post:1", 1,
        {"locale": "en", "slug": "ebb", "author_slug": "ann-ray", "upload_images": False, "markdown": "*Turn*",
         "fields": {"title": "Ebb", "status": "published", "body": "<p><em>Turn</em></p>",
                    "tags": ["a", {"name": "B", "slug": "bee"}]}},
    ),
    (
        "e2", "page", "create", "page:1", 1,
        {"title": "About", "slug": "about", "page_type": None, "status": "published", "replaces": False,
         "fields": {"en": {"body": "<p>Us</p>"}}},
    ),
    (
        "e3", "item", "create", "item:1", 1,
        {"collection": "team", "status": "published", "ids": [1, 2],
         "elements": [{"en": {"name": "Ann"}}, {"en": {"name": "Bo"}}]},
    ),
)  # fmt: skip
"""Open writes as an earlier version stored them: id, kind, operation, key, entry, payload."""


def status_of(store: Database, write_id: str) -> Write:
    """The write as it is now."""
    return store.read(get_write, write_id)


def insert_stored(store: Database, name: str, kind: str, operation: str, *rest: object) -> None:
    """Insert an open write with this text as its payload."""
    statement = """INSERT INTO write (id, kind, operation, entry_key, entry_id, payload_json, status, attempt,
    errors_json, accepted_at) VALUES (?, ?, ?, ?, ?, ?, 'accepted', 0, '{}', 1)"""
    execute(store, statement, name, kind, operation, *rest)


def test_open_writes_of_an_earlier_version_are_applied(
    context: WriteContext, worker: Worker, store: Database, team_schema: ContentSchema
) -> None:
    """A store that was upgraded while writes waited loses none of them."""
    for name, kind, operation, key, entry_id, payload in EARLIER:
        stored = {**payload, "schema_digest": "", "names_remote_media": False, "warnings": {}}
        insert_stored(store, name, kind, operation, key, entry_id, json.dumps(stored))
        assert apply_entry(worker, key) == 1
        assert status_of(store, name).status is WriteStatus.APPLIED
    with store.reading() as session:
        post = get_post(session, "ebb")
        (page,) = page_versions(session, 1)
        names = [item.fields["name"] for item in items.item_versions(session, (1, 2))]
    assert (post.title, post.body, [term.slug for term in post.tags]) == ("Ebb", "<p><em>Turn</em></p>", ["a", "bee"])
    assert (page.title, page.fields["body"], names) == ("About", "<p>Us</p>", ["Ann", "Bo"])


def test_unreadable_write_fails_and_the_next_one_is_applied(
    context: WriteContext, caller: Caller, worker: Worker, store: Database
) -> None:
    """Its error says what is wrong; tried again, it fails again. The entry can be written meanwhile, and deleted."""
    create(context, caller, EntryKind.POST, {"title": "Ebb"})
    assert apply_entry(worker, "post:1") == 1
    insert_stored(store, "odd", "post", "update", "post:1", 1, '{"verb": "save", "title": 7}')
    later = update(context, caller, EntryName(EntryKind.POST, "ebb"), {"summary": "later"})
    assert apply_entry(worker, "post:1") == 2
    failed = status_of(store, "odd")
    assert (failed.status, failed.attempt) == (WriteStatus.FAILED, 1)
    problem = "Expected `str | null`, got `int` - at `$.title`"
    assert failed.errors == {"detail": [UNREADABLE.format(problem=problem)]}
    assert status_of(store, later.write_id).status is WriteStatus.APPLIED
    store.write(retry_write, "odd", is_forced=True)
    assert apply_entry(worker, "post:1") == 1
    assert status_of(store, "odd").status is WriteStatus.FAILED
    insert_stored(store, "odder", "post", "create", "post:1", 2, "{")
    delete(context, caller, EntryName(EntryKind.POST, "ebb"))
    assert status_of(store, "odder").status is WriteStatus.ACCEPTED
    assert apply_entry(worker, "post:1") == 1
    assert status_of(store, "odder").status is WriteStatus.FAILED
