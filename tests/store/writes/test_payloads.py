"""Payloads of writes in the store: read back as they were."""

import json
from datetime import UTC, datetime

import pytest

from sitecms.content.revision import ChangeKind
from sitecms.content.status import Status
from sitecms.content.term import Term, TermKind
from sitecms.content.writes import BuiltInFields, Delete, Payload, Save, SentEntry, Unreadable
from sitecms.store.writes.payloads import decode_payload, encode_payload

AT = datetime(2026, 11, 28, 10, 41, 6, 84224, UTC)
WARNED = {"warning: nope field": "The field nope was ignored: it cannot be set here."}
PAYLOADS = (
    Save(
        slug="ebb", locale="en", title="Ebb", author="ann-ray", status=Status.PUBLISHED,
        entries=(SentEntry(7, {"en": {"mood": "calm"}}),),
        built_in=BuiltInFields(body="<p>Turn</p>", featured_image="", tags=("a", Term(TermKind.TAG, "bee", "B"))),
        markdown="Turn", uploads_images=True, ends_copy=True, ends_markdown=True, schema_digest="df85",
    ),
    Save(
        slug="flow", new_slug="flow", locale="es", status=Status.SCHEDULED, scheduled_at=AT, entries=(SentEntry(7),),
        copy_of=1, warnings=WARNED, change_kind=ChangeKind.RESTORE,
    ),
    Save(slug="about", type="guide", replaces=True, unpublishes=True, names_remote_media=True),
    Delete("about", locale="es"),
    Delete(type="team"),
)  # fmt: skip


@pytest.mark.parametrize("payload", PAYLOADS)
def test_payload_is_read_back_as_it_was(payload: Payload) -> None:
    """With its terms, times and warnings."""
    assert decode_payload(encode_payload(payload)) == payload


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
        ("{}", "`verb`"),
        ('{"verb": "save", "slug": 7}', "`$.slug`"),
        ('{"verb": "rename"}', "rename"),
    ],
)
def test_unreadable_payload_has_its_problem_and_its_text(text: str, problem: str) -> None:
    """It is a value, so that lists of writes have the others; storing it again changes nothing."""
    payload = decode_payload(text)
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
