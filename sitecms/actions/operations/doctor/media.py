"""Where media files are kept, if that is not a folder: whether it answers, and as it should."""

from collections.abc import Iterator
from datetime import datetime
from importlib.util import find_spec

from sitecms.actions.operations.doctor.finding import Examined, fault, ok, warning
from sitecms.errors import ConfigurationError, MediaUnusable
from sitecms.media.storage.bucket_check import Trial
from sitecms.settings.site import SiteSettings

TOLERATED_SECONDS = 60.0  # signatures are refused from five to fifteen minutes on


def examine_media(settings: SiteSettings, at: datetime) -> Iterator[Examined]:
    """Nothing where they are kept in a folder. An object is put into the bucket, and removed again."""
    bucket = settings.media.bucket
    if bucket is None:
        return
    if find_spec("boto3") is None:
        yield fault("media", "the client of object storage is not installed", "pip install 'sitecms[s3]'")
        return
    try:
        trial = Trial(bucket)
        told_at = trial.listed_at()
    except (MediaUnusable, ConfigurationError) as error:
        yield fault("media", str(error), "See to url under [media], to the credentials, and to the network.")
        return
    yield ok("media", f"{bucket} answers")
    if told_at:
        yield _clock((told_at - at).total_seconds())
    try:
        trial.write()
        yield ok("media permissions", "objects can be put, read and removed")
    except MediaUnusable as error:
        remedy = "Allow these credentials to list the bucket, and to put, get and delete its objects."
        yield fault("media permissions", str(error), remedy)
    if trial.anyone_may_list():
        what = "everyone may list the bucket, and so find what only drafts show"
        yield warning("media listing", what, "Let strangers get objects at most, and not list them.")


def _clock(apart_seconds: float) -> Examined:
    if abs(apart_seconds) > TOLERATED_SECONDS:
        what = f"the media storage is {apart_seconds:+.0f} s from this machine's clock, and may refuse its signatures"
        return warning("media clock", what, "Set the clock by NTP.")
    return ok("media clock", "as here")
