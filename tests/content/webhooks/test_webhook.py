"""Signatures by Standard Webhooks."""

import base64
from datetime import UTC, datetime

from sitecms.content.webhooks.event import Event, EventKind
from sitecms.content.webhooks.webhook import (
    SigningSecret,
    Webhook,
    message_body,
    new_message_id,
    new_signing_secret,
    sign,
    signed_headers,
)

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
MESSAGE = "msg_p5jXN8AQM9LWM0D4loKWxJek"
SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
BODY = b'{"test": 2432232314}'


def test_signature_matches_the_documented_example() -> None:
    """The example of the API reference, Webhooks."""
    assert sign(SECRET, MESSAGE, 1614265330, BODY) == SIGNATURE


def test_while_rotating_each_secret_signs() -> None:
    """All signatures stand in one header, separated by spaces; the time is in whole seconds."""
    at = datetime.fromtimestamp(1614265330.9, UTC)
    other = new_signing_secret()
    headers = signed_headers((other, SECRET), MESSAGE, at, BODY)
    assert headers == {
        "webhook-id": MESSAGE,
        "webhook-timestamp": "1614265330",
        "webhook-signature": f"{sign(other, MESSAGE, 1614265330, BODY)} {SIGNATURE}",
    }


def test_a_replaced_secret_signs_until_it_expires() -> None:
    """It does not sign at the moment of its expiry."""
    at = datetime(2026, 3, 1, tzinfo=UTC)
    hook = Webhook(1, "https://x.example", ("*",), (SigningSecret("new"), SigningSecret("old", at)), {}, at)
    assert hook.secrets_at(at.replace(year=2025)) == ("new", "old")
    assert hook.secrets_at(at) == ("new",)


def test_new_secrets_and_ids_are_random() -> None:
    """A secret has 32 bytes; an id begins with msg_."""
    first, second = new_signing_secret(), new_signing_secret()
    assert first != second
    assert len(base64.b64decode(first.removeprefix("whsec_"))) == 32
    assert len({new_message_id() for _ in range(100)}) == 100
    assert new_message_id().startswith("msg_")


def test_the_body_holds_data_and_webhook() -> None:
    """The body has these two keys only."""
    event = Event(EventKind.POST_PUBLISHED, {"id": "ebb", "_id": 3})
    assert message_body(event, "https://x.example/in") == {
        "data": {"id": "ebb", "_id": 3},
        "webhook": {"event": "post.published", "target": "https://x.example/in"},
    }
