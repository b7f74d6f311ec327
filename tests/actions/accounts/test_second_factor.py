"""The second factor: set up, asked for after the password in the same browser, each code once, turned off."""

from datetime import datetime, timedelta

import pytest

from sitecms.actions.accounts import second_factor
from sitecms.actions.accounts import users as accounts
from sitecms.actions.accounts.links import invite_to_reset, reset_password
from sitecms.actions.accounts.sessions import find_current
from sitecms.actions.accounts.signing_in import MAX_WRONG_CODES, find_waiting, give_code, sign_in
from sitecms.content.query import Window
from sitecms.content.second_factor import STEP_LIFETIME, step_at, totp_code
from sitecms.content.user import Role, User
from sitecms.errors import Conflict, InvalidFields, NotFound, Unauthenticated
from sitecms.store.accounts.audit import find_actions
from sitecms.store.accounts.second_factors import count_recovery_codes, find_second_factor
from sitecms.store.database import Database
from tests.support.reading import select

from .conftest import PASSWORD, MakeUser

HALF_MINUTE = timedelta(seconds=30)


def turn_on(store: Database, user: User, at: datetime) -> tuple[str, tuple[str, ...]]:
    """Set up the second factor of a user a minute ago; return secret and recovery codes."""
    session = find_current(store, sign_in(store, user.name, PASSWORD, at, "", "").secret, at)
    assert session is not None
    second_factor.begin(store, user, at)
    found = store.read(find_second_factor, user.id)
    assert found is not None
    codes = second_factor.turn_on(store, session, totp_code(found.secret, step_at(at) - 1), at)
    return found.secret, codes


def wait_for_code(store: Database, name: str, at: datetime) -> str:
    """Type the password; return the secret of the sign-in that waits for a code."""
    signed_in = sign_in(store, name, PASSWORD, at, "", "")
    assert signed_in.needs_code
    assert find_current(store, signed_in.secret, at) is None  # no session yet
    return signed_in.secret


def test_factor_is_on_once_a_code_was_typed(store: Database, make_user: MakeUser, noon: datetime) -> None:
    """Until then the password suffices; other sessions end with it, and it cannot be begun anew."""
    mira = make_user()
    second_factor.begin(store, mira, noon)
    here, there = (sign_in(store, "mira", PASSWORD, noon, "", "").secret for _ in range(2))
    session = find_current(store, here, noon)
    assert session is not None
    with pytest.raises(InvalidFields):
        second_factor.turn_on(store, session, "000000x", noon)
    found = store.read(find_second_factor, mira.id)
    assert found is not None
    assert len(second_factor.turn_on(store, session, totp_code(found.secret, step_at(noon)), noon)) == 10
    assert find_current(store, there, noon) is None
    now = find_current(store, here, noon)
    assert now is not None
    assert now.user.has_second_factor
    with pytest.raises(Conflict):
        second_factor.begin(store, mira, noon)
    with pytest.raises(Conflict):
        second_factor.turn_on(store, session, totp_code(found.secret, step_at(noon)), noon)


def test_code_opens_the_sign_in_it_was_asked_in(store: Database, make_user: MakeUser, noon: datetime) -> None:
    """Ghost GHSA-9m84-wc28-w895: the code of one user or browser opens nothing in another, and no code opens twice."""
    secret, _codes = turn_on(store, make_user(), noon)
    turn_on(store, make_user("ed", Role.EDITOR), noon)
    mine, later, eds = (wait_for_code(store, name, noon) for name in ("mira", "mira", "ed"))
    code = totp_code(secret, step_at(noon))
    for waiting in ("", "another browser"):
        with pytest.raises(NotFound):
            give_code(store, waiting, code, noon, "", "")
    with pytest.raises(Unauthenticated):
        give_code(store, eds, code, noon, "", "")
    opened = give_code(store, mine, code, noon, "", "")
    assert opened.user.name == "mira"
    assert find_current(store, opened.secret, noon) is not None
    with pytest.raises(Unauthenticated):
        give_code(store, later, code, noon, "", "")  # seen by somebody over the shoulder
    with pytest.raises(NotFound):
        give_code(store, mine, totp_code(secret, step_at(noon) + 1), noon, "", "")
    assert give_code(store, later, totp_code(secret, step_at(noon) + 1), noon + HALF_MINUTE, "", "")


def test_wrong_codes_and_time_ask_for_the_password_again(store: Database, make_user: MakeUser, noon: datetime) -> None:
    """Five wrong codes, ten minutes, and a change of the password."""
    secret, _codes = turn_on(store, make_user(), noon)
    waiting = wait_for_code(store, "mira", noon)
    for _ in range(MAX_WRONG_CODES):
        with pytest.raises(Unauthenticated):
            give_code(store, waiting, "wrong", noon, "203.0.113.7", "")
    last = store.read(find_actions, Window(1), "mira").entries[0]
    assert (last.action, last.detail) == ("wrong code", "203.0.113.7")
    with pytest.raises(NotFound):
        give_code(store, waiting, totp_code(secret, step_at(noon)), noon, "", "")
    waiting = wait_for_code(store, "mira", noon)
    assert find_waiting(store, waiting, noon).name == "mira"
    with pytest.raises(NotFound):
        find_waiting(store, waiting, noon + STEP_LIFETIME)
    accounts.set_password(store, None, "mira", "another horse battery staple", "Tide", noon)
    with pytest.raises(NotFound):
        give_code(store, waiting, totp_code(secret, step_at(noon)), noon, "", "")


def test_recovery_code_opens_once(store: Database, make_user: MakeUser, noon: datetime) -> None:
    """It is stored as a digest; new ones take the place of the old."""
    mira = make_user()
    _secret, codes = turn_on(store, mira, noon)
    assert codes[0] not in str(select(store, "SELECT * FROM recovery_code"))
    give_code(store, wait_for_code(store, "mira", noon), codes[0].upper(), noon, "", "")
    with pytest.raises(Unauthenticated):
        give_code(store, wait_for_code(store, "mira", noon), codes[0], noon, "", "")
    assert store.read(count_recovery_codes, mira.id) == 9
    new = second_factor.renew_recovery_codes(store, mira, noon)
    with pytest.raises(Unauthenticated):
        give_code(store, wait_for_code(store, "mira", noon), codes[1], noon, "", "")
    assert give_code(store, wait_for_code(store, "mira", noon), new[0], noon, "", "")


def test_new_password_leaves_the_factor_on_and_an_admin_turns_it_off(
    store: Database, make_user: MakeUser, noon: datetime
) -> None:
    """Who gets a link for a new password still needs the device; turned off, the password alone opens."""
    boss, mira = make_user("boss"), make_user()
    turn_on(store, mira, noon)
    reset_password(store, invite_to_reset(store, None, "mira", noon), PASSWORD, "Tide", noon)
    waiting = wait_for_code(store, "mira", noon)
    assert second_factor.turn_off(store, boss, "mira", noon)
    with pytest.raises(NotFound):
        find_waiting(store, waiting, noon)
    assert not sign_in(store, "mira", PASSWORD, noon, "", "").needs_code
    assert not second_factor.turn_off(store, None, "mira", noon)
    with pytest.raises(Conflict):
        second_factor.renew_recovery_codes(store, mira, noon)
