"""The site as a build of this moment would make it, planned and ready to be rendered, for whoever only looks at it."""

from collections.abc import Callable
from dataclasses import dataclass

from jinja2 import Environment

from sitecms.settings.site import STATE_FOLDER, SiteSettings
from sitecms.site.images.image_plan import make_gallery
from sitecms.site.images.media_links import make_linker
from sitecms.site.plan.plan import Plan, make_plan
from sitecms.site.render.steps import is_searchable
from sitecms.site.snapshot import take_snapshot
from sitecms.site.theme.environment import make_environment
from sitecms.site.theme.theme import load_theme
from sitecms.store.database import Session


@dataclass(frozen=True, slots=True)
class UnbuiltSite:
    """A plan, and the environment its pages are rendered in; `notes` are what an owner may not have meant.

    `lacks_search`: it would be searchable, had it not more entries than it was asked for. `finish` makes of a rendered
    page what is shown.
    """

    plan: Plan
    environment: Environment
    searchable: bool
    lacks_search: bool
    notes: tuple[str, ...]
    finish: Callable[[bytes], bytes]


def plan_unbuilt(
    session: Session, settings: SiteSettings, *, drafts: bool = False, most_searched: int | None = None
) -> UnbuiltSite:
    """Plan it as `site.pipeline` does; without search if there are more entries than `most_searched`.

    Raises ConfigurationError where it cannot be planned.
    """
    theme = load_theme(settings.folder, settings.theme)
    snapshot = take_snapshot(session, drafts=drafts)
    gallery = make_gallery(snapshot, settings)
    is_wanted, entries = is_searchable(settings, snapshot), len(snapshot.posts) + len(snapshot.pages)
    searchable = is_wanted and (most_searched is None or entries <= most_searched)
    plan = make_plan(snapshot, settings, theme, gallery=gallery, searchable=searchable)
    cache = settings.folder / STATE_FOLDER / "templates"
    cache.mkdir(parents=True, exist_ok=True)
    pictures = gallery.pictures
    environment = make_environment(theme, settings, pictures.resolved, cache, pictures.in_html)
    notes = (*plan.notes, *gallery.notes)
    finish = make_linker(settings, pictures.stand_ins)
    return UnbuiltSite(plan, environment, searchable, is_wanted and not searchable, notes, finish)
