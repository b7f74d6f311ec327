"""Payloads of writes in the store: read back as they were, from this version and from earlier ones."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from sitecms.content.kinds import EntryKind
from sitecms.content.revision import ChangeKind
from sitecms.content.status import Status
from sitecms.content.term import Term, TermKind
from sitecms.content.writes import BuiltInFields, Delete, Operation, Payload, Save, SentEntry, Unreadable
from sitecms.store.writes.payloads import decode_payload, encode_payload

AT = datetime(2026, 11, 28, 10, 41, 6, 84224, UTC)
ACCEPTED: dict[str, object] = {"schema_digest": "df85", "names_remote_media": False, "warnings": {}}
WARNED = {"warning: nope field": "The field nope was ignored: it cannot be set here."}
POST, PAGE, ITEM = EntryKind.POST, EntryKind.PAGE, EntryKind.ITEM
EARLIER: tuple[tuple[EntryKind, Operation, dict[str, object], Payload], ...] = (
    (
        POST, Operation.CREATE,
        {
            "locale": "en", "slug": "ebb", "author_slug": "ann-ray",
            "fields": {
                "title": "Ebb", "status": "published", "author": "ann-ray", "body": "<p>Turn</p>",
                "tags": ["a", {"name": "B", "slug": "bee"}], "featured_image": "", "fields": {"mood": "calm"},
            },
            "upload_images": True, "markdown": "Turn", "ends_copy": True, "ends_markdown": True, **ACCEPTED,
        },
        Save(
            slug="ebb", locale="en", title="Ebb", author="ann-ray", status=Status.PUBLISHED,
            entries=(SentEntry(7, {"en": {"mood": "calm"}}),),
            built_in=BuiltInFields(body="<p>Turn</p>", featured_image="", tags=("a", Term(TermKind.TAG, "bee", "B"))),
            markdown="Turn", uploads_images=True, ends_copy=True, ends_markdown=True, schema_digest="df85",
        ),
    ),
    (
        POST, Operation.UPDATE,
        {
            "locale": "en", "slug": "flow", "author_slug": "ann-ray",
            "fields": {"summary": "s", "categories": ["c"], "slug": "flow", "status": "scheduled"},
            "upload_images": False, "scheduled_at": "2026-11-28T10:41:06.084224Z", **ACCEPTED, "warnings": WARNED,
        },
        Save(
            slug="flow", new_slug="flow", locale="en", status=Status.SCHEDULED, scheduled_at=AT,
            entries=(SentEntry(7),), built_in=BuiltInFields(summary="s", categories=("c",)), schema_digest="df85",
            warnings=WARNED,
        ),
    ),
    (
        POST, Operation.CREATE,
        {
            "locale": "es", "slug": "reflujo", "author_slug": "ann-ray", "fields": {"title": "Reflujo"},
            "upload_images": False, "copy_of": 1, "change_kind": "restore", **ACCEPTED,
        },
        Save(
            slug="reflujo", locale="es", title="Reflujo", author="ann-ray", entries=(SentEntry(7),), copy_of=1,
            schema_digest="df85", change_kind=ChangeKind.RESTORE,
        ),
    ),
    (
        PAGE, Operation.CREATE,
        {
            "title": "Knots", "slug": "knots", "page_type": "guide", "fields": {"en": {}}, "status": "published",
            "replaces": False, **ACCEPTED,
        },
        Save(
            slug="knots", type="guide", title="Knots", status=Status.PUBLISHED, entries=(SentEntry(7, {"en": {}}),),
            schema_digest="df85",
        ),
    ),
    (
        PAGE, Operation.UPDATE,
        {
            "slug": "about", "page_type": None, "fields": {"es": {"body": "<p>x</p>"}}, "status": None,
            "replaces": False, "new_title": "Sobre", "new_slug": "sobre", "title_locale": "es", "unpublishes": True,
            "schema_digest": "df85", "warnings": {},
        },
        Save(
            slug="about", new_slug="sobre", locale="es", title="Sobre", unpublishes=True, names_remote_media=True,
            entries=(SentEntry(7, {"es": {"body": "<p>x</p>"}}),), schema_digest="df85",
        ),
    ),
    (
        ITEM, Operation.CREATE,
        {
            "collection": "team", "elements": [{"en": {"name": "Ann"}}, {"en": {"name": "Bo"}}], "status": "draft",
            "ids": [7, 8], **ACCEPTED,
        },
        Save(
            type="team", status=Status.DRAFT, schema_digest="df85",
            entries=(SentEntry(7, {"en": {"name": "Ann"}}), SentEntry(8, {"en": {"name": "Bo"}})),
        ),
    ),
    (
        ITEM, Operation.REPLACE,
        {
            "collection": "team", "fields": {"en": {"name": "Cy"}}, "status": "scheduled", "replaces": True,
            "scheduled_at": "2026-11-28T10:41:06.084224Z", **ACCEPTED,
        },
        Save(
            type="team", status=Status.SCHEDULED, scheduled_at=AT, replaces=True, schema_digest="df85",
            entries=(SentEntry(7, {"en": {"name": "Cy"}}),),
        ),
    ),
    (PAGE, Operation.DELETE, {"slug": "about", "page_type": None, "locale": "es", "warnings": {}},
     Delete("about", locale="es")),
    (ITEM, Operation.DELETE, {"collection": "team", "warnings": {}}, Delete(type="team")),
)  # fmt: skip


@pytest.mark.parametrize(("kind", "operation", "stored", "payload"), EARLIER)
def test_payload_of_an_earlier_version_is_read(
    kind: EntryKind, operation: Operation, stored: dict[str, Any], payload: Payload
) -> None:
    """It means the same as it did there, and what is stored of it now is read back unchanged."""
    assert decode_payload(json.dumps(stored), kind, operation, 7) == payload
    assert decode_payload(encode_payload(payload), kind, operation, 7) == payload


def test_unsent_values_take_no_place() -> None:
    """A small change is a small row."""
    text = encode_payload(Save(slug="ebb", entries=(SentEntry(1),), built_in=BuiltInFields(summary="")))
    assert json.loads(text) == {"verb": "save", "slug": "ebb", "entries": [{"id": 1}], "built_in": {"summary": ""}}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "truncated"),
        ("7", "int"),
        ("[]", "Expected `object`"),
        ("{}", "has no 'fields'"),
        ('{"verb": "save", "slug": 7}', "`$.slug`"),
        ('{"verb": "rename"}', "rename"),
        ('{"locale": "en", "fields": {"body": 7}, "upload_images": false}', "`$.built_in.body`"),
        ('{"locale": "en", "fields": {}, "upload_images": false, "scheduled_at": "soon"}', "`$.scheduled_at`"),
    ],
)
def test_unreadable_payload_has_its_problem_and_its_text(text: str, problem: str) -> None:
    """It is a value, so that lists of writes have the others; storing it again changes nothing."""
    payload = decode_payload(text, EntryKind.POST, Operation.UPDATE, 7)
    assert isinstance(payload, Unreadable)
    assert problem in payload.problem
    assert encode_payload(payload) == text


def test_sent_values_have_the_names_of_the_api() -> None:
    """Those of declared fields have their locale; terms are names."""
    save = Save(
        slug="ebb", new_slug="flow", title="Flow", entries=(SentEntry(1, {"es": {"mood": "calma"}}),),
        built_in=BuiltInFields(body="", tags=("a", Term(TermKind.TAG, "bee", "B"))),
    )  # fmt: skip
    assert list(save.sent_values()) == [
        ("title", "", "Flow"), ("slug", "", "flow"), ("body", "", ""),
        ("tags", "", ["a", "B"]), ("mood", "es", "calma"),
    ]  # fmt: skip
