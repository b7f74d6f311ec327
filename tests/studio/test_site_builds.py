"""Builds in the studio: asked for, and what the last ones did."""

from datetime import datetime, timedelta

import pytest

from sitecms.content.status import Status
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
from sitecms.store.site_state.site_builds import LastBuild, save_built_change, save_last_build, site_changes
from tests.support.entries import MakePost

from .conftest import Browser, SignedIn
from .forms import press

BUILDS = "/studio/site/builds/"


def test_an_admin_asks_for_a_build(runtime: Runtime, admin: Browser) -> None:
    """Once: the button waits until it is answered."""
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


def test_the_last_builds_say_what_they_changed_and_why(runtime: Runtime, admin: Browser, noon: datetime) -> None:
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
    admin.get(BUILDS)
    for text in (
        "1 page written, 2 removed, 1 failed", "what it shows changed: 1", "/blog/calm/ – what it shows changed",
        "about/index.html: no title", "site.toml: is not valid TOML",
    ):  # fmt: skip
        assert text in admin.text


NOT_YET = "Published, but not on the site yet: the next build brings it."
IN_PANEL = "Not on the site yet, or not as it is now"


def build_here(runtime: Runtime, at: datetime) -> None:
    """Note a build of the site on this host, with all that is published, which answers what was asked for."""
    state = runtime.settings.state_dir
    with runtime.database.reading() as session:
        save_built_change(state, site_changes(session))
        request = find_build_request(session)
    save_answered_request(state, request.number if request else 0)
    save_last_build(state, LastBuild(at, "public", 0.5, 1, 0, 1, 100, {}))


def test_a_published_entry_says_that_it_waits_for_a_build(
    runtime: Runtime, admin: Browser, make_post: MakePost
) -> None:
    """With a button for who may ask for one; a build answers it, and an older entry is on the site all the same."""
    old, new = make_post("old"), make_post("new", status=Status.DRAFT)
    build_here(runtime, runtime.clock() - timedelta(seconds=1))
    admin.get(f"/studio/posts/{new}/")
    assert "on the site yet" not in admin.text
    press(admin, "publish")
    assert NOT_YET in admin.text
    assert "Publish the site now" in admin.text
    admin.get(f"/studio/posts/{new}/")
    assert NOT_YET not in admin.text
    assert IN_PANEL in admin.text
    admin.send(BUILDS)
    admin.get(f"/studio/posts/{new}/?said=published")
    assert "The site is being built, and shows it in a moment." in admin.text
    assert "Publish the site now" not in admin.text
    build_here(runtime, runtime.clock() + timedelta(hours=2))
    for post_id in (old, new):
        admin.get(f"/studio/posts/{post_id}/?said=published")
        assert not [text for text in (NOT_YET, IN_PANEL, "being built") if text in admin.text]
    press(admin, "unpublish")
    assert "Unpublished, but still on the site: the next build takes it away. Publish the site now" in admin.text


@pytest.mark.parametrize("role", [Role.EDITOR, Role.ADMIN])
def test_lists_lead_to_the_build_for_who_may_ask_for_it(
    runtime: Runtime, signed_in: SignedIn, make_post: MakePost, role: Role
) -> None:
    """Where the site was never built here, nobody says that it lacks something."""
    post_id = make_post("new", status=Status.DRAFT)
    user = signed_in(role)
    user.get("/studio/posts/")
    user.send("/studio/posts/bulk/", do="publish", id=str(post_id))
    assert "There are changes that the site may not show yet." in user.text
    assert ("Publish the site" in user.text) == (role is Role.ADMIN)
    user.get(f"/studio/posts/{post_id}/?said=published")
    assert "Published. The site shows it after the next build." in user.text
    assert IN_PANEL not in user.text
    assert ("Publish the site now" in user.text) == (role is Role.ADMIN)
