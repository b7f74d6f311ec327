"""E-mail in the studio: invitations and links for a new password, what users get, and what could not be sent."""

import re
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from msgspec.structs import replace

from sitecms.actions.mailing.deliver import deliver_next
from sitecms.content.mail import Mail, MailStatus
from sitecms.content.query import Window
from sitecms.content.user import Role, User
from sitecms.runtime import Runtime
from sitecms.store.accounts.mails import find_mails
from sitecms.store.accounts.users import get_user, set_email
from tests.support.mail_server import MailServer

from .conftest import Browser, MakeBrowser, MakeUser, SignedIn

pytestmark = pytest.mark.both_engines
NEW = "another horse battery staple"
HOST = "https://studio.tide.example"


@pytest.fixture
def server(make_mail_server: Callable[..., MailServer]) -> MailServer:
    """A mail server that takes all messages."""
    return make_mail_server()


@pytest.fixture
def runtime(runtime: Runtime, server: MailServer | None) -> Runtime:
    """The site, with the mail server."""
    if server is None:
        return runtime
    return replace(runtime, settings=replace(runtime.settings, mail=server.settings(), serve_url=HOST))


def stored(runtime: Runtime) -> tuple[Mail, ...]:
    return runtime.database.read(find_mails, None, Window(100)).entries[::-1]


def sent(runtime: Runtime, server: MailServer) -> MailServer:
    """Send what waits."""
    while deliver_next(runtime.database, runtime.settings, runtime.clock, "me"):
        pass
    return server


def give_address(runtime: Runtime, user: User) -> None:
    runtime.database.write(set_email, user, f"{user.name}@tide.example")


def link_in(text: str) -> str:
    match = re.search(rf"{HOST}(/studio/\S+)", text)
    assert match is not None
    return match[1]


def test_invitation_is_sent_and_leads_into_the_studio(
    runtime: Runtime, server: MailServer, admin: Browser, browser: MakeBrowser
) -> None:
    """The admin sees no link; it stands in the list until it is used."""
    guest = browser()
    admin.get("/studio/people/")
    form = {"do": "send-invitation", "label": "Wren", "role": "writer", "author": "ann-ray"}
    assert admin.send("/studio/people/", **form, email="").status_code == 400
    assert "Type the address" in admin.text
    admin.send("/studio/people/", **form, email="wren@tide.example")
    assert "The invitation is on its way." in admin.text
    assert "code=" not in admin.page
    assert "wren@tide.example, made" in admin.text
    (arrived,) = sent(runtime, server).arrived
    link = link_in(arrived.text)
    guest.get(link)
    code = urlsplit(link).query.removeprefix("code=")
    typed = {"name": "wren", "email": "wren@tide.example", "password": NEW, "repeated": NEW}
    guest.send("/studio/invitation/", code=code, **typed)
    assert "wren writer" in guest.text
    assert runtime.database.read(get_user, "wren").email == "wren@tide.example"
    assert browser().get(link).status_code == 410


def test_forgotten_password_is_replaced_without_an_admin(
    runtime: Runtime, server: MailServer, browser: MakeBrowser, make_user: MakeUser
) -> None:
    """By name or address, from the page for signing in; the old password is valid until then."""
    give_address(runtime, make_user("ed", Role.EDITOR))
    ed = browser()
    ed.get("/studio/sign-in/")
    assert 'href="/studio/forgotten/"' in ed.page
    ed.get("/studio/forgotten/")
    ed.send("/studio/forgotten/", name="ED@tide.example ")
    assert "a message with a link for a new password is on its way" in ed.text
    (arrived,) = sent(runtime, server).arrived
    assert arrived.recipients == ["ed@tide.example"]
    link = link_in(arrived.text)
    assert browser().sign_in("ed").status_code == 200
    ed.get(link)
    ed.send("/studio/reset/", code=link.partition("code=")[2], password=NEW, repeated=NEW)
    assert "Your new password is stored." in ed.text
    assert ed.sign_in("ed", NEW).status_code == 200


def test_answer_does_not_say_whether_a_user_exists(runtime: Runtime, browser: MakeBrowser, make_user: MakeUser) -> None:
    """The same page for a user, for one without an address, and for nobody; after some attempts, a pause."""
    give_address(runtime, make_user("ed", Role.EDITOR))
    make_user("al", Role.EDITOR)
    guest, pages = browser(), []
    for name in ("ed", "al", "nobody"):
        guest.get("/studio/forgotten/")
        pages.append((guest.send("/studio/forgotten/", name=name).status_code, guest.page))
    assert pages[0] == pages[1] == pages[2]
    assert [each.address for each in stored(runtime)] == ["ed@tide.example"]
    answers = [guest.send("/studio/forgotten/", name="ed").status_code for _ in range(5)]
    assert answers[-1] == 429
    assert guest.send("/studio/forgotten/", name="").status_code in (400, 429)


def test_admin_sends_a_link_for_a_new_password(
    runtime: Runtime, server: MailServer, admin: Browser, make_user: MakeUser
) -> None:
    """To a user with an address, whose name stands on the button."""
    ed = make_user("ed", Role.EDITOR)
    admin.get("/studio/people/ed/")
    assert "send-reset" not in admin.page
    assert admin.send("/studio/people/ed/", do="send-reset").status_code == 400
    give_address(runtime, ed)
    admin.get("/studio/people/ed/")
    assert "Send it to ed@tide.example" in admin.text
    admin.send("/studio/people/ed/", do="send-reset")
    assert "The link for a new password is on its way." in admin.text
    assert "/studio/reset/?code=" in sent(runtime, server).arrived[0].text


def test_users_choose_the_messages_that_they_get(runtime: Runtime, signed_in: SignedIn) -> None:
    """All at first; those about failed changes are offered to admins alone."""
    ed = signed_in(Role.EDITOR, name="ed")
    ed.get("/studio/account/")
    assert ed.page.count('name="mail"') == ed.page.count(" checked>") == 4
    ed.send("/studio/account/mail/", mail=["submitted", "note"])
    assert "You get the messages that you chose." in ed.text
    assert runtime.database.read(get_user, "ed").unwanted_mail == "sent-back published failed-writes"
    assert ed.page.count(" checked>") == 2


def test_admins_see_what_could_not_be_sent_and_send_it_again(
    runtime: Runtime, make_mail_server: Callable[..., MailServer], admin: Browser
) -> None:
    """In the log, with what the mail server said."""
    server = make_mail_server("to 550 No such person", "250 OK")
    admin.get("/studio/people/")
    admin.send("/studio/people/", do="send-invitation", role="editor", author="", label="", email="wren@tide.example")
    settings = replace(runtime.settings, mail=server.settings())
    assert deliver_next(runtime.database, settings, runtime.clock, "me")
    admin.get("/studio/log/")
    assert "wren@tide.example : invitation the address is refused: 550 No such person" in admin.text
    admin.send("/studio/log/", mail=str(stored(runtime)[0].id))
    assert "The message is sent again." in admin.text
    assert "could not be sent" not in admin.text
    assert deliver_next(runtime.database, settings, runtime.clock, "me")
    assert stored(runtime)[0].status is MailStatus.SENT
    assert admin.send("/studio/log/", mail="99").status_code == 404


@pytest.mark.parametrize("server", [None])
def test_without_a_mail_server_links_are_shown(browser: MakeBrowser, admin: Browser) -> None:
    """Nobody is offered a message that would not be sent."""
    guest = browser()
    admin.get("/studio/people/")
    assert "Send the invitation" not in admin.page
    guest.get("/studio/sign-in/")
    assert "An admin can send you a link" in guest.text
    assert guest.get("/studio/forgotten/").status_code == 404
    assert guest.send("/studio/forgotten/", name="ed").status_code == 404
    admin.get("/studio/account/")
    assert "Messages by e-mail" not in admin.page
