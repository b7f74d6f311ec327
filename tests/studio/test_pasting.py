"""What pasted addresses become: answers to the scripts of the editors."""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from sitecms.actions.editing.link_cards import directive
from sitecms.content.user import Role
from sitecms.runtime import Runtime
from sitecms.store.entries.media_files import all_media
from tests.support.web_hosts import page_host

from .conftest import Browser, MakeUser, open_with

PAGE = """<title>No</title><meta property="og:title" content="Neap &quot;tides&quot;, it's &lt;b&gt;">
<meta name="description" content="Why they are low."><meta property="og:image" content="/sea.png">"""


@pytest.fixture
def host() -> Iterator[str]:
    """The address of a site with a page that has a picture."""
    with page_host(PAGE.encode()) as address:
        yield address


@pytest.fixture
def writer(make_user: MakeUser, runtime: Runtime) -> Browser:
    """A writer on a site that allows pictures and cards from loopback."""
    make_user("writer", Role.WRITER)
    return open_with(runtime, "writer", media=replace(runtime.settings.media, allow_hosts=("127.0.0.1",)))


def ask(browser: Browser, **fields: str) -> dict[str, str]:
    """Return what a script is answered."""
    browser.get("/studio/media/")
    answered: dict[str, str] = browser.send("/studio/pasted-address/", **fields).get_json()
    return answered


def test_an_address_of_a_player_becomes_one(writer: Browser) -> None:
    """Without its title where its page cannot be read, as behind a port of no web; other addresses have none."""
    assert ask(writer, address="https://codepen.invalid/a/pen/b") == {}
    found = ask(writer, address="https://codepen.io:1/tide/pen/abc")
    assert found["markdown"] == '::: embed {url="https://codepen.io:1/tide/pen/abc"}\n:::'
    assert 'data-embed="https://codepen.io/tide/embed/abc?default-tab=result"' in found["html"]


def test_a_card_has_what_the_page_says(writer: Browser, host: str, runtime: Runtime) -> None:
    """Title, description and site; its picture is a copy in the library; markup of others is text."""
    found = ask(writer, **{"address": f"{host}/page", "as": "card"})
    (name,) = runtime.database.read(all_media)
    assert found["markdown"] == (
        f'::: bookmark {{url="{host}/page" title="Neap ”tides”, it\'s <b>" description="Why they are low." '
        f'image="/media/{name}"}}\n:::'
    )
    assert f'<img src="/media/{name}" alt="" width="40" height="30">' in found["html"]
    assert "<strong>Neap ”tides”, it's &lt;b&gt;</strong><br><span>Why they are low.</span>" in found["html"]
    assert "could not be found" in ask(writer, **{"address": f"{host}/x", "as": "card"})["problem"]


@pytest.mark.parametrize(
    "address",
    ["http://localhost:9/", "http://169.254.169.254/latest/", "file:///etc/passwd", "https://u:p@a.example/", ""],
)
def test_private_and_strange_addresses_get_no_card(writer: Browser, address: str) -> None:
    """Nothing is asked of them; the answer says why."""
    assert list(ask(writer, **{"address": address, "as": "card"})) == ["problem"]


@pytest.mark.parametrize(("value", "written"), [('a "b"', "'a \"b\"'"), ("it's", '"it\'s"'), ("a\nb", '"a b"')])
def test_arguments_are_quoted(value: str, written: str) -> None:
    """So that the directive can be read, whatever a page says."""
    assert directive("bookmark", url="/", title=value) == f'::: bookmark {{url="/" title={written}}}\n:::'
