"""Rendering of the page of an unsaved entry, and the files of the theme that it names.

The page is that of the built site with these differences: all its addresses begin with a path of the server that shows
it, images have no smaller versions, and scripts of analytics and comments are left out.
"""

import threading
from collections.abc import Mapping

from jinja2 import Environment
from msgspec import Struct
from msgspec.structs import replace

from sitecms.content.entry import Entry
from sitecms.content.text.markdown import ResolvedImage
from sitecms.optional_packages import has_pagefind
from sitecms.plugins.site_plugins import SitePlugins
from sitecms.settings.media import InBuild
from sitecms.settings.site import SiteSettings
from sitecms.site.images.image_plan import ImagePlan, plain_image_plan
from sitecms.site.plan.header_files import security_policy
from sitecms.site.plan.plan import PageJob, make_plan
from sitecms.site.plan.planned_page import Bodies
from sitecms.site.render.pages import LastOutput, Renderer
from sitecms.site.routes import Routes
from sitecms.site.theme.assets import FileJob, plan_assets
from sitecms.site.theme.environment import make_environment, template_cache
from sitecms.site.theme.theme import Theme, load_theme
from sitecms.site.unsaved.content import PublishedContent, body_of, plan_entry, with_entry
from sitecms.web_address import split_address

_NOWHERE = "https://site.invalid"


class UnsavedPage(Struct, frozen=True):
    """A rendered page and the security policy of the site; `error` describes a failure of the theme, "" for none."""

    html: bytes
    policy: str
    error: str = ""


class _ReadTheme(Struct, frozen=True):
    """The theme as its files are now, with the addresses of its assets and the files at these addresses."""

    stamp: tuple[object, ...]
    theme: Theme
    asset_urls: dict[str, str]
    files: Mapping[str, FileJob]
    environment: Environment


class _Images:
    """The images of the latest plan: templates name images while a page is rendered."""

    def __init__(self) -> None:
        self.plan: ImagePlan = plain_image_plan({}, "")

    def resolved(self, address: str) -> ResolvedImage | None:
        """Return an image of the library with its size."""
        return self.plan.variants.resolved(address)

    def tag_in_text(self, attributes: Mapping[str, str]) -> str | None:
        """Return the tag of an image in a text."""
        return self.plan.variants.tag_in_text(attributes)


class UnsavedPages:
    """Renders pages of unsaved entries, one at a time, for any thread. `base_path` begins all addresses of a page."""

    def __init__(self, published: PublishedContent, settings: SiteSettings, base_path: str) -> None:
        self._published = published
        self._settings = _shown_at(settings, base_path)
        self._images = _Images()
        self._lock = threading.Lock()
        self._read: _ReadTheme | None = None

    def page(self, entry: Entry) -> UnsavedPage | None:
        """Return the page of the entry as readers would see it; None if entries of its kind have no pages."""
        _number, published = self._published.now()
        snapshot = with_entry(published, entry)
        with self._lock:
            read, settings = self._theme(), self._settings
            images = self._images.plan = plain_image_plan(snapshot.media, settings.base_path)
            searchable = settings.search.enabled and has_pagefind()
            job = plan_entry(snapshot, settings, read.theme, entry, read.asset_urls, images, searchable=searchable)
            return self._rendered(job, read, body_of(entry)) if job else None

    def page_at(self, path: str) -> UnsavedPage | None:
        """Return the published page at an output path; None if there is none. Raises ConfigurationError."""
        _number, published = self._published.now()
        with self._lock:
            read, settings = self._theme(), self._settings
            images = self._images.plan = plain_image_plan(published.media, settings.base_path)
            searchable = settings.search.enabled and has_pagefind()
            plan = make_plan(published, settings, read.theme, images=images, searchable=searchable)
            job = next((each for each in plan.pages if each.path == path), None)
            return self._rendered(job, read, self._published.bodies(job.bodies)) if job else None

    def _rendered(self, job: PageJob, read: "_ReadTheme", bodies: Bodies) -> UnsavedPage:
        html, error = rendered(job, read.environment, bodies, self._settings.plugins)
        return UnsavedPage(html, security_policy(self._settings, searchable=False), error)

    def asset(self, path: str) -> bytes | None:
        """Return the file of the theme at a path below `base_path`; None if there is none."""
        with self._lock:
            job = self._theme().files.get(path)
        return job.read() if job else None

    def _theme(self) -> _ReadTheme:
        """Return the theme, read again if one of its files changed."""
        theme = load_theme(self._settings.folder, self._settings.theme)
        stamp = stamp_of(theme)
        if self._read is None or self._read.stamp != stamp:
            urls, files = plan_assets(theme, Routes(self._settings))
            by_path = {job.path: job for job in files}
            self._read = _ReadTheme(stamp, theme, urls, by_path, self._environment(theme))
        return self._read

    def _environment(self, theme: Theme) -> Environment:
        """Return an environment that keeps no fragments: those of one page name the site as it is for that page."""
        cache = template_cache(self._settings)
        images = self._images
        return make_environment(theme, self._settings, images.resolved, cache, images.tag_in_text, room_for_parts=0)


def _shown_at(settings: SiteSettings, base_path: str) -> SiteSettings:
    """Return the settings of a site that is shown at a path of another server."""
    parts = split_address(settings.url or _NOWHERE)
    return replace(
        settings,
        url=f"{parts.scheme}://{parts.netloc}{base_path}",
        images=replace(settings.images, enabled=False),
        share_images=replace(settings.share_images, enabled=False),
        media=replace(settings.media, in_build=InBuild.COPY),
        integrations=replace(settings.integrations, analytics=None, comments=None),
    )


def stamp_of(theme: Theme) -> tuple[object, ...]:
    """Return a value that differs once a file of the theme is changed, added or removed."""
    catalogues = (path for paths in theme.catalogues.values() for path in paths)
    paths = (*theme.templates.values(), *theme.assets.values(), *catalogues)
    stats = (path.stat() for path in paths)
    return (*paths, *((stat.st_mtime_ns, stat.st_size) for stat in stats))


def rendered(
    job: PageJob, environment: Environment, bodies: Mapping[int, str], plugins: SitePlugins
) -> tuple[bytes, str]:
    """Return the page, and "" or the error of the theme or of a plug-in."""
    sink = LastOutput()
    outcome = Renderer(environment, sink, lambda _ids: bodies, plugins=plugins).run(job, bodies)
    return sink.data, outcome.error
