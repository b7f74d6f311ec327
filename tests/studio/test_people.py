"""People and the log, for admins."""

import re

import pytest

from sitecms.content.user import Role
from sitecms.runtime import Runtime
from sitecms.store.accounts.audit import record_action
from sitecms.store.accounts.users import remove_user

from .conftest import PASSWORD, Browser, MakeBrowser, MakeUser

pytestmark = pytest.mark.both_engines


def test_admin_adds_changes_and_removes_a_user(admin: Browser, browser: MakeBrowser) -> None:
    """Each change works at once, ends the sessions of the user, and stands in the log."""
    admin.get("/studio/people/")
    admin.send("/studio/people/", name="wren", role="writer", author="ann-ray", password=PASSWORD)
    assert "The user is added." in admin.text
    assert "wren writer Ann Ray password only" in admin.text
    assert '<option value="ann-ray">Ann Ray</option>' in admin.page
    wren = browser()
    wren.sign_in("wren")
    assert "wren writer" in wren.text
    admin.get("/studio/people/wren/")
    admin.send("/studio/people/wren/", do="role", role="editor", author="")
    assert wren.get("/studio/account/").request.path == "/studio/sign-in/"
    admin.get("/studio/people/wren/")
    new = "another horse battery staple"
    admin.send("/studio/people/wren/", do="password", password=new)
    assert wren.sign_in("wren").status_code == 401
    assert wren.sign_in("wren", new).status_code == 200
    admin.get("/studio/people/wren/")
    assert admin.send("/studio/people/wren/", do="remove", name="other").status_code == 400
    admin.send("/studio/people/wren/", do="remove", name="wren")
    assert wren.get("/studio/account/").request.path == "/studio/sign-in/"
    admin.get("/studio/log/")
    for line in ("remove user user wren", "set role user wren writer to editor", "sign in user wren"):
        assert line in admin.text


def test_mistakes_stand_beside_the_field_with_what_was_typed(admin: Browser, make_user: MakeUser) -> None:
    """A taken name, a weak password, a role that does not exist, the last admin."""
    make_user("wren", Role.EDITOR)
    admin.get("/studio/people/")
    for fields, problem in (
        ({"name": "wren", "role": "editor", "password": PASSWORD}, "There is a user named 'wren' already"),
        ({"name": "ed", "role": "editor", "password": "password1234"}, "easy to guess"),
        ({"name": "ed", "role": "owner", "password": PASSWORD}, "Choose a role."),
        ({"name": "ed", "role": "writer", "password": PASSWORD}, "Authors: Ann Ray (ann-ray), Bo Lind (bo-lind)."),
        ({"name": "a/b", "role": "editor", "password": PASSWORD}, "without a slash"),
    ):
        answered = admin.send("/studio/people/", **fields)
        assert (answered.status_code, problem in admin.text) == (400, True), fields
        assert f'value="{fields["name"]}"' in admin.page
        assert str(fields["password"]) not in admin.page
    admin.get("/studio/people/admin/")
    assert admin.send("/studio/people/admin/", do="role", role="editor").status_code == 400
    assert "There would be no admin left." in admin.text


def test_sessions_are_listed_and_ended_one_by_one(
    admin: Browser, browser: MakeBrowser, runtime: Runtime, make_user: MakeUser
) -> None:
    """By the user and by an admin, who sees device and last use; ids of others end nothing."""
    here, there = browser(), browser()
    make_user("ed", Role.EDITOR)
    here.open_session(runtime, "ed")
    there.open_session(runtime, "ed")
    here.get("/studio/account/")
    (other,) = re.findall(r'name="session" value="([0-9a-f]+)"', here.page)  # not the one that asks
    admin.get("/studio/people/ed/")
    ids = set(re.findall(r'name="session" value="([0-9a-f]+)"', admin.page))
    assert other in ids
    assert "Unknown browser" in admin.text
    admin.get("/studio/account/")
    assert admin.send("/studio/account/sessions/", session=other).status_code == 404
    here.send("/studio/account/sessions/", session=other)
    assert "The session ended." in here.text
    assert there.get("/studio/account/").request.path == "/studio/sign-in/"
    admin.get("/studio/people/ed/")
    admin.send("/studio/people/ed/", do="end", session=(ids - {other}).pop())
    assert here.get("/studio/account/").request.path == "/studio/sign-in/"
    here.open_session(runtime, "ed")
    admin.send("/studio/people/ed/", do="end-all")
    assert here.get("/studio/account/").request.path == "/studio/sign-in/"


def test_user_is_deactivated_and_activated(admin: Browser, browser: MakeBrowser, make_user: MakeUser) -> None:
    """Signed out at once, and refused with the words for a wrong password; the page of the user stays."""
    ed = browser()
    make_user("ed", Role.EDITOR)
    ed.sign_in("ed")
    admin.get("/studio/people/ed/")
    admin.send("/studio/people/ed/", do="deactivate")
    assert "The user is deactivated" in admin.text
    assert ed.get("/studio/posts/").request.path == "/studio/sign-in/"
    assert ed.sign_in("ed").status_code == 401
    assert "The name or the password is wrong." in ed.text
    admin.send("/studio/people/ed/", do="activate")
    assert ed.sign_in("ed").status_code == 200
    admin.get("/studio/people/admin/")
    assert admin.send("/studio/people/admin/", do="deactivate").status_code == 400
    assert "There would be no admin left." in admin.text


def test_log_is_filtered_by_person_and_paged(admin: Browser, runtime: Runtime, make_user: MakeUser) -> None:
    """The pages keep the filter; persons who are removed are offered, too."""
    ed = make_user("ed", Role.EDITOR)
    with runtime.database.writing() as transaction:
        for number in range(60):
            record_action(transaction, ed, "publish", f"post number-{number}", runtime.clock())
        remove_user(transaction, ed.id, runtime.clock())
    admin.get("/studio/log/?person=ed")
    assert "60 actions of ed" in admin.text
    assert "number-59" in admin.text
    assert "number-9 " not in admin.text
    assert "person=ed&amp;page=2" in admin.page
    admin.get("/studio/log/?person=ed&page=2")
    assert "number-9 " in admin.text
    assert "sign in" not in admin.text.partition("Detail")[2]
    admin.get("/studio/log/?person=nobody")
    assert "0 actions of nobody" in admin.text
