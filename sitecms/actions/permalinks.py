"""Paths of posts and pages on the built site, by the permalinks of the settings."""

from datetime import datetime
from functools import cached_property

from msgspec import Struct
from msgspec.structs import asdict

from sitecms.content.entry import Entry
from sitecms.content.former_addresses import AddressSettings, FormerAddress
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.permalink import day_of, entry_path, is_dated
from sitecms.content.schema import ContentSchema
from sitecms.settings.site import SiteSettings


def address_settings(settings: SiteSettings, schema: ContentSchema) -> AddressSettings:
    """Return the settings that the addresses of all entries depend on."""
    routes = {key: collection.route for key, collection in schema.collections.items() if collection.route}
    return AddressSettings(asdict(settings.permalinks), routes, settings.timezone, settings.default_locale)


class EntryPaths(Struct, frozen=True, dict=True):
    """The paths of the posts and pages of a site. OverflowError: a time zone that does not have the day of one."""

    settings: SiteSettings

    def own(self, entry: Entry) -> str:
        """Return the path of a post or page, also of the home page the one of its own."""
        moment = entry.published_at or entry.scheduled_at or entry.created_at
        return entry.path or self.by_pattern(entry.kind, entry.type, entry.locale, entry.slug, moment)

    def former(self, address: FormerAddress) -> str:
        """Return a former address by the permalinks."""
        parts = address.kind, address.type, address.locale, address.slug, address.published_at
        return address.path or self.by_pattern(*parts)

    def by_pattern(self, kind: EntryKind, page_type: str, locale: str, slug: str, moment: datetime) -> str:
        """Return the path of a post or page without one of its own."""
        pattern, is_dated = self.pattern(kind, page_type)
        day = day_of(moment, self.settings.timezone) if is_dated else None
        default = self.settings.default_locale
        return entry_path(pattern, locale, default, slug=slug, page_type=page_type, day=day)

    def pattern(self, kind: EntryKind, page_type: str) -> tuple[str, bool]:
        """Return the permalink of a post, or of pages of this type, and whether it has the day of publication."""
        key = kind, not page_type
        if key not in self._patterns:
            pattern = str(getattr(self.settings.permalinks, pattern_name(kind, page_type)))
            self._patterns[key] = pattern, is_dated(pattern)
        return self._patterns[key]

    @cached_property
    def _patterns(self) -> dict[tuple[EntryKind, bool], tuple[str, bool]]:
        return {}

    def is_home(self, kind: EntryKind, page_type: str, slug: str) -> bool:
        """Return whether the settings name the page of this type and slug as the home page."""
        home = self.settings.build.home
        return bool(home) and kind is EntryKind.PAGE and home == (f"{page_type}/{slug}" if page_type else slug)


def pattern_name(kind: EntryKind, page_type: str) -> str:
    """Return the name of the permalink that gives entries their addresses, "route" for that of a collection."""
    return (not page_type and KINDS[kind].untyped_permalink) or KINDS[kind].permalink
