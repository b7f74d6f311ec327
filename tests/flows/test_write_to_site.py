"""A write through the API, seconds later: receivers are told, the static site has it, and a deletion undoes both."""

from collections.abc import Callable, Iterator

import pytest
import requests

from sitecms.clock import now
from sitecms.content.token import Scope, new_secret, secret_digest
from sitecms.store.writes.deliveries import find_deliveries
from sitecms.store.writes.tokens import insert_token
from sitecms.store.writes.webhooks import insert_webhook
from tests.support.commands import CommandServer
from tests.support.ports import free_port
from tests.support.sites import ExampleSite
from tests.support.waiting import PATIENCE_SECONDS, until
from tests.support.webhooks import Receiver

MakeReceiver = Callable[..., Receiver]
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


class Service:
    """A running `sitecms serve` with its worker."""

    def __init__(self, example: ExampleSite, commands: CommandServer) -> None:
        port = free_port()
        self.url, self._secret = f"http://127.0.0.1:{port}", new_secret()
        example.database.write(insert_token, "newsroom", Scope.WRITE, secret_digest(self._secret), now(), None)
        self.process = commands.start("serve", example.folder, "--port", str(port), "--workers", "1")
        self.process.stdout.readline()

    def send(self, method: str, path: str, body: object = None) -> requests.Response:
        headers = {"Authorization": f"Token {self._secret}"}
        return requests.request(method, self.url + path, json=body, headers=headers, timeout=PATIENCE_SECONDS)

    def close(self) -> None:
        """End it."""
        self.process.terminate()
        self.process.communicate(PATIENCE_SECONDS)


@pytest.fixture
def receiver(make_receiver: MakeReceiver) -> Receiver:
    """Takes everything."""
    return make_receiver()


@pytest.fixture
def service(example: ExampleSite, receiver: Receiver, command_server: CommandServer) -> Iterator[Service]:
    """The small site, built, served, with one receiver of everything, building after each change."""
    example.settings_are(build={"page_size": 3, "on_publish": True}, webhooks={"allow_hosts": [receiver.host]})
    example.make()
    example.database.write(insert_webhook, receiver.url, ["*"], SECRET, {}, now())
    started = Service(example, command_server)
    yield started
    started.close()


def test_an_accepted_write_reaches_receivers_and_the_site(
    example: ExampleSite, service: Service, receiver: Receiver
) -> None:
    """A post is made, changed to a draft and deleted; each is told once, in order, and the site follows."""
    page = example.public / "blog/spring-tide/index.html"
    post = {"title": "Spring tide", "body": "<p>Higher than ever.</p>", "status": "published"}
    accepted = service.send("POST", "/v2/posts/", post)
    assert (accepted.status_code, accepted.json()) == (202, {"status": "pending"})
    assert until(lambda: len(receiver.received) == 1)
    message = receiver.received[0]
    post_id = message.json["data"]["_id"]
    assert message.json == {
        "data": {"id": "spring-tide", "_id": post_id},
        "webhook": {"event": "post.published", "target": receiver.url},
    }
    assert until(lambda: page.exists() and "Higher than ever." in page.read_text("utf-8"))
    assert "Spring tide" in example.text(
        "blog/index.html" if (example.public / "blog/index.html").exists() else "index.html"
    )

    assert service.send("PATCH", "/v2/posts/spring-tide/", {"status": "draft"}).status_code == 202
    assert until(lambda: len(receiver.received) == 2)
    assert until(lambda: not page.exists())
    assert service.send("DELETE", "/v2/posts/spring-tide/").status_code == 204
    assert until(lambda: len(receiver.received) == 3)
    assert [told.json["webhook"]["event"] for told in receiver.received] == [
        "post.published", "post.draft", "post.delete",
    ]  # fmt: skip
    kept = example.database.read(find_deliveries, 1, None, 99)
    assert len({told.headers["webhook-id"] for told in receiver.received}) == len(kept) == 3
    assert all(delivery.write_id for delivery in kept)
