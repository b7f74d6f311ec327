"""The plan of the page of one entry, without those of all others."""

from sitecms.content.item import Entry
from sitecms.content.post import Post
from sitecms.settings.site import SiteSettings
from sitecms.site.images.image_plan import ImagePlan
from sitecms.site.plan.plan import PageJob, SharedValues, locale_plans
from sitecms.site.routes import Routes
from sitecms.site.snapshot import Snapshot
from sitecms.site.theme.theme import Theme


def plan_entry(
    snapshot: Snapshot,
    settings: SiteSettings,
    theme: Theme,
    entry: Entry | Post,
    asset_urls: dict[str, str],
    images: ImagePlan,
    *,
    searchable: bool,
) -> PageJob | None:
    """Plan the page of an entry of the snapshot; None if it has none. `asset_urls` are those of `plan_assets`."""
    plans = locale_plans(snapshot, Routes(settings), theme, asset_urls, images, searchable=searchable)
    local = next((each for each in plans if each.locale == entry.locale), None)
    planned = local.page_of(entry) if local else None
    return SharedValues(local, settings, snapshot, theme).job(planned) if local and planned else None
