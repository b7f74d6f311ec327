"""Options of all tests: Hypothesis profiles, and the engines on which tests of the store run."""

import os

import hypothesis
import pytest

from tests.support.engines import ENGINES

pytest_plugins = [
    "tests.support.servers",
    "tests.support.sites",
    "tests.support.entries",
    "tests.support.writes",
    "tests.support.webhooks",
]
BOTH_ENGINES = frozenset({"store", "actions", "api", "flows"})  # folders of tests
SITES = frozenset({"engine", "make_works", "open_works"})  # fixtures that make sites


hypothesis.settings.register_profile("repeatable", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.register_profile("explore", deadline=None, max_examples=2000, print_blob=True)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests of the store, and of what stands on it, run with each engine, unless they are about an SQLite file."""
    if not BOTH_ENGINES.isdisjoint(metafunc.definition.path.parts) and not SITES.isdisjoint(metafunc.fixturenames):
        if "engine" not in metafunc.fixturenames:
            metafunc.fixturenames.append("engine")
        of_files = metafunc.definition.get_closest_marker("sqlite_only")
        metafunc.parametrize("engine", ENGINES[:1] if of_files else ENGINES, indirect=True)
