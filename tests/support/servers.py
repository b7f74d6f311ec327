"""Fixtures of servers: PostgreSQL, Redis, object storage and commands, each started when a test first asks."""

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.support import object_storage
from tests.support.commands import CommandServer
from tests.support.durable_postgres import MISSING as POSTGRES_MISSING
from tests.support.durable_postgres import DurablePostgres, postgres_programs
from tests.support.postgres import Databases, PostgresServer
from tests.support.redis_server import MISSING as REDIS_MISSING
from tests.support.redis_server import RedisServer, redis_program


@pytest.fixture(scope="session")
def lacking() -> Callable[[str], None]:
    """Called where something outside Python is missing: skips with the reason given; fails where CI is set."""

    def stop(reason: str) -> None:
        if os.environ.get("CI"):
            pytest.fail(f"{reason} (CI is set, where nothing may be skipped)")
        pytest.skip(reason)

    return stop


@pytest.fixture(scope="session")
def command_server() -> Iterator[CommandServer]:
    """The process that forks commands for all tests of this process."""
    with closing(CommandServer()) as server:
        yield server


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory, lacking: Callable[[str], None]) -> Iterator[RedisServer]:
    """A Redis for all tests of this process: each site has a name of its own in it."""
    if redis_program() is None:
        lacking(REDIS_MISSING)
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    yield server
    server.kill()


@pytest.fixture
def own_redis(tmp_path: Path, lacking: Callable[[str], None]) -> Iterator[RedisServer]:
    """A Redis that this test may kill."""
    if redis_program() is None:
        lacking(REDIS_MISSING)
    server = RedisServer(tmp_path / "redis")
    yield server
    server.kill()


@pytest.fixture
def redis(own_redis: RedisServer, monkeypatch: pytest.MonkeyPatch) -> RedisServer:
    """A Redis that this test may kill, which holds the queue of sites; requested before a site is opened."""
    monkeypatch.setenv("SITECMS_QUEUE_URL", own_redis.url)
    return own_redis


@pytest.fixture(scope="session")
def databases(lacking: Callable[[str], None]) -> Iterator[Databases]:
    """A PostgreSQL for all tests of this process, and databases in it."""
    if postgres_programs() is None:
        lacking(POSTGRES_MISSING)
    server = PostgresServer()
    made = Databases(server)
    yield made
    made.close()
    server.close()


@pytest.fixture(scope="session")
def object_server(
    lacking: Callable[[str], None], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[object_storage.ObjectServer]:
    """An S3-compatible server with an empty bucket, started for the first test that asks."""
    program = object_storage.seaweed_program()
    if program is None:
        lacking(object_storage.MISSING)
        return
    with object_storage.running_seaweed(program, tmp_path_factory.mktemp("seaweed")) as server:
        yield server


@pytest.fixture
def bucket(object_server: object_storage.ObjectServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """An empty place in the bucket, with credentials for it in the environment: what `url` under [media] says."""
    for name, value in object_storage.CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    return object_server.url(secrets.token_hex(8))


@pytest.fixture
def proxy(object_server: object_storage.ObjectServer) -> Iterator[object_storage.FaultyProxy]:
    """A proxy before the object storage, which fails when it is told to."""
    started = object_storage.FaultyProxy(object_server.port)
    yield started
    started.close()
    object_storage.collect_sockets()


@pytest.fixture(params=["folder", "bucket"])
def media_storage(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each test twice: media in the site's folder, and in object storage, as the environment says."""
    if request.param == "bucket":
        monkeypatch.setenv("SITECMS_MEDIA_URL", request.getfixturevalue("bucket"))
    return str(request.param)


@pytest.fixture(scope="session")
def durable_postgres(lacking: Callable[[str], None]) -> Iterator[DurablePostgres]:
    """A PostgreSQL that tests may make fall; it stands again when they end."""
    if postgres_programs() is None:
        lacking(POSTGRES_MISSING)
    server = DurablePostgres()
    yield server
    server.remove()


@pytest.fixture
def postgres(durable_postgres: DurablePostgres, monkeypatch: pytest.MonkeyPatch) -> DurablePostgres:
    """A PostgreSQL that falls, which has the store of sites; requested before a site is opened."""
    monkeypatch.setenv("SITECMS_STORE_URL", durable_postgres.new_database())
    return durable_postgres
