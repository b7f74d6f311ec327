"""Files that came by a pull are loaded as `sitecms load` does it; what was removed goes to the trash."""

from collections.abc import Sequence
from datetime import datetime

import structlog

from sitecms.actions.loading import LoadReport, load_site
from sitecms.content.fields import own_types
from sitecms.errors import InvalidFiles
from sitecms.settings.site import SETTINGS_FILE, SiteSettings, load_settings
from sitecms.store.database import Database

_log = structlog.get_logger("sitecms.git")


def load_incoming(database: Database, settings: SiteSettings, at: datetime, paths: Sequence[str]) -> LoadReport | None:
    """Load what came, and log each error; None if settings or schema have errors, until a file of them is corrected.

    Entries go to the trash if all files and items that are missing were removed by the pull: others may be missing
    because somebody works on them. Raises StoreUnusable.
    """
    try:
        if SETTINGS_FILE in paths:
            settings = load_settings(settings.folder, with_plugins=not settings.plugins.are_left_out)
            database.field_types = own_types(settings.plugins)
        report = load_site(database, settings, at)
        missing = {*report.vanished, *(item.path for item in report.vanished_items)}
        if missing and missing <= {*paths}:
            pruned = load_site(database, settings, at, prune=True)
            _log.info("git_pruned", files=pruned.pruned, items=[item.id for item in pruned.pruned_items])
    except InvalidFiles as error:
        for problem in error.errors:
            _log.error("git_load_failed", problem=str(problem))
        return None
    for problem in report.errors:
        _log.error("git_load_failed", problem=str(problem))
    _log.info("git_loaded", files=len(report.loaded), errors=len(report.errors))
    return report
