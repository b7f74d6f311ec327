"""A site planned as a build at this moment would plan it, for readers that render pages without publishing them."""

from collections.abc import Callable

from jinja2 import Environment
from msgspec import Struct
from msgspec.structs import replace

from sitecms.errors import FileError
from sitecms.plugins.site_plugins import SitePlugins
from sitecms.settings.site import SiteSettings
from sitecms.site.options import BuildOptions
from sitecms.site.pipeline import Pipeline, read_content
from sitecms.site.plan.plan import Plan
from sitecms.site.report import Stopwatch
from sitecms.store.database import Session


class DryRun(Struct, frozen=True):
    """A plan, the environment in which its pages are rendered, the notes for the owner, and what is left out.

    `lacks_search`: search was left out because the site has too many entries. `finish` turns a rendered page into the
    bytes that a build writes.
    """

    plan: Plan
    environment: Environment
    searchable: bool
    lacks_search: bool
    notes: tuple[str, ...]
    left_out: tuple[FileError, ...]
    finish: Callable[[bytes], bytes]
    plugins: SitePlugins


def plan_dry_run(
    session: Session, settings: SiteSettings, *, drafts: bool = False, max_searchable: int | None = None
) -> DryRun:
    """Plan the site, without search if it has more than `max_searchable` entries.

    Raises ConfigurationError where a build would.
    """
    pipeline = Pipeline(session, settings, BuildOptions(), Stopwatch())
    content = read_content(session, settings, drafts=drafts)
    entries = len(content.snapshot.with_slugs)
    lacks_search = content.searchable and max_searchable is not None and entries > max_searchable
    if lacks_search:
        content = replace(content, searchable=False)
    images = pipeline.images(content)
    plan = pipeline.plan(content, images)
    notes = (*plan.notes, *images.notes)
    return DryRun(
        plan,
        content.environment(images),
        content.searchable,
        lacks_search,
        notes,
        pipeline.left_out(plan),
        content.finisher(images),
        settings.plugins,
    )
