"""Fixtures of write tests: a token that writes, and the context in which writes are accepted."""

from collections.abc import Callable
from typing import Any

import pytest

from sitecms.actions.writing.accept import Caller, WriteContext
from sitecms.content.token import Scope
from sitecms.runtime import Runtime
from sitecms.store.database import Database
from sitecms.store.writes.tokens import find_tokens


@pytest.fixture
def caller(make_token: Callable[..., str], store: Database) -> Caller:
    """A token without limits that allows writes."""
    make_token("newsroom", Scope.WRITE)
    return Caller(store.read(find_tokens)[0])


@pytest.fixture
def context(runtime: Runtime, remote: Any, make_author: Callable[..., str]) -> WriteContext:
    """The context in which writes are accepted, with one author; ids of writes are w1, w2 and so on."""
    make_author("ann-ray")
    numbers = iter(range(1, 10_000))
    parts = (runtime.database, runtime.settings, runtime.locales, remote.probe, runtime.clock)
    return WriteContext(*parts, lambda: f"w{next(numbers)}")
