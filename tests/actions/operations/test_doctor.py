"""What an examination makes of what it sees, where this machine cannot be made to show it."""

import resource
from pathlib import Path

import pytest

from sitecms.actions.operations.doctor import environment, file_system, store, versions
from sitecms.actions.operations.doctor.finding import Outcome
from sitecms.runtime import Runtime
from tests.support.engines import Stores


@pytest.mark.parametrize(
    ("version", "outcome"),
    [("3.45.1", "fault"), ("3.51.2", "fault"), ("3.51.3", "ok"), ("3.54.0", "ok"), ("4.0", "ok")],
)
def test_the_wal_fault_is_known(version: str, outcome: str) -> None:
    """Up to 3.51.2."""
    assert versions.examine_sqlite(version).outcome == outcome


@pytest.mark.parametrize(("version", "outcome"), [((3, 10), "fault"), ((3, 11), "ok"), ((3, 14), "ok")])
def test_an_old_python_is_a_fault(version: tuple[int, int], outcome: str) -> None:
    """sitecms needs 3.11."""
    assert versions.examine_python(version).outcome == outcome


@pytest.mark.parametrize(
    ("requirement", "said"),
    [
        ("pillow>=12.0", ""),
        ("pillow>=9999.0", "is older than 9999.0"),
        ("no-such-library>=1.0", "no-such-library is not installed"),
        ('no-such-library>=1.0 ; extra == "test"', ""),
        ("pagefind[bin]>=0.1", ""),
    ],
)
def test_libraries_are_held_against_what_is_asked_for(requirement: str, said: str) -> None:
    """What only an extra asks for is nobody's fault."""
    found = versions._too_old(requirement)
    assert said in found
    assert bool(found) == bool(said)


@pytest.mark.parametrize(
    ("year", "apart", "outcome"),
    [(2026, 0.0, "ok"), (2026, -0.049, "ok"), (2026, 3600.0, "warning"), (2026, -0.2, "warning"), (1970, 0.0, "fault")],
)
def test_a_clock_that_jumps_or_was_never_set(year: int, apart: float, outcome: str) -> None:
    """Fifty milliseconds in a fifth of a second are too many."""
    assert environment.judge_clock(year, apart).outcome == outcome


def test_network_file_systems_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the nearest mount; a space in its name is written as \\040."""
    place = tmp_path / "a site"
    place.mkdir()
    mounts = tmp_path / "mounts"
    spaced = str(place.resolve()).replace(" ", "\\040")
    mounts.write_text(f"disk / ext4 rw 0 0\nhost:/x {spaced} nfs4 rw 0 0\nhost:/y {spaced}2 cifs rw 0 0\n")
    monkeypatch.setattr(file_system, "_MOUNTS", mounts)
    assert (file_system.mounted_as(place), file_system.mounted_as(tmp_path)) == ("nfs4", "ext4")
    found = [*file_system.examine_file_system(place, lambda _folder: True)]
    assert [each.name for each in found if each.outcome is Outcome.FAULT] == ["file system"]


def test_a_file_system_that_cannot_exchange_is_a_warning(tmp_path: Path) -> None:
    """Builds go on without; nothing is left behind."""
    found = {each.name: each.outcome for each in file_system.examine_file_system(tmp_path, lambda _folder: False)}
    assert found == {"locks": "ok", "pipes": "ok", "exchange": "warning"}
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("limit", "outcome"), [(100, "fault"), (512, "warning"), (4096, "ok"), (resource.RLIM_INFINITY, "ok")]
)
def test_few_open_files(monkeypatch: pytest.MonkeyPatch, limit: int, outcome: str) -> None:
    """A server needs some hundreds."""
    monkeypatch.setattr(resource, "getrlimit", lambda _which: (limit, limit))
    assert environment.examine_open_files().outcome == outcome


@pytest.mark.parametrize(("least", "few", "outcome"), [(0, 0, "ok"), (0, 10**21, "warning"), (10**21, 10**21, "fault")])
def test_a_disk_that_fills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, least: int, few: int, outcome: str) -> None:
    """Bytes and files alike, where the file system counts files."""
    for name, bound in (("LEAST_BYTES", least), ("FEW_BYTES", few), ("LEAST_FILES", least), ("FEW_FILES", few)):
        monkeypatch.setattr(file_system, name, bound)
    found = [*file_system.examine_disk(tmp_path)]
    assert found[0].name == "disk"
    assert {each.outcome for each in found} == {outcome}


def test_what_keeps_the_store_is_named_and_looked_at(runtime: Runtime, engine: Stores) -> None:
    """The tests' server keeps nothing through a power cut, which is told; a store that is gone is a fault."""
    found = {each.name: each for each in store.examine_store(runtime.settings, runtime.clock())}
    assert found["store"].what == f"can be read ({runtime.database.engine})"
    if engine.engine == "postgres":
        assert found["durability"].outcome is Outcome.FAULT
        assert "fsync = off, full_page_writes = off, synchronous_commit = off" in found["durability"].what
    else:
        assert found["secrets"].outcome is Outcome.OK
    engine.ruin(runtime.database)
    (gone,) = store.examine_store(runtime.settings, runtime.clock())
    assert (gone.name, gone.outcome) == ("store", Outcome.FAULT)
