"""The views of the site as a whole: the options of its theme, and its menu."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import PurePosixPath

from msgspec import convert
from msgspec.structs import asdict

from sitecms.content.entry import Entry
from sitecms.content.text.html import plain_text
from sitecms.errors import FileError, InvalidFiles, InvalidMedia
from sitecms.media.decoding.file_types import identify
from sitecms.settings.integrations import ThirdPartyScript
from sitecms.settings.site import SETTINGS_FILE
from sitecms.settings.theme import ThemeSettings
from sitecms.site.routes import Routes
from sitecms.site.template_values import ImageView, Link, MenuEntry, ScriptView, ThemeView
from sitecms.site.theme.addresses import link_address
from sitecms.site.theme.app_icons import MANIFEST, TOUCH_ICON, TOUCH_SIZE, app_icons
from sitecms.site.theme.style import contrast_notes, scheme_colours
from sitecms.site.theme.theme import Theme
from sitecms.site.views.profiles import profile_link
from sitecms.site.views.view_builder import ViewBuilder

MENU_COLLECTION = "menu"
_MENU_ROWS = "children"
_MENU_PAGES = 6
NOT_IN_MENUS = re.compile(
    r"(?:40[134]|50[03]|error|errors|offline|not-found|page-not-found|search(?:-results)?|suche|buscar|recherche"
    r"|success|submitted|confirmation|confirmed|(?:vielen-)?danke|gracias|merci|grazie|obrigad[oa]|bedankt|tack"
    r"|thank-?you|thanks|subscribed|unsubscribed?)(?:-.*)?"
)
"""Slugs of pages that visitors come to in other ways: answers of forms, errors, search."""
_GISCUS_LOCALES = frozenset({
    "ar", "be", "bg", "ca", "cs", "da", "de", "en", "eo", "es", "eu", "fa", "fr", "gr", "hu", "id", "it", "ja", "kh",
    "ko", "nl", "pl", "pt", "ro", "ru", "th", "tr", "uk", "uz", "vi", "zh-CN", "zh-TW",
})  # fmt: skip
"""Languages of giscus, which refuses to load in any other."""
_ICON_TYPES = {".svg": "image/svg+xml", ".png": "image/png", ".ico": "image/x-icon", ".gif": "image/gif"}


def theme_view(theme: Theme, asset_urls: Mapping[str, str], base_path: str) -> ThemeView:
    """Return the view of a theme whose assets have these addresses."""
    options = theme.options
    logo = _image(options.logo, options.logo_alt, theme, asset_urls)
    computed = {
        "colors": scheme_colours(options),
        "logo": logo,
        "dark_logo": _image(options.dark_logo, options.logo_alt, theme, asset_urls) if logo else None,
        "favicon_url": asset_urls.get(options.favicon, ""),
        "favicon_type": _ICON_TYPES.get(PurePosixPath(options.favicon).suffix.lower(), ""),
        "preloads": tuple(asset_urls[font.file] for font in options.fonts if font.preload and font.file in asset_urls),
        "manifest_url": asset_urls.get(MANIFEST, ""),
        "touch_icon_url": asset_urls.get(TOUCH_ICON, ""),
        "social": tuple(map(profile_link, options.social)),
        "footer_links": tuple(Link(link.label, link_address(link.url, base_path)) for link in options.footer_links),
    }
    return convert({**asdict(options), **computed}, ThemeView)


def script_view(script: ThirdPartyScript | None, language: str) -> ScriptView | None:
    """Return the view of a script, which speaks the language of the page where it can."""
    if script is None:
        return None
    attributes = dict(script.attributes)
    if script.element == "giscus":
        attributes["data-lang"] = language if language in _GISCUS_LOCALES else language.partition("-")[0]
        if attributes["data-lang"] not in _GISCUS_LOCALES:
            attributes["data-lang"] = "en"
    return ScriptView(script.src, attributes, script.needs_consent, script.element)


def check_theme(theme: Theme) -> tuple[str, ...]:
    """Return notes on the options. Raises InvalidFiles if they name files that do not exist."""
    errors = [
        FileError(SETTINGS_FILE, place, f'is "{name}", and there is no such file', _where(name))
        for place, name in _named_files(theme.options)
        if name and name not in theme.assets
    ]
    if errors:
        raise InvalidFiles(errors)
    notes = list(contrast_notes(theme.options))
    if theme.options.touch_icon and not any(app_icons(theme)):
        name = theme.options.touch_icon
        notes.append(
            f"site.toml: theme.touch_icon: {name} is no PNG, JPEG or WebP picture of {TOUCH_SIZE} pixels or more"
        )
    return tuple(notes)


def _named_files(options: ThemeSettings) -> Iterator[tuple[str, str]]:
    yield "theme.logo", options.logo
    yield "theme.dark_logo", options.dark_logo
    yield "theme.favicon", options.favicon
    yield "theme.touch_icon", options.touch_icon
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


def site_menu(views: ViewBuilder, routes: Routes, theme: Theme, text: Callable[[str], str]) -> tuple[MenuEntry, ...]:
    """Return the entries of the collection `menu`; without the collection the blog and a few Single Pages.

    Entries that another one refers to are below it, and so are the rows of its field `children`; the others are at the
    top.
    """
    entries = {item.id: item for item in views.items if item.type == MENU_COLLECTION}
    if not entries:
        blog = MenuEntry(text("All posts"), routes.url(routes.blog(views.locale)))
        pages = islice(_menu_pages(views.pages, routes, theme), _MENU_PAGES)
        return (blog, *(MenuEntry(views.text(page.title), routes.url(routes.path(page))) for page in pages))
    below = views.children_of(MENU_COLLECTION)
    inner = {child for children in below.values() for child in children}

    def entry(item_id: int, above: frozenset[int]) -> MenuEntry:
        fields = entries[item_id].fields
        children = [child for child in below.get(item_id, ()) if child in entries and child not in above]
        inner_entries = (entry(child, above | {child}) for child in children)
        return _menu_entry(fields, views, (*inner_entries, *_menu_rows(fields.get(_MENU_ROWS), views)))

    return tuple(entry(item_id, frozenset({item_id})) for item_id in entries if item_id not in inner)


def _menu_rows(rows: object, views: ViewBuilder) -> Iterator[MenuEntry]:
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict):
            yield _menu_entry(row, views)


def _menu_entry(fields: Mapping[str, object], views: ViewBuilder, children: tuple[MenuEntry, ...] = ()) -> MenuEntry:
    return MenuEntry(str(fields.get("label") or ""), views.address(str(fields.get("url") or "")), children)


def _menu_pages(pages: Iterable[Entry], routes: Routes, theme: Theme) -> Iterator[Entry]:
    """Yield the Single Pages that a menu may name: those near the root first, then by slug."""
    single = [page for page in pages if not page.type and not NOT_IN_MENUS.fullmatch(page.slug)]
    for page in sorted(single, key=lambda page: (routes.path(page).strip("/").count("/"), page.slug)):
        if f"page/_single/{page.slug}.html" in theme.templates or not _is_blank(page.fields):
            yield page


def _is_blank(value: object) -> bool:
    """Return whether a field value shows nothing; an answer of yes or no alone is nothing to read."""
    if isinstance(value, str):
        return not plain_text(value) and "src=" not in value
    if isinstance(value, Mapping):
        return all(map(_is_blank, value.values()))
    return all(map(_is_blank, value)) if isinstance(value, list) else value is None or isinstance(value, bool)
