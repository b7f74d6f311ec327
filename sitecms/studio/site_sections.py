"""The pages of settings in the studio: which settings stand on which page, in which part."""

from msgspec import Struct

from sitecms.messages import N_
from sitecms.settings.fonts import FONT_USES
from sitecms.settings.theme_folder import OPTIONS

SITE = "/studio/site/"


class Group(Struct, frozen=True):
    """A part of a form: its heading, and the names of its settings, in a table of site.toml where one is named."""

    title: str
    names: tuple[str, ...]
    table: str = ""

    @property
    def keys(self) -> tuple[tuple[str, ...], ...]:
        """The names that lead to each setting."""
        prefix = (self.table,) if self.table else ()
        return tuple((*prefix, *name.split(".")) for name in self.names)


class Section(Struct, frozen=True):
    """A page of settings."""

    name: str
    title: str
    groups: tuple[Group, ...]

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"{SITE}{self.name}/" if self.name else SITE


GENERAL = Section(
    "",
    N_("General"),
    (
        Group(N_("Name and address"), ("name", "description", "url")),
        Group(N_("Logo"), ("logo", "dark_logo", "logo_alt", "favicon", "touch_icon"), "theme"),
        Group(N_("Time and languages"), ("timezone", "default_locale", "locales")),
        Group(N_("Home page and lists"), ("build.home", "build.page_size", "build.indexes", "search.enabled", "owner")),
    ),
)
THEME = Section(
    "theme",
    N_("Theme"),
    (
        Group(N_("Theme"), ("name",), "theme"),
        Group(N_("Options of the theme"), (OPTIONS,), "theme"),
        Group(N_("Colours"), ("accent", "color_scheme", "background", "text", "dark_background", "dark_text"), "theme"),
        Group(N_("Fonts"), FONT_USES, "theme"),
        Group(N_("Layout"), ("home", "body", "terms", "share", "progress"), "theme"),
        Group(N_("Foot of the pages"), ("footer_text", "footer_links", "social"), "theme"),
    ),
)
SERVICES = Section(
    "services",
    N_("Feeds and services"),
    (
        Group(N_("Feeds"), ("kinds", "length", "archives"), "feeds"),
        Group(
            N_("Comments"),
            ("service", "repository", "repository_id", "category", "category_id", "id", "host"),
            "comments",
        ),
        Group(N_("Analytics"), ("service", "id", "host"), "analytics"),
        Group(N_("Newsletter"), ("service", "id", "host", "endpoint", "text", "consent", "privacy_page"), "newsletter"),
        Group(N_("Contact form"), ("service", "id", "endpoint", "page"), "contact_form"),
    ),
)
SECTIONS = (GENERAL, THEME, SERVICES)
