"""E-mail is sent once and repeated where it fails; its links are made with it; what nobody needs is dropped."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from msgspec.structs import replace

from sitecms.actions.accounts.links import (
    RESET_PAUSE,
    accept_link,
    find_usable,
    reset_password,
    send_forgotten,
    send_invitation,
    withdraw,
)
from sitecms.actions.accounts.users import set_unwanted_mail
from sitecms.actions.mailing.deliver import Mailer, deliver_next
from sitecms.actions.mailing.queue import BUNDLE, PAUSE, mail_failed_write, mail_user
from sitecms.content.account_link import LinkKind
from sitecms.content.mail import Mail, MailKind, MailStatus
from sitecms.content.query import Window
from sitecms.content.user import Role, User
from sitecms.errors import NotFound
from sitecms.runtime import Runtime
from sitecms.settings.current import CurrentSettings
from sitecms.settings.mail import MailSettings
from sitecms.settings.site import SiteSettings
from sitecms.store.accounts.mails import LONGEST_WAIT, find_mails, send_again
from sitecms.store.accounts.users import insert_user, remove_user, set_email
from sitecms.store.database import Database
from sitecms.store.writes.claims import site_locks
from tests.support.mail_server import MailServer
from tests.support.reading import execute
from tests.support.waiting import until

MakeServer = Callable[..., MailServer]
HOST = "https://studio.tide.example"
PASSWORD = "correct horse battery staple"
ENTRY = {
    "kind": "post",
    "type": "",
    "id": "3",
    "locale": "en",
    "title": "Ebb\r\nand flow",
    "by": "ann",
    "note": "Read!",
}


def at_time(moment: datetime) -> Callable[[], datetime]:
    return lambda: moment


def mails(store: Database) -> tuple[Mail, ...]:
    return store.read(find_mails, None, Window(100)).entries[::-1]


def settings_with(runtime: Runtime, server: MailSettings) -> SiteSettings:
    return replace(runtime.settings, mail=server, serve_url=HOST)


def add(store: Database, name: str, at: datetime, role: Role = Role.ADMIN, email: str = "") -> User:
    return store.write(insert_user, name, role, "", "x", at, email or f"{name}@tide.example")


def submit(store: Database, user: User, at: datetime) -> None:
    store.write(mail_user, user, MailKind.SUBMITTED, ENTRY, at)


def code_in(text: str, kind: LinkKind) -> str:
    match = re.search(rf"{HOST}/studio/{kind}/\?code=(\S+)", text)
    assert match is not None
    return match[1]


def test_an_invitation_has_a_code_that_only_its_message_knows(
    runtime: Runtime, make_mail_server: MakeServer, noon: datetime
) -> None:
    """The store has a digest alone, before and after; the code opens the invitation once."""
    server, store = make_mail_server(), runtime.database
    admin = add(store, "mira", noon)
    send_invitation(store, admin, "Wren", Role.EDITOR, "", noon, "wren@home.example")
    assert deliver_next(store, settings_with(runtime, server.settings()), at_time(noon), "me")
    (arrived,) = server.arrived
    assert arrived.recipients == ["wren@home.example"]
    assert "mira invites you to the studio of Tide, as an editor." in arrived.text
    code = code_in(arrived.text, LinkKind.INVITATION)
    with store.reading() as session:
        for table in ("mail", "account_link", "audit_entry"):
            assert code not in str(session.sql(f"SELECT * FROM {table}"))
    link = find_usable(store, LinkKind.INVITATION, code, noon)
    assert link.email == "wren@home.example"
    user, _secret = accept_link(store, link, "wren", PASSWORD, "Tide", noon, "", "", link.email)
    assert (user.email, user.role) == ("wren@home.example", Role.EDITOR)
    assert mails(store)[0].status is MailStatus.SENT
    assert not deliver_next(store, settings_with(runtime, server.settings()), at_time(noon + timedelta(days=1)), "me")


def test_a_withdrawn_invitation_is_not_sent(runtime: Runtime, make_mail_server: MakeServer, noon: datetime) -> None:
    """The message is dropped with its reason."""
    server, store = make_mail_server(), runtime.database
    admin = add(store, "mira", noon)
    send_invitation(store, admin, "", Role.EDITOR, "", noon, "wren@home.example")
    link_id = str(mails(store)[0].link_digest)[:16]
    withdraw(store, admin, link_id, noon)
    assert deliver_next(store, settings_with(runtime, server.settings()), at_time(noon), "me")
    assert (mails(store)[0].status, server.arrived) == (MailStatus.DROPPED, [])


def test_failed_attempts_are_repeated_after_the_waits_with_a_new_code(
    runtime: Runtime, make_mail_server: MakeServer, noon: datetime
) -> None:
    """451, 451, taken: not before the wait is over; the code of the last attempt alone opens the link."""
    server, store, at = make_mail_server("451 Later", "451 Later", "250 OK"), runtime.database, noon
    settings = settings_with(runtime, server.settings())
    user = add(store, "ed", noon, Role.EDITOR)
    send_forgotten(store, "ed", noon)
    for wait in settings.mail.retry_seconds:
        assert deliver_next(store, settings, at_time(at), "me")
        assert (mails(store)[0].status, mails(store)[0].problem) == (
            MailStatus.WAITING,
            "the message is refused: 451 Later",
        )
        at += timedelta(seconds=wait)
        assert not deliver_next(store, settings, at_time(at - timedelta(microseconds=1)), "me")
    assert deliver_next(store, settings, at_time(at), "me")
    (mail,), (arrived,) = mails(store), server.arrived
    assert (mail.status, mail.attempt, mail.problem, mail.address) == (MailStatus.SENT, 3, "", user.email)
    code = code_in(arrived.text, LinkKind.RESET)
    assert reset_password(store, code, PASSWORD, "Tide", at).name == "ed"
    with pytest.raises(NotFound):
        reset_password(store, code, PASSWORD, "Tide", at)


def test_a_message_that_cannot_be_made_stops_no_other(
    runtime: Runtime, make_mail_server: MakeServer, noon: datetime
) -> None:
    """It stays claimed until its lease ends, and those behind it are sent meanwhile."""
    server, store = make_mail_server(), runtime.database
    settings, user = settings_with(runtime, server.settings()), add(store, "ed", noon)
    store.write(mail_user, user, MailKind.NOTE, {"title": "Without its entry"}, noon)
    submit(store, user, noon)
    with pytest.raises(KeyError):
        deliver_next(store, settings, at_time(noon), "me")
    assert deliver_next(store, settings, at_time(noon), "me")
    assert [each.status for each in mails(store)] == [MailStatus.WAITING, MailStatus.SENT]
    assert not deliver_next(store, settings, at_time(noon), "me")


def test_a_message_that_fails_for_good_stays_until_somebody_sends_it_again(
    runtime: Runtime, make_mail_server: MakeServer, noon: datetime
) -> None:
    """After a refusal of the address, and after the last wait."""
    server, store = make_mail_server("to 550 No such person", "451 Later", "250 OK"), runtime.database
    settings = settings_with(runtime, server.settings(retry_seconds=()))
    user = add(store, "ed", noon)
    for _ in range(2):
        submit(store, user, noon)
        assert deliver_next(store, settings, at_time(noon), "me")
    assert [each.status for each in mails(store)] == [MailStatus.FAILED, MailStatus.FAILED]
    assert "550 No such person" in mails(store)[0].problem
    with store.writing() as transaction:
        assert send_again(transaction, [each.id for each in mails(store)], noon) == 2
        with pytest.raises(NotFound):
            send_again(transaction, [99], noon)
    while deliver_next(store, settings, at_time(noon), "me"):
        pass
    assert [each.status for each in mails(store)] == [MailStatus.SENT, MailStatus.SENT]


def test_a_message_is_part_of_the_transaction_that_causes_it(runtime: Runtime, noon: datetime) -> None:
    """What is undone sends nothing."""
    store = runtime.database
    user = add(store, "ed", noon)

    def fail() -> None:
        with store.writing() as transaction:
            mail_user(transaction, user, MailKind.SUBMITTED, ENTRY, noon)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert mails(store) == ()


def test_a_request_for_a_review_names_who_asks_and_leads_to_the_form(
    runtime: Runtime, make_mail_server: MakeServer, noon: datetime
) -> None:
    """A title with a line break stays in the subject; the foot says where to choose messages."""
    server, store = make_mail_server(), runtime.database
    submit(store, add(store, "ed", noon), noon)
    deliver_next(store, settings_with(runtime, server.settings()), at_time(noon), "me")
    (arrived,) = server.arrived
    assert arrived.message["Subject"] == "Please review: Ebb and flow"
    assert "Bcc" not in arrived.message
    for part in ("ann asks you to review", "Read!", f"{HOST}/studio/posts/3/", f"{HOST}/studio/account/"):
        assert part in arrived.text


def _without_address(store: Database, user: User, at: datetime) -> None:
    store.write(set_email, user, "")


def _removed(store: Database, user: User, at: datetime) -> None:
    store.write(remove_user, user.id, at)


def _unsubscribed(store: Database, user: User, _at: datetime) -> None:
    set_unwanted_mail(store, user, [MailKind.SUBMITTED])


@pytest.mark.parametrize("change", [_without_address, _removed, _unsubscribed])
def test_what_a_user_cannot_get_or_does_without_is_dropped(
    runtime: Runtime, make_mail_server: MakeServer, noon: datetime, change: Callable[..., None]
) -> None:
    """Also where that changed after the message was stored."""
    server, store = make_mail_server(), runtime.database
    user = add(store, "ed", noon)
    submit(store, user, noon)
    change(store, user, noon)
    assert deliver_next(store, settings_with(runtime, server.settings()), at_time(noon), "me")
    assert (mails(store)[0].status, server.arrived) == (MailStatus.DROPPED, [])


def test_a_message_goes_to_the_address_that_the_user_has_now(
    runtime: Runtime, make_mail_server: MakeServer, noon: datetime
) -> None:
    """A link for a new password does not reach an address that the user has given up."""
    server, store = make_mail_server(), runtime.database
    user = add(store, "ed", noon)
    send_forgotten(store, "ED@tide.example", noon)
    store.write(set_email, user, "ed@home.example")
    deliver_next(store, settings_with(runtime, server.settings()), at_time(noon), "me")
    assert server.arrived[0].recipients == ["ed@home.example"]
    assert mails(store)[0].address == "ed@home.example"


def test_links_for_a_new_password_are_sent_once_in_five_minutes(runtime: Runtime, noon: datetime) -> None:
    """However often somebody asks; nothing is stored for a name or address that nobody has."""
    store = runtime.database
    add(store, "ed", noon)
    for at in (noon, noon, noon + RESET_PAUSE - timedelta(seconds=1), noon + RESET_PAUSE):
        send_forgotten(store, "ed", at)
        send_forgotten(store, "nobody", at)
        send_forgotten(store, "", at)
    assert [each.created_at for each in mails(store)] == [noon, noon + RESET_PAUSE]


def test_admins_get_one_message_about_many_failed_changes(
    runtime: Runtime, make_mail_server: MakeServer, noon: datetime
) -> None:
    """After some minutes, and the next one an hour later; editors, and admins without an address, get none."""
    server, store = make_mail_server(), runtime.database
    settings = settings_with(runtime, server.settings())
    add(store, "mira", noon)
    add(store, "ed", noon, Role.EDITOR)
    with store.writing() as transaction:
        insert_user(transaction, "al", Role.ADMIN, "", "x", noon)
        for minutes in range(4):
            mail_failed_write(transaction, noon + timedelta(minutes=minutes))
    assert not deliver_next(store, settings, at_time(noon + BUNDLE - timedelta(seconds=1)), "me")
    assert deliver_next(store, settings, at_time(noon + BUNDLE), "me")
    with store.writing() as transaction:
        for minutes in (10, 20):
            mail_failed_write(transaction, noon + timedelta(minutes=minutes))
    assert not deliver_next(store, settings, at_time(noon + PAUSE - timedelta(seconds=1)), "me")
    assert deliver_next(store, settings, at_time(noon + PAUSE), "me")
    assert [each.recipients for each in server.arrived] == [["mira@tide.example"]] * 2


def test_a_clock_that_ran_ahead_delays_nothing(runtime: Runtime, make_mail_server: MakeServer, noon: datetime) -> None:
    """A message that was put off for longer than any wait is due."""
    server, store = make_mail_server(), runtime.database
    submit(store, add(store, "ed", noon), noon + LONGEST_WAIT + timedelta(seconds=1))
    assert deliver_next(store, settings_with(runtime, server.settings()), at_time(noon), "me")


def test_without_a_mail_server_nothing_waits(runtime: Runtime, noon: datetime) -> None:
    """So that nothing old is sent when one is set up."""
    store = runtime.database
    submit(store, add(store, "ed", noon), noon)
    mailer = Mailer(store, CurrentSettings(runtime.settings), at_time(noon), site_locks(runtime.settings))
    mailer.dispatch()
    mailer.stop(1.0)
    assert mails(store)[0].status is MailStatus.DROPPED


def test_the_thread_of_a_worker_sends_all_that_waits_and_logs_no_address(
    runtime: Runtime, make_mail_server: MakeServer, noon: datetime, capsys: pytest.CaptureFixture[str]
) -> None:
    """Claims of a worker that died are taken over at once."""
    server, store = make_mail_server(), runtime.database
    settings = settings_with(runtime, server.settings())
    user = add(store, "ed", noon)
    for _ in range(3):
        submit(store, user, noon)
    send_forgotten(store, "ed", noon)
    execute(store, "UPDATE mail SET owner = ?, attempt = 1, due_at = due_at + 60000000 WHERE id = 1", "gone")
    mailer = Mailer(store, CurrentSettings(settings), at_time(noon), site_locks(settings))
    mailer.dispatch()
    assert until(lambda: all(each.status is MailStatus.SENT for each in mails(store)))
    mailer.stop(5.0)
    assert len(server.arrived) == 4
    output = "".join(capsys.readouterr())
    code = code_in(server.arrived[-1].text, LinkKind.RESET)
    assert "mail_attempt" in output
    assert "ed@tide.example" not in output
    assert code not in output
