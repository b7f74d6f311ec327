"""`sitecms token`: make, list and revoke."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from sitecms.clock import format_timestamp, now
from sitecms.content.schema import ContentSchema
from sitecms.content.token import TokenLimits, secret_digest
from sitecms.runtime import Runtime
from sitecms.store.writes.tokens import find_token
from tests.support.command_line import run


def test_create_prints_the_token_alone(runtime: Runtime) -> None:
    """One line on stdout, made for `$(...)`; the store has its digest, scope and expiry, and not itself."""
    folder = runtime.settings.folder
    expires_at = (now() + timedelta(days=9)).replace(microsecond=0)
    result = run(
        "token", "create", folder, "--scope", "write", "--name", "news", "--expires", format_timestamp(expires_at)
    )
    assert (result.exit_code, result.stderr) == (0, "")
    assert re.fullmatch(r"[0-9a-f]{40}\n", result.stdout)
    secret = result.stdout.strip()
    with runtime.database.reading() as session:
        found = find_token(session, secret_digest(secret))
        assert session.sql("SELECT count(*) FROM token WHERE digest = ?", secret) == [(0,)]
    assert found is not None
    assert (found.name, found.scope, found.expires_at) == ("news", "write", expires_at)


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Tokyo"])
def test_a_day_of_expiry_is_of_the_zone_of_the_site(runtime: Runtime, zone: str) -> None:
    """It ends when that day begins there."""
    path = runtime.settings.folder / "site.toml"
    path.write_text(f'timezone = "{zone}"\n{path.read_text("utf-8")}', encoding="utf-8")
    create = ("token", "create", runtime.settings.folder, "--scope", "read")
    secrets = [
        run(*create, "--name", written, "--expires", written).stdout.strip()
        for written in ("2099-01-01", "2099-01-01 00:00", "2099-01-01T00:00:00Z")
    ]
    with runtime.database.reading() as session:
        found = [token.expires_at for secret in secrets if (token := find_token(session, secret_digest(secret)))]
    midnight = datetime(2099, 1, 1, tzinfo=ZoneInfo(zone))
    assert run("token", "list", runtime.settings.folder).stdout.count(f" {midnight.isoformat()} ") == 2
    assert found == [midnight, midnight, datetime(2099, 1, 1, tzinfo=UTC)]


@pytest.mark.parametrize(
    ("written", "said"),
    [("tomorrow", "expected an ISO 8601 time"), ("2001-01-01", "is in the past"), ("9999-12-31", "to 9999-12-29")],
)
def test_no_time_of_expiry(runtime: Runtime, written: str, said: str) -> None:
    """The option is named; no token is made."""
    result = run("token", "create", runtime.settings.folder, "--scope", "read", "--name", "news", "--expires", written)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Invalid value for --expires" in result.stderr
    assert said in result.stderr


def test_list_is_a_table_without_secrets(runtime: Runtime) -> None:
    """Name, scope, times and state of every token, in order of creation; a revoked one stays listed."""
    folder = runtime.settings.folder
    secrets = [
        run("token", "create", folder, "--scope", "read", "--name", name, *options).stdout.strip()
        for name, *options in (("web site",), ("old",), ("short", "--expires", "2999-01-01"))
    ]
    assert run("token", "revoke", folder, "old").exit_code == 0
    lines = run("token", "list", folder).stdout.splitlines()
    cells = [re.split(r" {2,}", line) for line in lines]
    assert cells[0] == ["NAME", "SCOPE", "CREATED", "ROTATED", "EXPIRES", "STATE", "MAY WRITE"]
    assert [(row[0], row[1], row[4], row[5].split()[0]) for row in cells[1:]] == [
        ("web site", "read", "never", "active"),
        ("old", "read", "never", "revoked"),
        ("short", "read", "2999-01-01T00:00:00Z", "active"),
    ]
    assert not any(secret in "".join(lines) for secret in secrets)


def opens(runtime: Runtime, secret: str, after: timedelta = timedelta()) -> bool:
    """Whether the secret opens anything so long from now."""
    found = runtime.database.read(find_token, secret_digest(secret))
    return found is not None and found.usable(now() + after)


def test_rotate_overlaps(runtime: Runtime) -> None:
    """One line on stdout; the former secret opens for so many hours, the new one for good, both with the same scope."""
    folder = runtime.settings.folder
    former = run("token", "create", folder, "--scope", "write", "--name", "news").stdout.strip()
    result = run("token", "rotate", folder, "news", "--overlap", "2")
    assert result.exit_code == 0
    assert re.fullmatch(r"[0-9a-f]{40}\n", result.stdout)
    assert former not in result.output
    secret = result.stdout.strip()
    assert [opens(runtime, former, timedelta(minutes=minutes)) for minutes in (0, 119, 121)] == [True, True, False]
    assert [opens(runtime, secret, timedelta(minutes=minutes)) for minutes in (0, 121)] == [True, True]
    with runtime.database.reading() as session:
        found = [find_token(session, secret_digest(each)) for each in (former, secret)]
    assert [(token.id, token.scope) for token in found if token] == [(1, "write")] * 2
    row = re.split(r" {2,}", run("token", "list", folder).stdout.splitlines()[1])
    assert row[3].startswith(str(now().year))
    assert row[5].startswith("active, former secret until ")


def test_rotating_twice_ends_the_first_secret(runtime: Runtime) -> None:
    """One former secret at a time; with no overlap it ends at once."""
    folder = runtime.settings.folder
    secrets = [run("token", "create", folder, "--scope", "read", "--name", "a").stdout.strip()]
    for overlap in ("24", "24", "0"):
        secrets.append(run("token", "rotate", folder, "a", "--overlap", overlap).stdout.strip())
        newest = len(secrets) - 1
        expected = [number == newest or (number == newest - 1 and overlap != "0") for number in range(len(secrets))]
        assert [opens(runtime, secret) for secret in secrets] == expected


def test_rotating_prolongs_nothing(runtime: Runtime) -> None:
    """Expiry stays, for both secrets; a revoked token opens by neither, and cannot be rotated."""
    folder = runtime.settings.folder
    soon = format_timestamp(now() + timedelta(hours=1))
    former = run("token", "create", folder, "--scope", "read", "--name", "a", "--expires", soon).stdout.strip()
    secret = run("token", "rotate", folder, "a").stdout.strip()
    for each in (former, secret):
        assert [opens(runtime, each, timedelta(minutes=minutes)) for minutes in (59, 61)] == [True, False]
    assert run("token", "revoke", folder, "a").exit_code == 0
    assert not opens(runtime, former)
    assert not opens(runtime, secret)
    result = run("token", "rotate", folder, "a")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "no token named 'a' that is still valid" in result.stderr


def test_limits(runtime: Runtime, make_author: Callable[..., str], team_schema: ContentSchema) -> None:
    """A write token may be for one author, collections and page types; what is not there is refused, as for readers."""
    make_author("ann-ray")
    folder = runtime.settings.folder
    create = ("token", "create", folder, "--name", "ann", "--scope")
    limits = ("--author", "ann-ray", "--collection", "team", "--page-type", "guide", "--page-type", "*")
    secret = run(*create, "write", *limits).stdout.strip()
    found = runtime.database.read(find_token, secret_digest(secret))
    assert found is not None
    assert found.limits == TokenLimits("ann-ray", ("team",), ("guide", "*"))
    assert "posts of ann-ray, team, pages guide, pages *" in run("token", "list", folder).stdout
    for wrong in (("--author", "bo"), ("--collection", "boats"), ("--page-type", "nope")):
        result = run(*create, "write", *wrong)
        assert (result.exit_code, f'"{wrong[1]}"' in result.stderr) == (2, True)
    assert run(*create, "read", "--author", "ann-ray").exit_code == 2


def test_the_current_folder_is_the_site(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    """SITE may be left out, before NAME too."""
    monkeypatch.chdir(runtime.settings.folder)
    assert run("token", "create", "--scope", "read", "--name", "here").exit_code == 0
    assert run("token", "revoke", "here").exit_code == 0
    assert "revoked" in run("token", "list").stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("create", "--scope", "read", "--name", "a", "--expires", "2020-01-01"), "in the past"),
        (("create", "--scope", "read", "--name", "a", "--expires", "soon"), "expected an ISO 8601 time"),
        (("create", "--scope", "all", "--name", "a"), "'read', 'write'"),
        (("create", "--scope", "read"), "--name"),
        (("create", "--name", "a"), "--scope"),
        (("create", "--scope", "read", "--name", "  "), "printable characters"),
        (("create", "--scope", "read", "--name", "taken"), "already"),
        (("create", "--scope", "read", "--name", "a", "further"), "unexpected extra argument"),
        (("revoke", "nobody"), "no token named 'nobody'"),
        (("rotate", "nobody"), "no token named 'nobody'"),
        (("rotate", "taken", "--overlap", "-1"), "0<=x<=8760"),
    ],
)
def test_wrong_usage_is_exit_code_2(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], said: str
) -> None:
    """Said on stderr; no token is made."""
    monkeypatch.chdir(runtime.settings.folder)
    run("token", "create", "--scope", "read", "--name", "taken")
    command, *rest = arguments
    result = run("token", command, *([] if command in ("revoke", "rotate") else ["."]), *rest)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert len(run("token", "list").stdout.splitlines()) == 2


def test_a_revoked_token_cannot_be_revoked_again(runtime: Runtime) -> None:
    """It would say that something happened."""
    folder = runtime.settings.folder
    run("token", "create", folder, "--scope", "read", "--name", "a")
    assert [run("token", "revoke", folder, "a").exit_code for _ in range(2)] == [0, 2]


def test_a_folder_that_cannot_be_opened_is_exit_code_3(tmp_path: Path) -> None:
    """No folder, no site.toml, an invalid one: each says what would help."""
    invalid = tmp_path / "invalid"
    invalid.mkdir()
    (invalid / "site.toml").write_text('nam = "Tide"\nurl = 7\n', encoding="utf-8")
    for folder, said in ((tmp_path / "none", "sitecms init"), (tmp_path, "site.toml")):
        result = run("token", "list", folder)
        assert (result.exit_code, result.stdout) == (3, "")
        assert said in result.stderr
    errors = run("token", "list", invalid)
    assert errors.exit_code == 3
    assert len(errors.stderr.splitlines()) >= 2
    *lines, last = errors.stderr.splitlines()
    assert all(line.startswith("site.toml") for line in lines)
    assert last.startswith("More about this: sitecms manual ")
