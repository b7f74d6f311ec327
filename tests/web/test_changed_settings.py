"""A site whose site.toml is changed while it is served: API and studio use the new settings at the next request."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient

from sitecms.content.token import Scope
from sitecms.content.user import Role
from sitecms.runtime import Runtime
from sitecms.studio.site_sections import GENERAL
from sitecms.web.service import CurrentService, create_app, service_maker
from tests.studio.conftest import Browser, MakeUser, make_user

__all__ = ["make_user"]


@pytest.fixture
def change(runtime: Runtime) -> Callable[[str, str], None]:
    """Replace a text of site.toml."""
    path = runtime.settings.folder / "site.toml"

    def replace(old: str, new: str) -> None:
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    return replace


@pytest.fixture
def client(runtime: Runtime) -> FlaskClient:
    """A client of the whole service, as a web process answers it."""
    return create_app(runtime, "http://127.0.0.1:8000", probe=lambda _url: "", hint=lambda _id: None).test_client()


@pytest.fixture
def read(client: FlaskClient, make_token: Callable[..., str]) -> Callable[..., Any]:
    """Read from the API."""
    headers = {"Authorization": f"Token {make_token('r', Scope.READ)}"}
    return lambda path: client.get(path, headers=headers)


def test_the_api_has_another_language(
    read: Callable[..., Any], change: Callable[[str, str], None], make_author: Callable[..., str]
) -> None:
    """What was cached by the former settings is answered anew; a language that is gone is refused."""
    make_author()
    assert read("/v2/posts/?locale=es").status_code == 200
    assert read("/v2/posts/?locale=de").status_code == 400
    change('"en", "es"', '"en", "de"')
    assert read("/v2/posts/?locale=de").status_code == 200
    assert read("/v2/posts/?locale=es").status_code == 400


def test_feeds_have_another_name_and_address(
    read: Callable[..., Any], change: Callable[[str, str], None], make_post: Callable[..., int]
) -> None:
    """The cached feed is made anew."""
    make_post("calm")
    before = read("/v2/feeds/rss/").text
    assert read("/v2/feeds/rss/").text == before
    change('"Tide"', '"Ebb"')
    change("https://tide.example", "https://ebb.example")
    after = read("/v2/feeds/rss/").text
    assert ("Ebb" in after, "ebb.example" in after, "tide.example" in after) == (True, True, False)


def test_the_studio_has_another_name_and_time_zone(
    runtime: Runtime, client: FlaskClient, make_user: MakeUser, change: Callable[[str, str], None]
) -> None:
    """For the next request of the same session."""
    admin = Browser(client)
    admin.open_session(runtime, make_user("mira", Role.ADMIN).name)
    assert "Tide" in admin.get("/studio/posts/").text
    change('name = "Tide"', 'name = "Ebb"\ntimezone = "Asia/Tokyo"')
    page = admin.get("/studio/posts/").text
    assert ("Ebb" in page, "Tide" in page) == (True, False)
    assert "Asia/Tokyo" in admin.get("/studio/calendar/").text


def test_a_part_of_the_service_comes_and_goes(client: FlaskClient, change: Callable[[str, str], None]) -> None:
    """The studio is switched off and on, and limits of requests hold."""
    assert client.get("/studio/sign-in/").status_code == 404  # no users yet, and a page that says so
    assert "no users" in client.get("/studio/").text
    change("[search]", "[studio]\nenabled = false\n[search]")
    assert "no users" not in client.get("/studio/").text
    change("enabled = false\n[search]", "enabled = true\n[rate_limits]\naddress_reads_per_minute = 1\n[search]")
    statuses = {client.get("/v2/posts/").status_code for _ in range(3)}
    assert statuses == {401, 429}


def test_one_request_has_one_state_of_the_settings(
    runtime: Runtime, change: Callable[[str, str], None], make_user: MakeUser
) -> None:
    """A request that has begun ends by the former settings, while one beside it has the new ones."""
    services = CurrentService(runtime.settings, service_maker(runtime, hint=lambda _id: None))
    make_user("mira", Role.ADMIN)
    begun = services.now()
    change('"Tide"', '"Ebb"')
    beside = services.now()
    assert begun is not beside
    pages = [service.app.test_client().get("/studio/sign-in/").text for service in (begun, beside)]
    assert [("Tide" in page, "Ebb" in page) for page in pages] == [(True, False), (False, True)]
    assert services.now() is beside


def test_many_threads_make_one_new_service(runtime: Runtime, change: Callable[[str, str], None]) -> None:
    """All others wait for it, and none gets the former one."""
    made = list[str]()
    make = service_maker(runtime, hint=lambda _id: None)

    def count(settings: Any) -> Any:
        made.append(settings.name)
        return make(settings)

    services = CurrentService(runtime.settings, count)
    change('"Tide"', '"Ebb"')
    got, start = list[Any](), threading.Barrier(8)

    def ask() -> None:
        start.wait()
        got.append(services.now())

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == ["Tide", "Ebb"]
    assert len({id(service) for service in got}) == 1


def test_pages_of_site_say_what_is_not_used(
    runtime: Runtime, client: FlaskClient, make_user: MakeUser, change: Callable[[str, str], None]
) -> None:
    """Errors of site.toml with file and line, while the former settings hold; settings that wait for a new start."""
    admin = Browser(client)
    admin.open_session(runtime, make_user("mira", Role.ADMIN).name)
    change('name = "Tide"', 'name = "Ebb"\ntimezone = "Mars/Olympus"')
    page = admin.get(GENERAL.address).text
    assert "site.toml has errors" in page
    assert "site.toml:3 timezone" in page
    assert "Tide" in admin.get("/studio/posts/").text
    change("Mars/Olympus", "UTC")
    change("[search]", '[logs]\nlevel = "error"\n[search]')
    page = admin.get(GENERAL.address).text
    assert "has errors" not in page
    assert "take effect when sitecms is started again: [logs]." in page
    assert "Ebb" in page
