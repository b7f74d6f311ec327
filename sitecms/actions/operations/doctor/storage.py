"""Examination of the places where a site keeps its content: the store, and object storage of media."""

import stat
from collections.abc import Iterator
from datetime import datetime, timedelta
from importlib.util import find_spec
from pathlib import Path

from sitecms.errors import ConfigurationError, MediaUnusable
from sitecms.findings import Finding, error, ok, warning
from sitecms.media.storage.bucket_check import Trial
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Session
from sitecms.store.maintenance.readiness import look_at_store, unsafe_settings
from sitecms.store.maintenance.statistics import latest_change_at
from sitecms.store.opening import open_database
from sitecms.store.writes.webhooks import all_webhooks

TOLERATED_SPAN = timedelta(minutes=1)  # object storage refuses signatures from five to fifteen minutes on
_SERVER = "check that the server runs, and that url under [store] names its database; sitecms load makes the tables"


def examine_store(settings: SiteSettings, at: datetime) -> Iterator[Finding]:
    """Check that the store can be read, that its secrets are protected, and that its times are not in the future."""
    address = settings.store
    if isinstance(address, Path) and not address.exists():
        yield warning("store", "the site has no store yet", f"make one: sitecms load {settings.folder}")
        return
    look = look_at_store(address)
    if look.problems:
        remedy = "restore a backup: sitecms restore" if isinstance(address, Path) else _SERVER
        yield error("store", " ".join(look.problems), remedy)
        return
    yield ok("store", f"can be read ({look.engine})")
    database = open_database(address)
    with database.reading() as session:
        yield _times(session, at)
        yield _secrets(session, address) if isinstance(address, Path) else _durability(session)
    database.close()


def _durability(session: Session) -> Finding:
    careless = unsafe_settings(session)
    if careless:
        what = f"the server has {', '.join(careless)}: a power cut can undo or damage acknowledged writes"
        return error("durability", what, "turn it on in the server's settings (postgresql.conf)")
    return ok("durability", "the server writes to disk before it acknowledges")


def _secrets(session: Session, path: Path) -> Finding:
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & stat.S_IROTH and all_webhooks(session):
        what = "every user of this machine can read the store, which contains signing secrets of webhooks"
        return warning("secrets", what, f"chmod o-rwx {path.parent}")
    return ok("secrets", "not readable for other users, or there are none")


def _times(session: Session, at: datetime) -> Finding:
    latest = latest_change_at(session)
    if latest is not None and latest > at + TOLERATED_SPAN:
        minutes = (latest - at).total_seconds() / 60
        what = f"an entry was changed {minutes:.0f} minutes from now"
        return warning("times", what, "set the clock by NTP: here, or where that entry was written")
    return ok("times", "no change is in the future")


def examine_media(settings: SiteSettings, at: datetime) -> Iterator[Finding]:
    """Check object storage, if media files are kept there: put an object into the bucket and remove it."""
    bucket = settings.media.bucket
    if bucket is None:
        return
    if find_spec("boto3") is None:
        yield error("media", "the client for object storage is not installed", "pip install 'sitecms[s3]'")
        return
    try:
        trial = Trial(bucket)
        storage_at = trial.listed_at()
    except (MediaUnusable, ConfigurationError) as problem:
        yield error("media", str(problem), "check url under [media], the credentials, and the network")
        return
    yield ok("media", f"{bucket} answers")
    if storage_at:
        yield _media_clock((storage_at - at).total_seconds())
    try:
        trial.write()
        yield ok("media-permissions", "objects can be put, read and removed")
    except MediaUnusable as problem:
        remedy = "allow these credentials to list the bucket, and to put, get and delete its objects"
        yield error("media-permissions", str(problem), remedy)
    if trial.anyone_may_list():
        what = "everyone may list the bucket, and so find files that only drafts show"
        yield warning("media-listing", what, "allow the public to get objects at most, not to list them")


def _media_clock(apart_seconds: float) -> Finding:
    if abs(apart_seconds) > TOLERATED_SPAN.total_seconds():
        what = f"object storage is {apart_seconds:+.0f} s from this machine's clock, and may refuse its signatures"
        return warning("media-clock", what, "set the clock by NTP")
    return ok("media-clock", "agrees with this machine")
