"""Tokens and webhooks in the studio."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest

from sitecms.actions.deliver_webhooks import deliver_next, make_sender
from sitecms.content.token import TokenLimits
from sitecms.content.user import Role
from sitecms.content.webhooks.webhook import Delivery, DeliveryStatus
from sitecms.runtime import Runtime
from sitecms.store.writes.deliveries import find_deliveries
from sitecms.store.writes.tokens import find_tokens
from tests.support.entries import MakeToken
from tests.support.waiting import until

from .conftest import Browser, SignedIn

TOKENS, WEBHOOKS = "/studio/site/tokens/", "/studio/site/webhooks/"


@pytest.fixture
def admin(signed_in: SignedIn) -> Browser:
    """An admin."""
    return signed_in(Role.ADMIN)


def test_a_token_is_shown_once_used_and_withdrawn(runtime: Runtime, admin: Browser) -> None:
    """With limits and a day of expiry; the API takes it until it is withdrawn."""
    admin.get(TOKENS)
    day = (runtime.clock() + timedelta(days=9)).date().isoformat()
    sent = {"name": " newsroom ", "scope": "write", "expires": day, "author": "ann-ray", "page_type": ["*"]}
    admin.send(TOKENS, **sent, do="make")
    secret = re.search(r'class="whole">([0-9a-f]{40})<', admin.page)
    assert secret is not None
    (token,) = runtime.database.read(find_tokens)
    assert (token.name, token.limits) == ("newsroom", TokenLimits("ann-ray", (), ("*",)))
    headers = {"Authorization": f"Token {secret[1]}"}
    assert admin.client.get("/v2/posts/", headers=headers).status_code == 200
    admin.get(TOKENS)
    assert secret[1] not in admin.page
    assert "posts of ann-ray" in admin.text
    admin.send(TOKENS, name="newsroom", do="withdraw")
    assert until(lambda: admin.client.get("/v2/posts/", headers=headers).status_code == 401)


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ({"name": "", "scope": "read"}, "A name has 1 to 100"),
        ({"name": "x", "scope": ""}, "Choose what the token may do."),
        ({"name": "x", "scope": "read", "author": "ann-ray"}, "Only tokens that write have limits."),
        ({"name": "x", "scope": "write", "collection": ["boats"]}, "There is no collection"),
        ({"name": "x", "scope": "read", "expires": "2001-01-01"}, "has not passed yet"),
        ({"name": "taken", "scope": "read"}, "There is a token named"),
    ],
)
def test_an_invalid_token_is_refused(
    admin: Browser, make_token: MakeToken, typed: dict[str, object], message: str
) -> None:
    """What was typed stays in the form."""
    make_token("taken")
    admin.get(TOKENS)
    assert admin.send(TOKENS, **typed, do="make").status_code == 400
    assert message in admin.text


def test_a_webhook_is_added_its_messages_are_sent_again_and_it_is_removed(
    runtime: Runtime, admin: Browser, make_receiver: Callable[..., object]
) -> None:
    """The answers of the receiver are shown."""
    admin.get(WEBHOOKS)
    assert admin.send(WEBHOOKS, target="ftp://x.example", events=["post.*"]).status_code == 400
    assert admin.send(WEBHOOKS, target="https://x.example").status_code == 400
    assert "Choose at least one event." in admin.text
    admin.send(WEBHOOKS, target="https://hooks.invalid/in", events=["*"])
    assert "whsec_" in admin.page
    admin.get("/studio/terms/")
    message = publish_something(runtime, admin)
    sender = make_sender(runtime.settings)
    deliver_next(runtime.database, 1, sender, runtime.clock, "worker")
    admin.get(f"{WEBHOOKS}1/")
    assert message.id in admin.page
    assert "no answer" in admin.text
    admin.send(f"{WEBHOOKS}1/", do="again", message=message.id)
    assert "sent again in a moment" in admin.text
    assert messages(runtime)[0].status is DeliveryStatus.WAITING
    assert admin.send(f"{WEBHOOKS}1/", do="again", message="msg_x").status_code == 404
    admin.send(f"{WEBHOOKS}1/", do="remove")
    assert "There are no webhooks so far." in admin.text


def publish_something(runtime: Runtime, admin: Browser) -> Delivery:
    """Publish a post, of which the webhook is told."""
    admin.get("/studio/posts/new/")
    fields = {"title": "Calm", "author": "ann-ray", "body": "The sea.", "format": "markdown", "complete": "yes"}
    admin.send("/studio/posts/new/", **fields, do="publish")
    return messages(runtime)[0]


def messages(runtime: Runtime) -> tuple[Delivery, ...]:
    """The messages of the webhook."""
    return runtime.database.read(find_deliveries, 1, None, 10)
