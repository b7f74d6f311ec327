"""The chapter about webhook events, with messages that the code itself makes."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from msgspec import Struct

from sitecms.cli.reference.markdown import Chapter, code, fence, lines, table
from sitecms.content.entry import Entry
from sitecms.content.kinds import EntryKind
from sitecms.content.schema import Collection
from sitecms.content.status import Status, Version
from sitecms.content.webhooks.event import (
    Event,
    EventKind,
    EventSource,
    Transition,
    item_event,
    page_event,
    post_event,
    write_failed_event,
)
from sitecms.content.webhooks.webhook import message_body, signed_headers, trial_body
from sitecms.content.writes import Operation, Save, Write, WriteStatus

TARGET = "https://hooks.example/content"
SECRET = "whsec_dGhlIHRpZGUgdHVybnMgdHdpY2UgYSBkYXkgaGVyZS4="  # noqa: S105 - of the example
MOMENT = datetime(2026, 3, 1, 8, tzinfo=UTC)
_SOURCE = EventSource("newsroom", MOMENT)
MEANINGS: Mapping[EventKind, str] = {
    EventKind.POST_PUBLISHED: "A post was published, or a published post was changed.",
    EventKind.POST_DRAFT: "A post was saved as a draft, or taken off the site.",
    EventKind.POST_DELETE: "A post was deleted.",
    EventKind.VARIANT_PUBLISHED: "The variant of a post in another locale was published or changed.",
    EventKind.VARIANT_DRAFT: "The variant of a post in another locale was saved as a draft, or taken off the site.",
    EventKind.VARIANT_DELETE: "The variant of a post in another locale was deleted.",
    EventKind.PAGE_PUBLISHED: "A page was published, or a published page was changed.",
    EventKind.PAGE_DRAFT: "A draft of a page was saved; a published version stays on the site.",
    EventKind.PAGE_UNPUBLISHED: "The published version of a page was taken off the site; the page stays.",
    EventKind.PAGE_DELETE: "A page was deleted.",
    EventKind.ITEM_PUBLISHED: "An item of a collection was published, or a published item was changed.",
    EventKind.ITEM_DRAFT: "A draft of an item was saved; a published version stays on the site.",
    EventKind.ITEM_UNPUBLISHED: "The published version of an item was taken off the site; the item stays.",
    EventKind.ITEM_DELETE: "An item was deleted.",
    EventKind.WRITE_FAILED: "A write that was accepted could not be applied.",
}


class _PostName(Struct, frozen=True):
    """The values of a post that its events show."""

    id: int
    slug: str
    locale: str


def chapters() -> Iterator[Chapter]:
    """Yield the chapter."""
    rows = ((code(kind.value), meaning) for kind, meaning in MEANINGS.items())
    body = lines(
        "A webhook sends a message to your program when content changes: `sitecms webhook add SITE URL --event NAME`. "
        "[Receive webhooks](/receiving-webhooks/) shows how to check a message.",
        "## Events",
        table(("Event", "Sent when"), rows),
        "Subscribe to a group with `post.*`, `post.localization.*`, `page.*` or `collectionitem.*`, to everything with "
        "`*`. `.all` means the same as `.*`.",
        "## Messages",
        "A message is a POST request whose body is JSON: the event, and data about the entry. Read the entry from the "
        "API to get the rest.",
        *(_message(event) for event in examples()),
        "`sitecms webhook test` sends this:",
        _json(trial_body(TARGET)),
        "## Headers",
        "Messages are signed as [Standard Webhooks](https://www.standardwebhooks.com/) describes. The headers of the "
        f"first message above, signed with the secret `{SECRET}`:",
        fence("\n".join(f"{name}: {value}" for name, value in headers(next(examples())).items()), "http"),
        "The signature is the Base64 form of HMAC-SHA256 over `webhook-id`, `webhook-timestamp` and the body, joined "
        "by dots; the key is the part of the secret after `whsec_`, decoded from Base64. `webhook-id` is the same in "
        "every attempt, so that you can tell a repeated message.",
    )
    yield Chapter("webhook-events", "Webhook events", "Every event, and the message that it sends.", body)


def examples() -> Iterator[Event]:
    """Yield an event of each form of message."""
    page = Entry(
        kind=EntryKind.PAGE, id=3, group_id=3, type="guide", slug="knots", title="Knots", locale="en",
        version=Version.LIVE, status=Status.PUBLISHED, fields={},
        created_at=MOMENT, updated_at=MOMENT, published_at=MOMENT,
    )  # fmt: skip
    item = Entry(
        kind=EntryKind.ITEM, id=41, group_id=41, type="team", slug="", title="", locale="en",
        version=Version.LIVE, status=Status.PUBLISHED, fields={"name": "Ann Ray"}, created_at=MOMENT, updated_at=MOMENT,
    )  # fmt: skip
    write = Write(
        id="0c9e5a1d7b3f4e2a8d6c1b0f9e8a7d6c", sequence=1, kind=EntryKind.POST, operation=Operation.UPDATE,
        entry_key="post:12", entry_id=12, payload=Save(slug="slack-water"), status=WriteStatus.REJECTED, attempt=1,
        errors={"featured_image": ["The remote file could not be found (HTTP 404)."]}, accepted_at=MOMENT,
    )  # fmt: skip
    yield post_event(Transition.PUBLISHED, _PostName(12, "slack-water", "en"), "en")
    yield post_event(Transition.PUBLISHED, _PostName(13, "estoa", "es"), "en")
    yield page_event(Transition.PUBLISHED, page, _SOURCE)
    yield item_event(Transition.PUBLISHED, item, Collection("team", "Team", "name", ()), _SOURCE)
    yield write_failed_event(write, _SOURCE)


def body_of(event: Event) -> bytes:
    """Return the body of the message about an event, as it is sent."""
    return json.dumps(message_body(event, TARGET), separators=(",", ":")).encode()


def headers(event: Event) -> dict[str, str]:
    """Return the headers of the message about an event."""
    return signed_headers((SECRET,), "msg_5e884898da28047151d0e56f", MOMENT, body_of(event))


def _message(event: Event) -> str:
    return lines(f"### A message of `{event.kind.value}`", _json(message_body(event, TARGET)))


def _json(data: object) -> str:
    return fence(json.dumps(data, indent=2, ensure_ascii=False), "json")
