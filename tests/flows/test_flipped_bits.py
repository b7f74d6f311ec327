"""Single flipped bits in the store's file: found by `verify`, or without effect; and no command ends in a traceback."""

import random
from pathlib import Path

import pytest
from click.testing import CliRunner

from sitecms.actions.operations.verify.verify import verify_store
from sitecms.cli.main import cli
from sitecms.errors import StoreUnusable
from sitecms.store.maintenance.rows import TableSum, table_sums
from sitecms.store.opening import open_database
from tests.support.sites import ExampleSite

SEED = 20261122
FLIPS = 120
TRIED = 8  # of these the commands are run
COMMANDS = ("verify", "status", "doctor", "build", "export", "backup")
pytestmark = [pytest.mark.slow, pytest.mark.sqlite_only("damages the file")]


@pytest.fixture
def store_file(example: ExampleSite) -> Path:
    """The file of a loaded store that nobody has open."""
    example.load()
    example.database.close()
    return example.settings.store_path


def flipped(whole: bytes, rng: random.Random) -> bytes:
    """The file with one bit changed, of a byte that is in use: most of a small file is empty."""
    data = bytearray(whole)
    data[rng.choice([at for at, byte in enumerate(whole) if byte])] ^= 1 << rng.randrange(8)
    return bytes(data)


def put(path: Path, data: bytes) -> None:
    """Put a new file in place, with nothing beside it: connections to the former one may be open in this process."""
    for ending in ("", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    path.write_bytes(data)


def sums(path: Path) -> dict[str, TableSum]:
    """What all rows come to."""
    database = open_database(path)
    try:
        return database.read(table_sums)
    finally:
        database.close()


def test_a_flipped_bit_is_found_or_changes_nothing(example: ExampleSite, store_file: Path) -> None:
    """Each of many; `verify` itself never crashes."""
    whole, right, rng = store_file.read_bytes(), sums(store_file), random.Random(SEED)
    found = 0
    for number in range(FLIPS):
        put(store_file, data := flipped(whole, rng))
        try:
            wrong = verify_store(example.settings, example.now).findings
        except StoreUnusable as error:
            wrong = (str(error),)  # type: ignore[assignment]
        if wrong:
            found += 1
            continue
        assert sums(store_file) == right, (number, [at for at, byte in enumerate(data) if byte != whole[at]])
    assert found > FLIPS / 2


def test_no_command_ends_in_a_traceback(example: ExampleSite, store_file: Path, tmp_path: Path) -> None:
    """Whatever the bit, for text that is no UTF-8, and without the row that counts changes."""
    whole, rng = store_file.read_bytes(), random.Random(SEED)
    no_text = whole.index(b"Nothing moves.")
    damaged = [whole[:no_text] + b"\xff" + whole[no_text + 1 :], *(flipped(whole, rng) for _ in range(TRIED))]
    for number, data in enumerate(damaged):
        codes = run_all(example.folder, tmp_path / str(number), data)
        assert number > 0 or codes["verify"] == 1
    put(store_file, whole)
    with (database := open_database(store_file)).writing(counts_as_change=False) as transaction:
        transaction.sql("DELETE FROM change_number")
    database.close()
    assert run_all(example.folder, tmp_path / "uncounted", store_file.read_bytes())["verify"] == 1


def run_all(folder: Path, beside: Path, data: bytes) -> dict[str, int]:
    """Run each command on the store; its exit code."""
    beside.mkdir()
    codes = {}
    for name in COMMANDS:
        more = [str(beside / name)] if name in ("export", "backup") else []
        put(folder / ".sitecms" / "store.db", data)
        result = CliRunner().invoke(cli, [name, str(folder), *more])
        assert result.exception is None or isinstance(result.exception, SystemExit), (name, result.exc_info)
        assert result.exit_code in (0, 1, 3), (name, result.output)
        codes[name] = result.exit_code
    return codes
