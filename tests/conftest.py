"""Options of all tests: Hypothesis profiles, and the engines on which tests of the store run."""

import gc
import importlib
import os
import pkgutil
import shutil
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import hypothesis
import pytest
import structlog

import sitecms
from tests.support.engines import ENGINES

pytest_plugins = [
    "tests.support.npm",
    "tests.support.servers",
    "tests.support.sites",
    "tests.support.entries",
    "tests.support.writes",
    "tests.support.webhooks",
    "tests.support.mail_server",
]
BOTH_ENGINES = frozenset({"store", "actions", "flows"})  # folders whose tests run on both engines
QUICK = frozenset({"content", "documents", "settings"})  # folders of `-m quick`, with those of the store on SQLite
SITES = frozenset({"engine", "make_example", "open_example"})  # fixtures that make sites
MEMORY = "/dev/shm"  # where Linux has a file system in memory
ROOM_BYTES = 4 * 1024**3


def has_room(folder: str) -> bool:
    """Return whether it is there, with room for the files of all tests, and programs in it may be run."""
    return (
        Path(folder).is_dir()
        and shutil.disk_usage(folder).free > ROOM_BYTES
        and not os.statvfs(folder).f_flag & os.ST_NOEXEC
    )


os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # or each program that a test starts compiles the package again
sys.dont_write_bytecode = False
hypothesis.settings.register_profile(
    "repeatable", deadline=None, derandomize=True, max_examples=40, print_blob=True
)  # the same in each run, of which more find nothing new
hypothesis.settings.register_profile("search", deadline=None, max_examples=150, print_blob=True)
structlog.configure(
    processors=[
        *structlog.get_config()["processors"][:-1],
        structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback),
    ]
)  # with Rich, which clients of the tests install, a traceback would take half a second of processor time
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))
if "TMPDIR" not in os.environ and has_room(MEMORY):  # no test, no program that one starts, waits for a disk there
    os.environ["TMPDIR"] = tempfile.tempdir = MEMORY


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return the number of processes of `-n auto`: three for two cores, four for slow tests, which wait for servers."""
    cores = os.cpu_count() or 1
    return cores * 2 if config.option.markexpr == "slow" else cores * 3 // 2 or 1


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect the tests without the garbage collector, which would visit again and again what all stays."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with checks and the wheel, and let a test in a browser be tried twice; its cases but the first are slow.

    One process waits long for the other programs of checks and wheel while the others do the rest. When Chromium paints
    and loads is up to it and to what else the machine does; the summary names each test that was tried again.
    """
    in_browser = set[str]()
    for item in items:
        folder = item.path.relative_to(config.rootpath / "tests").parts[0]
        if folder == "browser":
            item.add_marker(pytest.mark.flaky(reruns=1))
            name = item.nodeid.partition("[")[0]
            if name in in_browser:
                item.add_marker(pytest.mark.slow)
            elif not item.get_closest_marker("slow"):
                in_browser.add(name)
        is_quick = folder in QUICK or (folder == "store" and _engine(item) == "sqlite")
        if is_quick and not item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.quick)
    items.sort(key=lambda item: item.path.name not in ("test_checks.py", "test_wheel.py"))
    _run_one_case_on_postgres(config, items)


def _run_one_case_on_postgres(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of the cases of a test, run the first one on PostgreSQL; the others of a test of the store are slow.

    Above the store they are left out: `tests/api/test_engines_agree.py` compares the answers of every route, with many
    parameters.
    """
    seen, repeated = set[str](), dict[pytest.Item, None]()
    for item in items:
        name = item.nodeid.partition("[")[0]
        if _engine(item) == "postgres":
            if name in seen and "store" in item.path.parts:
                item.add_marker(pytest.mark.slow)
            elif name in seen:
                repeated[item] = None
            seen.add(name)
    items[:] = [item for item in items if item not in repeated]
    config.hook.pytest_deselected(items=[*repeated])


def _engine(item: pytest.Item) -> object:
    """Return the engine that a case of a test is for, None if it runs on none or on whichever."""
    return vars(item)["callspec"].params.get("engine") if "callspec" in vars(item) else None


def pytest_collection_finish() -> None:
    """Import the package in each of several processes, and have the garbage collector pass over what stays.

    Hypothesis draws constants of the modules that are imported, so its examples would depend on which tests a process
    had run before.
    """
    if "PYTEST_XDIST_WORKER" in os.environ:
        for module in pkgutil.walk_packages(sitecms.__path__, "sitecms."):
            if not module.name.endswith("build_hook"):
                importlib.import_module(module.name)
    gc.collect()
    gc.freeze()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run tests of the store, of actions and of flows with each engine; above the store, PostgreSQL is slow.

    Tests of the API and of the studio run with both where a statement is reached by them alone.
    """
    folders = metafunc.definition.path.parts
    is_for_both = metafunc.definition.get_closest_marker("both_engines") or not BOTH_ENGINES.isdisjoint(folders)
    if not is_for_both or SITES.isdisjoint(metafunc.fixturenames):
        return
    if "engine" not in metafunc.fixturenames:
        metafunc.fixturenames.append("engine")
    sqlite, postgres = ENGINES
    engines = [pytest.param(sqlite)]
    if not metafunc.definition.get_closest_marker("sqlite_only"):
        engines.append(pytest.param(postgres, marks=() if "store" in folders else pytest.mark.slow))
    metafunc.parametrize("engine", engines, indirect=True)
