"""Builds in the studio: asked for, and what the last ones did."""

from collections.abc import Callable
from datetime import datetime

from sitecms.content.user import Role
from sitecms.runtime import Runtime
from sitecms.store.site_state.build_log import (
    MOST_BUILDS,
    BuildRecord,
    find_build_records,
    find_build_request,
    save_answered_request,
    save_build_record,
)

from .conftest import Browser

BUILDS = "/studio/site/builds/"


def test_an_admin_asks_for_a_build(runtime: Runtime, signed_in: Callable[..., Browser]) -> None:
    """Once: the button waits until it is answered."""
    admin = signed_in(Role.ADMIN)
    admin.get(BUILDS)
    admin.send(BUILDS)
    assert "A build was asked for by admin" in admin.text
    request = runtime.database.read(find_build_request)
    assert request is not None
    assert (request.number, request.user_name) == (1, "admin")
    save_answered_request(runtime.settings.state_dir, request.number)
    admin.get(BUILDS)
    assert "was asked for" not in admin.text
    admin.send(BUILDS)
    assert runtime.database.read(find_build_request) != request


def test_the_last_builds_say_what_they_changed_and_why(
    runtime: Runtime, signed_in: Callable[..., Browser], noon: datetime
) -> None:
    """Also what failed; of many builds the last ones are kept."""
    state = runtime.settings.state_dir
    for number in range(MOST_BUILDS + 2):
        save_build_record(state, BuildRecord(noon, float(number)))
    assert [each.seconds for each in find_build_records(state)][:2] == [MOST_BUILDS + 1.0, float(MOST_BUILDS)]
    assert len(find_build_records(state)) == MOST_BUILDS
    pages = (("blog/calm/index.html", "what it shows changed"),)
    save_build_record(
        state, BuildRecord(noon, 0.4, 1, 2, 1, {"what it shows changed": 1}, pages, ("about/index.html: no title",))
    )
    save_build_record(state, BuildRecord(noon, 0.1, error="site.toml: is not valid TOML"))
    admin = signed_in(Role.ADMIN)
    admin.get(BUILDS)
    for text in (
        "1 page written, 2 removed, 1 failed", "what it shows changed: 1", "/blog/calm/ – what it shows changed",
        "about/index.html: no title", "site.toml: is not valid TOML",
    ):  # fmt: skip
        assert text in admin.text
