"""The state of the built site: whether it shows what is published, and whether a build comes."""

from datetime import datetime, timedelta

from msgspec import Struct

from sitecms.content.entry import Entry
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Session
from sitecms.store.engines.locks import LockFiles
from sitecms.store.site_state.build_log import BUILD_LOCK, BuildRequest, open_request
from sitecms.store.site_state.site_builds import LastBuild, built_change, find_last_build, site_changes


class BuildState(Struct, frozen=True):
    """The state of the site in the output folder of this host.

    `is_behind` if readers may not see the last changes yet, `request` is the build that a user asked for. `last` is
    None if the site was never built on this host.
    """

    is_behind: bool
    is_running: bool
    request: BuildRequest | None
    last: LastBuild | None

    @property
    def is_coming(self) -> bool:
        """True if a build runs, or begins in a moment."""
        return self.is_running or self.request is not None

    def lacks(self, live: Entry | None) -> bool:
        """Return whether the site does not have a published entry as it is now; False if it is built elsewhere."""
        if live is None or self.last is None or not self.is_behind:
            return False
        changed_at = max(live.updated_at, live.published_at or live.updated_at)
        return changed_at > self.last.finished_at - timedelta(seconds=self.last.seconds)


def build_state(session: Session, settings: SiteSettings, at: datetime) -> BuildState:
    """Return the state of the site on this host."""
    return BuildState(
        is_behind=site_changes(session) != built_change(settings.state_dir),
        is_running=LockFiles(settings.workers_dir).is_held(BUILD_LOCK),
        request=open_request(session, settings.state_dir, at),
        last=find_last_build(settings.state_dir),
    )
