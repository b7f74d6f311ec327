"""`sitecms user`: add, invite, list, role, password, reset, second-factor, remove."""

from sitecms.actions.accounts import second_factor
from sitecms.actions.accounts.links import accept_link, find_usable, reset_password
from sitecms.actions.accounts.sessions import find_current
from sitecms.actions.accounts.signing_in import sign_in
from sitecms.clock import now
from sitecms.content.account_link import LinkKind
from sitecms.content.second_factor import step_at, totp_code
from sitecms.runtime import Runtime
from sitecms.store.accounts.second_factors import find_second_factor
from tests.support.command_line import run

FIRST, SECOND = "correct horse battery staple", "another horse battery staple"


def test_user_from_the_command_line(runtime: Runtime) -> None:
    """A user is added with the password on stdin, listed without it, changed and removed."""
    folder = runtime.settings.folder
    added = run("user", "add", folder, "mira", "--role", "admin", typed=f"{FIRST}\n")
    assert (added.exit_code, added.stdout) == (0, "")
    assert "Added mira as admin." in added.stderr
    listed = run("user", "list", folder).stdout.splitlines()
    assert listed[1].split()[:5] == ["mira", "admin", "-", "-", "active"]
    assert listed[1].endswith("never")
    assert sign_in(runtime.database, "mira", FIRST, now(), "", "")
    changed = run("user", "password", folder, "mira", typed=f"{SECOND}\n")
    assert changed.stderr == "The password of mira is changed. Ended 1 session.\n"
    assert sign_in(runtime.database, "mira", SECOND, now(), "", "")
    assert run("user", "role", folder, "mira", "editor").exit_code == 2  # the last admin; nobody else there
    assert run("user", "remove", folder, "mira").exit_code == 0
    assert run("user", "list", folder).stdout.splitlines()[1:] == []


def test_links_are_printed_alone(runtime: Runtime) -> None:
    """An invitation and a link for a new password on stdout, what to know about them on stderr."""
    folder, at = runtime.settings.folder, now()
    invited = run("user", "invite", folder, "--role", "editor", "--for", "Wren")
    path = "http://127.0.0.1:8000/studio/invitation/?code="
    assert invited.stdout.startswith(path)
    assert "once, for 72 hours" in invited.stderr
    code = invited.stdout.strip().removeprefix(path)
    assert code not in invited.stderr
    link = find_usable(runtime.database, LinkKind.INVITATION, code, at)
    accept_link(runtime.database, link, "wren", FIRST, "Tide", at, "", "")
    changed = run("user", "reset", folder, "wren")
    code = changed.stdout.strip().partition("/studio/reset/?code=")[2]
    reset_password(runtime.database, code, SECOND, "Tide", at)
    assert sign_in(runtime.database, "wren", SECOND, at, "", "")


def test_users_have_email_addresses(runtime: Runtime) -> None:
    """Given when a user is added or invited, or later; taken ones and others are refused."""
    folder = runtime.settings.folder
    run("user", "add", folder, "mira", "--role", "admin", "--email", "Mira@Tide.example", typed=f"{FIRST}\n")
    assert "Mira@tide.example" in run("user", "list", folder).stdout
    run("user", "add", folder, "ed", "--role", "editor", typed=f"{FIRST}\n")
    refused = run("user", "email", folder, "ed", "mira@tide.example")
    assert refused.exit_code == 2
    assert "mira@tide.example is the address of the user 'mira' already" in refused.stderr
    assert run("user", "invite", folder, "--role", "editor", "--email", "MIRA@tide.example").exit_code == 2
    assert run("user", "add", folder, "al", "--role", "editor", "--email", "no", typed=f"{FIRST}\n").exit_code == 2
    assert "ed@tide.example now; it was none" in run("user", "email", folder, "ed", "ed@tide.example").stderr
    assert run("user", "email", folder, "ed", "none").exit_code == 0
    assert "ed@tide" not in run("user", "list", folder).stdout


def test_user_is_deactivated_and_comes_back(runtime: Runtime) -> None:
    """The role none ends the sessions and is listed; another role activates."""
    folder = runtime.settings.folder
    for name, role in (("mira", "admin"), ("ed", "editor")):
        run("user", "add", folder, name, "--role", role, typed=f"{FIRST}\n")
    sign_in(runtime.database, "ed", FIRST, now(), "", "")
    assert run("user", "role", folder, "ed", "none").stderr == "ed is deactivated. Ended 1 session.\n"
    assert "deactivated" in run("user", "list", folder).stdout
    assert run("user", "role", folder, "mira", "none").exit_code == 2  # the last admin
    assert run("user", "reset", folder, "ed").exit_code == 2
    assert run("user", "role", folder, "ed", "editor").exit_code == 0
    assert sign_in(runtime.database, "ed", FIRST, now(), "", "")


def test_second_factor_is_turned_off_for_the_locked_out(runtime: Runtime) -> None:
    """On the server, where nobody can sign in any more."""
    folder, at = runtime.settings.folder, now()
    run("user", "add", folder, "mira", "--role", "admin", typed=f"{FIRST}\n")
    session = find_current(runtime.database, sign_in(runtime.database, "mira", FIRST, at, "", "").secret, at)
    assert session is not None
    assert run("user", "second-factor", folder, "mira").stdout == "off\n"
    second_factor.begin(runtime.database, session.user, at)
    found = runtime.database.read(find_second_factor, session.user.id)
    assert found is not None
    second_factor.turn_on(runtime.database, session, totp_code(found.secret, step_at(at)), at)
    assert run("user", "second-factor", folder, "mira").stdout == "on\n"
    assert "active, second factor" in run("user", "list", folder).stdout
    assert sign_in(runtime.database, "mira", FIRST, at, "", "").needs_code
    assert run("user", "second-factor", folder, "mira", "--off").stderr == "The second factor of mira is off.\n"
    assert not sign_in(runtime.database, "mira", FIRST, at, "", "").needs_code
    assert run("user", "second-factor", folder, "mira", "--off").stderr == "The second factor of mira was off.\n"


def test_mistakes_are_explained(runtime: Runtime) -> None:
    """A weak password, a writer without an author and an unknown user end with exit code 2 and one line."""
    folder = runtime.settings.folder
    weak = run("user", "add", folder, "mira", "--role", "admin", typed="password1234\n")
    assert weak.exit_code == 2
    assert "easy to guess" in weak.stderr
    writer = run("user", "add", folder, "mira", "--role", "writer", typed=f"{FIRST}\n")
    assert writer.exit_code == 2
    assert "A writer needs an author" in writer.stderr
    unknown = run("user", "password", folder, "mira", typed=f"{FIRST}\n")
    assert unknown.exit_code == 2
    assert "There is no user named 'mira'. List the users: sitecms user list" in unknown.stderr
