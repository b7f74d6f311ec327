"""Users: added, given roles and passwords, removed; permissions by role; every action is recorded."""

from datetime import datetime, timedelta

import pytest

from sitecms.actions.accounts import users as accounts
from sitecms.actions.accounts.links import invite, invite_to_reset, reset_password, withdraw
from sitecms.actions.accounts.permissions import require
from sitecms.actions.accounts.second_factor import turn_off
from sitecms.actions.accounts.sessions import end_all, end_one, end_other, find_current, note_use, sign_out
from sitecms.actions.accounts.signing_in import WRONG, sign_in
from sitecms.content.query import Window
from sitecms.content.user import PERMISSIONS, SESSION_IDLE, SESSION_LONGEST, Action, Role, Scope, User
from sitecms.errors import Conflict, Forbidden, InvalidFields, NotFound, Unauthenticated
from sitecms.store.accounts.audit import find_actions
from sitecms.store.accounts.users import find_users, has_users
from sitecms.store.database import Database

from .conftest import PASSWORD, MakeUser

NEW = "another horse battery staple"


def test_added_user_signs_in_and_out(store: Database, make_user: MakeUser, noon: datetime) -> None:
    """The secret opens the session until it is signed out; the store has its digest alone."""
    assert not store.read(has_users)
    mira = make_user()
    secret = sign_in(store, " mira ", PASSWORD, noon, "127.0.0.1", "Firefox").secret
    found = find_current(store, secret, noon)
    assert found is not None
    assert (found.user.id, found.user.role, found.address, found.client) == (mira.id, "admin", "127.0.0.1", "Firefox")
    with store.reading() as session:
        assert session.sql("SELECT count(*) FROM studio_session WHERE digest = ?", secret) == [(0,)]
        assert [user.signed_in_at for user in find_users(session)] == [noon]
    sign_out(store, found, noon)
    assert find_current(store, secret, noon) is None  # Payload CVE-2025-4643: a replayed cookie fails


@pytest.mark.parametrize(("name", "password"), [("mira", "wrong horse battery staple"), ("nobody", PASSWORD), ("", "")])
def test_wrong_name_or_password_gets_the_same_words(
    store: Database, make_user: MakeUser, noon: datetime, name: str, password: str
) -> None:
    """Nobody learns which names there are."""
    make_user()
    with pytest.raises(Unauthenticated) as refused:
        sign_in(store, name, password, noon, "", "")
    assert str(refused.value) == WRONG


def test_session_ends_when_idle_and_with_age(store: Database, make_user: MakeUser, noon: datetime) -> None:
    """12 hours without use, and 14 days in any case."""
    make_user()
    secret = sign_in(store, "mira", PASSWORD, noon, "", "").secret
    assert find_current(store, secret, noon + SESSION_IDLE) is None
    at = noon
    while at < noon + SESSION_LONGEST - timedelta(hours=11):
        at += timedelta(hours=11)
        found = find_current(store, secret, at)
        assert found is not None
        note_use(store, found, at)
    assert find_current(store, secret, noon + SESSION_LONGEST) is None


@pytest.mark.parametrize("change", ["password", "own password", "role", "remove", "deactivate", "reset"])
def test_sessions_end_with_password_role_and_user(
    store: Database, make_user: MakeUser, noon: datetime, change: str
) -> None:
    """Strapi CVE-2026-22706: all sessions end at once."""
    make_user("boss")
    mira = make_user()
    secrets = [sign_in(store, "mira", PASSWORD, noon, "", "").secret for _ in range(2)]
    match change:
        case "password":
            accounts.set_password(store, None, "mira", "another horse battery staple", "Tide", noon)
        case "own password":
            accounts.change_own_password(store, mira, PASSWORD, "another horse battery staple", "Tide", noon)
        case "role":
            accounts.set_role(store, None, "mira", Role.EDITOR, "", noon)
        case "remove":
            accounts.remove_user(store, None, "mira", noon)
        case "deactivate":
            assert accounts.deactivate(store, None, "mira", noon) == 2
        case "reset":
            reset_password(store, invite_to_reset(store, None, "mira", noon), NEW, "Tide", noon)
    assert [find_current(store, secret, noon) for secret in secrets] == [None, None]


def test_other_sessions_end_alone(store: Database, make_user: MakeUser, noon: datetime) -> None:
    """The session that asks stays."""
    make_user()
    mine, other = (sign_in(store, "mira", PASSWORD, noon, "", "").secret for _ in range(2))
    session = find_current(store, mine, noon)
    assert session is not None
    assert end_other(store, session, noon) == 1
    assert find_current(store, mine, noon) is not None
    assert find_current(store, other, noon) is None


def test_own_password_needs_the_current_one(store: Database, make_user: MakeUser, noon: datetime) -> None:
    """A session left open does not let others take the account."""
    mira = make_user()
    with pytest.raises(InvalidFields) as refused:
        accounts.change_own_password(store, mira, "wrong", "another horse battery staple", "Tide", noon)
    assert [*refused.value.messages] == ["current"]
    assert sign_in(store, "mira", PASSWORD, noon, "", "")


def test_last_admin_stays(store: Database, make_user: MakeUser, noon: datetime) -> None:
    """Neither a role nor a removal leaves other users without an admin; the only user may be removed."""
    make_user()
    accounts.remove_user(store, None, "mira", noon)
    make_user()
    make_user("ed", Role.EDITOR)
    with pytest.raises(Conflict):
        accounts.set_role(store, None, "mira", Role.EDITOR, "", noon)
    with pytest.raises(Conflict):
        accounts.remove_user(store, None, "mira", noon)
    make_user("zoe")
    accounts.deactivate(store, None, "zoe", noon)  # an admin who cannot sign in is none
    with pytest.raises(Conflict):
        accounts.deactivate(store, None, "mira", noon)
    accounts.set_role(store, None, "ed", Role.ADMIN, "", noon)
    accounts.remove_user(store, None, "mira", noon)


def test_errors_name_the_field(store: Database, make_user: MakeUser, noon: datetime) -> None:
    """A taken name, an unknown author, a writer without an author, an invalid name."""
    make_user()
    with pytest.raises(Conflict) as taken:
        make_user()
    assert taken.value.field == "name"
    for name, role, author, field in (
        ("a", Role.WRITER, "", "author"), ("a", Role.EDITOR, "nobody", "author"), ("", Role.ADMIN, "", "name"),
        ("a\nb", Role.ADMIN, "", "name"),
    ):  # fmt: skip
        with pytest.raises(InvalidFields) as refused:
            make_user(name, role, author)
        assert [*refused.value.messages] == [field]
    with pytest.raises(NotFound):
        accounts.remove_user(store, None, "nobody", noon)


def test_removed_name_is_free_and_the_log_keeps_it(store: Database, make_user: MakeUser, noon: datetime) -> None:
    """Another user may take the name; the log says what happened."""
    make_user("boss")
    first = make_user("ed", Role.EDITOR)
    accounts.remove_user(store, None, "ed", noon)
    assert make_user("ed", Role.EDITOR).id != first.id
    found = store.read(find_actions, Window(10))
    assert [(each.user_name, each.action, each.subject) for each in found.entries][:2] == [
        ("command line", "add user", "user ed"),
        ("command line", "remove user", "user ed"),
    ]
    assert found.count == 4


def test_only_admins_manage_people(store: Database, make_user: MakeUser, noon: datetime) -> None:
    """Every action on users is refused to writers and editors, also on themselves."""
    make_user("boss")
    for role in (Role.WRITER, Role.EDITOR):
        user = make_user(role.value, role, "ann-ray")
        with pytest.raises(Forbidden):
            accounts.add_user(store, user, "x", Role.ADMIN, "", PASSWORD, "Tide", noon)
        with pytest.raises(Forbidden):
            accounts.set_role(store, user, user.name, Role.ADMIN, "", noon)
        with pytest.raises(Forbidden):
            accounts.set_password(store, user, "boss", "another horse battery staple", "Tide", noon)
        with pytest.raises(Forbidden):
            accounts.remove_user(store, user, "boss", noon)
        for act in (accounts.deactivate, accounts.activate, invite_to_reset, turn_off):
            with pytest.raises(Forbidden):
                act(store, user, user.name, noon)
        with pytest.raises(Forbidden):
            invite(store, user, "", Role.ADMIN, "", noon)
        with pytest.raises(Forbidden):
            withdraw(store, user, "", noon)
        with pytest.raises(Forbidden):
            end_all(store, user, user.name, noon)
        with pytest.raises(Forbidden):
            end_one(store, user, "boss", "", noon)


@pytest.mark.parametrize("action", Action)
@pytest.mark.parametrize("role", Role)
def test_every_action_is_decided_for_every_role(noon: datetime, role: Role, action: Action) -> None:
    """`require` follows the table: on own posts, on those of others, and for a user without an author."""
    scope = PERMISSIONS[action][role]
    user = User(1, "mira", role, "mira-lund", noon)
    stranger = User(2, "ed", role, "", noon)
    for who, author, allowed in (
        (user, "mira-lund", scope is not Scope.NONE),
        (user, "ann-ray", scope is Scope.ALL),
        (stranger, "", scope is Scope.ALL),
        (None, "ann-ray", True),
    ):
        if allowed:
            require(who, action, author)
        else:
            with pytest.raises(Forbidden):
                require(who, action, author)


def test_deactivated_user_comes_back_as_before(store: Database, make_user: MakeUser, noon: datetime) -> None:
    """No session, the same words for the right password; name, log and password stay, and a role activates again."""
    make_user("boss")
    make_user("ed", Role.EDITOR)
    accounts.deactivate(store, None, "ed", noon)
    with pytest.raises(Unauthenticated, match=WRONG):
        sign_in(store, "ed", PASSWORD, noon, "", "")
    with pytest.raises(Conflict):
        make_user("ed")
    accounts.activate(store, None, "ed", noon)
    assert sign_in(store, "ed", PASSWORD, noon, "", "").user.role is Role.EDITOR
    accounts.deactivate(store, None, "ed", noon)
    accounts.set_role(store, None, "ed", Role.ADMIN, "", noon)
    assert sign_in(store, "ed", PASSWORD, noon, "", "").user.role is Role.ADMIN
    with store.reading() as session:
        actions = [each.action for each in find_actions(session, Window(100)).entries]
        assert [each.action for each in find_actions(session, Window(100), "ed").entries] == ["sign in", "sign in"]
    assert actions.count("deactivate user") == actions.count("activate user") == 2


def test_session_ends_by_its_id_for_its_user_alone(store: Database, make_user: MakeUser, noon: datetime) -> None:
    """Payload CVE-2026-25574: an id of another user's session is unknown."""
    mira, ed = make_user(), make_user("ed", Role.EDITOR)
    mine, other = (sign_in(store, "mira", PASSWORD, noon, "", "").secret for _ in range(2))
    found = find_current(store, mine, noon)
    assert found is not None
    for by, name in ((ed, "ed"), (mira, "ed")):
        with pytest.raises(NotFound):
            end_one(store, by, name, found.id, noon)
    with pytest.raises(Forbidden):
        end_one(store, ed, "mira", found.id, noon)
    end_one(store, mira, "mira", found.id, noon)
    assert find_current(store, mine, noon) is None
    assert find_current(store, other, noon) is not None
