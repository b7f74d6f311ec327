"""Invitations, links for new passwords, second factors and sessions in Chromium."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from sitecms.clock import now
from sitecms.content.second_factor import step_at, totp_code
from tests.support.studio_browser import NAME, PASSWORD, PHONE_AND_KEYS, Studio, View, window

NEW = "another horse battery staple"


def type_and_enter(page: Page, *texts: str) -> None:
    """Type texts into one field after the other, beginning with the one that has the focus, and press Enter."""
    for number, text in enumerate(texts):
        if number:
            page.keyboard.press("Tab")
        page.keyboard.type(text)
    with page.expect_navigation():
        page.keyboard.press("Enter")


@pytest.mark.slow
@pytest.mark.parametrize("studio", PHONE_AND_KEYS, indirect=True)
def test_person_is_invited_and_protects_the_account(studio: Studio, browser: Browser) -> None:
    """Invited, signed in, second factor set up, signed out, in again by a code, and given a new password."""
    name = f"wren-{studio.page.viewport_size['width']}" if studio.page.viewport_size else "wren"
    link = invite(studio, name)
    view: View = (360, "dark", "finger") if studio.way == "finger" else (1280, "light", "keys")
    with window(studio.served, browser, view) as guest:
        accept_and_protect(studio, guest, name, link)


def accept_and_protect(studio: Studio, guest: Studio, name: str, link: str) -> None:
    """Choose a password by the link, set the second factor up, sign in with it, and get a new password."""
    page = guest.page
    page.goto(link)
    assert guest.violations() == []
    guest.enter(page.get_by_label("Name", exact=True))
    type_and_enter(page, name, "", NEW, NEW)
    expect(page.get_by_role("link", name=name)).to_be_visible()
    secret = set_up_second_factor(guest)
    guest.press("Sign out")
    guest.enter(page.get_by_label("Name", exact=True))
    type_and_enter(page, name, NEW)
    expect(page.get_by_label("Code of six digits")).to_be_focused()
    assert guest.violations() == []
    type_and_enter(page, totp_code(secret, step_at(now()) + 1))
    expect(page.get_by_role("link", name=name)).to_be_visible()
    studio.open(f"people/{name}/")
    studio.press("Make a link")
    new_password_by(guest, studio.page.locator("#link").inner_text())
    assert guest.complaints() == []


def invite(studio: Studio, name: str) -> str:
    """Invite an editor, and return the link."""
    studio.open("people/")
    studio.enter(studio.page.get_by_label("For whom"))
    studio.page.keyboard.type(name)
    studio.page.keyboard.press("Tab")  # to the address, which stays empty
    studio.page.keyboard.press("Tab")
    studio.page.keyboard.type("editor")
    studio.press("Make a link")
    assert studio.violations() == []
    return studio.page.locator("#link").inner_text()


def set_up_second_factor(guest: Studio) -> str:
    """Turn the second factor on; return its secret."""
    page = guest.page
    guest.open("account/second-factor/")
    assert guest.violations() == []
    guest.press("Set it up")
    assert guest.violations() == []
    size = page.locator("img.qr").evaluate("image => image.decode().then(() => image.naturalWidth)")
    assert size > 100
    secret = re.sub(r"\s", "", page.locator(".key").inner_text())
    guest.enter(page.get_by_label("Code of six digits"))
    type_and_enter(page, totp_code(secret, step_at(now())))
    expect(page.locator(".codes li")).to_have_count(10)
    assert guest.violations() == []
    guest.open("account/second-factor/")
    assert guest.violations() == []
    return secret


def new_password_by(guest: Studio, link: str) -> None:
    """Choose a new password by a link, which signs out and opens once."""
    page = guest.page
    page.goto(link)
    assert guest.violations() == []
    guest.enter(page.get_by_label("New password", exact=True))
    type_and_enter(page, PASSWORD, PASSWORD)
    expect(page.locator("[data-said]")).to_contain_text("Your new password is stored.")
    page.goto(link)
    expect(page.get_by_role("heading")).to_have_text("This link does not open")
    expect(page.get_by_role("link", name="Sign in")).to_have_attribute("href", "/studio/")
    assert guest.violations() == []


@pytest.mark.slow
@pytest.mark.parametrize("stranger", PHONE_AND_KEYS, indirect=True)
def test_wrong_password_then_right_then_out(stranger: Studio) -> None:
    """The name stays, the reason is told; after signing out, the way back shows nothing."""
    page = stranger.page
    stranger.open("sign-in/")
    stranger.write(page.get_by_label("Name"), NAME)
    stranger.write(page.get_by_label("Password"), "not the password")
    stranger.press("Sign in")
    expect(page.get_by_role("alert")).to_have_text("The name or the password is wrong.")
    expect(page.get_by_label("Name")).to_have_value(NAME)
    expect(page.get_by_label("Password")).to_be_focused()
    stranger.write(page.get_by_label("Password"), PASSWORD)
    stranger.press("Sign in")
    expect(page.get_by_role("heading", name="Posts")).to_be_visible()
    stranger.press("Sign out")
    expect(page.get_by_role("heading", name="Studio")).to_be_visible()
    page.go_back()
    expect(page.get_by_label("Password")).to_be_visible()
