"""The preview of the theme with settings that are not saved."""

import re

import pytest

from sitecms.content.user import Role
from sitecms.runtime import Runtime
from sitecms.web.service import create_app
from tests.support.entries import MakePost

from .conftest import Browser, SignedIn
from .forms import press_settings

PREVIEW = "/studio/site/theme/preview/"


@pytest.fixture
def admin(signed_in: SignedIn, make_post: MakePost) -> Browser:
    """An admin of a site with a post."""
    make_post("spring-tide", title="Spring tide")
    return signed_in(Role.ADMIN)


def preview(admin: Browser, **changes: object) -> str:
    """The page with these settings; keys have __ for a dot."""
    admin.get("/studio/site/theme/")
    named = {name.replace("__", "."): value for name, value in changes.items()}
    assert press_settings(admin, PREVIEW, named, "save").status_code == 200
    return admin.page


def style_of(page: str) -> str:
    """The address of the stylesheet of a page."""
    match = re.search(r'href="(/studio/look/[0-9a-f]+/assets/style[^"]*\.css)"', page)
    assert match is not None
    return match[1]


def test_a_page_is_shown_with_settings_that_are_not_saved(runtime: Runtime, admin: Browser) -> None:
    """Colours, another theme and the foot; site.toml stays, and the page runs without the studio's rights."""
    before = (runtime.settings.folder / "site.toml").read_bytes()
    page = preview(admin, theme__accent="#aa0011", theme__footer_text="All rights of the moon.")
    assert "All rights of the moon." in page
    assert "Spring tide" in page
    answered = admin.client.get(style_of(page))
    assert b"#aa0011" in answered.data
    assert answered.headers["Access-Control-Allow-Origin"] == "*"
    magazine = preview(admin, theme__name="magazine", look_at="/blog/spring-tide/")
    assert admin.client.get(style_of(magazine)).data != answered.data
    assert "<title>Spring tide" in magazine
    assert (runtime.settings.folder / "site.toml").read_bytes() == before


def test_other_processes_have_the_files_of_a_preview(runtime: Runtime, admin: Browser) -> None:
    """Each web process may be asked for them."""
    address = style_of(preview(admin, theme__accent="#aa0011"))
    other = create_app(runtime, "http://127.0.0.1:8000", probe=lambda _url: "").test_client()
    assert b"#aa0011" in other.get(address).data
    assert other.get(re.sub(r"look/[0-9a-f]+", "look/0123", address)).status_code == 404


def test_faults_name_their_controls(admin: Browser) -> None:
    """The page as it was before stays."""
    admin.get("/studio/site/theme/")
    assert press_settings(admin, PREVIEW, {"theme.accent": "red"}).status_code == 400
    assert 'heme.accent: It is "red"' in admin.text
