"""The site folder beside this file, served by a real `sitecms serve` on loopback for the published clients."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.support.commands import CommandServer
from tests.support.web_server import web_server

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Service:
    """A running service: its base as clients have it, without the last slash, and a token of either scope."""

    base: str
    token: str
    write_token: str

    def get(self, path: str, **params: object) -> requests.Response:
        """Read a path below the base, as no client in particular."""
        return requests.get(
            f"{self.base}/{path}",
            params={name: str(value) for name, value in params.items()},
            headers={"Authorization": f"Token {self.token}"},
            timeout=60,
        )

    def json(self, path: str, **params: object) -> Any:
        """What a path answers, which must be 200."""
        response = self.get(path, **params)
        assert response.status_code == 200, (path, params, response.text)
        return response.json()


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory, command_server: CommandServer) -> Iterator[Service]:
    """The site, loaded and served to be read; it ends with the tests."""
    with serving(command_server, tmp_path_factory.mktemp("contract") / "site") as served:
        yield served


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory, command_server: CommandServer) -> Iterator[Service]:
    """The site once more, to be written to: its worker applies what is accepted."""
    with serving(command_server, tmp_path_factory.mktemp("written") / "site", has_worker=True) as served:
        yield served


@contextmanager
def serving(commands: CommandServer, folder: Path, *, has_worker: bool = False) -> Iterator[Service]:
    """The site in a new folder, loaded and served."""
    shutil.copytree(HERE / "site", folder)
    sitecms = partial(commands.run, folder=folder, variables={})
    assert sitecms("load").returncode == 0
    token, write_token = (
        sitecms("token", "create", "--scope", scope, "--name", scope).stdout.strip() for scope in ("read", "write")
    )
    with web_server(commands, folder, "--workers", "1", has_worker=has_worker) as server:
        yield Service(f"{server.url}/v2", token, write_token)
