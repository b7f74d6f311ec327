"""Order of the examinations."""

from collections.abc import Callable, Iterator
from pathlib import Path

from sitecms.actions.operations.doctor.environment import (
    examine_clock,
    examine_extras,
    examine_open_files,
    examine_port,
    examine_proxies,
    examine_versions,
)
from sitecms.actions.operations.doctor.file_system import (
    examine_disk,
    examine_file_system,
    examine_media,
    examine_permissions,
    examine_store,
)
from sitecms.clock import Clock
from sitecms.findings import Finding
from sitecms.settings.site import STATE_FOLDER, SiteSettings
from sitecms.store.maintenance.counters import living


def examine_machine(host: str, port: int, *, is_serving: bool = False) -> Iterator[Finding]:
    """Examine what concerns every site on this machine. `is_serving`: a server of the site runs."""
    yield from examine_versions()
    yield examine_clock()
    yield examine_open_files()
    yield examine_proxies()
    yield examine_port(host, port, is_serving=is_serving)


def examine_site(
    settings: SiteSettings, host: str, port: int, clock: Clock, can_exchange_in: Callable[[Path], bool]
) -> Iterator[Finding]:
    """Examine the machine and the site on it."""
    yield from examine_machine(host, port, is_serving=bool(living(settings.counters_dir).get("web")))
    yield from examine_extras(settings)
    state = settings.folder / STATE_FOLDER
    yield from examine_permissions(settings.folder, state)
    yield from examine_disk(state if state.is_dir() else settings.folder)
    yield from examine_file_system(state if state.is_dir() else settings.folder, can_exchange_in)
    yield from examine_store(settings, clock())
    yield from examine_media(settings, clock())
