"""Look for what is wrong with a machine, or with a site on it: the recipe. Changes nothing."""

from collections.abc import Callable, Iterator
from pathlib import Path

from sitecms.actions.operations.doctor.environment import (
    examine_clock,
    examine_open_files,
    examine_port,
    examine_proxies,
)
from sitecms.actions.operations.doctor.file_system import examine_disk, examine_file_system, examine_permissions
from sitecms.actions.operations.doctor.finding import Examined, Outcome
from sitecms.actions.operations.doctor.media import examine_media
from sitecms.actions.operations.doctor.store import examine_store
from sitecms.actions.operations.doctor.versions import examine_extras, examine_versions
from sitecms.clock import Clock
from sitecms.settings.site import STATE_FOLDER, SiteSettings
from sitecms.store.maintenance.counters import living

__all__ = ["Examined", "Outcome", "examine_machine", "examine_site"]

CanExchange = Callable[[Path], bool]


def examine_machine(host: str, port: int, *, is_ours: bool = False) -> Iterator[Examined]:
    """What concerns every site here. `is_ours`: who listens at the port may be the site's own server."""
    yield from examine_versions()
    yield examine_clock()
    yield examine_open_files()
    yield examine_proxies()
    yield examine_port(host, port, is_ours=is_ours)


def examine_site(
    settings: SiteSettings, host: str, port: int, clock: Clock, can_exchange_in: CanExchange
) -> Iterator[Examined]:
    """The machine, and the site on it."""
    yield from examine_machine(host, port, is_ours=bool(living(settings.counters_dir).get("web")))
    yield from examine_extras(settings)
    state = settings.folder / STATE_FOLDER
    yield from examine_permissions(settings.folder, state)
    yield from examine_disk(state if state.is_dir() else settings.folder)
    yield from examine_file_system(state if state.is_dir() else settings.folder, can_exchange_in)
    yield from examine_store(settings, clock())
    yield from examine_media(settings, clock())
