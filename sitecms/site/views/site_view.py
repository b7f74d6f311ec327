"""The views of the site as a whole: the options of its theme, its menu, and its collections."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from sitecms.content.schema import ContentSchema
from sitecms.errors import FileError, InvalidFiles, InvalidMedia
from sitecms.media.decoding.file_types import identify
from sitecms.settings.site import SETTINGS_FILE
from sitecms.settings.theme import ThemeSettings
from sitecms.site.routes import Routes
from sitecms.site.snapshot import Snapshot
from sitecms.site.template_values import EntryView, ImageView, Link, MenuEntry, ThemeView
from sitecms.site.theme.html import link_address
from sitecms.site.theme.style import contrast_notes, scheme_colours
from sitecms.site.theme.theme import Theme
from sitecms.site.views.view_builder import ViewBuilder


@dataclass(frozen=True, slots=True)
class TemplateCollections:
    """The collections that a template names: their items, their inputs of its pages, and their media files."""

    items: Mapping[str, tuple[EntryView, ...]]
    inputs: tuple[object, ...]
    media: tuple[str, ...]


class CollectionViews:
    """Builds the collections of one locale that templates show."""

    def __init__(self, views: ViewBuilder, schema: ContentSchema, theme: Theme) -> None:
        self._views = views
        self._schema = schema
        self._theme = theme
        self._of_key: dict[str, TemplateCollections] = {}
        self._of_template: dict[str, TemplateCollections] = {}

    def shown_by(self, template: str) -> TemplateCollections:
        """Return the collections that the template, or one that it uses, names by `collections.<key>`."""
        if template not in self._of_template:
            used = self._theme.collections(template)
            shown = [self._collection(key) for key in sorted(self._schema.collections) if used is None or key in used]
            self._of_template[template] = TemplateCollections(
                {key: items for each in shown for key, items in each.items.items()},
                tuple(part for each in shown for part in each.inputs),
                tuple(name for each in shown for name in each.media),
            )
        return self._of_template[template]

    def _collection(self, key: str) -> TemplateCollections:
        if key not in self._of_key:
            items = self._views.collection(key)
            digest, media = self._views.inputs_of(items)
            self._of_key[key] = TemplateCollections({key: items}, (key, digest), media)
        return self._of_key[key]


MENU_COLLECTION = "menu"
_ICON_TYPES = {".svg": "image/svg+xml", ".png": "image/png", ".ico": "image/x-icon", ".gif": "image/gif"}


def theme_view(theme: Theme, asset_urls: Mapping[str, str], base_path: str) -> ThemeView:
    """Return the view of a theme whose assets have these addresses."""
    options = theme.options
    logo = _image(options.logo, options.logo_alt, theme, asset_urls)
    return ThemeView(
        accent=options.accent,
        color_scheme=options.color_scheme,
        colors=scheme_colours(options),
        logo=logo,
        dark_logo=_image(options.dark_logo, options.logo_alt, theme, asset_urls) if logo else None,
        favicon_url=asset_urls.get(options.favicon, ""),
        favicon_type=_ICON_TYPES.get(PurePosixPath(options.favicon).suffix.lower(), ""),
        preloads=tuple(asset_urls[font.file] for font in options.fonts if font.preload and font.file in asset_urls),
        home=options.home,
        footer_text=options.footer_text,
        footer_links=tuple(Link(link.label, link_address(link.url, base_path)) for link in options.footer_links),
    )


def check_theme(theme: Theme) -> tuple[str, ...]:
    """Return notes on the options. Raises InvalidFiles if they name files that do not exist."""
    errors = [
        FileError(SETTINGS_FILE, place, f'is "{name}", and there is no such file', _where(name))
        for place, name in _named_files(theme.options)
        if name and name not in theme.assets
    ]
    if errors:
        raise InvalidFiles(errors)
    return tuple(contrast_notes(theme.options))


def _named_files(options: ThemeSettings) -> Iterator[tuple[str, str]]:
    yield "theme.logo", options.logo
    yield "theme.dark_logo", options.dark_logo
    yield "theme.favicon", options.favicon
    for number, font in enumerate(options.fonts):
        yield f"theme.fonts[{number}].file", font.file


def _where(name: str) -> str:
    return f"put it at {name if name.startswith('media/') else f'assets/{name}'} in the site folder"


def _image(name: str, alt: str, theme: Theme, urls: Mapping[str, str]) -> ImageView | None:
    """Return the image with its size; without a size if the file cannot be read as an image."""
    if not name or name not in theme.assets:
        return None
    try:
        file = identify(theme.assets[name].read_bytes(), name)
    except InvalidMedia:
        return ImageView(urls[name], alt)
    return ImageView(urls[name], alt, file.width, file.height)


def site_menu(
    snapshot: Snapshot, views: ViewBuilder, routes: Routes, text: Callable[[str], str]
) -> tuple[MenuEntry, ...]:
    """Return the entries of the collection `menu`; without the collection the blog and the Single Pages.

    The top entries are those that no other entry refers to.
    """
    entries = {
        item.id: item for item in snapshot.items if (item.collection, item.locale) == (MENU_COLLECTION, views.locale)
    }
    if not entries:
        blog = MenuEntry(text("All posts"), routes.url(routes.blog(views.locale)))
        single = [page for page in views.pages if page.page_type is None]
        ordered = sorted(single, key=lambda page: page.id)
        return (blog, *(MenuEntry(page.title, routes.url(routes.page(page))) for page in ordered))
    below = views.children_of(MENU_COLLECTION)
    inner = {child for children in below.values() for child in children}

    def entry(item_id: int, above: frozenset[int]) -> MenuEntry:
        fields = entries[item_id].fields
        children = [child for child in below.get(item_id, ()) if child in entries and child not in above]
        inner_entries = tuple(entry(child, above | {child}) for child in children)
        return MenuEntry(str(fields.get("label") or ""), views.address(str(fields.get("url") or "")), inner_entries)

    return tuple(entry(item_id, frozenset({item_id})) for item_id in entries if item_id not in inner)
