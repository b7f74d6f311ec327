"""Links for the first user, invitations and new passwords: each opens once, for a while, as its maker's rights do."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest

from sitecms.actions.accounts import users as accounts
from sitecms.actions.accounts.links import (
    HAS_USERS,
    LinkOver,
    accept_link,
    find_usable,
    invite,
    invite_to_reset,
    make_first_link,
    reset_password,
    withdraw,
)
from sitecms.actions.accounts.sessions import find_current
from sitecms.actions.accounts.signing_in import sign_in
from sitecms.content.account_link import AccountLink, LinkKind
from sitecms.content.user import Role, User
from sitecms.errors import Conflict, InvalidFields, NotFound, Unauthenticated
from sitecms.store.accounts.links import find_open_links
from sitecms.store.accounts.sessions import end_everything
from sitecms.store.accounts.users import find_users
from sitecms.store.database import Database
from sitecms.store.entries.authors import rename_author
from tests.support.reading import select
from tests.support.waiting import PATIENCE_SECONDS

from .conftest import PASSWORD, MakeUser

NEW = "another horse battery staple"
INVITATION, RESET, FIRST = LinkKind.INVITATION, LinkKind.RESET, LinkKind.FIRST


def accept(store: Database, secret: str, name: str, at: datetime, kind: LinkKind = INVITATION) -> User:
    """Accept an invitation; return the user, whose session is current."""
    user, session = accept_link(store, find_usable(store, kind, secret, at), name, NEW, "Tide", at, "", "")
    assert find_current(store, session, at) is not None
    return user


def test_invited_person_becomes_the_user_that_was_meant(store: Database, make_user: MakeUser, noon: datetime) -> None:
    """Role and author are those of the invitation; the store has a digest alone, and the link works once."""
    boss = make_user("boss")
    secret = invite(store, boss, " Wren ", Role.WRITER, "ann-ray", noon)
    with store.reading() as session:
        assert [(each.label, each.made_by) for each in find_open_links(session, INVITATION, noon)] == [
            ("Wren", boss.id)
        ]
        assert secret not in str(session.sql("SELECT * FROM account_link"))
    store.write(rename_author, "ann-ray", "ann-lind")
    at = noon + timedelta(hours=72, microseconds=-1)
    user = accept(store, secret, "wren", at)
    assert (user.name, user.role, user.author) == ("wren", Role.WRITER, "ann-lind")
    with pytest.raises(LinkOver, match="used already"):
        accept(store, secret, "another", at)
    assert store.read(find_open_links, INVITATION, at) == ()


def test_mistakes_leave_the_invitation_open(store: Database, make_user: MakeUser, noon: datetime) -> None:
    """A taken name, a weak password, a role without its author."""
    make_user()
    secret = invite(store, None, "", Role.EDITOR, "", noon)
    with pytest.raises(Conflict):
        accept(store, secret, "mira", noon)
    with pytest.raises(InvalidFields):
        accept_link(store, find_usable(store, INVITATION, secret, noon), "ed", "short", "Tide", noon, "", "")
    assert accept(store, secret, "ed", noon).role is Role.EDITOR
    with pytest.raises(InvalidFields):
        invite(store, None, "", Role.WRITER, "", noon)
    with pytest.raises(InvalidFields):
        invite(store, None, "x" * 101, Role.EDITOR, "", noon)


def test_reset_link_gives_a_new_password(store: Database, make_user: MakeUser, noon: datetime) -> None:
    """For an hour and once; a second link takes the place of the first, and another kind of link opens nothing."""
    make_user()
    first, secret = (invite_to_reset(store, None, "mira", noon) for _ in range(2))
    for kind, code in ((RESET, first), (INVITATION, secret), (RESET, ""), (RESET, "x")):
        with pytest.raises(NotFound, match="not known here"):
            find_usable(store, kind, code, noon)
    with pytest.raises(LinkOver, match="too old"):
        reset_password(store, secret, NEW, "Tide", noon + timedelta(hours=1))
    with pytest.raises(InvalidFields):
        reset_password(store, secret, "mira-mira-mira", "Tide", noon)
    reset_password(store, secret, NEW, "Tide", noon)
    assert sign_in(store, "mira", NEW, noon, "", "")
    with pytest.raises(Unauthenticated):
        sign_in(store, "mira", PASSWORD, noon, "", "")
    with pytest.raises(LinkOver, match="used already"):
        reset_password(store, secret, PASSWORD, "Tide", noon)


@pytest.mark.parametrize("change", ["withdraw", "restore", "deactivate", "remove", "role"])
def test_links_end_with_the_rights_of_their_maker(
    store: Database, make_user: MakeUser, noon: datetime, change: str
) -> None:
    """Nobody keeps a way in by inviting oneself before leaving."""
    make_user("boss")
    mira, _ed = make_user(), make_user("ed", Role.EDITOR)
    codes = [(INVITATION, invite(store, mira, "", Role.ADMIN, "", noon))]
    if change != "withdraw":
        codes.append((RESET, invite_to_reset(store, mira, "ed", noon)))
    match change:
        case "withdraw":
            withdraw(store, mira, find_usable(store, *codes[0], noon).id, noon)
        case "restore":
            store.write(end_everything)
        case "deactivate":
            accounts.deactivate(store, None, "mira", noon)
        case "remove":
            accounts.remove_user(store, None, "mira", noon)
        case "role":
            accounts.set_role(store, None, "mira", Role.EDITOR, "", noon)
    for kind, code in codes:
        with pytest.raises(NotFound):
            find_usable(store, kind, code, noon)


def test_reset_links_end_with_what_else_happens_to_the_user(
    store: Database, make_user: MakeUser, noon: datetime
) -> None:
    """A new password and being deactivated; who is deactivated gets none."""
    make_user("boss")
    make_user("ed", Role.EDITOR)

    def usable(code: str) -> AccountLink | None:
        try:
            return find_usable(store, RESET, code, noon)
        except NotFound:
            return None

    code = invite_to_reset(store, None, "ed", noon)
    assert usable(code)
    accounts.set_password(store, None, "ed", NEW, "Tide", noon)
    assert usable(code) is None
    code = invite_to_reset(store, None, "ed", noon)
    accounts.deactivate(store, None, "ed", noon)
    assert usable(code) is None
    with pytest.raises(Conflict):
        invite_to_reset(store, None, "ed", noon)


def test_first_user_is_made_by_a_link(store: Database, noon: datetime) -> None:
    """An admin, once and within an hour; the store has a digest alone, and a newer link takes the place of a former."""
    former = make_first_link(store, noon)
    secret = make_first_link(store, noon)
    assert former
    assert secret
    assert secret not in str(select(store, "SELECT * FROM account_link"))
    for kind, code in ((FIRST, former), (INVITATION, secret), (FIRST, "")):
        with pytest.raises(NotFound, match="not known here"):
            find_usable(store, kind, code, noon)
    with pytest.raises(LinkOver, match="one hour"):
        find_usable(store, FIRST, secret, noon + timedelta(hours=1))
    user = accept(store, secret, "mira", noon + timedelta(hours=1, microseconds=-1), FIRST)
    assert (user.name, user.role, user.author) == ("mira", Role.ADMIN, "")
    with pytest.raises(LinkOver, match="has its first user"):
        find_usable(store, FIRST, secret, noon)
    assert make_first_link(store, noon) is None


def test_any_user_ends_the_link_for_the_first(store: Database, make_user: MakeUser, noon: datetime) -> None:
    """Also one who is added on the server while the form is open. Without users again, the used link stays used."""
    secret = make_first_link(store, noon)
    assert secret
    link = find_usable(store, FIRST, secret, noon)
    make_user("boss")
    with pytest.raises(LinkOver, match="has its first user"):
        accept_link(store, link, "mira", NEW, "Tide", noon, "", "")
    accounts.remove_user(store, None, "boss", noon)
    accept(store, secret, "mira", noon, FIRST)
    accounts.remove_user(store, None, "mira", noon)
    with pytest.raises(LinkOver, match="used already"):
        find_usable(store, FIRST, secret, noon)


def test_one_of_two_becomes_the_first_user(store: Database, noon: datetime) -> None:
    """Two who open the link at once: one is in, the other is told that there is a user."""
    secret = make_first_link(store, noon)
    assert secret
    link = find_usable(store, FIRST, secret, noon)
    barrier = threading.Barrier(2, timeout=PATIENCE_SECONDS)

    def one(name: str) -> str:
        barrier.wait()
        try:
            return accept_link(store, link, name, NEW, "Tide", noon, "", "")[0].name
        except LinkOver as error:
            return str(error)

    with ThreadPoolExecutor(2) as pool:
        names = set(pool.map(one, ("mira", "wren")))
    assert {each.name for each in store.read(find_users)} == names & {"mira", "wren"}
    assert len(names & {"mira", "wren"}) == 1
    assert names - {"mira", "wren"} == {HAS_USERS}
