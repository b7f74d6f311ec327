"""Damage of any part of a site is found, named, and repaired if possible."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sitecms.actions.operations.verify.checks import VerifyKind
from sitecms.actions.operations.verify.verify import VerifyReport, verify_store
from sitecms.actions.writing.trash import delete_entry
from sitecms.content.kinds import EntryKind
from sitecms.media.library import open_library
from sitecms.site.output.inspection import output_findings
from sitecms.store.engines.sqlite.database import SqliteDatabase
from sitecms.store.sql import Sql, Statement
from tests.support.reading import select
from tests.support.sites import ExampleSite

AT = datetime(2040, 1, 1, tzinfo=UTC)
WRITE = (
    "INSERT INTO write (id, kind, operation, entry_key, entry_id, payload_json, status, owner, attempt, errors_json, "
    "accepted_at, finished_at) VALUES ('w1', 'post', 'update', 'post/1', 1, '{{}}', {}, {}, 1, '{{}}', 1, {})"
)
HOOK = "INSERT INTO webhook VALUES (1, 'http://127.0.0.1/', '[]', '[]', '{}', 1, NULL)"
DELIVERY = (
    "INSERT INTO delivery (id, webhook_id, event, payload_json, status, attempt, failures, owner, due_at, created_at, "
    "finished_at) VALUES ('d1', 1, 'post.published', '{{}}', {}, 1, 0, {}, 1, 1, {})"
)


GHOST = Sql(
    sqlite="(rowid, title, body) VALUES (4711, 'ghost', 'ship')",
    postgres="(rowid, words) VALUES (4711, '''ghost'':1A ''ship'':501')",
)


def verify(example: ExampleSite, *, repair: bool = False) -> VerifyReport:
    return verify_store(example.settings, AT, repair=repair)


def kinds(report: VerifyReport) -> list[str]:
    return [finding.kind for finding in report.findings]


def change(example: ExampleSite, *statements: Statement, foreign_keys: bool = True) -> None:
    """Change the store outside sitecms."""
    database = example.database
    if isinstance(database, SqliteDatabase) and not foreign_keys:
        database._writer.connection().execute("PRAGMA foreign_keys = 0")
    with database.writing() as transaction:
        if not isinstance(database, SqliteDatabase) and not foreign_keys:
            transaction.sql("SET LOCAL session_replication_role = replica")
            default = "ALTER TABLE delivery ALTER rowid "  # its trigger sleeps too
            statements = (default + "SET DEFAULT 1", *statements, default + "DROP DEFAULT")
        for statement in statements:
            transaction.sql(statement)
    if isinstance(database, SqliteDatabase):
        database._writer.connection().execute("PRAGMA foreign_keys = 1")


def media(example: ExampleSite, original: str) -> Path:
    """The stored file that was made of the one of this name in the site folder."""
    name = select(example.database, "SELECT name FROM media_file WHERE original_name = ?", original)[0][0]
    return example.settings.media_dir / str(name)


def test_a_site_in_order_has_no_findings(example: ExampleSite) -> None:
    """Drafts, translations and entries in the trash cause none, before and after a build."""
    example.make()
    example.database.write(delete_entry, EntryKind.POST, 1, AT)
    assert verify(example).findings == ()
    example.build()
    assert output_findings(example.settings) == ()


@pytest.mark.parametrize(
    ("kind", "statements"),
    [
        ("search-extra", ["INSERT INTO post_search " + GHOST]),
        ("search-extra", ["INSERT INTO page_search " + GHOST]),
        ("search-missing", ["DELETE FROM post_search WHERE rowid = (SELECT entry_id FROM version WHERE slug = 'ebb')"]),
        ("search-missing", ["DELETE FROM page_search WHERE rowid = (SELECT min(id) FROM version WHERE kind = 'page')"]),
        ("search-stale", ["UPDATE version SET title = 'Other' WHERE slug = 'ebb'"]),
        ("column-stale", ["UPDATE version SET reading_minutes = 99 WHERE slug = 'ebb'"]),
        ("column-stale", ["UPDATE version SET body_digest = 'x' WHERE slug = 'ebb'"]),
        ("column-stale", ["UPDATE version SET body_media = '' WHERE slug = 'ebb'"]),
        ("media-size", ["UPDATE media_file SET size_bytes = 1 WHERE original_name = 'sea.png'"]),
        ("media-unknown", ["DELETE FROM media_file WHERE original_name = 'sea.png'"]),
        ("write-impossible", [WRITE.format("'applied'", "NULL", "NULL")]),
        ("write-impossible", [WRITE.format("'accepted'", "NULL", "2")]),
        ("write-impossible", [WRITE.format("'failed'", "'1-a'", "2")]),
        ("claim-abandoned", [WRITE.format("'accepted'", "'1-a'", "NULL")]),
        (
            "reservation-left",
            [WRITE.format("'applied'", "NULL", "2"), "INSERT INTO reservation VALUES ('post', 'x', 'w1')"],
        ),
        ("delivery-impossible", [HOOK, DELIVERY.format("'delivered'", "NULL", "NULL")]),
        ("delivery-impossible", [HOOK, DELIVERY.format("'waiting'", "NULL", "2")]),
        ("claim-abandoned", [HOOK, DELIVERY.format("'waiting'", "'1-a'", "NULL")]),
    ],
)
def test_derived_data_is_found_and_repaired(example: ExampleSite, kind: str, statements: list[Statement]) -> None:
    """One finding is left unchanged without --repair, and repaired with it."""
    example.load()
    change(example, *statements)
    assert kinds(verify(example)) == [kind]
    report = verify(example, repair=True)
    assert [(finding.kind, finding.is_repaired) for finding in report.findings] == [(kind, True)]
    assert report.left == 0
    assert verify(example).findings == ()


@pytest.mark.parametrize("word", ["y" * 40_000, "é" * 40_000, "\u0915\u093f" * 20_000], ids=["ascii", "latin", "marks"])
def test_long_words_are_no_finding(example: ExampleSite, word: str) -> None:
    """The index keeps the beginning of a word that is longer than the engine's limit, and the check knows it."""
    path = example.folder / "content" / "posts" / "long.md"
    path.write_text(f"---\ntitle: Long\npublished: 2026-01-01\n---\n{word} end\n", encoding="utf-8")
    example.load()
    assert verify(example).findings == ()


def test_a_delivery_without_a_webhook_is_removed(example: ExampleSite) -> None:
    """It is a dangling key too until it is repaired."""
    example.load()
    change(example, DELIVERY.format("'waiting'", "NULL", "NULL"), foreign_keys=False)
    assert sorted(kinds(verify(example))) == ["delivery-impossible", "key-dangling"]
    assert verify(example, repair=True).left == 0
    assert verify(example).findings == ()


def test_a_dangling_reference_names_entry_and_target(example: ExampleSite) -> None:
    """Missing targets and targets in the trash are distinguished; neither is repaired."""
    example.load()
    fields = '{"link": "/v2/content/?keys=menu[_id=2]", "text": "/v2/content/?keys=menu[_id=77]"}'
    change(example, f"UPDATE version SET fields_json = '{fields}' WHERE kind = 'page' AND entry_id = 1")
    example.database.write(delete_entry, EntryKind.ITEM, 2, AT)
    report = verify(example, repair=True)
    told = [(finding.where, finding.what) for finding in report.findings if finding.kind == "reference-dangling"]
    who = told[0][0]
    assert told == [
        (who, "refers to the item 2 of menu, which is in the trash"),
        (who, "refers to the item 77 of menu, which does not exist"),
    ]
    assert who.startswith("page ")
    assert report.left >= 2


def test_a_flipped_byte_in_a_media_file_is_found(example: ExampleSite) -> None:
    """Mended from the site folder while that has the right bytes, else named and left."""
    example.load()
    stored = media(example, "sea.png")
    right = stored.read_bytes()
    flipped = right[:40] + bytes([right[40] ^ 1]) + right[41:]
    stored.write_bytes(flipped)
    report = verify(example)
    assert kinds(report) == ["media-damaged"]
    assert "sea.png" in report.findings[0].where
    assert verify(example, repair=True).left == 0
    assert stored.read_bytes() == right
    stored.write_bytes(flipped)
    example.image("media/sea.png", "red")
    assert verify(example, repair=True).left == 1
    assert stored.read_bytes() == flipped


def test_a_missing_media_file_is_reported_with_an_entry_that_shows_it(example: ExampleSite) -> None:
    """It is restored from the site folder if the file is there."""
    example.load()
    stored = media(example, "ann.png")
    stored.unlink()
    report = verify(example)
    assert kinds(report) == ["media-missing"]
    assert "author ann-ray shows it" in report.findings[0].what
    assert verify(example, repair=True).left == 0
    stored.unlink()
    example.remove("media/ann.png")
    assert verify(example, repair=True).left == 1


def test_a_media_file_too_many_is_found(example: ExampleSite) -> None:
    """Not one that was added a moment ago; mending lets the store know of it, and removes nothing."""
    example.load()
    library = open_library(example.settings)
    extra = library.add(b"%PDF-1.4 extra", "extra.pdf", AT)
    os.utime(library.path(extra.name), (AT.timestamp(),) * 2)
    assert verify(example).findings == ()
    os.utime(library.path(extra.name), (0, 0))
    assert kinds(verify(example)) == ["media-extra"]
    assert verify(example, repair=True).left == 0
    assert library.exists(extra.name)
    assert verify(example).findings == ()


def test_files_that_a_killed_process_left_are_found_and_removed(example: ExampleSite) -> None:
    """Half-written ones, and one that was set aside to be removed: its name is put back first if it is wanted."""
    example.load()
    stored = media(example, "sea.png")
    (example.settings.media_dir / ".abc.tmp").write_bytes(b"half")
    stored.rename(stored.with_name(f".{stored.name}.old"))
    example.remove("media/sea.png")
    for path in example.settings.media_dir.iterdir():
        os.utime(path, (0, 0))
    assert sorted(kinds(verify(example))) == ["media-missing", "temporary-left", "temporary-left"]
    assert verify(example, repair=True).left == 0
    assert stored.is_file()
    assert verify(example).findings == ()


@pytest.mark.sqlite_only("damages the file")
def test_a_flipped_byte_in_a_store_page_is_found(example: ExampleSite) -> None:
    """Damaged page headers are found, and a changed letter of a body by its digest."""
    example.load()
    example.database.close()
    path = example.settings.store_path
    whole = path.read_bytes()
    page_bytes = int.from_bytes(whole[16:18], "big")
    found = 0
    for page in range(1, len(whole) // page_bytes):
        data = bytearray(whole)
        data[page * page_bytes] ^= 0x40  # the kind of the page
        if whole[page * page_bytes] not in (2, 5, 10, 13):
            continue  # an overflow or a free page
        path.write_bytes(data)
        wrong = kinds(verify(example))
        assert set(wrong) & {"store-damaged", "search-damaged"}, page
        found += 1
        if found == 12:
            break
    assert found == 12
    data = bytearray(whole)
    data[whole.index(b"Nothing moves.")] ^= 1
    path.write_bytes(data)
    assert "column-stale" in kinds(verify(example))
    path.write_bytes(whole)
    assert verify(example).findings == ()


@pytest.mark.sqlite_only("damages the file")
def test_a_store_whose_beginning_is_damaged_is_a_finding_too(example: ExampleSite) -> None:
    """The library is looked at all the same; nothing is changed."""
    example.load()
    example.database.close()
    path = example.settings.store_path
    data = bytearray(path.read_bytes())
    data[:100] = b"\0" * 100
    path.write_bytes(data)
    stored = next(each for each in example.settings.media_dir.iterdir() if each.suffix == ".png")
    stored.write_bytes(b"other")
    assert set(kinds(verify(example, repair=True))) == {"store-damaged", "media-damaged"}
    assert path.read_bytes() == bytes(data)


@pytest.mark.sqlite_only("damages an index that SQLite keeps in tables")
def test_a_broken_search_index_is_repaired(example: ExampleSite) -> None:
    """Its tables are rebuilt from published content."""
    example.load()
    change(example, "UPDATE post_search_data SET block = x'00112233445566778899' WHERE id > 10")
    report = verify(example)
    assert set(kinds(report)) == {"search-damaged"}
    assert verify(example, repair=True).left == 0
    assert verify(example).findings == ()


def test_a_version_without_its_entry_is_found(example: ExampleSite) -> None:
    """Its key is of two columns: an entry of another kind with the same id is another entry."""
    example.load()
    change(example, "INSERT INTO entry (kind, id, type, origin, created_at) VALUES ('item', 999, 'menu', 'api', 1)")
    columns = "id, kind, entry_id, locale, version, status, fields_json, created_at, updated_at"
    values = "500, 'page', 999, 'en', 'live', 'draft', '{}', 1, 1"
    change(example, f"INSERT INTO version ({columns}) VALUES ({values})", foreign_keys=False)
    (finding,) = (each for each in verify(example, repair=True).findings if each.kind == "key-dangling")
    assert "version" in finding.where + finding.what


def test_broken_json_and_keys_are_found(example: ExampleSite) -> None:
    """Both are reported with table and row; neither can be repaired."""
    example.load()
    change(example, "UPDATE entry SET titles_json = '{' WHERE id = 1 AND kind = 'post'")
    change(example, "INSERT INTO version_term VALUES (1, 999, 9, '')", foreign_keys=False)
    report = verify(example, repair=True)
    assert set(kinds(report)) == {"json-broken", "key-dangling"}
    assert any("entry row 1, post" in finding.where for finding in report.findings)


def test_outputs_are_held_against_the_manifest(example: ExampleSite) -> None:
    """One that is missing, one that was changed; files of others are theirs."""
    example.make()
    (example.public / "about" / "index.html").unlink()
    (example.public / "blog" / "ebb" / "index.html").write_text("other")
    (example.public / "theirs.txt").write_text("theirs")
    found = {finding.where: finding.kind for finding in output_findings(example.settings)}
    assert found["output about/index.html"] is VerifyKind.OUTPUT_MISSING
    assert found["output blog/ebb/index.html"] is VerifyKind.OUTPUT_CHANGED
    assert len(found) == 2
    (example.public / ".sitecms-manifest.json").write_text("{")
    assert [finding.kind for finding in output_findings(example.settings)] == [VerifyKind.OUTPUT_UNKNOWN]


def test_nothing_is_left_behind_by_looking(example: ExampleSite) -> None:
    """The copy that was looked at is gone, and the store is as it was."""
    example.load()
    verify(example)
    before, number = sorted((example.folder / ".sitecms").iterdir()), example.database.change_number()
    verify(example)
    assert sorted((example.folder / ".sitecms").iterdir()) == before
    assert example.database.change_number() == number
