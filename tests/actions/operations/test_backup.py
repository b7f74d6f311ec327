"""A backup holds all that makes a site, is there as a whole or not at all, and comes back as it was."""

import io
import os
import tarfile
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from sitecms.actions.operations.backup.create import BackupReport, back_up
from sitecms.actions.operations.housekeeping import remove_unused_media
from sitecms.actions.operations.restore import RestoreReport, restore_backup
from sitecms.content.kinds import EntryKind
from sitecms.content.token import Scope
from sitecms.content.user import Role
from sitecms.content.writes import Delete, Operation, Write, WriteStatus
from sitecms.errors import ConfigurationError, Conflict, StoreUnusable
from sitecms.media.library import open_library, protected_media
from sitecms.settings.service_url import ServiceUrl
from sitecms.settings.site import SITE_FOLDERS, load_settings
from sitecms.store.accounts.sessions import find_session, insert_session
from sitecms.store.accounts.users import find_user, insert_user
from sitecms.store.opening import open_database
from sitecms.store.writes.claims import site_locks
from sitecms.store.writes.tokens import NO_LIMITS, insert_token
from sitecms.store.writes.writes import claim, insert_write
from tests.support.engines import stores
from tests.support.reading import select
from tests.support.sites import ExampleSite

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


def packed(example: ExampleSite, target: Path, *, replace: bool = False) -> BackupReport:
    return back_up(example.database, example.settings, target, AT, replace=replace)


def restored(file: Path, folder: Path) -> RestoreReport:
    """Into a place of its own: what the settings in the backup name is in use."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SITECMS_STORE_URL", stores().url(folder) or "sqlite")
        return restore_backup(file, folder, AT)


def names(folder: Path) -> list[str]:
    """Everything in the folder, hidden files too."""
    return sorted(path.name for path in folder.iterdir())


def tree(folder: Path) -> dict[str, bytes]:
    """Every file of the site folder and of its media library, by path."""
    roots = (*SITE_FOLDERS, ".sitecms/media")
    files = [folder / "site.toml", *(path for root in roots for path in (folder / root).rglob("*") if path.is_file())]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def repack(
    source: Path, target: Path, change: Callable[[tarfile.TarInfo, bytes], tuple[tarfile.TarInfo, bytes]]
) -> None:
    """A copy of a backup with its files changed one by one."""
    with tarfile.open(source) as old, tarfile.open(target, "w") as new:
        for entry in old:
            content = old.extractfile(entry)
            assert content is not None
            changed, data = change(entry, content.read())
            changed.size = len(data) if changed.isreg() else 0
            new.addfile(changed, io.BytesIO(data))


@pytest.mark.parametrize("name", ["tide.tar", "tide.tar.gz"])
def test_a_restored_site_is_the_one_that_was_packed(example: ExampleSite, tmp_path: Path, name: str) -> None:
    """Files, stored media and content come back, loading finds nothing new, and the site builds to the same bytes."""
    example.make()
    report = packed(example, tmp_path / name)
    assert report.manifest.counts["posts"] == 9
    assert report.manifest.change_number == 1
    assert not report.manifest.missing_media
    came = restored(tmp_path / name, tmp_path / "again")
    assert came.counts == report.manifest.counts
    assert tree(tmp_path / "again") == tree(example.folder)
    assert not (tmp_path / "again" / "public").exists()
    again = type(example)(tmp_path / "again")
    assert again.load().loaded == ()
    assert again.build().failed == {}
    assert again.tree() == example.tree()
    if isinstance(again.database.address, Path):
        assert select(again.database, "PRAGMA journal_mode") == [("wal",)]
    again.database.close()


def test_a_backup_leaves_nothing_beside_it_and_is_for_its_owner_only(example: ExampleSite, tmp_path: Path) -> None:
    """No half-made file, whether it went well or not; nobody else may read it."""
    example.load()
    folder = tmp_path / "kept"
    folder.mkdir()
    packed(example, folder / "tide.tar")
    assert names(folder) == ["tide.tar"]
    assert (folder / "tide.tar").stat().st_mode & 0o777 == 0o600
    (example.folder / ".sitecms" / "media" / works_media(example)[0]).chmod(0o000)
    if os.geteuid() != 0:  # root reads everything
        with pytest.raises(PermissionError):
            packed(example, folder / "other.tar")
        assert names(folder) == ["tide.tar"]


def works_media(example: ExampleSite) -> tuple[str, ...]:
    """The names of the stored media files."""
    return open_library(example.settings).names()


def test_a_backup_is_replaced_only_when_asked(example: ExampleSite, tmp_path: Path) -> None:
    """Refused without `replace`, and the old one stays; replaced as a whole with it."""
    example.load()
    target = tmp_path / "tide.tar"
    target.write_text("precious")
    with pytest.raises(Conflict, match="--force"):
        packed(example, target)
    assert target.read_text() == "precious"
    packed(example, target, replace=True)
    assert tarfile.is_tarfile(target)


def test_a_media_file_that_is_missing_is_told(example: ExampleSite, tmp_path: Path) -> None:
    """The backup is made all the same, and says so itself."""
    example.load()
    gone = works_media(example)[0]
    (example.settings.media_dir / gone).unlink()
    report = packed(example, tmp_path / "tide.tar")
    assert report.manifest.missing_media == (gone,)


@pytest.mark.sqlite_only("damages the file")
def test_a_damaged_store_is_not_packed(example: ExampleSite, tmp_path: Path) -> None:
    """A backup that cannot be restored would be thrown away for nothing."""
    example.load()
    example.database.close()
    path = example.settings.store_path
    data = bytearray(path.read_bytes())
    data[4096 * 3 : 4096 * 3 + 200] = b"\xff" * 200
    path.write_bytes(data)
    with pytest.raises(StoreUnusable):
        back_up(open_database(path), example.settings, tmp_path / "tide.tar", AT)
    assert not (tmp_path / "tide.tar").exists()


def test_nothing_is_removed_from_the_library_while_it_is_packed(example: ExampleSite) -> None:
    """Housekeeping leaves media alone while a backup holds them, and removes them afterwards."""
    example.load()
    library = open_library(example.settings)
    unused = library.add(b"%PDF-1.4 nobody shows it", "unused.pdf", AT)
    later = datetime.now(UTC) + timedelta(days=1)
    with protected_media(library):
        assert remove_unused_media(example.database, library, later) == 0
        assert library.exists(unused.name)
    assert remove_unused_media(example.database, library, later) == 1
    assert not library.exists(unused.name)


def test_open_writes_and_tokens_come_along_and_old_claims_do_not(example: ExampleSite, tmp_path: Path) -> None:
    """A write that a worker of the old machine held can be claimed at once, as if it had not been tried."""
    example.load()
    owner = site_locks(example.settings).acquire_unique()
    write = Write(
        id="w1", sequence=0, kind=EntryKind.POST, operation=Operation.DELETE, entry_key="post/1", entry_id=1,
        payload=Delete(), status=WriteStatus.ACCEPTED, attempt=0, errors={}, accepted_at=AT,
    )  # fmt: skip
    with example.database.writing() as transaction:
        insert_write(transaction, write)
        insert_token(transaction, "reader", Scope.READ, "digest", AT, None, NO_LIMITS)
        assert claim(transaction, "post/1", owner.name, lambda _name: False, AT)
    packed(example, tmp_path / "tide.tar")
    report = restored(tmp_path / "tide.tar", tmp_path / "again")
    assert (report.counts["open_writes"], report.counts["tokens"]) == (1, 1)
    settings = load_settings(tmp_path / "again")
    settings = replace(settings, store_url=ServiceUrl(stores().url(tmp_path / "again")))
    database = open_database(settings.store)
    owners = site_locks(settings)
    claimed = database.write(claim, "post/1", "new", owners.is_held, AT)
    assert claimed is not None
    assert claimed.attempt == 1
    database.close()
    owner.release()


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Write the texts to these paths below the folder."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


def site_names(folder: Path) -> set[str]:
    """Return the paths of all files of a site folder but those of its state folder."""
    found = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())
    return {path for path in found if not path.startswith(".sitecms/")}


def test_a_restored_folder_has_every_file_that_a_person_wrote(example: ExampleSite, tmp_path: Path) -> None:
    """README, hidden files, scripts and notes come back with their bytes, times and executable bits."""
    example.make()
    mine = {"README.md": "# Tide", ".gitignore": "public/\n", ".github/ci.yml": "on: push", "deploy.sh": "#!/bin/sh",
            "notes/deep/ideas.txt": "ideas", "content/.hidden.md": "hidden"}  # fmt: skip
    write_files(example.folder, mine)
    (example.folder / "deploy.sh").chmod(0o755)
    os.utime(example.folder / "README.md", (1_700_000_000, 1_700_000_000))
    report = packed(example, tmp_path / "tide.tar.gz")
    assert (report.left_out, report.unpackable) == ((), ())
    restored(tmp_path / "tide.tar.gz", tmp_path / "again")
    again = tmp_path / "again"
    assert {path: (again / path).read_text(encoding="utf-8") for path in mine} == mine
    assert os.access(again / "deploy.sh", os.X_OK)
    assert not os.access(again / "README.md", os.X_OK)
    assert (again / "README.md").stat().st_mtime == 1_700_000_000
    built = {path for path in site_names(example.folder) if path.startswith(("public/", ".public.sitecms/"))}
    assert built
    assert site_names(again) == site_names(example.folder) - built


def test_files_that_git_ignores_are_packed_only_if_asked_for(example: ExampleSite, tmp_path: Path) -> None:
    """Rules of nested .gitignore files count; what sitecms reads is packed whatever they say."""
    example.load()
    write_files(
        example.folder,
        {
            ".gitignore": "*.tmp\n/.venv/\nmedia/\n", "a.tmp": "x", ".venv/bin/python": "x", ".git/config": "x",
            "notes/.gitignore": "!keep.tmp\nsecret\n", "notes/keep.tmp": "x", "notes/secret": "x", "secret": "x",
        },
    )  # fmt: skip
    report = packed(example, tmp_path / "tide.tar")
    assert report.left_out == (".git/", ".venv/", "a.tmp", "notes/secret")
    packed_names = set(report.manifest.files)
    assert {"site/secret", "site/notes/keep.tmp", "site/notes/.gitignore"} <= packed_names
    assert any(name.startswith("site/media/") for name in packed_names)
    assert not {"site/a.tmp", "site/notes/secret", "site/.git/config"} & packed_names
    everything = back_up(example.database, example.settings, tmp_path / "all.tar", AT, with_ignored=True)
    assert everything.left_out == ()
    assert {"site/a.tmp", "site/.git/config", "site/.venv/bin/python"} <= set(everything.manifest.files)
    restored(tmp_path / "all.tar", tmp_path / "again")
    assert (tmp_path / "again" / ".git" / "config").read_text(encoding="utf-8") == "x"


def test_what_a_backup_cannot_hold_is_named(example: ExampleSite, tmp_path: Path) -> None:
    """Links to folders, dangling links, pipes and names that are not UTF-8 are left out with a line each."""
    example.load()
    (example.folder / "linked").symlink_to(tmp_path, target_is_directory=True)
    (example.folder / "nowhere").symlink_to("gone")
    os.mkfifo(example.folder / "pipe")
    (example.folder / os.fsdecode(b"caf\xe9")).write_text("x", encoding="utf-8")
    report = packed(example, tmp_path / "tide.tar")
    assert report.unpackable == (
        "'caf\\udce9' has a name that is not UTF-8",
        "'linked' is a link to a folder",
        "'nowhere' is a link to nothing",
        "'pipe' is not a plain file",
    )
    restored(tmp_path / "tide.tar", tmp_path / "again")


def test_backups_within_the_site_folder_do_not_grow(example: ExampleSite) -> None:
    """A backup does not hold itself, its working files or an earlier backup; other archives are packed."""
    example.load()
    write_files(example.folder, {"notes.tar": "no archive at all"})
    first = packed(example, example.folder / "first.tar.gz")
    second = packed(example, example.folder / "second.tar.gz")
    assert second.unpackable == ("'first.tar.gz' is a backup itself",)
    assert set(second.manifest.files) == set(first.manifest.files)
    assert "site/notes.tar" in second.manifest.files


@pytest.mark.parametrize("occupied", ["a file in it", "a file"])
def test_only_an_empty_folder_is_restored_into(example: ExampleSite, tmp_path: Path, occupied: str) -> None:
    """Existing content stays; an empty folder is accepted."""
    example.load()
    packed(example, tmp_path / "tide.tar")
    folder = tmp_path / "again"
    if occupied == "a file":
        folder.write_text("precious")
    else:
        folder.mkdir()
        (folder / "notes").write_text("precious")
    with pytest.raises(ConfigurationError, match="not an empty folder"):
        restored(tmp_path / "tide.tar", folder)
    (tmp_path / "empty").mkdir()
    assert restored(tmp_path / "tide.tar", tmp_path / "empty").counts["posts"] == 9
    assert [name for name in names(tmp_path) if name.startswith(".")] == []


def test_a_backup_that_was_cut_off_is_refused_wherever_it_was_cut(example: ExampleSite, tmp_path: Path) -> None:
    """Nothing is restored of half a backup, compressed or not."""
    example.load()
    for name in ("tide.tar", "tide.tar.gz"):
        packed(example, tmp_path / name)
        whole = (tmp_path / name).read_bytes()
        last = whole.rindex(b'"size_bytes"') if name == "tide.tar" else len(whole) * 19 // 20  # within its manifest
        for part in (0, 100, 512, len(whole) // 3, len(whole) // 2, last):
            (tmp_path / "cut").write_bytes(whole[:part])
            with pytest.raises(ConfigurationError, match=r"not a backup|damaged"):
                restored(tmp_path / "cut", tmp_path / "again")
            assert not (tmp_path / "again").exists()


def test_a_flipped_byte_is_found_while_unpacking(example: ExampleSite, tmp_path: Path) -> None:
    """The file that is not what was packed is named."""
    example.load()
    packed(example, tmp_path / "tide.tar")

    def flip(entry: tarfile.TarInfo, data: bytes) -> tuple[tarfile.TarInfo, bytes]:
        is_it = entry.name == "site/content/posts/ebb.md"
        return entry, data[:-3] + bytes([data[-3] ^ 1]) + data[-2:] if is_it else data

    repack(tmp_path / "tide.tar", tmp_path / "bad.tar", flip)
    with pytest.raises(ConfigurationError, match=r"site/content/posts/ebb\.md is not what was packed"):
        restored(tmp_path / "bad.tar", tmp_path / "again")
    assert not (tmp_path / "again").exists()


@pytest.mark.parametrize(
    "name",
    [
        "../outside", "site/../../outside", "/etc/outside", "site/content/../../../outside", "site/.sitecms/queue.db",
        "library/../store.db", "site/content/./x.md", "elsewhere/x", "library/x.png", "site/", "site/media\\x",
    ],
)  # fmt: skip
def test_names_that_no_backup_has_are_refused(example: ExampleSite, tmp_path: Path, name: str) -> None:
    """Nothing is written outside of the folder, or among the files of the store."""
    example.load()
    packed(example, tmp_path / "tide.tar")

    def rename(entry: tarfile.TarInfo, data: bytes) -> tuple[tarfile.TarInfo, bytes]:
        entry.name = name if entry.name == "site/content/posts/ebb.md" else entry.name
        return entry, data

    repack(tmp_path / "tide.tar", tmp_path / "bad.tar", rename)
    before = names(tmp_path)
    with pytest.raises(ConfigurationError, match="no backup of sitecms does"):
        restored(tmp_path / "bad.tar", tmp_path / "again")
    assert names(tmp_path) == before


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE])
def test_links_and_other_things_are_refused(example: ExampleSite, tmp_path: Path, kind: bytes) -> None:
    """A backup holds plain files only."""
    example.load()
    packed(example, tmp_path / "tide.tar")

    def turn(entry: tarfile.TarInfo, data: bytes) -> tuple[tarfile.TarInfo, bytes]:
        if entry.name == "site/content/posts/ebb.md":
            entry.type, entry.linkname = kind, "/etc/passwd"
        return entry, data

    repack(tmp_path / "tide.tar", tmp_path / "bad.tar", turn)
    with pytest.raises(ConfigurationError, match="not a plain file"):
        restored(tmp_path / "bad.tar", tmp_path / "again")
    assert not (tmp_path / "again").exists()


def test_users_are_restored_and_their_sessions_end(example: ExampleSite, tmp_path: Path) -> None:
    """A session that was ended after the backup, as by a new password, must not come back with it."""
    with example.database.writing() as transaction:
        user = insert_user(transaction, "mira", Role.ADMIN, "", "hash", AT)
        insert_session(transaction, "digest", user, AT, "", "")
    packed(example, tmp_path / "tide.tar")
    restored(tmp_path / "tide.tar", tmp_path / "again")
    url = stores().url(tmp_path / "again")
    database = open_database(ServiceUrl(url) if url else tmp_path / "again/.sitecms/store.db")
    try:
        with database.reading() as session:
            assert find_user(session, "mira") == (user, "hash")
            assert find_session(session, "digest") is None
    finally:
        database.close()
