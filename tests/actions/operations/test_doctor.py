"""Findings of an examination about states that the test machine does not have."""

import os
import resource
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from sitecms.actions.operations import doctor
from sitecms.cli.commands.deploy import container_files
from sitecms.findings import Severity
from sitecms.optional_packages import PAGEFIND
from sitecms.runtime import Runtime
from sitecms.settings.mail import MAIL_PASSWORD, MailSecurity, MailSettings
from sitecms.store.opening import open_database
from tests.support.engines import Stores


@pytest.mark.parametrize(
    ("version", "severity"),
    [("3.45.1", "error"), ("3.51.2", "error"), ("3.51.3", "ok"), ("3.54.0", "ok"), ("4.0", "ok")],
)
def test_a_sqlite_with_the_wal_bug_is_an_error(version: str, severity: str) -> None:
    """The bug is in versions up to 3.51.2."""
    assert doctor.examine_sqlite(version).severity == severity


@pytest.mark.parametrize(("version", "severity"), [((3, 10), "error"), ((3, 11), "ok"), ((3, 14), "ok")])
def test_an_old_python_is_an_error(version: tuple[int, int], severity: str) -> None:
    """sitecms needs 3.11."""
    assert doctor.examine_python(version).severity == severity


@pytest.mark.parametrize(
    ("requirement", "said"),
    [
        ("pillow>=12.0", ""),
        ("pillow>=9999.0", "is older than 9999.0"),
        ("no-such-library>=1.0", "no-such-library is not installed"),
        ('no-such-library>=1.0 ; extra == "test"', ""),
        ("psycopg[binary,pool]>=0.1", ""),
        ("no-such-library>=1.0; sys_platform == 'plan9'", ""),
    ],
)
def test_old_libraries_are_errors(requirement: str, said: str) -> None:
    """Requirements of extras are skipped."""
    found = doctor._too_old(requirement)
    assert said in found
    assert bool(found) == bool(said)


@pytest.mark.parametrize(
    ("year", "apart", "severity"),
    [(2026, 0.0, "ok"), (2026, -0.049, "ok"), (2026, 3600.0, "warning"), (2026, -0.2, "warning"), (1970, 0.0, "error")],
)
def test_a_clock_that_jumps_or_was_never_set(year: int, apart: float, severity: str) -> None:
    """Fifty milliseconds in a fifth of a second are too many."""
    assert doctor.judge_clock(year, apart).severity == severity


def test_a_network_file_system_is_an_error(tmp_path: Path) -> None:
    """The nearest mount decides; a space in its name is written as \\040."""
    place = tmp_path / "a site"
    place.mkdir()
    mounts = tmp_path / "mounts"
    spaced = str(place.resolve()).replace(" ", "\\040")
    mounts.write_text(f"disk / ext4 rw 0 0\nhost:/x {spaced} nfs4 rw 0 0\nhost:/y {spaced}2 cifs rw 0 0\n")
    assert (doctor.mounted_as(place, mounts), doctor.mounted_as(tmp_path, mounts)) == ("nfs4", "ext4")
    found = [*doctor.examine_file_system(place, lambda _folder: True, mounts)]
    assert [each.kind for each in found if each.severity is Severity.ERROR] == ["file-system"]


def test_a_file_system_that_cannot_exchange_is_a_warning(tmp_path: Path) -> None:
    """The temporary folder is removed."""
    found = {each.kind: each.severity for each in doctor.examine_file_system(tmp_path, lambda _folder: False)}
    assert found == {"locks": "ok", "exchange": "error"}
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("limit", "severity"), [(100, "error"), (512, "warning"), (4096, "ok"), (resource.RLIM_INFINITY, "ok")]
)
def test_a_low_limit_of_open_files_is_reported(monkeypatch: pytest.MonkeyPatch, limit: int, severity: str) -> None:
    """A server needs some hundred open files."""
    monkeypatch.setattr(resource, "getrlimit", lambda _which: (limit, limit))
    assert doctor.examine_open_files().severity == severity


@pytest.mark.parametrize(
    ("least", "few", "severity"), [(0, 0, "ok"), (0, 10**21, "warning"), (10**21, 10**21, "error")]
)
def test_a_full_disk_is_reported(tmp_path: Path, least: int, few: int, severity: str) -> None:
    """Free bytes and free files have limits."""
    found = [*doctor.examine_disk(tmp_path, doctor.DiskLimits(least, few, least, few))]
    assert found[0].kind == "disk"
    assert {each.severity for each in found} == {severity}


def test_the_engine_of_the_store_is_examined(runtime: Runtime, engine: Stores) -> None:
    """An unreadable store is an error; so is a server that does not write to disk, as that of the tests."""
    found = {each.kind: each for each in doctor.examine_store(runtime.settings, runtime.clock())}
    assert found["store"].what == f"can be read ({runtime.database.engine})"
    if engine.engine == "postgres":
        assert found["durability"].severity is Severity.ERROR
        assert "fsync = off, full_page_writes = off, synchronous_commit = off" in found["durability"].what
    engine.ruin(runtime.database)
    (gone,) = doctor.examine_store(runtime.settings, runtime.clock())
    assert (gone.kind, gone.severity) == ("store", Severity.ERROR)


def test_a_store_that_others_can_read_is_repaired(tmp_path: Path) -> None:
    """Only where asked; the folder of a new store is private whatever the umask."""
    state = tmp_path / ".sitecms"
    before = os.umask(0)
    try:
        open_database(state / "store.db", create=True).close()
    finally:
        os.umask(before)
    assert {path.stat().st_mode & 0o777 for path in (state, *state.iterdir())} == {0o700, 0o600}
    for path in (state, *state.iterdir()):
        path.chmod(0o755)
    assert [(found.severity, found.is_repaired) for found in doctor.examine_secrets(state)] == [(Severity.ERROR, False)]
    assert [found.is_repaired for found in doctor.examine_secrets(state, repair=True)] == [True]
    assert {path.stat().st_mode & 0o077 for path in (state, *state.iterdir())} == {0}
    assert [found.severity for found in doctor.examine_secrets(state)] == [Severity.OK]


@pytest.mark.parametrize(
    ("table", "module", "kind", "severity"),
    [
        ({"markdown": {"math": True}}, "math_core", "math", Severity.ERROR),
        ({"markdown": {"emoji": True}}, "emoji", "emoji", Severity.ERROR),
        ({"delivery": {"precompress": ["br"]}}, "brotli", "brotli", Severity.ERROR),
        ({"store": {"url": "postgresql://localhost:1/tide"}}, "psycopg", "postgres", Severity.ERROR),
        ({"queue": {"url": "redis://localhost:1/0"}}, "redis", "redis", Severity.ERROR),
        ({"media": {"url": "s3://tide?endpoint=http://localhost:1"}}, "boto3", "s3", Severity.ERROR),
    ],
)
def test_packages_that_the_settings_need_and_that_are_missing_are_named(
    example: Any, monkeypatch: pytest.MonkeyPatch, table: dict[str, Any], module: str, kind: str, severity: Severity
) -> None:
    """An error, since a command would refuse to run; never for another site."""
    monkeypatch.setitem(sys.modules, module, None)
    assert kind not in [found.kind for found in doctor.examine_extras(example.settings) if found.remedy]
    example.settings_are(**table)
    (found,) = (found for found in doctor.examine_extras(example.settings) if found.kind == kind)
    assert found.severity is severity
    assert " install " in found.remedy
    assert list(doctor.examine_media(example.settings, example.now)) == []


def test_a_machine_without_pagefind_is_a_warning(example: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build leaves the search out there."""
    example.settings_are(search={"enabled": True})
    (found,) = (found for found in doctor.examine_extras(example.settings) if found.kind == "search")
    assert found.severity is Severity.OK
    for module in PAGEFIND:
        monkeypatch.setitem(sys.modules, module, None)
    (found,) = (found for found in doctor.examine_extras(example.settings) if found.kind == "search")
    assert found.severity is Severity.WARNING


def test_the_container_installs_what_the_settings_need(example: Any) -> None:
    """And the drivers of the services in compose.yaml."""
    example.settings_are(markdown={"math": True, "emoji": True}, delivery={"precompress": ["gz", "br"]})
    containerfile = next(file for file in container_files(example.settings) if file.name == "Containerfile")
    assert "ARG EXTRAS=brotli,emoji,math,postgres,redis\n" in containerfile.text
    example.settings_are(search={"enabled": True})
    containerfile = next(file for file in container_files(example.settings) if file.name == "Containerfile")
    assert "ARG EXTRAS=postgres,redis\n" in containerfile.text


def test_a_missing_password_of_the_mail_server_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a user none is asked for."""
    server = MailSettings("smtp.tide.example", 587, MailSecurity.STARTTLS, "studio", "studio@tide.example")
    monkeypatch.delenv(MAIL_PASSWORD, raising=False)
    assert doctor.examine_mail(server).severity == "error"
    monkeypatch.setenv(MAIL_PASSWORD, "secret")
    assert doctor.examine_mail(server).severity == "ok"
    monkeypatch.delenv(MAIL_PASSWORD)
    assert doctor.examine_mail(replace(server, user="")).severity == "ok"
