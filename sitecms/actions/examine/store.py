"""A site's store: whether it can be read, who else can read it, and whether its times are of this world."""

import stat
from collections.abc import Iterator
from datetime import datetime, timedelta

from sitecms.actions.examine.finding import Examined, fault, ok, warning
from sitecms.settings import SiteSettings
from sitecms.store.database import Session, open_database
from sitecms.store.readiness import store_problems
from sitecms.store.tallies import latest_change_at
from sitecms.store.webhooks import all_webhooks

TOLERATED = timedelta(minutes=1)


def examine_store(settings: SiteSettings, at: datetime) -> Iterator[Examined]:
    """Nothing is opened for writing where it cannot be read."""
    path = settings.store_path
    if not path.exists():
        yield warning("store", "there is none yet", f"sitecms load {settings.folder}")
        return
    problems = store_problems(path)
    if problems:
        yield fault("store", " ".join(problems), "See to the file; a backup has what it held.")
        return
    yield ok("store", "can be read")
    database = open_database(path)
    with database.reading() as session:
        yield _times(session, at)
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & stat.S_IROTH and all_webhooks(session):
            what = "everyone on this machine may read the store, which holds signing secrets of webhooks"
            yield warning("secrets", what, f"chmod o-rwx {path.parent}")
        else:
            yield ok("secrets", "kept from others, or there are none")
    database.close()


def _times(session: Session, at: datetime) -> Examined:
    latest = latest_change_at(session)
    if latest is not None and latest > at + TOLERATED:
        what = f"an entry was changed {(latest - at).total_seconds() / 60:.0f} minutes from now"
        return warning("times", what, "Set the clock by NTP: here, or where that entry was written.")
    return ok("times", "no change lies in the future")
