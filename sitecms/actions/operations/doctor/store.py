"""A site's store: whether it can be read, who else can read it, and whether its times are of this world."""

import stat
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from sitecms.actions.operations.doctor.finding import Examined, fault, ok, warning
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Session
from sitecms.store.maintenance.readiness import look_at_store
from sitecms.store.maintenance.server_settings import careless_settings
from sitecms.store.maintenance.tallies import latest_change_at
from sitecms.store.opening import open_database
from sitecms.store.writes.webhooks import all_webhooks

TOLERATED = timedelta(minutes=1)
_SERVER = "See that the server runs, and that url under [store] names its database; sitecms load makes the tables."


def examine_store(settings: SiteSettings, at: datetime) -> Iterator[Examined]:
    """Nothing is opened for writing where it cannot be read."""
    address = settings.store
    if isinstance(address, Path) and not address.exists():
        yield warning("store", "there is none yet", f"sitecms load {settings.folder}")
        return
    look = look_at_store(address)
    if look.problems:
        remedy = "See to the file; a backup has what it held." if isinstance(address, Path) else _SERVER
        yield fault("store", " ".join(look.problems), remedy)
        return
    yield ok("store", f"can be read ({look.engine})")
    database = open_database(address)
    with database.reading() as session:
        yield _times(session, at)
        yield _secrets(session, address) if isinstance(address, Path) else _durability(session)
    database.close()


def _durability(session: Session) -> Examined:
    careless = careless_settings(session)
    if careless:
        what = f"the server has {', '.join(careless)}: a power cut may undo or damage what was answered for"
        return fault("durability", what, "Turn it on in the server's settings (postgresql.conf).")
    return ok("durability", "what the server says is kept is on its disk")


def _secrets(session: Session, path: Path) -> Examined:
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & stat.S_IROTH and all_webhooks(session):
        what = "everyone on this machine may read the store, which holds signing secrets of webhooks"
        return warning("secrets", what, f"chmod o-rwx {path.parent}")
    return ok("secrets", "kept from others, or there are none")


def _times(session: Session, at: datetime) -> Examined:
    latest = latest_change_at(session)
    if latest is not None and latest > at + TOLERATED:
        what = f"an entry was changed {(latest - at).total_seconds() / 60:.0f} minutes from now"
        return warning("times", what, "Set the clock by NTP: here, or where that entry was written.")
    return ok("times", "no change lies in the future")
