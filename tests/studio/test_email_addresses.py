"""E-mail addresses of users: set by themselves and by admins, unique, and given with an invitation."""

import pytest

from sitecms.actions.accounts.links import invite
from sitecms.content.user import Role
from sitecms.runtime import Runtime
from sitecms.store.accounts.users import get_user

from .conftest import PASSWORD, Browser, MakeBrowser, MakeUser, SignedIn

pytestmark = pytest.mark.both_engines


def address_of(runtime: Runtime, name: str) -> str:
    return runtime.database.read(get_user, name).email


def test_users_set_their_own_address_with_their_password(runtime: Runtime, signed_in: SignedIn) -> None:
    """Without it, or with something else than an address, nothing is changed and what was typed stays."""
    ed = signed_in(Role.EDITOR, name="ed")
    ed.get("/studio/account/")
    for fields, problem in (
        ({"email": "ed@tide.example", "current": "wrong"}, "This is not your password."),
        ({"email": "ed@tide", "current": ""}, "This is not your password."),
        ({"email": "ed at tide", "current": PASSWORD}, "This is no e-mail address."),
    ):
        assert ed.send("/studio/account/email/", **fields).status_code == 400
        assert problem in ed.text
        assert f'value="{fields["email"]}"' in ed.page
        assert address_of(runtime, "ed") == ""
    ed.get("/studio/account/")
    ed.send("/studio/account/email/", email=" ed@Tide.example", current=PASSWORD)
    assert "The e-mail address is changed." in ed.text
    assert address_of(runtime, "ed") == "ed@tide.example"


def test_no_two_users_have_one_address(runtime: Runtime, admin: Browser, make_user: MakeUser) -> None:
    """In any case; the address of a removed user is free."""
    make_user("ed", Role.EDITOR)
    make_user("wren", Role.EDITOR)
    admin.get("/studio/people/ed/")
    admin.send("/studio/people/ed/", do="email", email="Ed@tide.example")
    assert "The e-mail address is changed." in admin.text
    admin.get("/studio/people/wren/")
    assert admin.send("/studio/people/wren/", do="email", email="ed@tide.example").status_code == 400
    assert "is the address of the user &#39;ed&#39; already" in admin.page
    assert 'value="ed@tide.example"' in admin.page
    admin.get("/studio/people/")
    new = {"name": "al", "role": "editor", "password": PASSWORD, "email": "ED@tide.example"}
    assert admin.send("/studio/people/", **new).status_code == 400
    admin.get("/studio/people/ed/")
    admin.send("/studio/people/ed/", do="remove", name="ed")
    admin.get("/studio/people/")
    assert admin.send("/studio/people/", **new).status_code == 200
    assert address_of(runtime, "al") == "ED@tide.example"


def test_invited_person_has_the_address_of_the_invitation(
    runtime: Runtime, browser: MakeBrowser, make_user: MakeUser
) -> None:
    """It stands in the form, where the person may change it."""
    admin, guest = make_user("mira"), browser()
    code = invite(runtime.database, admin, "Wren", Role.EDITOR, "", runtime.clock(), "wren@tide.example")
    guest.get(f"/studio/invitation/?code={code}")
    assert 'value="wren@tide.example"' in guest.page
    typed = {"code": code, "name": "wren", "password": PASSWORD, "repeated": PASSWORD, "email": "wren@"}
    assert guest.send("/studio/invitation/", **typed).status_code == 400
    assert 'value="wren@"' in guest.page
    guest.send("/studio/invitation/", **{**typed, "email": "wren@home.example"})
    assert address_of(runtime, "wren") == "wren@home.example"
