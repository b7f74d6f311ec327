"""`sitecms mail`: a test message, the list of messages, and sending once more; and a worker that sends."""

from collections.abc import Callable
from pathlib import Path

from sitecms.actions.mailing.deliver import deliver_next
from sitecms.clock import now
from sitecms.runtime import Runtime
from sitecms.settings.site import load_settings
from tests.support.command_line import run
from tests.support.mail_server import MailServer

MakeServer = Callable[..., MailServer]


def set_up(folder: Path, server: MailServer) -> None:
    """Name the mail server in site.toml; a message that fails is not tried again."""
    with (folder / "site.toml").open("a", encoding="utf-8") as file:
        file.write(
            f'[mail]\nhost = "127.0.0.1"\nport = {server.port}\nsecurity = "none"\nretry_seconds = []\n'
            'sender = "studio@tide.example"\n[serve]\nurl = "https://studio.tide.example"\n'
        )


def test_a_test_message_says_what_the_server_answers(runtime: Runtime, make_mail_server: MakeServer) -> None:
    """Taken or not, by the exit code too; without a server in site.toml it says so."""
    folder, server = runtime.settings.folder, make_mail_server("to 550 No such person", "250 OK")
    unset = run("mail", "test", folder, "mira@tide.example")
    assert (unset.exit_code, "No mail server is set up under [mail]." in unset.stderr) == (3, True)
    set_up(folder, server)
    refused = run("mail", "test", folder, "mira@tide.example")
    assert (refused.exit_code, "the address is refused: 550 No such person" in refused.stderr) == (1, True)
    taken = run("mail", "test", folder, "mira@tide.example")
    assert (taken.exit_code, "127.0.0.1 took the message to mira@tide.example." in taken.stderr) == (0, True)
    assert [each.recipients for each in server.arrived] == [["mira@tide.example"]]
    assert run("mail", "test", folder, "mira\r\nBcc: x@tide.example").exit_code == 2


def test_an_invitation_is_sent_listed_and_sent_again(runtime: Runtime, make_mail_server: MakeServer) -> None:
    """The link is not printed; `status` warns of what failed until it is sent."""
    folder, server = runtime.settings.folder, make_mail_server("to 550 No such person", "250 OK")
    set_up(folder, server)
    invited = run("user", "invite", folder, "--role", "editor", "--email", "wren@tide.example")
    assert (invited.stdout, "The invitation is sent to wren@tide.example" in invited.stderr) == ("", True)
    settings = load_settings(folder)
    assert deliver_next(runtime.database, settings, now, "me")
    listed = run("mail", "list", folder, "--status", "failed").stdout.splitlines()
    assert listed[1].split()[:5] == ["1", "invitation", "wren@tide.example", "failed", "1"]
    assert "550 No such person" in listed[1]
    assert "1 e-mail could not be sent" in run("status", folder).stdout
    assert "1 message will be sent again." in run("mail", "retry", folder).stderr
    assert deliver_next(runtime.database, settings, now, "me")
    assert "could not be sent" not in run("status", folder).stdout
    assert "0 messages will be sent again." in run("mail", "retry", folder).stderr
    assert run("mail", "retry", folder, "--id", "7").exit_code == 2
    assert "/studio/invitation/?code=" in server.arrived[0].text
